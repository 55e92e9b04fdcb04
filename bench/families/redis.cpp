// Redis: holdfast::mutex on one redis-server, renewed and fenced as by default. redis_nodes.cpp has it on several.
//
// As it comes, nothing is written to disk (docs/guarantees.md says what that means). `durable` has Redis write its file
// and call fsync before each answer, which is what PostgreSQL, ZooKeeper and etcd do by default.
#include "families/redis.hpp"
#include "families/service.hpp"
#include "floor.hpp"
#include "server.hpp"

#include <holdfast/mutex.hpp>

namespace holdfast::bench {
namespace {

class redis_contender : public contender {
 public:
  redis_contender(const std::string& url, unsigned lock)
      : redis_{quiet_settings(url)}, mutex_{redis_, "bench:families:" + std::to_string(lock), {.ttl = lifetime}} {}
  // A lock that its replicas did not confirm was given back, or went with its primary: whoever needs it asks again.
  void lock() override {
    for (;;) {
      try {
        return mutex_.lock();
      } catch (const error& why) {
        const errc what = why.kind();
        if (what != errc::not_replicated && what != errc::lost && what != errc::unreachable) throw;
      }
    }
  }
  void unlock() override { mutex_.unlock(); }

 private:
  client redis_;
  mutex mutex_;
};

class redis_family : public family {
 public:
  explicit redis_family(bool durable) : durable_{durable} {}
  ~redis_family() override { stop(); }
  [[nodiscard]] std::string name() const override { return durable_ ? "redis_fsync" : "redis"; }

  void start() override {
    folder_ = std::make_unique<scratch_folder>();
    const std::string port = std::to_string(free_port());
    url_ = "redis://127.0.0.1:" + port;
    std::vector<std::string> words{"redis-server", "--port", port,    "--bind",        "127.0.0.1",
                                   "--save",       "",       "--dir", folder_->path(), "--appendonly"};
    words.insert(words.end(), {durable_ ? "yes" : "no", "--appendfsync", durable_ ? "always" : "everysec"});
    server_ = std::make_unique<service>(program{.words = std::move(words), .log = folder_->path() / "log"});
    server_->wait_until([this] {
      try {
        floor_connection{url_}.ping();
        return true;
      } catch (const std::runtime_error&) {
        return false;
      }
    });
  }
  void stop() noexcept override {
    server_.reset();
    folder_.reset();
  }
  std::unique_ptr<contender> join(unsigned lock, unsigned /*me*/) override { return join_redis(url_, lock); }

 private:
  bool durable_;
  std::string url_;
  std::unique_ptr<scratch_folder> folder_;
  std::unique_ptr<service> server_;
};

}  // namespace

std::unique_ptr<contender> join_redis(const std::string& url, unsigned lock) {
  return std::make_unique<redis_contender>(url, lock);
}

std::unique_ptr<family> make_redis(bool durable) { return std::make_unique<redis_family>(durable); }

}  // namespace holdfast::bench
