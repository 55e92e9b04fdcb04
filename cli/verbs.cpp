#include "verb.hpp"

#include "exit_code.hpp"
#include "stop.hpp"
#include "suggestion.hpp"

#include <string>

namespace holdfast::cli {

// Each is defined in the file of its name.
std::unique_ptr<verb> make_run();
std::unique_ptr<verb> make_elect();
std::unique_ptr<verb> make_leader();
std::unique_ptr<verb> make_acquire();
std::unique_ptr<verb> make_extend();
std::unique_ptr<verb> make_release();
std::unique_ptr<verb> make_status();
std::unique_ptr<verb> make_list();
std::unique_ptr<verb> make_watch();
std::unique_ptr<verb> make_break();
std::unique_ptr<verb> make_doctor();
std::unique_ptr<verb> make_config();
std::unique_ptr<verb> make_demo();
std::unique_ptr<verb> make_lab();
std::unique_ptr<verb> make_bench();
std::unique_ptr<verb> make_completion();
std::unique_ptr<verb> make_version();
std::unique_ptr<verb> make_help();

const std::vector<verb_entry>& verbs() {
  static const std::vector<verb_entry> all{
      {"run", make_run},         {"elect", make_elect},     {"leader", make_leader}, {"acquire", make_acquire},
      {"extend", make_extend},   {"release", make_release}, {"status", make_status}, {"list", make_list},
      {"watch", make_watch},     {"break", make_break},     {"doctor", make_doctor}, {"config", make_config},
      {"demo", make_demo},       {"lab", make_lab},         {"bench", make_bench},   {"completion", make_completion},
      {"version", make_version}, {"help", make_help},
  };
  return all;
}

verb_maker find_verb(std::string_view name) {
  std::vector<std::string_view> known;
  for (const verb_entry& each : verbs()) {
    if (each.name == name) return each.make;
    known.push_back(each.name);
  }
  const std::string_view near = nearest(name, known);
  throw stop{exit_usage, "there is no verb '" + std::string{name} + "'" +
                             (near.empty() ? "" : "; did you mean '" + std::string{near} + "'?") +
                             " (holdfast help lists them)"};
}

}  // namespace holdfast::cli
