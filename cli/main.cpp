// holdfast VERB …: finds the verb, lets CLI11 read its options, runs it, and turns every failure into one line and an
// exit code.
#include "completion/answer.hpp"
#include "exit_code.hpp"
#include "manual/help.hpp"
#include "manual/misuse.hpp"
#include "start_up.hpp"
#include "stop.hpp"
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

int parse_and_act(verb& what, std::vector<std::string> words) {
  CLI::App app;
  prepare(what, app);
  std::vector<std::string> reversed{words.rbegin(), words.rend()};  // as CLI11 wants it
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    print(help_text(what, app, has_colours(STDOUT_FILENO)));
    return exit_ok;
  } catch (const CLI::ParseError& wrong) {
    return complain(exit_usage, misuse_text(wrong, app, what.text()));
  }
  return what.act();
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty()) {
    std::fputs(overview_text(has_colours(STDERR_FILENO)).c_str(), stderr);
    return exit_usage;
  }
  std::string name = words.front();
  if (name == completion_word) return answer_completion({words.begin() + 1, words.end()});
  if (name == "--help" || name == "-h") name = "help";
  if (name == "--version" || name == "-V") name = "version";
  return parse_and_act(*find_verb(name)(), {words.begin() + 1, words.end()});
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
