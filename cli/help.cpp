// holdfast help [VERB]
#include "manual/help.hpp"
#include "exit_code.hpp"
#include "stop.hpp"
#include "terminal.hpp"
#include "verb.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace holdfast::cli {
namespace {

const manual page{
    .name = "help",
    .usage = "[VERB]",
    .summary = "explain the command, or one verb of it",
    .examples = {{"holdfast help", "all verbs"}, {"holdfast help run", "the options of run"}},
};

class help_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return page; }
  void define(CLI::App& app) override { app.add_option("VERB", about_, "the verb to explain"); }
  int act() override {
    if (about_.empty()) {
      print(overview_text());
      return exit_ok;
    }
    for (const verb_entry& each : verbs()) {
      if (each.name != about_) continue;
      const auto what = each.make();
      CLI::App app;
      prepare(*what, app);
      print(help_text(*what, app));
      return exit_ok;
    }
    throw stop{exit_usage, "there is no verb '" + about_ + "' (holdfast help lists them)"};
  }

 private:
  std::string about_;
};

}  // namespace

std::unique_ptr<verb> make_help() { return std::make_unique<help_verb>(); }

}  // namespace holdfast::cli
