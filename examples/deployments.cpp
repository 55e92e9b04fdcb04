// One program for every deployment. HOLDFAST_URL decides:
//
//   redis://cache-1                             one Redis
//   redis+sentinel://s1,s2,s3/locks             the primary that the Sentinels name, also after a failover
//   redis+cluster://a,b,c                       a Redis Cluster
//   redis+quorum://n1,n2,n3,n4,n5               a majority of independent servers
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <iostream>
#include <mutex>

using namespace std::chrono_literals;

int main() {
  holdfast::client redis;
  holdfast::mutex invoice{redis, "invoice:42", {.ttl = 5s}};  // on a quorum, at most its max_ttl
  {
    const std::lock_guard hold{invoice};
    std::cout << "holding " << invoice.name() << ", fence " << invoice.fence() << "\n";
  }

  // Where the primary has replicas: the lock counts as taken only when one of them has it, too, and so outlives the primary.
  // (`replicas=1` in the URL asks for that everywhere.)
  const auto lease = redis.acquire(std::nothrow, "invoice:43", {.ttl = 5s, .replicas = 1});
  if (lease) {
    std::cout << "a replica has invoice:43 as well\n";
    return 0;
  }
  std::cout << to_string(lease.code()) << ": " << lease.failure().detail << "\n";
  // No replica here, or a quorum, which has no use for any. Either way nothing is held.
  return lease.code() == holdfast::errc::not_replicated || lease.code() == holdfast::errc::bad_option ? 0 : 1;
}
