// holdfast completion bash|zsh|fish
#include "completion/scripts.hpp"
#include "exit_code.hpp"
#include "terminal.hpp"
#include "verb.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace holdfast::cli {
namespace {

const manual completion_page{
    .name = "completion",
    .usage = "bash|zsh|fish",
    .summary = "print a script that completes verbs, options and lock names",
    .description =
        {"The Debian package installs these scripts where the shells look for them; this verb is for everybody else. "
         "Verbs, options, their values and the names of locks that exist now are completed; after `run NAME --`, "
         "commands and their own arguments.",
         "Lock names are asked from the Redis that --url, the environment or the configuration file names, for 0.4 "
         "seconds at most. Where it does not answer there are no names, and no error. A private Redis is not started "
         "for it.",
         "For zsh, load it after compinit, or save it as `_holdfast` in a directory of $fpath. For fish, save it as "
         "~/.config/fish/completions/holdfast.fish."},
    .examples = {{"source <(holdfast completion bash)", "in ~/.bashrc (zsh: in ~/.zshrc)"},
                 {"holdfast completion fish | source", "in ~/.config/fish/config.fish"}},
};

class completion_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return completion_page; }
  void define(CLI::App& app) override {
    app.add_option("SHELL", shell_, "the shell")->required()->check([](const std::string& given) {
      return given == "bash" || given == "zsh" || given == "fish"
                 ? std::string{}
                 : "there is no completion for '" + given + "'; there is for bash, zsh and fish";
    });
  }
  int act() override {
    print(shell_ == "bash" ? bash_script() : shell_ == "zsh" ? zsh_script() : fish_script());
    return exit_ok;
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<verb> make_completion() { return std::make_unique<completion_verb>(); }

}  // namespace holdfast::cli
