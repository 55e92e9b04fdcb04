// What the families on Redis share: the way to one lock, whatever the URL names.
#pragma once

#include "families/family.hpp"

namespace holdfast::bench {

std::unique_ptr<contender> join_redis(const std::string& url, unsigned lock);

}  // namespace holdfast::bench
