// The families, in the order of the table.
#include "families/family.hpp"

#include <utility>

namespace holdfast::bench {
namespace {

// A place in the table for what the library does not do yet: nobody is to take its absence for an oversight.
class coming : public family {
 public:
  coming(std::string name, std::string why) : name_{std::move(name)}, why_{std::move(why)} {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] bool to_come() const override { return true; }
  void start() override { throw unavailable{why_}; }
  void stop() noexcept override {}
  std::unique_ptr<contender> join(unsigned, unsigned) override { throw unavailable{why_}; }

 private:
  std::string name_;
  std::string why_;
};

}  // namespace

std::vector<std::unique_ptr<family>> all_families() {
  std::vector<std::unique_ptr<family>> all;
  all.push_back(make_postgresql(true));
  all.push_back(make_postgresql(false));
  all.push_back(make_redis(false));
  all.push_back(make_redis(true));
  all.push_back(std::make_unique<coming>("redis_replicas", "to come: waiting for replicas"));
  all.push_back(std::make_unique<coming>("redis_quorum", "to come: redis+quorum://"));
  all.push_back(make_zookeeper(1));
  all.push_back(make_zookeeper(3));
  all.push_back(make_etcd(1));
  all.push_back(make_etcd(3));
  return all;
}

}  // namespace holdfast::bench
