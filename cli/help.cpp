// holdfast help [VERB]
#include "manual/help.hpp"
#include "exit_code.hpp"
#include "manual/man.hpp"
#include "terminal.hpp"
#include "verb.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <string>

namespace holdfast::cli {
namespace {

const manual help_page{
    .name = "help",
    .usage = "[VERB]",
    .summary = "explain the command, or one verb of it",
    .description = {"Without a verb, lists all verbs. `holdfast help VERB` prints what `holdfast VERB --help` prints.",
                    "With --man, prints the man page instead, in the form that man(1) reads; for a command that was "
                    "copied to a host without its pages."},
    .examples = {{"holdfast help run", "the options of run"},
                 {"holdfast help --man run | man -l -", "its man page, without installing it"}},
};

class help_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return help_page; }
  void define(CLI::App& app) override {
    app.add_option("VERB", about_, "the verb to explain");
    app.add_flag("--man", man_, "print the man page, for man -l -");
    app.add_flag("--verbs", names_, "print the names of all verbs")->group("");  // for the build, which makes the pages
  }
  int act() override {
    if (names_) {
      for (const verb_entry& each : verbs()) print(std::string{each.name} + "\n");
      return exit_ok;
    }
    const bool coloured = has_colours(STDOUT_FILENO);
    if (about_.empty()) {
      print(man_ ? overview_page() : overview_text(coloured));
      return exit_ok;
    }
    const auto what = find_verb(about_)();
    CLI::App app;
    prepare(*what, app);
    print(man_ ? man_page(*what, app) : help_text(*what, app, coloured));
    return exit_ok;
  }

 private:
  std::string about_;
  bool man_ = false;
  bool names_ = false;
};

}  // namespace

std::unique_ptr<verb> make_help() { return std::make_unique<help_verb>(); }

}  // namespace holdfast::cli
