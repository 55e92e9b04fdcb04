// Implements gate: hands each call to the loop's thread and waits until it has been done there. Closing sockets from
// the caller's thread would not do: poll() keeps a descriptor open for as long as it sleeps on it.
#include "support/gate.hpp"

#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "support/eventually.hpp"
#include "support/gate_loop.hpp"

namespace holdfast::test {

gate::gate(std::uint16_t target_port) : wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
  if (!wake_) throw std::system_error{errno, std::generic_category(), "gate: eventfd"};
  loop_ = std::make_unique<gate_loop>(target_port, wake_.get());
  thread_ = std::thread{[this] { run(); }};
}

gate::~gate() {
  on_thread([this] { stopping_ = true; });
  thread_.join();
}

void gate::run() {
  for (;;) {
    {
      const std::lock_guard guard{mutex_};
      for (const auto& task : std::exchange(tasks_, {})) task();
      done_ = posted_;
      done_changed_.notify_all();
      if (stopping_) return;
    }
    loop_->turn();
  }
}

void gate::on_thread(const std::function<void()>& task) const {
  std::unique_lock lock{mutex_};
  tasks_.push_back(task);
  const std::size_t mine = ++posted_;
  (void)::eventfd_write(wake_.get(), 1);
  done_changed_.wait(lock, [&] { return done_ >= mine; });
}

std::uint16_t gate::port() const { return loop_->port(); }

void gate::set(const fault& next) {
  on_thread([&] { loop_->set(next); });
}

void gate::when(std::string needle, const fault& then, moment at, std::size_t skip) {
  on_thread([&] { loop_->arm({std::move(needle), then, at, skip, false}); });
}

void gate::when_reply(std::string needle, const fault& then, std::size_t skip) {
  on_thread([&] { loop_->arm({std::move(needle), then, moment::before, skip, true}); });
}

void gate::disarm() {
  on_thread([&] { loop_->disarm(); });
}

std::size_t gate::ask(std::size_t gate_loop::*counter) const {
  std::size_t value = 0;
  on_thread([&] { value = (*loop_).*counter; });
  return value;
}

std::size_t gate::connections() const { return ask(&gate_loop::open_connections); }
std::size_t gate::accepted() const { return ask(&gate_loop::accepted); }
std::size_t gate::bytes_to_server() const { return ask(&gate_loop::bytes_to_server); }
std::size_t gate::bytes_to_client() const { return ask(&gate_loop::bytes_to_client); }
std::size_t gate::triggered() const { return ask(&gate_loop::triggered); }

bool gate::wait_connections(std::size_t n, std::chrono::milliseconds limit) const {
  return eventually(limit, [&] { return connections() == n; });
}

bool gate::wait_triggered(std::size_t n, std::chrono::milliseconds limit) const {
  return eventually(limit, [&] { return triggered() >= n; });
}

}  // namespace holdfast::test
