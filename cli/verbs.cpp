#include "verb.hpp"

namespace holdfast::cli {

// Each is defined in the file of its name.
std::unique_ptr<verb> make_acquire();
std::unique_ptr<verb> make_extend();
std::unique_ptr<verb> make_release();
std::unique_ptr<verb> make_status();
std::unique_ptr<verb> make_list();
std::unique_ptr<verb> make_break();
std::unique_ptr<verb> make_version();
std::unique_ptr<verb> make_help();

const std::vector<verb_entry>& verbs() {
  static const std::vector<verb_entry> all{
      {"acquire", make_acquire}, {"extend", make_extend}, {"release", make_release}, {"status", make_status},
      {"list", make_list},       {"break", make_break},   {"version", make_version}, {"help", make_help},
  };
  return all;
}

}  // namespace holdfast::cli
