// Implements redis_server: config file, start with retry on a port clash, questions over the Unix socket.
#include "support/redis_server.hpp"

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

#include "support/eventually.hpp"
#include "support/loopback.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr auto start_limit = 10s;
constexpr auto stop_limit = 3s;
constexpr auto answer_limit = 10s;

// With ACL lines the default user may be switched off; the test's own questions then need a user that is not.
constexpr auto control_user = "holdfast-test-control";
constexpr auto control_password = "control-of-a-test";

// The value of "name:value" in the text of INFO; empty if absent.
std::string info_field(const std::string& info, const std::string& name) {
  const std::string label = "\n" + name + ":";
  const std::size_t at = info.find(label);
  if (at == std::string::npos) return {};
  const std::size_t from = at + label.size();
  return info.substr(from, info.find('\r', from) - from);
}

}  // namespace

redis_server::redis_server(redis_options options) : options_{std::move(options)} {
  for (int attempt = 1;; ++attempt) {
    port_ = free_port();
    if (options_.tls) tls_port_ = free_port();
    write_config();
    if (try_start()) return;
    const bool clash = log().find("Address already in use") != std::string::npos;
    if (!clash || attempt == 20) throw std::runtime_error{"redis-server did not start: " + why_not()};
  }
}

// Killed: it has nothing to keep, and a node of a cluster takes its time to say goodbye.
redis_server::~redis_server() { kill(); }

void redis_server::write_config() const {
  std::ofstream out{dir_.file("redis.conf")};
  out << "bind 127.0.0.1\nprotected-mode no\ndaemonize no\nsave \"\"\n"
      << "port " << port_ << "\nunixsocket " << unix_path() << "\nunixsocketperm 700\n"
      << "repl-diskless-sync-delay 0\n"  // or a replica of this server waits 5 s for company
      << "dir " << dir_.path().string() << "\nlogfile " << dir_.file("redis.log") << "\n";
  if (options_.appendonly) out << "appendonly yes\nappendfsync always\n";
  if (!options_.requirepass.empty()) out << "requirepass " << options_.requirepass << "\n";
  if (options_.tls) {
    out << "tls-port " << tls_port_ << "\ntls-cert-file " << options_.tls->certificate << "\ntls-key-file "
        << options_.tls->key << "\ntls-ca-cert-file " << options_.tls->authority << "\ntls-auth-clients "
        << (options_.tls->clients_need_certificate ? "yes" : "no") << "\n";
  }
  if (options_.replica_of) out << "replicaof 127.0.0.1 " << *options_.replica_of << "\n";
  if (!options_.users.empty()) out << "user " << control_user << " on >" << control_password << " ~* &* +@all\n";
  for (const auto& line : options_.users) out << line << "\n";
  for (const auto& line : options_.config) out << line << "\n";
  if (!out.flush()) throw std::runtime_error{"cannot write " + dir_.file("redis.conf")};
}

// False if it exited before it answered; throws if it neither answers nor exits.
bool redis_server::try_start() {
  std::error_code ignored;
  std::filesystem::remove(dir_.file("redis.log"), ignored);
  process_.emplace(std::vector<std::string>{options_.program, dir_.file("redis.conf")},
                   process_options{.merge_stderr = true});
  const bool settled = eventually(start_limit, [this] {
    if (!process_->running()) return true;
    try {
      // A server that is still loading its file answers with an error; that is not ready yet.
      return !control().command({"PING"}).is_error();
    } catch (const redis_error&) {
      control_.reset();
      return false;
    }
  });
  if (!settled) {
    process_.reset();
    throw std::runtime_error{"redis-server did not answer PING within 10 s: " + log()};
  }
  return process_->running();
}

void redis_server::start() {
  // The port was ours a moment ago; a short clash can only be another process's outgoing connection.
  for (int attempt = 1; !try_start(); ++attempt) {
    const bool clash = log().find("Address already in use") != std::string::npos;
    if (!clash || attempt == 20) throw std::runtime_error{"redis-server did not start again: " + why_not()};
    std::this_thread::sleep_for(100ms);
  }
}

void redis_server::stop() {
  control_.reset();
  if (!process_) return;
  process_->resume();  // a paused process would not see the SIGTERM
  process_->signal(SIGTERM);
  if (!process_->wait(stop_limit)) process_->kill();
  process_.reset();
}

void redis_server::kill() {
  control_.reset();
  process_.reset();
}

void redis_server::restart() {
  stop();
  start();
}

void redis_server::pause() {
  if (process_) process_->pause();
}

void redis_server::resume() {
  if (process_) process_->resume();
}

redis_connection& redis_server::control() {
  if (control_) return *control_;
  auto made = redis_connection::unix_socket(unix_path(), answer_limit);
  if (!options_.users.empty()) {
    (void)made.text({"AUTH", control_user, control_password});
  } else if (!options_.requirepass.empty()) {
    (void)made.text({"AUTH", options_.requirepass});
  }
  return control_.emplace(std::move(made));
}

reply redis_server::command(const std::vector<std::string>& args) { return control().command(args); }

std::vector<std::string> redis_server::keys() {
  std::set<std::string> found;  // SCAN may name a key twice
  std::string cursor = "0";
  do {
    const reply page = control().command({"SCAN", cursor, "COUNT", "1000"});
    if (page.items.size() != 2) throw redis_error{"SCAN: " + page.text};
    cursor = page.items[0].text;
    for (const auto& key : page.items[1].items) found.insert(key.text);
  } while (cursor != "0");
  return {found.begin(), found.end()};
}

std::vector<std::string> redis_server::keys_without_expiry() {
  std::vector<std::string> found = keys();
  std::erase_if(found, [this](const std::string& key) { return number({"TTL", key}) != -1; });
  return found;
}

long long redis_server::command_calls(const std::string& name) {
  const std::string stats = info_field(text({"INFO", "commandstats"}), "cmdstat_" + name);
  const std::string label = "calls=";
  return stats.starts_with(label) ? std::stoll(stats.substr(label.size())) : 0;
}

long long redis_server::commands_processed() {
  return std::stoll(info_field(text({"INFO", "stats"}), "total_commands_processed"));
}

redis_connection redis_server::connect(std::chrono::milliseconds limit) const {
  auto made = redis_connection::tcp(port_, limit);
  if (!options_.requirepass.empty()) (void)made.text({"AUTH", options_.requirepass});
  return made;
}

// A mistake in the settings is told on standard error, before there is a log.
std::string redis_server::why_not() { return log() + (process_ ? process_->read_rest(1s) : std::string{}); }

std::string redis_server::log() const {
  std::ifstream in{dir_.file("redis.log")};
  const std::string all{std::istreambuf_iterator<char>{in}, {}};
  constexpr std::size_t tail = 2000;
  return all.size() > tail ? all.substr(all.size() - tail) : all;
}

}  // namespace holdfast::test
