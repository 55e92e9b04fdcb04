#include "five_nodes.hpp"

#include <algorithm>

#include "clock.hpp"

namespace lab {
namespace {

constexpr const char* ttl_ms = "20000";
constexpr const char* limit_ms = "50";  // for each node

}  // namespace

five_nodes::five_nodes(trial& t, const std::function<backstage::server_options(int)>& options) : t_{t} {
  for (int i = 0; i < 5; ++i) {
    nodes_.push_back(&t.server("node " + std::to_string(i + 1), options ? options(i) : backstage::server_options{}));
  }
}

bool five_nodes::vote(actor& who, std::string& votes) {
  owners_.emplace_back(&who, trial::owner(who));
  order wanted{"vote", trial::key, owners_.back().second, ttl_ms, limit_ms};
  for (const place* const each : nodes_) wanted.push_back(each->process->socket());
  const answer told = t_.order_of(who, wanted, "Redlock: SET NX PX " + std::string{ttl_ms} + " on five nodes");
  votes = told.texts.at(1);
  if (told.text() == "held") {
    t_.believes(who, told.ended);
    return true;
  }
  t_.event(who, "refused, votes: " + votes, told.ended);
  return false;
}

std::string five_nodes::withdraw(actor& who) {
  const auto mine =
      std::find_if(owners_.rbegin(), owners_.rend(), [&who](const auto& each) { return each.first == &who; });
  t_.believes_no_more(who, now_ns());
  return t_.order_of(who, {"withdraw", mine->second}, "Redlock: releases on five nodes").text();
}

std::string five_nodes::keys() {
  int found = 0;
  for (place* const each : nodes_) {
    if (each->up && t_.peek(*each, {"EXISTS", trial::key}) == "1") ++found;
  }
  return std::to_string(found);
}

void five_nodes::lose_data(int count) {
  for (int i = 0; i < count; ++i) {
    t_.kill(node(i));
    t_.restart(node(i));
  }
}

losses lose_nodes(trial& t, int lost) {
  five_nodes five{t};
  actor& a = t.client("A");
  actor& b = t.client("B");
  actor& c = t.client("C");
  actor& d = t.client("D");
  losses seen;
  std::string votes;

  // The second one is not dead but silent: it costs its time limit, and counts the same.
  for (int i = 0; i < lost; ++i) {
    if (i == 1) {
      t.freeze(five.node(i));
    } else {
      t.kill(five.node(i));
    }
  }
  seen.a = five.vote(a, seen.a_votes);
  seen.b = five.vote(b, votes);
  if (seen.a) five.withdraw(a);
  seen.left = five.keys();
  for (int i = 0; i < lost; ++i) {
    if (i == 1) {
      t.thaw(five.node(i));
      // The SETs that were sent to it while it stood, and the releases that followed each of them, are done now.
      t.await(five.node(i), {"EXISTS", trial::key}, "0");
    } else {
      t.restart(five.node(i));
    }
  }

  seen.c = five.vote(c, votes);
  five.lose_data(lost);
  seen.d = five.vote(d, seen.d_votes);
  return seen;
}

}  // namespace lab
