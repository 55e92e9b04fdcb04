#include "topology/sentinel_link.hpp"

#include "resp/writer.hpp"

#include <utility>

namespace holdfast::topology {

using net::io;
using runtime::time_point;

namespace {

constexpr std::string_view channel = "+switch-master";
constexpr std::chrono::milliseconds retry_after{1000};

}  // namespace

sentinel_link::sentinel_link(settings how, std::string name, std::function<void()> wake)
    : how_{std::move(how)}, name_{std::move(name)}, wake_{std::move(wake)} {}

void sentinel_link::ask(time_point now) {
  if (state_ == state::listening) return question(now);
  if (state_ == state::closed) {
    wanted_ = true;
    wake_at_ = now;
  }
  // Otherwise the question is on its way already.
}

void sentinel_link::open(time_point now, std::vector<sentinel_word>& heard) {
  wanted_ = false;
  wake_at_ = now + sentinel_limit;
  if (how_.transport == transport::tls && !tls_) {
    auto made = net::make_tls_context(how_);
    if (!made) return close(made.failure(), now, heard);
    tls_ = *made;
  }
  state_ = state::resolving;
  resolver_.start(how_.host, how_.port, wake_);
}

void sentinel_link::dial_next() {
  state_ = state::opening;
  stream_ = net::dial(how_, addresses_[address_], tls_);
}

void sentinel_link::greet(time_point now) {
  in_ = std::make_unique<resp::reader>();
  out_.clear();
  due_.clear();
  if (!how_.password.empty()) {
    if (how_.user.empty()) {
      resp::append_command(out_, "AUTH", how_.password);
    } else {
      resp::append_command(out_, "AUTH", how_.user, how_.password);
    }
    due_.push_back(due::authentication);
  }
  resp::append_command(out_, "CLIENT", "SETNAME", how_.client_name);
  due_.push_back(due::nicety);
  const time_point limit = wake_at_;
  question(now);
  wake_at_ = limit;  // one limit from the name service to the answer
}

void sentinel_link::question(time_point now) {
  state_ = state::asking;
  wake_at_ = now + sentinel_limit;
  resp::append_command(out_, "UNSUBSCRIBE", channel);
  resp::append_command(out_, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", name_);
  resp::append_command(out_, "SUBSCRIBE", channel);
  due_.insert(due_.end(), {due::stop, due::question, due::listen});
}

void sentinel_link::fill(std::vector<pollfd>& entries) const {
  if (state_ == state::opening) entries.push_back({stream_->fd(), stream_->wanted(), 0});
  if (state_ != state::asking && state_ != state::listening) return;
  const int writing = out_.empty() ? 0 : POLLOUT;
  entries.push_back({stream_->fd(), static_cast<short>(POLLIN | writing | stream_->wanted()), 0});
}

void sentinel_link::advance(time_point now, std::vector<sentinel_word>& heard) {
  if (state_ == state::closed) {
    if (wanted_ || now >= wake_at_) open(now, heard);
  }
  if (state_ == state::resolving) {
    if (auto outcome = resolver_.poll()) {
      if (!*outcome) return close(outcome->failure(), now, heard);
      addresses_ = **outcome;
      address_ = 0;
      dial_next();
    }
  }
  while (state_ == state::opening) {
    const io what = stream_->progress().what;
    if (what == io::again) break;
    if (what == io::done) {
      greet(now);
    } else if (++address_ < addresses_.size()) {
      dial_next();
    } else {
      return close(stream_->problem(), now, heard);
    }
  }
  if (state_ == state::asking || state_ == state::listening) transfer(now, heard);
  if (state_ == state::closed || now < wake_at_) return;
  if (state_ == state::listening) {
    question(now);
    return transfer(now, heard);
  }
  close({errc::unreachable, "no answer in time"}, now, heard);
}

void sentinel_link::transfer(time_point now, std::vector<sentinel_word>& heard) {
  while (!out_.empty()) {
    const auto sent = stream_->write(out_);
    if (sent.what == io::again) break;
    if (sent.what != io::done) return close(stream_->problem(), now, heard);
    out_.erase(0, sent.bytes);
  }
  resp::value reply;
  for (;;) {
    const auto got = stream_->read(in_->prepare());
    if (got.what == io::again) return;
    if (got.what != io::done) return close(stream_->problem(), now, heard);
    in_->commit(got.bytes);
    for (auto status = in_->next(reply); status != resp::reader::status::more; status = in_->next(reply)) {
      if (status == resp::reader::status::broken) {
        return close({errc::protocol, "it does not speak RESP (" + in_->problem() + ")"}, now, heard);
      }
      take(reply, now, heard);
      if (state_ == state::closed) return;
    }
  }
}

void sentinel_link::take(const resp::value& reply, time_point now, std::vector<sentinel_word>& heard) {
  if (reply.is_list() && reply.items.size() == 3 && reply.items[0].text == "message") {
    if (reply.items[1].text != channel) return;
    if (const auto news = read_switch(reply.items[2].text, name_)) heard.emplace_back(*news);
    return;
  }
  if (due_.empty()) return close({errc::protocol, "it answered what was not asked"}, now, heard);
  const due what = due_.front();
  due_.pop_front();
  if (what == due::authentication && reply.is_error()) {
    const auto refused = read_primary(reply);
    return close(refused ? failure{} : refused.failure(), now, heard);
  }
  if (what == due::question) {
    const auto primary = read_primary(reply);
    if (!primary) return close(primary.failure(), now, heard);
    heard.emplace_back(*primary);
  }
  if (due_.empty()) {
    state_ = state::listening;
    wake_at_ = now + how_.keep_alive;
  }
}

void sentinel_link::close(failure why, time_point now, std::vector<sentinel_word>& heard) {
  stream_.reset();
  in_.reset();
  out_.clear();
  due_.clear();
  state_ = state::closed;
  wake_at_ = now + retry_after;
  heard.emplace_back(std::move(why));
}

}  // namespace holdfast::topology
