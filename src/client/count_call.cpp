#include "client/count_call.hpp"

#include "lock/names.hpp"

namespace holdfast::detail {

using runtime::time_point;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

void count_call::encode_values(std::string& out) {
  resp::append_bulk(out, key_);
  resp::append_bulk(out, lock::waiters_key(key_));
  resp::append_bulk(out, lock::seen_key(key_));
  resp::append_bulk(out, lock::to_string(what_.kind));
  resp::append_bulk(out, static_cast<std::int64_t>(what_.expected));
  resp::append_bulk(out, duration_cast<milliseconds>(what_.ttl).count());
  resp::append_bulk(out, what_.made == 0 ? std::string{} : std::to_string(what_.made));
  resp::append_bulk(out, what_.id);
  resp::append_bulk(out, static_cast<std::int64_t>(what_.count));
  resp::append_bulk(out, what_.drops ? "1" : "0");
  resp::append_bulk(out, duration_cast<milliseconds>(what_.remembered).count());
}

void count_call::on_answer(const resp::value& reply, time_point /*now*/) {
  const auto read = lock::read_meet(reply);
  if (!read) {
    return end(read.code() == errc::wrong_type ? lock::not_a_meeting(key_, what_.kind) : read.failure());
  }
  reply_ = *read;
  end({});
}

void count_call::on_interrupted(const failure& why, time_point now) {
  if (why.sent == delivery::unanswered) repeated_ = true;
  if (core_->closing() || why.code == errc::protocol) return end(why);
  core_->nodes().submit(*this, now);
}

result<lock::meet_reply> count_call::outcome() const {
  if (!problem()) return reply_;
  failure told = *problem();
  if (repeated_) told.sent = delivery::unanswered;
  return told;
}

}  // namespace holdfast::detail
