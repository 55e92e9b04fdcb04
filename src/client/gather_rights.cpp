// Which rights the connected user has: by ACL DRYRUN, and where that is not to be had, by trying.
#include "client/command_call.hpp"
#include "client/gather.hpp"
#include "scripts/sources.hpp"

#include <algorithm>
#include <map>

namespace holdfast::detail {
namespace {

using doctor::right;
using doctor::verdict;

class rights_trial {
 public:
  rights_trial(const std::shared_ptr<core>& owner, deployment as) : owner_{owner} {
    const settings& ours = owner->where();
    std::string random;
    {
      auto guard = owner->lock();
      owner->random().append_hex(random);
    }
    ground_ = doctor::make_trial_ground(ours.prefix, random);
    rights_ = doctor::rights_on(as, ground_, ours.database, ours.client_name, ours.scripts);
    out_.scripts = ours.scripts;
    out_.user = ours.user.empty() ? "default" : ours.user;
  }

  result<doctor::rights_seen> run() {
    auto dry = by_dryrun();
    if (!dry) return dry.failure();
    if (!*dry) {
      if (auto good = by_trial(); !good) return good.failure();
    }
    return std::move(out_);
  }

 private:
  void note(const right& about, verdict what) {
    if (what == verdict::missing) out_.missing.push_back(about.word);
    if (what == verdict::unknown) out_.unknown.push_back(about.word);
  }

  // False: DRYRUN is not there, or not for us.
  result<bool> by_dryrun() {
    auto me = ask(owner_, {"ACL", "WHOAMI"});
    if (!me) return me.failure();
    if (!me->value.is_text()) return false;
    out_.user = me->value.text;
    for (const right& each : rights_) {
      std::vector<std::string> words{"ACL", "DRYRUN", out_.user};
      words.insert(words.end(), each.trial.begin(), each.trial.end());
      auto got = ask(owner_, std::move(words));
      if (!got) return got.failure();
      if (!got->value.is_text()) {
        out_.missing.clear();
        out_.unknown.clear();
        return false;
      }
      note(each, doctor::read_dryrun(each, got->value.text));
    }
    return true;
  }

  result<void> by_trial() {
    if (out_.scripts) {
      if (auto good = try_inside(); !good) return good;
    }
    for (const right& each : rights_) {
      const std::string& command = each.trial.front();
      if (each.only_asked) {
        note(each, verdict::unknown);
        continue;
      }
      if (each.word == "+subscribe") {
        note(each, try_subscribe());
      } else if (each.word == "+ssubscribe") {
        note(each, try_shard_subscribe());
      } else if (command == "EVAL" || command == "EVALSHA" || outside(each)) {
        auto got = ask(owner_, each.trial, {ground_.lock});
        if (!got) return got.failure();
        note(each, got->value.is_error() ? doctor::read_refusal(each, got->value.text) : verdict::allowed);
      } else if (const auto found = inside_.find(command); found == inside_.end()) {
        note(each, verdict::unknown);
      } else {
        note(each, found->second.empty() ? verdict::allowed : doctor::read_refusal(each, found->second));
      }
    }
    // What cannot be told because a right that comes first is missing is no news of its own.
    if (!out_.missing.empty()) out_.unknown.clear();
    return {};
  }

  // Harmless outside of a script, and used there.
  bool outside(const right& each) const {
    return !out_.scripts || each.outside || each.how_much == doctor::need::nicety;
  }

  // The connection has tried it; what it was refused for, it does not tell.
  verdict try_subscribe() {
    auto guard = owner_->lock();
    return owner_->nodes().of({}).has_inbox() ? verdict::allowed : verdict::missing;
  }

  // As a waiter does it, on the connection to the slot's node; whether it was refused, the connection knows afterwards.
  verdict try_shard_subscribe() {
    if (owner_->where().deployment != deployment::cluster) return verdict::unknown;  // one node of it, looked at alone
    const auto listens = [&] {
      auto guard = owner_->lock();
      const net::connection& at = owner_->nodes().of(ground_.lock);
      return std::pair{at.version() == 3, at.has_shard_inboxes()};
    };
    const auto [may, could] = listens();
    if (!may) return verdict::allowed;  // with RESP2 it is not used
    if (!could) return verdict::unknown;
    if (!ask(owner_, {"TIME"}, {ground_.lock, ground_.shard})) return verdict::unknown;
    return listens().second ? verdict::allowed : verdict::missing;
  }

  // The keys are of one slot, and the script names none: so it is sent to their node.
  result<void> try_inside() {
    const bool sharded = owner_->where().deployment == deployment::cluster;
    auto got = ask(owner_,
                   {"EVAL", std::string{scripts::rights.source}, "0", ground_.lock, ground_.waiters, ground_.seen,
                    ground_.fence, ground_.inbox, sharded ? ground_.shard : std::string{}},
                   {ground_.lock});
    if (!got) return got.failure();
    for (const resp::value& each : got->value.items) {
      const auto blank = each.text.find(' ');
      if (blank != std::string::npos) inside_[each.text.substr(0, blank)] = each.text.substr(blank + 1);
    }
    return {};
  }

  const std::shared_ptr<core>& owner_;
  doctor::trial_ground ground_;
  std::vector<right> rights_;
  std::map<std::string, std::string> inside_;  // command -> error, or nothing
  doctor::rights_seen out_;
};

}  // namespace

result<doctor::rights_seen> gather_rights(const std::shared_ptr<core>& owner, deployment as) {
  return rights_trial{owner, as}.run();
}

}  // namespace holdfast::detail
