// Writers of a guarded value in a world where messages are late or lost: nodes that do what the scripts do, clients that do what the
// machines say. All that was acknowledged must be in one line, each writing made from the one before.
#include "lock/proof.hpp"
#include "lock/quorum_acquire.hpp"
#include "lock/quorum_value.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <set>

namespace holdfast::lock {
namespace {

using namespace std::chrono_literals;
using runtime::duration;
using runtime::time_point;

constexpr duration ttl = 100ms;

struct node {
  std::string owner;
  time_point ends{};
  std::uint64_t counter = 0;
  std::uint64_t version = 0;
};

struct rules {
  bool deadlines = true;  // what is heard too late does not count
  bool looks = true;      // the nodes look whether the guard is the writer's
};

class world {
 public:
  world(std::uint64_t seed, std::size_t nodes, rules how) : random_{seed}, nodes_(nodes), how_{how} {}

  // How many acknowledged writings are not in the line of those after them.
  std::size_t run(int writers) {
    for (int i = 0; i < writers; ++i) {
      at(between(0ms, ttl * writers / 4), [this, i] { std::make_shared<writer>(*this, i)->begin(); });
    }
    while (!events_.empty()) {
      auto next = events_.top();
      events_.pop();
      now_ = next.when;
      next.what();
    }
    std::size_t lost = 0;
    for (auto each = acknowledged_.begin(); each != acknowledged_.end() && std::next(each) != acknowledged_.end();
         ++each) {
      std::uint64_t ancestor = *std::next(each);
      while (ancestor > *each) ancestor = made_from_.at(ancestor);
      lost += ancestor == *each ? 0 : 1;
    }
    return lost;
  }
  [[nodiscard]] std::size_t acknowledged() const { return acknowledged_.size(); }

 private:
  struct event {
    time_point when;
    std::uint64_t order;
    std::function<void()> what;
    bool operator<(const event& other) const { return when != other.when ? when > other.when : order > other.order; }
  };

  // One arrival, once.
  struct writer : std::enable_shared_from_this<writer> {
    writer(world& in, int number)
        : all{in},
          id{std::to_string(number)},
          guard{{.nodes = in.nodes_.size(), .ttl = ttl, .node_limit = ttl / 2}},
          reader{in.nodes_.size()},
          writing{in.nodes_.size()} {
      for (std::size_t i = 0; i < in.nodes_.size(); ++i) link.push_back(in.now_);
    }

    // A request and its answer, each late or lost; what goes to one node keeps its order.
    template <class Answer>
    void send(std::size_t to, std::function<Answer(node&)> execute, std::function<void(const Answer&)> hear) {
      if (all.chance(0.05)) return;
      link[to] = std::max(link[to], all.now_ + all.travel());
      all.at(link[to] - all.now_, [self = shared_from_this(), to, execute, hear] {
        const Answer answer = execute(self->all.nodes_[to]);
        if (self->all.chance(0.05)) return;
        self->all.at(self->all.travel(), [self, hear, answer] { hear(answer); });
      });
    }

    void begin() {
      sent = all.now_;
      follow(guard.start(all.now_));
    }

    void follow(quorum_step step) {
      if (step == quorum_step::ask) {
        all.at(ttl / 2, [self = shared_from_this()] { self->follow(self->guard.timer(self->all.now_)); });
        for (std::size_t i = 0; i < all.nodes_.size(); ++i) {
          send<vote_reply>(
              i, [this](node& at) { return vote(at); },
              [this, i](const vote_reply& reply) { follow(guard.answered(all.now_, i, reply)); });
        }
      } else if (step == quorum_step::note) {
        all.at(ttl / 2, [self = shared_from_this()] { self->follow(self->guard.timer(self->all.now_)); });
        for (const std::size_t i : guard.take_unnoted()) {
          send<note_reply>(
              i, [this](node& at) { return note(at); },
              [this, i](const note_reply& reply) { follow(guard.noted(all.now_, i, reply)); });
        }
      } else if (step == quorum_step::won) {
        deadline = deadline_of({sent, ttl}, {});
        all.at(ttl / 2, [self = shared_from_this()] { self->read(self->reader.timer()); });
        for (std::size_t i = 0; i < all.nodes_.size(); ++i) {
          send<std::optional<std::uint64_t>>(
              i, [this](node& at) { return mine(at) ? std::optional{at.version} : std::nullopt; },
              [this, i](const std::optional<std::uint64_t>& has) {
                read(has && in_time() ? reader.answered(i, *has) : reader.failed(i));
              });
        }
      } else if (step == quorum_step::refused) {
        give_back();
      }
    }

