// etcd: its own lock service (v3lock), with a lease of five seconds that a thread keeps alive.
//
// Spoken through the HTTP/JSON gateway that every etcd has, on connections that stay open, because Debian has no client
// library in C or C++. The gateway turns each call into gRPC inside the server, which a native client would not need; it is
// part of the figures, and docs/choose.md says so. Starting etcdctl for each call would cost a hundred times that.
//
// Nodes are tried in turn when one does not answer; a call may be repeated, as the key of a lock is that of the lease.
#include "families/ensemble.hpp"
#include "families/stream.hpp"
#include "server.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 30s;

std::string base64(const std::string& text) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t j = i; j < i + 3; ++j) group = group << 8 | (j < text.size() ? text[j] & 0xffU : 0U);
    for (std::size_t j = 0; j < 4; ++j) {
      out.push_back(i + j > text.size() ? '=' : digits[group >> (18 - 6 * j) & 63]);
    }
  }
  return out;
}

// The text of a member, of which all that we want are strings; empty if it is not there.
std::string member(const std::string& json, const std::string& name) {
  const std::string label = '"' + name + "\":\"";
  const std::size_t at = json.find(label);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + label.size();
  return json.substr(begin, json.find('"', begin) - begin);
}

// All nodes, one of them at a time.
class endpoint {
 public:
  endpoint(std::vector<int> ports, unsigned first) : ports_{std::move(ports)}, at_{first % ports_.size()} {}

  // The answer's JSON. Repeats the call, also on other nodes, until one has done it.
  std::string call(const std::string& path, const std::string& json) {
    const auto limit = std::chrono::steady_clock::now() + patience;
    for (;;) {
      std::string why;
      try {
        if (!stream_) stream_.emplace(ports_[at_]);
        http_answer answer = post(*stream_, path, json);
        if (answer.status == 200 && answer.body.find("\"error\"") == std::string::npos) return std::move(answer.body);
        why = answer.body;
        if (why.find("lease not found") != std::string::npos) throw std::logic_error{"the lease was lost"};
      } catch (const std::runtime_error& problem) {
        why = problem.what();
      }
      if (std::chrono::steady_clock::now() > limit) throw std::runtime_error{"etcd: " + path + ": " + why};
      stream_.reset();
      at_ = (at_ + 1) % ports_.size();
      std::this_thread::sleep_for(10ms);
    }
  }

 private:
  std::vector<int> ports_;
  std::size_t at_;
  std::optional<stream> stream_;
};

class etcd_contender : public contender {
 public:
  etcd_contender(const std::vector<int>& ports, unsigned lock, unsigned me)
      : calls_{ports, me}, name_{base64("bench/" + std::to_string(lock))} {
    lease_ = member(calls_.call("/v3/lease/grant", "{\"TTL\":" + std::to_string(lifetime.count()) + "}"), "ID");
    if (lease_.empty()) throw std::runtime_error{"etcd grants no lease"};
    alive_ = std::jthread{[this, ports, me](const std::stop_token& stop) { keep_alive(stop, ports, me); }};
  }
  ~etcd_contender() override { alive_.request_stop(); }

  void lock() override {
    key_ = member(calls_.call("/v3/lock/lock", R"({"name":")" + name_ + R"(","lease":")" + lease_ + "\"}"), "key");
  }
  void unlock() override { calls_.call("/v3/lock/unlock", R"({"key":")" + key_ + "\"}"); }

 private:
  void keep_alive(const std::stop_token& stop, const std::vector<int>& ports, unsigned me) const {
    endpoint beside{ports, me};  // the other one may be waiting for the lock
    std::mutex mutex;
    std::condition_variable_any over;
    std::unique_lock hold{mutex};
    while (!over.wait_for(hold, stop, std::chrono::milliseconds{lifetime} / 3, [&] { return stop.stop_requested(); })) {
      try {
        beside.call("/v3/lease/keepalive", R"({"ID":")" + lease_ + "\"}");
      } catch (const std::exception&) {
        return;  // lost: the next call on the lock says so
      }
    }
  }

  endpoint calls_;
  std::string name_;
  std::string lease_;
  std::string key_;
  std::jthread alive_;
};

class etcd_family : public ensemble {
 public:
  explicit etcd_family(unsigned nodes) : ensemble{"etcd", nodes} {}

  void start() override {
    folder_ = std::make_unique<scratch_folder>();
    std::vector<std::string> peers;
    std::string cluster;
    for (unsigned i = 0; i < count_; ++i) {
      ports_.push_back(free_port());
      peers.push_back("http://127.0.0.1:" + std::to_string(free_port()));
      cluster += (i > 0 ? ",n" : "n") + std::to_string(i) + "=" + peers.back();
    }
    for (unsigned i = 0; i < count_; ++i) {
      const std::string node = "n" + std::to_string(i);
      const std::string clients = "http://127.0.0.1:" + std::to_string(ports_[i]);
      nodes_.push_back(std::make_unique<service>(program{
          .words = {"etcd", "--name", node, "--data-dir", folder_->path() / node, "--listen-client-urls", clients,
                    "--advertise-client-urls", clients, "--listen-peer-urls", peers[i], "--initial-advertise-peer-urls",
                    peers[i], "--initial-cluster", cluster, "--initial-cluster-state", "new", "--logger", "zap"},
          .log = folder_->path() / (node + ".log")}));
    }
    wait_until_all_serve();
  }
  std::unique_ptr<contender> join(unsigned lock, unsigned me) override {
    return std::make_unique<etcd_contender>(ports_, lock, me);
  }

 private:
  // Of one that follows, its leader's id.
  [[nodiscard]] std::string role(unsigned node) const override try {
    stream to{ports_[node]};
    to.give_up_after(1s);
    const std::string status = post(to, "/v3/maintenance/status", "{}").body;
    const std::string leader = member(status, "leader");
    return !leader.empty() && leader == member(status, "member_id") ? "leader" : leader;
  } catch (const std::runtime_error&) {
    return {};
  }
};

}  // namespace

std::unique_ptr<family> make_etcd(unsigned nodes) { return std::make_unique<etcd_family>(nodes); }

}  // namespace holdfast::bench
