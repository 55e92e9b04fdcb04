// What the tests of `holdfast run` share: a Redis, a directory, the command, and the record of a witness
// (helpers/witness.cpp).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "support/places.hpp"
#include "support/redis_server.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

inline const std::string witness = helper("witness");

class run_test : public ::testing::Test {
 protected:
  [[nodiscard]] environment variables() const { return {{"HOLDFAST_URL", redis_.url()}}; }
  // `holdfast run WORDS…` to its end, and one that goes on.
  [[nodiscard]] outcome run(std::vector<std::string> words) const;
  [[nodiscard]] command start(std::vector<std::string> words) const;
  // The same with `witness HOW`, ready.
  [[nodiscard]] std::unique_ptr<command> start_witness(std::vector<std::string> words, const std::string& how) const;

  [[nodiscard]] std::string record() const { return dir_.file("record"); }
  [[nodiscard]] std::string recorded() const;  // of `witness signals`
  // Of `witness stamp`: when the last of the two was still running, ns since 1970.
  [[nodiscard]] std::int64_t last_stamp() const;
  // Whether neither of them writes any more.
  [[nodiscard]] bool both_are_dead() const;

  // When the server will forget this key, ns since 1970.
  [[nodiscard]] std::int64_t expiry(const std::string& key);
  // Waits for the next renewal, and returns the expiry that it set: the following one is ttl/3 away.
  [[nodiscard]] std::int64_t fresh_expiry(const std::string& key);

  redis_server redis_;
  temp_dir dir_;
};

// Everything in a file; empty if there is none.
[[nodiscard]] std::string contents(const std::string& path);
[[nodiscard]] std::int64_t wall_clock_ns();
// Living children of that process whose name is this one ("holdfast-guard"); any name if it is empty.
[[nodiscard]] std::vector<pid_t> children_of(pid_t parent, const std::string& name = {});
// Neither there nor a zombie.
[[nodiscard]] bool is_alive(pid_t pid);

}  // namespace holdfast::test