    void give_back() {
      for (std::size_t i = 0; i < all.nodes_.size(); ++i) {
        send<bool>(
            i,
            [this](node& at) {
              if (at.owner == id) at.owner.clear();
              return true;
            },
            [](bool) {});
      }
    }

    void read(quorum_reading how) {
      if (how == quorum_reading::failed) return give_back();
      if (how != quorum_reading::agreed && how != quorum_reading::mixed) return;
      version = std::max(guard.number(), reader.version() + 1);
      all.made_from_[version] = reader.version();
      for (std::size_t i = 0; i < all.nodes_.size(); ++i) {
        send<bool>(
            i, [this](node& at) { return write(at); },
            [this, i](bool counts) {
              if (writing.answered(i, counts && in_time()) == quorum_writing::written)
                all.acknowledged_.insert(version);
            });
      }
    }

    [[nodiscard]] bool in_time() const { return !all.how_.deadlines || all.now_ < deadline; }
    [[nodiscard]] bool mine(const node& at) const { return !all.how_.looks || (at.owner == id && all.now_ < at.ends); }

    // The scripts.
    vote_reply vote(node& at) const {
      if (!at.owner.empty() && at.owner != id && all.now_ < at.ends) {
        return {.what = vote_reply::kind::held, .left = 1ms, .holder = at.owner};
      }
      at.owner = id;
      at.ends = all.now_ + ttl;
      return {.what = vote_reply::kind::granted, .number = ++at.counter};
    }
    note_reply note(node& at) const {
      if (at.owner != id || all.now_ >= at.ends) return note_reply::gone;
      at.counter = std::max(at.counter, guard.number());
      return note_reply::noted;
    }
    bool write(node& at) const {
      const bool ours = mine(at);
      const bool newer = at.version > version;
      if (!newer) at.version = version;
      if (at.owner == id) at.owner.clear();
      return ours && !newer;
    }

    world& all;
    std::string id;
    quorum_acquire guard;
    quorum_read reader;
    quorum_write writing;
    std::vector<time_point> link;  // when the last request to the node arrives
    time_point sent{};
    time_point deadline{};
    std::uint64_t version = 0;
  };

  void at(duration later, std::function<void()> what) { events_.push({now_ + later, ++order_, std::move(what)}); }
  bool chance(double of) { return std::uniform_real_distribution<double>{0, 1}(random_) < of; }
  duration between(duration least, duration most) {
    return duration{std::uniform_int_distribution<duration::rep>{least.count(), most.count()}(random_)};
  }
  duration travel() { return chance(0.15) ? between(1ms, ttl * 2) : between(100us, 4ms); }

  std::mt19937_64 random_;
  std::vector<node> nodes_;
  rules how_;
  time_point now_{1s};
  std::uint64_t order_ = 0;
  std::priority_queue<event> events_;
  std::map<std::uint64_t, std::uint64_t> made_from_;
  std::set<std::uint64_t> acknowledged_;
};

std::size_t lost_in(std::size_t worlds, rules how, std::size_t* acknowledged = nullptr) {
  std::size_t lost = 0;
  for (std::size_t seed = 0; seed < worlds; ++seed) {
    world one{seed, 3 + seed % 3, how};
    lost += one.run(60);
    if (acknowledged != nullptr) *acknowledged += one.acknowledged();
  }
  return lost;
}

TEST(QuorumValueSimulation, WhatWasAcknowledgedIsInOneLine) {
  std::size_t acknowledged = 0;
  EXPECT_EQ(lost_in(6000, {}, &acknowledged), 0U);
  EXPECT_GT(acknowledged, 10'000U);
}

// It would notice.
TEST(QuorumValueSimulation, WithoutDeadlinesAndLooksWritingsAreLost) {
  EXPECT_GT(lost_in(1000, {.deadlines = false, .looks = false}), 0U);
}

}  // namespace
}  // namespace holdfast::lock
