// ZooKeeper: the recipe of its manual with its C client. A lock is a node with children that are ephemeral (they go with
// their session) and numbered; the lowest number holds, every other watches the one before it and nobody else.
//
// A pair is three calls: create, list the children, delete. The client's own thread does the talking and the heartbeats, so
// every call wakes it and is woken by it; that is how its blocking calls work.
#include "families/ensemble.hpp"
#include "families/stream.hpp"
#include "server.hpp"

#include <unistd.h>
#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 30s;

// Raised by the client's thread, for news of the session and for a watched node that went.
class news {
 public:
  void raise() {
    const std::lock_guard hold{mutex_};
    raised_ = true;
    changed_.notify_all();
  }
  void forget() {
    const std::lock_guard hold{mutex_};
    raised_ = false;
  }
  bool wait(std::chrono::milliseconds limit) {
    std::unique_lock hold{mutex_};
    return changed_.wait_for(hold, limit, [this] { return raised_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool raised_ = false;
};

void on_event(zhandle_t* /*from*/, int /*type*/, int /*state*/, const char* /*path*/, void* context) {
  static_cast<news*>(context)->raise();
}

class zookeeper_contender : public contender {
 public:
  zookeeper_contender(const std::string& hosts, unsigned lock, unsigned me)
      : folder_{"/lock" + std::to_string(lock)}, mark_{std::to_string(::getpid()) + "-" + std::to_string(me) + "-"} {
    zoo_set_debug_level(static_cast<ZooLogLevel>(0));
    const auto session = static_cast<int>(std::chrono::milliseconds{lifetime}.count());
    handle_ = zookeeper_init(hosts.c_str(), on_event, session, nullptr, &news_, 0);
    if (handle_ == nullptr) throw std::runtime_error{"ZooKeeper: no client"};
    const auto limit = std::chrono::steady_clock::now() + patience;
    while (zoo_state(handle_) != ZOO_CONNECTED_STATE) {
      if (std::chrono::steady_clock::now() > limit) fail("does not let us in", ZCONNECTIONLOSS);
      news_.wait(10ms);
    }
    if (zoo_recv_timeout(handle_) != session) fail("gives another lifetime than was asked for", ZBADARGUMENTS);
    const int made = repeat([&] { return create(folder_, 0, nullptr, 0); });
    if (made != ZOK && made != ZNODEEXISTS) fail("create", made);
  }
  ~zookeeper_contender() override { zookeeper_close(handle_); }

  void lock() override {
    join_queue();
    for (;;) {
      const std::vector<std::string> queue = children();
      const auto place = std::find(queue.begin(), queue.end(), own_);
      if (place == queue.end()) fail("our place is gone", ZSESSIONEXPIRED);
      if (place == queue.begin()) return;
      news_.forget();
      const std::string before = folder_ + "/" + *std::prev(place);
      const int seen = repeat([&] {
        int none = 0;
        // get, not exists: of a node that is gone already it leaves no watch behind.
        return zoo_wget(handle_, before.c_str(), on_event, &news_, nullptr, &none, nullptr);
      });
      if (seen == ZOK) news_.wait(patience);
      if (seen != ZOK && seen != ZNONODE) fail("get", seen);
    }
  }
  void unlock() override {
    const std::string place = folder_ + "/" + own_;
    const int done = repeat([&] { return zoo_delete(handle_, place.c_str(), -1); });
    if (done != ZOK && done != ZNONODE) fail("delete", done);
  }

 private:
  int create(const std::string& path, int mode, char* made, int size) {
    return zoo_create(handle_, path.c_str(), nullptr, -1, &ZOO_OPEN_ACL_UNSAFE, mode, made, size);
  }

  // After a broken connection nobody knows whether the node was made: it is looked for by its mark.
  void join_queue() {
    char made[200];
    const std::string wanted = folder_ + "/" + mark_;
    const auto limit = std::chrono::steady_clock::now() + patience;
    for (;;) {
      const int done = create(wanted, ZOO_EPHEMERAL_SEQUENTIAL, made, sizeof made);
      if (done == ZOK) {
        own_ = std::string{made}.substr(folder_.size() + 1);
        return;
      }
      if (!may_repeat(done, limit)) fail("create", done);
      const std::vector<std::string> queue = children();
      const auto found =
          std::find_if(queue.begin(), queue.end(), [&](const std::string& each) { return each.starts_with(mark_); });
      if (found == queue.end()) continue;
      own_ = *found;
      return;
    }
  }

  // By number, which is the last ten characters.
  std::vector<std::string> children() {
    std::vector<std::string> names;
    const int done = repeat([&] {
      String_vector found{};
      const int got = zoo_get_children(handle_, folder_.c_str(), 0, &found);
      if (got != ZOK) return got;
      names.assign(found.data, found.data + found.count);
      deallocate_String_vector(&found);
      return got;
    });
    if (done != ZOK) fail("get_children", done);
    std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
      return a.compare(a.size() - 10, 10, b, b.size() - 10, 10) < 0;
    });
    return names;
  }

  static bool may_repeat(int code, std::chrono::steady_clock::time_point limit) {
    if (code != ZCONNECTIONLOSS && code != ZOPERATIONTIMEOUT) return false;
    std::this_thread::sleep_for(10ms);
    return std::chrono::steady_clock::now() < limit;
  }
  template <class Call>
  static int repeat(Call&& call) {
    const auto limit = std::chrono::steady_clock::now() + patience;
    int code = call();
    while (may_repeat(code, limit)) code = call();
    return code;
  }
  [[noreturn]] static void fail(const std::string& what, int code) {
    throw std::runtime_error{"ZooKeeper: " + what + ": " + zerror(code)};
  }

  news news_;
  std::string folder_;
  std::string mark_;
  std::string own_;
  zhandle_t* handle_ = nullptr;
};

class zookeeper_family : public ensemble {
 public:
  explicit zookeeper_family(unsigned nodes) : ensemble{"zookeeper", nodes} {}

