#include "verb.hpp"

namespace holdfast::cli {

// Each is defined in the file of its name.
std::unique_ptr<verb> make_run();
std::unique_ptr<verb> make_version();
std::unique_ptr<verb> make_help();

const std::vector<verb_entry>& verbs() {
  static const std::vector<verb_entry> all{
      {"run", make_run},
      {"version", make_version},
      {"help", make_help},
  };
  return all;
}

}  // namespace holdfast::cli
