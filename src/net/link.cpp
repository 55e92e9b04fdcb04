#include "net/link.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace holdfast::net {

void link::append(request& what, runtime::time_point now) {
  const std::size_t before = out_.size();
  what.encode(out_);
  what.place_ = request::place::wire;
  what.sent_at_ = now;
  for (std::size_t left = what.answers_; left > 0; --left) waiting_.push_back({&what, appended_, now, left == 1});
  appended_ += out_.size() - before;
}

void link::append_unasked(std::string_view command, runtime::time_point now) {
  waiting_.push_back({nullptr, appended_, now, true});
  append_raw(command);
}

void link::append_raw(std::string_view bytes) {
  out_.append(bytes);
  appended_ += bytes.size();
}

void link::forget(const request& what) noexcept {
  for (waiting& entry : waiting_) {
    if (entry.who == &what) entry.who = nullptr;
  }
}

bool link::flush(std::unique_lock<std::mutex>& guard) {
  if (writing_ || blocked_ || dead_) return true;
  writing_ = true;
  bool whole = true;
  while (!dead_) {
    if (sent_ == sending_.size()) {
      sending_.clear();
      sent_ = 0;
      if (out_.empty()) break;
      sending_.swap(out_);
      handed_ = appended_;
    }
    const std::string_view rest{sending_.data() + sent_, sending_.size() - sent_};
    guard.unlock();
    const io_result wrote = stream_->write(rest);
    guard.lock();
    if (wrote.what == io::done) {
      sent_ += wrote.bytes;
    } else {
      blocked_ = wrote.what == io::again;
      whole = blocked_ || dead_;
      if (!whole) problem_ = stream_->problem();
      break;
    }
  }
  writing_ = false;
  return whole;
}

bool link::receive(std::unique_lock<std::mutex>& guard, bool patiently) {
  batch_.clear();
  const bool looks = patiently && worth_a_look();
  guard.unlock();
  const std::span<char> room = in_.prepare();
  io_result got = looks ? look(room) : io_result{io::again, 0};
  if (got.what == io::again) got = patiently ? stream_->read_waiting(room) : stream_->read(room);
  auto status = resp::reader::status::more;
  if (got.what == io::done) {
    in_.commit(got.bytes);
    for (;;) {
      batch_.emplace_back();
      status = in_.next(batch_.back());
      if (status != resp::reader::status::ready) break;
    }
    batch_.pop_back();
  }
  guard.lock();
  if (status == resp::reader::status::broken) {
    problem_ = {errc::protocol, "the server does not speak RESP: " + in_.problem(), delivery::unanswered};
    return false;
  }
  if (got.what == io::closed || got.what == io::failed) {
    problem_ = silent(stream_->problem());
    return false;
  }
  midway_ = in_.midway();
  return true;
}

// Once for an answer that somebody waits for and that is the only one due: where there are several, one of them is nearly
// always there.
bool link::worth_a_look() noexcept {
  if (waiting_.size() != 1) return false;
  waiting& only = waiting_.front();
  if (only.who == nullptr || only.who->unawaited || std::exchange(only.looked_for, true)) return false;
  return spin_.worthwhile();
}

// Whoever else wants the processor may have it in between; perhaps it is the server.
io_result link::look(std::span<char> into) {
  const auto end = runtime::boot_clock::now() + spin::longest;
  io_result got = stream_->read(into);
  while (got.what == io::again && runtime::boot_clock::now() < end) {
    ::sched_yield();
    got = stream_->read(into);
  }
  spin_.ended(got.what != io::again);
  return got;
}

failure link::silent(failure why) const {
  if (!midway_) return why;
  return {errc::protocol, "an answer broke off half-way (" + why.detail + ")", delivery::unanswered};
}

request* link::next_waiting(bool& expected) noexcept {
  expected = !waiting_.empty();
  if (!expected) return nullptr;
  taken_ = waiting_.front();
  waiting_.pop_front();
  if (taken_.who != nullptr && taken_.last) taken_.who->place_ = request::place::nowhere;
  return taken_.who;
}

void link::put_back() {
  if (taken_.who != nullptr) taken_.who->place_ = request::place::wire;
  waiting_.push_front(taken_);
}

void link::interrupt_all(const failure& why, runtime::time_point now) {
  dead_ = true;
  // One at a time: what is told here may abandon others that are still in the line.
  while (!waiting_.empty()) {
    const waiting entry = waiting_.front();
    waiting_.pop_front();
    if (entry.who == nullptr) continue;
    if (!entry.last) forget(*entry.who);  // told once
    entry.who->place_ = request::place::nowhere;
    failure told = why;
    told.sent = entry.begin < handed_ ? delivery::unanswered : delivery::not_sent;
    entry.who->on_interrupted(told, now);
  }
}

bool link::awaited() const noexcept {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [](const waiting& each) { return each.who == nullptr || !each.who->unawaited; });
}

void link::shut() noexcept { ::shutdown(stream_->fd(), SHUT_RDWR); }

short link::wanted() const noexcept {
  return static_cast<short>(POLLIN | (blocked_ ? POLLOUT : 0) | stream_->wanted());
}

}  // namespace holdfast::net
