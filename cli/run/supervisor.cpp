#include "run/supervisor.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdint>

namespace holdfast::cli {
namespace {

// How often to look whether the group is empty, once its leader has gone: nothing tells it.
constexpr std::chrono::milliseconds group_look{5};

void drain(int descriptor) noexcept {
  std::uint64_t count = 0;
  (void)!::read(descriptor, &count, sizeof count);
}

}  // namespace

supervisor::supervisor(lease& held, const loss_plan& plan, int stop_signal, signal_inbox& signals, descriptor lost_pipe)
    : held_{held},
      plan_{plan},
      stop_signal_{stop_signal},
      signals_{signals},
      lost_pipe_{std::move(lost_pipe)},
      loss_event_{std::make_shared<descriptor>(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"))},
      timer_{checked(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create")} {
  // On a thread of the library: it only knocks. The event lives as long as whoever may still knock.
  held_.on_lost([event = loss_event_](const loss&) {
    const std::uint64_t one = 1;
    (void)!::write(event->get(), &one, sizeof one);
  });
}

// Whoever runs after this one is not our affair.
supervisor::~supervisor() {
  if (cause_) ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

child_end supervisor::watch(started_child& child, guard_process& guard) {
  child_ = &child;
  guard_ = &guard;
  look_at_lease();
  guard.protect(child.group(), plan_.kill_at());
  if (terminal_.wanted()) terminal_.lend(child.group());
  child.go();
  while (!end_) {
    wait(plan_.wake_at(), child.exec_result());
    look_at_lease();
    carry_out(plan_.timer(boot_clock::now()));
    while (const auto number = signals_.next()) on_signal(*number);
  }
  child_ = nullptr;
  guard_ = nullptr;
  return *end_;
}

void supervisor::keep_until(boot_time then) {
  while (!cause_ && boot_clock::now() < then) {
    wait(std::min(then, plan_.wake_at().value_or(then)), -1);
    look_at_lease();
    while (const auto number = signals_.next()) {
      if (ends_a_wait(*number)) {
        told_to_end_ = true;
        return;
      }
      if (*number == SIGTSTP) stop_self(SIGTSTP);
    }
  }
}

// Until something is to be done. `also` is the pipe that tells how exec went, or -1.
void supervisor::wait(std::optional<boot_time> until, int also) {
  itimerspec when{};
  if (until) {
    const auto at = std::max<std::int64_t>(until->time_since_epoch().count(), 1);
    when.it_value.tv_sec = at / 1'000'000'000;
    when.it_value.tv_nsec = at % 1'000'000'000;
  }
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
  pollfd all[4] = {
      {signals_.readable(), POLLIN, 0}, {loss_event_->get(), POLLIN, 0}, {timer_.get(), POLLIN, 0}, {also, POLLIN, 0}};
  if (::poll(all, 4, -1) <= 0) return;
  if (all[1].revents != 0) drain(loss_event_->get());
  if (all[2].revents != 0) drain(timer_.get());
  if (all[3].revents != 0) exec_errno_ = child_->read_exec_result();
}

void supervisor::look_at_lease() {
  if (cause_) return;
  const auto left = held_.remaining();
  if (left.count() > 0) {
    if (plan_.proven(boot_clock::now() + left) && guard_ != nullptr) guard_->protect(child_->group(), plan_.kill_at());
    return;
  }
  cause_ = loss_cause::expired;
  held_.on_lost([this](const loss& what) { cause_ = what.cause; });  // it has happened: called here and now
  lost_pipe_.reset();
  // From here on whoever loses its parent becomes our child, so that end_group() sees it go.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const loss_plan::act what = plan_.lost(boot_clock::now(), *cause_);
  if (child_ != nullptr) carry_out(what);
}

void supervisor::carry_out(loss_plan::act what) {
  switch (what) {
    case loss_plan::act::nothing:
      return;
    case loss_plan::act::signal:
      child_->signal(stop_signal_);
      child_->signal(SIGCONT);  // a stopped process takes no signal
      return;
    case loss_plan::act::kill:
      child_->signal(SIGKILL);
      killed_ = true;
      return;
  }
}

void supervisor::on_signal(int number) {
  if (number == SIGCHLD) return on_child();
  if (number == SIGCONT) return on_continued();
  if (child_ != nullptr) pass_on(number);
}

void supervisor::pass_on(int number) {
  if (number == SIGINT || number == SIGTERM || number == SIGQUIT) told_to_end_ = true;
  child_->signal(number);
}

void supervisor::on_child() {
  const auto pid = static_cast<id_t>(child_->group());
  siginfo_t seen{};
  while (::waitid(P_PID, pid, &seen, WSTOPPED | WNOHANG) == 0 && seen.si_pid != 0) {
    on_stopped(seen.si_status);
    seen = {};
  }
  // Not reaped yet: as long as it is a zombie its number, which is the group's, belongs to nobody else.
  if (::waitid(P_PID, pid, &seen, WEXITED | WNOHANG | WNOWAIT) != 0 || seen.si_pid == 0) return;
  on_ended(seen.si_code, seen.si_status);
}

void supervisor::on_stopped(int number) {
  const bool by_terminal = number == SIGTTIN || number == SIGTTOU;
  if (by_terminal && terminal_.ours()) {  // it wants the terminal, and we can lend it
    terminal_.lend(child_->group());
    child_->signal(SIGCONT);
    return;
  }
  // Somebody stopped the child alone: that is between them. The lock is kept.
  if (number == SIGSTOP && !terminal_.is_lent()) return;
  terminal_.take_back();
  const bool stopped = stop_self(by_terminal ? number : SIGTSTP);
  look_at_lease();
  if (stopped) return;  // the SIGCONT that woke us is in the inbox
  // Nobody is there to continue us: then nobody would continue the child either. Without us the kernel would let it
  // run on, or refuse it the terminal.
  if (by_terminal) child_->signal(SIGHUP);
  on_continued();
}

void supervisor::on_continued() {
  if (child_ == nullptr) return;
  if (terminal_.wanted()) terminal_.lend(child_->group());
  child_->signal(SIGCONT);
}

void supervisor::on_ended(int how, int status) {
  child_end end{.exec_errno = exec_errno_};
  if (exec_errno_ == 0 && child_->exec_result() >= 0) end.exec_errno = child_->read_exec_result();
  (how == CLD_EXITED ? end.code : end.signal) = status;
  look_at_lease();
  if (plan_.is_ending()) end_group();
  guard_->dismiss();
  siginfo_t reaped{};
  ::waitid(P_PID, static_cast<id_t>(child_->group()), &reaped, WEXITED);
  terminal_.take_back();
  if (how != CLD_EXITED || cause_) terminal_.restore_modes();
  end_ = end;
}

// The child obeyed the signal; others of its group may still be at it. They have the rest of the grace.
void supervisor::end_group() {
  const pid_t group = child_->group();
  const auto reap = [group] {
    siginfo_t reaped{};
    while (::waitid(P_PGID, static_cast<id_t>(group), &reaped, WEXITED | WNOHANG) == 0 && reaped.si_pid != 0)
      reaped = {};
  };
  for (reap(); plan_.is_ending() && ::kill(-group, 0) == 0; reap()) {
    wait(std::min(*plan_.wake_at(), boot_clock::now() + group_look), -1);
    carry_out(plan_.timer(boot_clock::now()));
    while (const auto number = signals_.next()) {
      if (number != SIGCHLD) pass_on(*number);
    }
  }
}

}  // namespace holdfast::cli
