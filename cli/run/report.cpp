#include "run/report.hpp"

#include "json.hpp"
#include "terminal.hpp"

#include <unistd.h>

namespace holdfast::cli {

std::string to_json(const run_report& what) {
  return json_object{}
      .add("name", what.name)
      .add("reason", what.reason)
      .add("exit_code", what.exit_code)
      .add("waited_ms", what.waited.count())
      .add("held_ms", what.held.count())
      .add("fence", what.fence)
      .add("cause", what.cause)
      .add("detail", what.detail)
      .text();
}

void say(std::string text) noexcept {
  text = printable(text) + "\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace holdfast::cli
