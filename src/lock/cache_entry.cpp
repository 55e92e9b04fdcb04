#include "lock/cache_entry.hpp"

#include "lock/server_error.hpp"
#include "lock/take.hpp"

#include <cmath>

namespace holdfast::lock {

using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

failure not_an_entry() {
  return {errc::wrong_type, "the value key holds something that no cache of ours has written; choose another prefix"};
}

// Within so many loading times of its end a value is loaded again for certain.
constexpr double last_loads = 2;

}  // namespace

cache_entry erased_entry() {
  cache_entry made;
  made.what = cache_entry::kind::erased;
  return made;
}

std::string write_entry_tail(const cache_entry& what) {
  std::string out = " " + std::to_string(what.stale.count()) + " " + std::to_string(what.took.count()) + " ";
  out.push_back(static_cast<char>(what.what));
  out.append(" ").append(what.text);
  return out;
}

result<std::optional<cache_entry>> read_entry(const resp::value& got, const resp::value& left) {
  if (got.is_error()) return server_error(got.text);
  if (left.is_error()) return server_error(left.text);
  if (got.is_null()) return std::optional<cache_entry>{};
  if (!got.is_text() || left.type != resp::kind::integer) {
    return failure{errc::protocol, "the answers to GET and PTTL are not a text and a number"};
  }
  cache_entry out;
  std::string_view text = got.text;
  std::int64_t stale = 0;
  std::int64_t took = 0;
  if (!take_number(text, out.number) || !take_number(text, stale) || !take_number(text, took) || stale < 0 ||
      took < 0 || text.size() < 2 || text[1] != ' ') {
    return not_an_entry();
  }
  switch (text.front()) {
    case 'v':
    case 'n':
    case 'e':
      out.what = static_cast<cache_entry::kind>(text.front());
      break;
    default:
      return not_an_entry();
  }
  if (left.integer == -1) return not_an_entry();  // ours always expire
  // It ended between the two answers.
  if (left.integer < 0) return std::optional<cache_entry>{};
  out.stale = milliseconds{stale};
  out.took = microseconds{took};
  out.fresh = milliseconds{left.integer} - out.stale;
  out.text = text.substr(2);
  return std::optional{std::move(out)};
}

cache_step judge(const std::optional<cache_entry>& kept, double early, double dice) {
  if (!kept || kept->what == cache_entry::kind::erased) return cache_step::load;
  if (kept->fresh <= milliseconds{0}) return kept->stale > milliseconds{0} ? cache_step::refresh : cache_step::load;
  if (early <= 0) return cache_step::serve;
  const double took = std::chrono::duration<double>{kept->took}.count() * early;
  const double fresh = std::chrono::duration<double>{kept->fresh}.count();
  return fresh <= took * last_loads || fresh <= -took * std::log(dice) ? cache_step::refresh : cache_step::serve;
}

}  // namespace holdfast::lock
