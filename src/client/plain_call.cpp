#include "client/plain_call.hpp"

#include "lock/names.hpp"

namespace holdfast::detail {

using runtime::time_point;

limited::~limited() {
  what_.abandon();
  owner_.timers().cancel(*this);
}

void limited::begin(time_point now, runtime::duration limit) {
  owner_.timers().schedule(*this, now + limit);
  send(now);
}

void limited::end(std::optional<failure> problem) {
  owner_.timers().cancel(*this);
  problem_ = std::move(problem);
  if (problem_) ++owner_.counters().errors[static_cast<std::size_t>(problem_->code)];
  if (on_done) return on_done();
  owner_.finish(*this);
}

void limited::fire(time_point /*now*/) {
  const delivery sent = owner_.nodes().of(what_.routed_by()).ready() ? delivery::unanswered : delivery::not_sent;
  what_.abandon();
  end(failure{errc::unreachable, "no answer from Redis within command_timeout", sent});
}

void ping_call::on_reply(const resp::value& reply, time_point now) {
  round_trip_ = now - sent_at();
  if (reply.is_error()) return end(lock::server_error(reply.text));
  end({});
}

void extend_call::encode_values(std::string& out) {
  resp::append_bulk(out, key_);
  if (note_ == noted::yes) resp::append_bulk(out, lock::note_key(key_));
  resp::append_bulk(out, id_);
  resp::append_bulk(out, ttl_.count());
  for (const std::string& each : what_->extra) resp::append_bulk(out, each);
  if (!leaving_) return;
  resp::append_bulk(out, std::to_string(leaving_->fence));
  resp::append_bulk(out, leaving_->held.count());
}

void extend_call::on_answer(const resp::value& reply, time_point /*now*/) {
  const auto read = lock::read_renew(reply);
  if (!read) return end(read.failure());
  reply_ = *read;
  end({});
}

void extend_call::on_interrupted(const failure& why, time_point now) {
  if (core_->closing() || why.code == errc::protocol) return end(why);
  submit(now);
}

}  // namespace holdfast::detail