  void start() override {
    folder_ = std::make_unique<scratch_folder>();
    std::string members;
    for (unsigned i = 0; i < count_; ++i) {
      ports_.push_back(free_port());
      members += "server." + std::to_string(i + 1) + "=127.0.0.1:" + std::to_string(free_port()) + ":" +
                 std::to_string(free_port()) + "\n";
    }
    for (unsigned i = 0; i < count_; ++i) start_node(i, count_ > 1 ? members : "");
    wait_until_all_serve();
  }
  std::unique_ptr<contender> join(unsigned lock, unsigned me) override {
    std::string hosts;
    for (const int port : ports_) hosts += (hosts.empty() ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(port);
    return std::make_unique<zookeeper_contender>(hosts, lock, me);
  }

 private:
  // Debian's package has a script that starts it as a service; its class path, and the limits of its manual.
  void start_node(unsigned i, const std::string& members) {
    const auto home = folder_->path() / std::to_string(i + 1);
    std::filesystem::create_directory(home);
    write_file(home / "myid", std::to_string(i + 1) + "\n");
    write_file(home / "zoo.cfg", "tickTime=2000\ninitLimit=10\nsyncLimit=5\ndataDir=" + home.string() +
                                     "\nclientPortAddress=127.0.0.1\nclientPort=" + std::to_string(ports_[i]) +
                                     "\nadmin.enableServer=false\n" + members);
    nodes_.push_back(std::make_unique<service>(
        program{.words = {"java", "-Xmx256m", "-cp", "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar",
                          "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dzookeeper.jmx.log4j.disable=true",
                          "org.apache.zookeeper.server.quorum.QuorumPeerMain", home / "zoo.cfg"},
                .log = home / "log"}));
  }

  // standalone, leader, follower.
  [[nodiscard]] std::string role(unsigned node) const override try {
    const std::string answer = ask_port(ports_[node], "srvr");
    const std::size_t at = answer.find("Mode: ");
    return at == std::string::npos ? "" : answer.substr(at + 6, answer.find('\n', at) - at - 6);
  } catch (const std::runtime_error&) {
    return {};
  }
};

}  // namespace

std::unique_ptr<family> make_zookeeper(unsigned nodes) { return std::make_unique<zookeeper_family>(nodes); }

}  // namespace holdfast::bench
