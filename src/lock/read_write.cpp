#include "lock/read_write.hpp"

#include "lock/names.hpp"
#include "lock/shares.hpp"
#include "lock/snapshot.hpp"

namespace holdfast::lock {
namespace {

flavour_ptr make(std::string_view key, bool writes) {
  flavour made;
  made.acquire = &scripts::read_write_acquire;
  made.release = &scripts::read_write_release;
  made.renew = &scripts::read_write_renew;
  made.extra = {writes ? "write" : "read", redisson_read_write_channel(key), redisson_stem(key)};
  made.mark = std::to_string(writes ? most_shares : 1) + '*';
  made.noun = "a read-write lock of Redisson's";
  made.longest = redisson_watchdog;
  return std::make_shared<const flavour>(std::move(made));
}

}  // namespace

flavour_ptr redisson_reader(std::string_view key) { return make(key, false); }
flavour_ptr redisson_writer(std::string_view key) { return make(key, true); }

result<void> check_ttl_of(const flavour& what, std::chrono::milliseconds ttl) {
  if (what.longest == std::chrono::milliseconds{0} || ttl <= what.longest) return {};
  return failure{errc::bad_option, "ttl is " + std::to_string(ttl.count()) + " ms, but " + std::string{what.noun} +
                                       " is held for at most " + std::to_string(what.longest.count()) +
                                       " ms at a time, because Redisson's own renewals would cut a longer lease short"};
}

}  // namespace holdfast::lock
