#include "actor_work.hpp"

#include <holdfast/holdfast.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <thread>

#include "actor.hpp"
#include "clock.hpp"
#include "redis_link.hpp"
#include "redlock.hpp"

namespace lab {
namespace {

using std::chrono::milliseconds;
using texts = std::vector<std::string>;

milliseconds ms(const std::string& text) { return milliseconds{std::stoll(text)}; }

class worker {
 public:
  texts obey(const order& what) {
    const std::string& kind = what.at(0);
    if (kind == "redis") return {raw(what.at(1), {what.begin() + 2, what.end()})};
    if (kind == "acquire") return acquire(what);
    if (kind == "loss") return loss();
    if (kind == "look") return {std::string{to_string(lease_.state())}};
    if (kind == "release") return {std::string{to_string(lease_.release())}};
    if (kind == "queue") return queue(what);
    if (kind == "poll") return poll(what);
    if (kind == "vote") return vote(what);
    return {"-no such order: " + kind};
  }

 private:
  std::string raw(const std::string& socket, const words& command) {
    const auto found = links_.try_emplace(socket, socket).first;
    try {
      return found->second.ask(command);
    } catch (const link_broken& why) {
      return std::string{"-"} + why.what();
    }
  }

  // The environment's settings and files are for other servers than ours; warnings (this Redis keeps nothing on disk)
  // would only be in the way.
  holdfast::client& client_at(const std::string& url) {
    if (!client_ || url_ != url) {
      auto where = holdfast::settings::from_url(url).value();
      where.on_warning = [](const holdfast::warning&) {};
      client_ = std::make_unique<holdfast::client>(where);
      url_ = url;
    }
    return *client_;
  }

  texts acquire(const order& what) {
    holdfast::options how{.ttl = ms(what.at(4)),
                          .renew = what.at(5) == "yes",
                          .owner = what.at(3),
                          .replicas = std::stoi(what.at(7)),
                          .on_lost = [this](const holdfast::loss&) { lost_at_ = now_ns(); }};
    const milliseconds patience = ms(what.at(6));
    if (patience.count() > 0) how.wait = patience;
    holdfast::client& at = client_at(what.at(1));
    auto got = how.wait ? at.acquire(std::nothrow, what.at(2), how) : at.try_acquire(what.at(2), how);
    if (!got) return {std::string{to_string(got.code())}};
    lease_ = std::move(*got);
    return {"granted", std::to_string(lease_.fence())};
  }

  texts loss() const {
    constexpr std::int64_t patience = 15'000'000'000;
    for (const auto until = now_ns() + patience; lost_at_ == 0 && now_ns() < until;) {
      std::this_thread::sleep_for(milliseconds{1});
    }
    return {std::to_string(lost_at_)};
  }

  texts queue(const order& what) {
    holdfast::lease lease =
        client_at(what.at(1)).acquire(what.at(2), {.wait = milliseconds{15'000}, .owner = what.at(3)});
    const auto got = now_ns();
    std::this_thread::sleep_for(ms(what.at(4)));
    const auto released = now_ns();
    static_cast<void>(lease.release());
    return {std::to_string(got), std::to_string(released), "1"};
  }

  texts poll(const order& what) {
    const std::string& socket = what.at(1);
    int tries = 1;
    for (; raw(socket, {"SET", what.at(2), what.at(3), "NX", "PX", "30000"}) != "OK"; ++tries) {
      std::this_thread::sleep_for(ms(what.at(4)));
    }
    const auto got = now_ns();
    std::this_thread::sleep_for(ms(what.at(5)));
    const auto released = now_ns();
    raw(socket, {"DEL", what.at(2)});
    return {std::to_string(got), std::to_string(released), std::to_string(tries)};
  }

  static texts vote(const order& what) {
    const redlock_answer told =
        plain_redlock({what.begin() + 5, what.end()}, what.at(1), what.at(2), ms(what.at(3)), ms(what.at(4)));
    return {told.held ? "held" : "refused", std::to_string(told.votes), std::to_string(told.validity.count())};
  }

  std::map<std::string, redis_link> links_;
  std::string url_;
  std::unique_ptr<holdfast::client> client_;
  std::atomic<std::int64_t> lost_at_{0};  // the signal came then; 0: it has not
  holdfast::lease lease_;                 // after the client: ended before it
};

}  // namespace

int work(int line) {
  worker me;
  for (order next; receive_words(line, next);) {
    const auto began = now_ns();
    texts said;
    try {
      said = me.obey(next);
    } catch (const std::exception& problem) {
      said = {std::string{"-"} + problem.what()};
    }
    said.insert(said.begin(), {std::to_string(began), std::to_string(now_ns())});
    if (!send_words(line, said)) return 1;
  }
  return 0;
}

}  // namespace lab
