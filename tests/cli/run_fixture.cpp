#include "cli/run_fixture.hpp"

#include <signal.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/eventually.hpp"

namespace holdfast::test {

using namespace std::chrono_literals;

namespace {

std::vector<std::string> with_verb(std::vector<std::string> words) {
  words.insert(words.begin(), "run");
  return words;
}

std::int64_t stamp_in(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  std::int64_t ns = 0;
  file.read(reinterpret_cast<char*>(&ns), sizeof ns);
  return ns;
}

// state and parent of a process, from /proc/PID/stat; the name in it may contain anything but ends at the last ')'.
std::pair<char, pid_t> stat_of(pid_t pid) {
  const std::string text = contents("/proc/" + std::to_string(pid) + "/stat");
  const auto end = text.rfind(')');
  if (end == std::string::npos) return {'-', -1};
  std::istringstream rest{text.substr(end + 1)};
  char state = '-';
  pid_t parent = -1;
  rest >> state >> parent;
  return {state, parent};
}

}  // namespace

outcome run_test::run(std::vector<std::string> words) const {
  return holdfast_run(with_verb(std::move(words)), variables());
}

command run_test::start(std::vector<std::string> words) const {
  return command{with_verb(std::move(words)), variables()};
}

std::unique_ptr<command> run_test::start_witness(std::vector<std::string> words, const std::string& how) const {
  words.insert(words.end(), {"--", witness, how, record()});
  auto made = std::make_unique<command>(with_verb(std::move(words)), variables());
  const auto line = made->running().read_line(20s);
  EXPECT_EQ(line.value_or("(nothing)"), "ready") << made->err();
  return made;
}

std::string run_test::recorded() const { return contents(record()); }

std::int64_t run_test::last_stamp() const {
  return std::max(stamp_in(record() + ".child"), stamp_in(record() + ".grandchild"));
}

bool run_test::both_are_dead() const {
  const std::int64_t before = last_stamp();
  return !eventually(200ms, [&] { return last_stamp() != before; });
}

std::int64_t run_test::expiry(const std::string& key) { return redis_.number({"PEXPIRETIME", key}) * 1'000'000; }

std::int64_t run_test::fresh_expiry(const std::string& key) {
  const std::int64_t before = expiry(key);
  EXPECT_TRUE(eventually(20s, [&] { return expiry(key) > before; })) << "it is not renewed";
  return expiry(key);
}

std::string contents(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

std::int64_t wall_clock_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::vector<pid_t> children_of(pid_t parent, const std::string& name) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
    const std::string file = entry.path().filename().string();
    if (file.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t pid = std::stoi(file);
    const auto [state, above] = stat_of(pid);
    if (above != parent || state == 'Z') continue;
    if (name.empty() || contents("/proc/" + file + "/comm") == name + "\n") found.push_back(pid);
  }
  return found;
}

bool is_alive(pid_t pid) {
  const char state = stat_of(pid).first;
  return state != '-' && state != 'Z';
}

}  // namespace holdfast::test
