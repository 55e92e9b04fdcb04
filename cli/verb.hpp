// A verb of the command: what it says of itself, its options, and what it does.
//
// Each verb is one file (run.cpp, status.cpp, …) with a factory named make_<verb>, listed in verbs.cpp. Its `manual` and
// its options are the one source of --help, the man pages and the shells' completion (manual/).
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace holdfast::cli {

struct manual {
  struct example {
    std::string_view command;
    std::string_view effect;  // what it does, in a few words
  };
  struct exit_status {
    std::string_view code;
    std::string_view meaning;
  };

  std::string_view name;
  std::string_view usage;    // what follows the verb: "NAME [--] COMMAND [ARGUMENT...]"
  std::string_view summary;  // one line, without a full stop
  // Paragraphs of the man page. --help leaves them out: it has to fit a screen.
  std::vector<std::string_view> description{};
  std::vector<example> examples{};
  std::vector<exit_status> exits{};
};

class verb {
 public:
  virtual ~verb() = default;
  [[nodiscard]] virtual const manual& text() const = 0;
  // Adds options and positional arguments, bound to members.
  virtual void define(CLI::App& app) = 0;
  // Called after a successful parse. Returns the exit code; may throw `stop` (stop.hpp) and holdfast::error.
  virtual int act() = 0;
};

using verb_maker = std::unique_ptr<verb> (*)();

struct verb_entry {
  std::string_view name;
  verb_maker make;
};

// All verbs, in the order in which the help shows them.
const std::vector<verb_entry>& verbs();

// The one of that name; throws `stop` with a suggestion where there is none.
verb_maker find_verb(std::string_view name);

}  // namespace holdfast::cli
