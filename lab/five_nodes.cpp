#include "five_nodes.hpp"

#include <backstage/interrupts.hpp>

#include <stdexcept>

#include "clock.hpp"

namespace lab {
namespace {

constexpr std::int64_t patience = 10'000'000'000;

}  // namespace

five_nodes::five_nodes(trial& t, const std::function<backstage::server_options(int)>& options) : t_{t} {
  for (int i = 0; i < 5; ++i) {
    backstage::server_options how = options ? options(i) : backstage::server_options{};
    how.tcp = true;
    nodes_.push_back(&t.server("node " + std::to_string(i + 1), std::move(how)));
    url_ += (i == 0 ? "redis+quorum://127.0.0.1:" : ",127.0.0.1:") + std::to_string(nodes_.back()->process->port());
  }
  // The limit per node is as long as it may be: on a busy machine a node is slow, and lost only where the script says so.
  url_ += "?max_ttl=" + std::string{ttl_ms} + "ms&node_timeout=500ms";
}

void five_nodes::come_of_age() {
  actor first{"the first"};
  const order wanted = trial::acquire_order(first, url_, {.ttl_ms = ttl_ms});
  const answer told = first.ask(wanted);
  if (told.text() != "granted") throw std::runtime_error{"five new nodes do not vote: " + told.text()};
  first.ask({"release"});
  if (await_none() != "0") throw std::runtime_error{"the nodes still have the first lock"};
  t_.begin();
}

int five_nodes::count(const std::string& owner) {
  int found = 0;
  for (place* const each : nodes_) {
    if (!each->up) continue;
    const std::string value = t_.peek(*each, {"GET", trial::key});
    if (value != "(nil)" && value.starts_with(owner)) ++found;
  }
  return found;
}

std::string five_nodes::await_count(const std::string& owner, int wanted) {
  int seen = count(owner);
  for (const auto until = now_ns() + patience; seen != wanted && now_ns() < until; seen = count(owner)) {
    t_.look();
    backstage::pause_for(std::chrono::milliseconds{2});
  }
  t_.look();
  return std::to_string(seen);
}

std::string five_nodes::that_have_it_for(const actor& who) { return std::to_string(count(who.name() + "-")); }
std::string five_nodes::that_have_it() { return std::to_string(count("")); }
std::string five_nodes::await_nodes(const actor& who, int wanted) { return await_count(who.name() + "-", wanted); }
std::string five_nodes::await_none() { return await_count("", 0); }

// First all, then back: whatever C was granted before, it has on a minority from here on, if they are three.
void five_nodes::lose_data(int count) {
  for (int i = 0; i < count; ++i) t_.kill(node(i));
  for (int i = 0; i < count; ++i) t_.restart(node(i));
}

namespace {

// The second one is not dead but silent, and counts the same.
void lose(trial& t, five_nodes& five, int lost) {
  for (int i = 0; i < lost; ++i) {
    if (i == 1) {
      t.freeze(five.node(i));
    } else {
      t.kill(five.node(i));
    }
  }
}

void bring_back(trial& t, five_nodes& five, int lost) {
  for (int i = 0; i < lost; ++i) {
    if (i == 1) {
      t.thaw(five.node(i));
    } else {
      t.restart(five.node(i));
    }
  }
}

// C's lease can only end, and D waits.
void end_and_follow(trial& t, five_nodes& five, actor& c, actor& d, losses& seen) {
  const wish patient{.ttl_ms = five_nodes::ttl_ms, .renew = true};
  c.tell({"loss"});
  d.tell(trial::acquire_order(d, five.url(), patient));
  const std::int64_t lost_at = std::stoll(t.hear(c).text());
  if (lost_at > 0) {
    t.believes_no_more(c, lost_at);
    t.note("C", "is told that its lease is lost", "", lost_at);
    t.event(c, "told of its loss", lost_at);
  }
  seen.d_later = t.note_acquire(d, t.hear(d), patient).told;
}

}  // namespace

losses lose_nodes(trial& t, int lost) {
  five_nodes five{t};
  actor& a = t.client("A");
  actor& b = t.client("B");
  actor& c = t.client("C");
  actor& d = t.client("D");
  const wish now{.ttl_ms = five_nodes::ttl_ms, .renew = true, .wait_ms = "0"};
  losses seen;
  five.come_of_age();

  lose(t, five, lost);
  seen.a = t.acquire(a, five.url(), now).told;
  const bool first = seen.a == "granted";
  seen.a_nodes = first ? five.await_nodes(a, 5 - lost) : five.that_have_it_for(a);
  seen.b = t.acquire(b, five.url(), now).told;
  if (first) {
    t.believes_no_more(a, now_ns());
    t.order_of(a, {"release"}, "releases it");
  }
  seen.left = five.await_none();
  bring_back(t, five, lost);

  const grant third = t.acquire(c, five.url(), {.ttl_ms = five_nodes::ttl_ms, .renew = true});
  seen.c_nodes = third ? five.await_nodes(c, 5) : third.told;
  t.note("C", "has it on nodes", seen.c_nodes);
  five.lose_data(lost);
  seen.d = t.acquire(d, five.url(), now).told;
  if (lost < 3) {
    seen.c_nodes_again = five.await_nodes(c, 5);
    t.note("C", "has it on nodes", seen.c_nodes_again);
  } else {
    end_and_follow(t, five, c, d, seen);
    seen.c_nodes_again = five.that_have_it_for(c);
  }
  seen.c_lease = t.order_of(c, {"look"}, "looks at its lease").text();
  return seen;
}

}  // namespace lab
