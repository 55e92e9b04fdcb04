#include "watch/screen.hpp"

#include "exit_code.hpp"
#include "stop.hpp"
#include "terminal.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace holdfast::cli::watch {
namespace {

// Another page of the terminal, cursor hidden, no wrapping; and back.
constexpr std::string_view enter = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr std::string_view leave = "\x1b[?7h\x1b[?25h\x1b[?1049l";

// For the handlers, which have nothing else.
termios original;
std::atomic<bool> taken{false};
std::atomic<int> ending{0};
std::atomic<bool> stopping{false};

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;  // the terminal is gone: nothing to restore
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void give_back() {
  if (!taken.exchange(false)) return;
  write_all(leave);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &original);
}

void take() {
  termios raw = original;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  taken.store(true);
  write_all(enter);
}

extern "C" void on_end(int number) { ending.store(number); }
extern "C" void on_stop(int /*number*/) { stopping.store(true); }
extern "C" void on_nothing(int /*number*/) {}
// As if we had not been there: the terminal first, then the default end of this signal.
extern "C" void on_crash(int number) {
  give_back();
  ::signal(number, SIG_DFL);
  ::raise(number);
}

void handle(int number, void (*handler)(int), int flags = 0) {
  struct sigaction how {};
  how.sa_handler = handler;
  how.sa_flags = flags;
  ::sigemptyset(&how.sa_mask);
  ::sigaction(number, &how, nullptr);
}

}  // namespace

screen::screen() {
  if (::tcgetattr(STDIN_FILENO, &original) != 0) {
    throw stop{exit_usage, "watch needs a terminal on standard input; pipe its output to get lines instead"};
  }
  for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) handle(each, on_end);
  handle(SIGTSTP, on_stop);
  handle(SIGWINCH, on_nothing);
  for (const int each : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    handle(each, on_crash, static_cast<int>(SA_RESETHAND));
  take();
}

screen::~screen() { give_back(); }

canvas screen::size() const {
  winsize seen{};
  canvas out;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &seen) == 0 && seen.ws_col > 0 && seen.ws_row > 0) {
    out.width = seen.ws_col;
    out.height = seen.ws_row;
  }
  out.coloured = has_colours(STDOUT_FILENO);
  return out;
}

void screen::show(const std::vector<std::string>& lines) const {
  // In one write, line by line over what is there: clearing all of it first would flicker.
  std::string all = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) all += "\x1b[K" + lines[i] + (i + 1 < lines.size() ? "\r\n" : "");
  write_all(all);
}

void screen::stop_and_continue() const {
  give_back();
  handle(SIGTSTP, SIG_DFL);
  ::raise(SIGTSTP);
  // Here again after CONT.
  handle(SIGTSTP, on_stop);
  take();
}

std::string screen::wait(std::chrono::milliseconds limit) {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  const int ready = ::poll(&input, 1, static_cast<int>(limit.count()));
  if (stopping.exchange(false)) stop_and_continue();
  if (ready <= 0) return {};
  std::array<char, 256> bytes{};
  const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got > 0) return {bytes.data(), static_cast<std::size_t>(got)};
  if (got == 0 || errno != EINTR) hung_up_ = true;
  return {};
}

int screen::ended() const noexcept { return hung_up_ ? SIGHUP : ending.load(); }

}  // namespace holdfast::cli::watch
