#include "lock/meeting.hpp"

#include "lock/server_error.hpp"
#include "lock/take.hpp"

#include <algorithm>

namespace holdfast::lock {

using std::chrono::milliseconds;

namespace {

constexpr std::ptrdiff_t most_expected = 1'000'000'000;
constexpr milliseconds shortest_meeting{1000};

}  // namespace

std::string_view to_string(meeting_kind kind) noexcept { return kind == meeting_kind::latch ? "latch" : "barrier"; }

result<meet_reply> read_meet(const resp::value& reply) {
  if (reply.is_error()) return server_error(reply.text);
  meet_reply out;
  std::string_view text = reply.text;
  unsigned more = 0;
  if (reply.type == resp::kind::bulk && take_number(text, out.made) && take_number(text, out.phase) &&
      take_number(text, out.present) && take_number(text, out.left) && is_whole_number(text, more) && more <= 1) {
    out.more = more == 1;
    return out;
  }
  return failure{errc::protocol, "the answer to the meet_count script is not of a form that it can return"};
}

result<void> check_meeting(meeting_kind kind, std::ptrdiff_t expected, const meeting_options& how) {
  const std::ptrdiff_t least = kind == meeting_kind::latch ? 0 : 1;
  if (expected < least || expected > most_expected) {
    return failure{errc::bad_option, "the number expected at the " + std::string{to_string(kind)} + " is " +
                                         std::to_string(expected) + "; it must be between " + std::to_string(least) +
                                         " and " + std::to_string(most_expected)};
  }
  if (how.ttl < shortest_meeting || how.ttl > longest_ttl) {
    return failure{errc::bad_option,
                   "ttl is " + std::to_string(how.ttl.count()) + " ms; it must be between 1 s and 365 days"};
  }
  if (!how.wait) return {};
  options waiting;
  waiting.wait = how.wait;
  const auto checked = check(waiting);
  return checked ? result<void>{} : result<void>{checked.failure()};
}

result<void> check_arrivals(std::ptrdiff_t n) {
  if (n >= 0 && n <= most_expected) return {};
  return failure{errc::bad_option,
                 std::to_string(n) + " cannot arrive; it must be between 0 and " + std::to_string(most_expected)};
}

// A request that was sent near the end of the call may be run by a server that stood still in between.
runtime::duration replay_window(runtime::duration longest) noexcept { return longest * 5; }

runtime::duration meeting_ttl(const meeting_options& how, runtime::duration longest) noexcept {
  return std::max<runtime::duration>(how.ttl, replay_window(longest));
}

terms meeting_terms(runtime::duration ttl, std::optional<runtime::duration> limit) {
  terms out;
  out.ttl = ttl;
  out.waits = !limit || *limit > runtime::duration{0};
  out.forever = !limit;
  out.wait = limit.value_or(runtime::duration{0});
  out.renew = false;
  out.fence = false;
  return out;
}

flavour_ptr meeting_flavour(meeting_kind kind, std::ptrdiff_t expected, std::uint64_t made, std::uint64_t phase) {
  auto out = std::make_shared<flavour>();
  out->acquire = &scripts::meet_wait;
  out->release = &scripts::meet_leave;
  out->extra = {std::string{to_string(kind)}, std::to_string(expected), std::to_string(made), std::to_string(phase)};
  out->noun = kind == meeting_kind::latch ? "a latch" : "a barrier";
  out->mark = std::to_string(phase) + ";";
  return out;
}

failure not_a_meeting(std::string_view key, meeting_kind kind) {
  return {errc::wrong_type, "the key " + std::string{key} + " holds something that is not a " +
                                std::string{to_string(kind)} + "; choose another name or prefix, or remove the key"};
}

failure meeting_failure(failure why, std::string_view name, std::string_view missing) {
  if (missing.empty() || (why.code != errc::timed_out && why.code != errc::held)) return why;
  why.code = errc::timed_out;
  why.detail = "the wait limit passed; " + std::string{missing} + " are missing at " + std::string{name};
  return why;
}

}  // namespace holdfast::lock
