// The commands that plain locks on one Redis are made of.
#pragma once

#include <string>

#include "trial.hpp"

namespace lab {

inline words set_if_absent(const std::string& owner, const std::string& ttl_ms) {
  return {"SET", trial::key, owner, "NX", "PX", ttl_ms};
}

// Deletes the lock if it is still this owner's, in one step.
inline words delete_if_mine(const std::string& owner) {
  static const std::string script =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";
  return {"EVAL", script, "1", trial::key, owner};
}

}  // namespace lab
