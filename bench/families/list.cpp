// The families, in the order of the table.
#include "families/family.hpp"

namespace holdfast::bench {

std::vector<std::unique_ptr<family>> all_families() {
  std::vector<std::unique_ptr<family>> all;
  all.push_back(make_postgresql(true));
  all.push_back(make_postgresql(false));
  all.push_back(make_redis(false));
  all.push_back(make_redis(true));
  all.push_back(make_redis_replicas());
  all.push_back(make_redis_quorum());
  all.push_back(make_zookeeper(1));
  all.push_back(make_zookeeper(3));
  all.push_back(make_etcd(1));
  all.push_back(make_etcd(3));
  return all;
}

}  // namespace holdfast::bench
