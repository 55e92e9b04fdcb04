#include "client/cache_keeper.hpp"

#include "client/batch.hpp"
#include "client/quorum_keeper.hpp"
#include "lock/names.hpp"
#include "lock/server_error.hpp"

namespace holdfast::detail {

using lock::cache_entry;

namespace {

class one_redis_keeper final : public cache_keeper {
 public:
  explicit one_redis_keeper(core& owner) : core_{owner} {}

  result<std::optional<cache_entry>> read(guard_type& guard, const std::string& key) override {
    batch asked{core_, true};
    const std::string value = lock::value_key(key);
    asked.add({"GET", value});
    asked.add({"PTTL", value});
    if (auto problem = asked.run(guard)) return *problem;
    return lock::read_entry(asked.reply(0), asked.reply(1));
  }

  bool store(guard_type& guard, const brought& what) override {
    const bool keeps = what.ttl > std::chrono::milliseconds{0};
    const std::string ttl = keeps ? std::to_string(what.ttl.count()) : std::string{};
    const std::string number = std::to_string(what.number);
    batch asked{core_, false};
    asked.add_script(scripts::cache_store,
                     {what.key, lock::waiters_key(what.key), lock::seen_key(what.key), lock::fence_key(what.key),
                      lock::value_key(what.key)},
                     {what.owner, ttl, number, number + what.tail});
    return !asked.run(guard) && asked.reply(0).text == "stored";
  }

  result<void> replace(const replacement& what) override {
    auto guard = core_.lock();
    batch asked{core_, true};  // whoever erases twice has erased
    asked.add_script(scripts::cache_put,
                     {what.key, lock::waiters_key(what.key), lock::seen_key(what.key), lock::fence_key(what.key),
                      lock::value_key(what.key)},
                     {std::to_string(what.ttl.count()), what.tail, std::to_string(what.max_load.count()),
                      write_entry_tail(lock::erased_entry())});
    if (auto problem = asked.run(guard)) return *problem;
    if (asked.reply(0).is_error()) return lock::server_error(asked.reply(0).text);
    return {};
  }

  [[nodiscard]] bool renumbers() const noexcept override { return true; }

 private:
  core& core_;
};

}  // namespace

std::unique_ptr<cache_keeper> make_cache_keeper(const std::shared_ptr<core>& owner, const options& locks) {
  if (owner->where().deployment == deployment::quorum) return std::make_unique<quorum_keeper>(owner, locks);
  return std::make_unique<one_redis_keeper>(*owner);
}

}  // namespace holdfast::detail
