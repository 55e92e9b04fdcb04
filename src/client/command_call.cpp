#include "client/command_call.hpp"

#include "resp/writer.hpp"

namespace holdfast::detail {

using runtime::boot_clock;
using runtime::time_point;

void command_call::start(time_point now) {
  const auto& how = owner_.where();
  begin(now, owner_.nodes().of(place_.key).ready() ? how.command_timeout : how.connect_timeout + how.command_timeout);
}

void command_call::encode(std::string& out) {
  resp::append_array(out, words_.size());
  for (const std::string& each : words_) resp::append_bulk(out, each);
}

void command_call::on_reply(const resp::value& reply, time_point now) {
  reply_ = reply;
  received_at_ = now;
  end({});
}

result<answer> ask(const std::shared_ptr<core>& owner, std::vector<std::string> words, command_place at) {
  if (owner->is_foreign()) return core::foreign();
  auto guard = owner->lock();
  command_call call{*owner, std::move(words), std::move(at)};
  call.start(boot_clock::now());
  owner->wait(guard, call);
  if (call.problem()) return *call.problem();
  return answer{std::move(call.reply()), call.sent_at(), call.received_at()};
}

}  // namespace holdfast::detail
