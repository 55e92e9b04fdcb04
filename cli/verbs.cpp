#include "verb.hpp"

namespace holdfast::cli {

// Each is defined in the file of its name.
std::unique_ptr<verb> make_doctor();
std::unique_ptr<verb> make_config();
std::unique_ptr<verb> make_version();
std::unique_ptr<verb> make_help();

const std::vector<verb_entry>& verbs() {
  static const std::vector<verb_entry> all{
      {"doctor", make_doctor},
      {"config", make_config},
      {"version", make_version},
      {"help", make_help},
  };
  return all;
}

}  // namespace holdfast::cli
