// holdfast VERB …: finds the verb, lets CLI11 read its options, runs it, and turns every failure into one line and an
// exit code.
#include "exit_code.hpp"
#include "manual/help.hpp"
#include "start_up.hpp"
#include "stop.hpp"
#include "suggestion.hpp"
#include "terminal.hpp"
#include "verb.hpp"

#include <holdfast/error.hpp>

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {
namespace {

int complain(int code, std::string_view why) {
  std::fprintf(stderr, "holdfast: %s\n", printable(why).c_str());
  return code;
}

int run_verb(verb& what, std::vector<std::string> words) {
  CLI::App app;
  prepare(what, app);
  std::vector<std::string> reversed{words.rbegin(), words.rend()};  // as CLI11 wants it
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    print(help_text(what, app));
    return exit_ok;
  } catch (const CLI::ParseError& wrong) {
    return complain(exit_usage, std::string{wrong.what()} + "; see: holdfast help " + std::string{what.text().name});
  }
  return what.act();
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty()) {
    std::fputs(overview_text().c_str(), stderr);
    return exit_usage;
  }
  std::string name = words.front();
  if (name == "--help" || name == "-h") name = "help";
  if (name == "--version" || name == "-V") name = "version";
  for (const verb_entry& each : verbs()) {
    if (each.name == name) return run_verb(*each.make(), {words.begin() + 1, words.end()});
  }
  std::vector<std::string_view> known;
  for (const verb_entry& each : verbs()) known.push_back(each.name);
  const std::string_view near = nearest(name, known);
  return complain(exit_usage, "there is no verb '" + name + "'" +
                                  (near.empty() ? "" : "; did you mean '" + std::string{near} + "'?") +
                                  " (holdfast help lists them)");
}

}  // namespace
}  // namespace holdfast::cli

int main(int argc, char** argv) {
  using namespace holdfast::cli;
  fill_standard_descriptors();
  try {
    const std::vector<std::string> words{argv + std::min(argc, 1), argv + argc};
    hide_passwords(argc, argv);
    return dispatch(words);
  } catch (const stop& end) {
    return complain(end.code, end.what());
  } catch (const holdfast::error& failed) {
    return complain(exit_code_of(failed.kind()), failed.what());
  } catch (const std::exception& failed) {
    return complain(exit_internal, failed.what());
  }
}
