#include "run/report.hpp"

#include "exit_code.hpp"
#include "json.hpp"
#include "stop.hpp"
#include "terminal.hpp"

#include <holdfast/error.hpp>

#include <unistd.h>

#include <exception>
#include <utility>

namespace holdfast::cli {

void run_report::end(int code, std::string why, std::string sentence) {
  exit_code = code;
  reason = std::move(why);
  detail = std::move(sentence);
}

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

void tell(const run_report& what, bool json) noexcept {
  if (json) {
    say(to_json(what));
  } else if (!what.detail.empty()) {
    say("holdfast: " + what.detail);
  }
}

int run_and_tell(run_report& what, bool json, const std::function<void()>& work) {
  try {
    work();
  } catch (const stop& why) {
    what.end(why.code, "usage", why.what());
  } catch (const error& failed) {
    what.end(exit_code_of(failed.kind()), std::string{to_string(failed.kind())}, failed.what());
  } catch (const std::exception& failed) {
    what.end(exit_internal, "internal", std::string{"cannot run the command: "} + failed.what());
  }
  tell(what, json);
  return what.exit_code;
}

void say(std::string text) noexcept {
  text = printable(text) + "\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace holdfast::cli
