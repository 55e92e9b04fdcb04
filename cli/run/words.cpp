#include "run/words.hpp"

#include "duration.hpp"

namespace holdfast::cli {

void add_conflict_code(CLI::App& app, run_request& into, const std::string& help) {
  app.add_option("-E,--conflict-exit-code", into.conflict_code, help)
      ->type_name("N")
      ->check([](const std::string& given) {
        return given.empty() || given.size() > 3 || given.find_first_not_of("0123456789") != std::string::npos ||
                       std::stoi(given) > 255
                   ? "'" + given + "' is not an exit code; write 0 to 255"
                   : std::string{};
      });
}

void add_command(CLI::App& app, run_request& into) {
  app.prefix_command();  // what follows COMMAND is the command's
  app.add_option("-c,--command", into.shell_text, "run this with sh -c")->type_name("TEXT");
  app.add_flag("-v,--verbose", into.verbose, "say what is going on");
}

void add_loss(CLI::App& app, run_request& into, const std::string& choices) {
  app.add_option("--on-lost", into.on_lost, choices)->type_name("WHAT");
  add_duration(app, "--grace", into.grace, "from the signal to SIGKILL (ttl/4, 5s at most)");
}

void read_command(const CLI::App& app, run_request& into) {
  into.command = app.remaining();
  std::size_t marks = 0;
  while (marks < into.command.size() && into.command[marks] == "--") ++marks;
  if (marks == 0 && !into.command.empty() && into.command.front().starts_with("-")) {
    into.unknown_option = into.command.front();
  }
  into.command.erase(into.command.begin(), into.command.begin() + static_cast<std::ptrdiff_t>(marks));
}

}  // namespace holdfast::cli
