// What the programs of this folder share that hold something and tell how it goes: a client, and the words they have with the
// test. They talk in lines, each of them flushed, so that the test reads what has happened.
//
// Thread safety: none, for one thread.
#pragma once

#include <holdfast/holdfast.hpp>

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

namespace holdfast::test {

// Connected, with nothing of the environment, and no warnings.
inline client connected(const std::string& url) {
  settings where = settings::from_url(url).value();
  where.on_warning = [](const warning&) {};
  client made{where};
  static_cast<void>(made.ping().value());
  return made;
}

// From the words TTL_MS and WAIT_MS; WAIT_MS 0: no limit.
inline options limits(const char* ttl_ms, const char* wait_ms) {
  options how{.ttl = std::chrono::milliseconds{std::stoll(ttl_ms)}};
  if (const long long wait = std::stoll(wait_ms); wait > 0) how.wait = std::chrono::milliseconds{wait};
  return how;
}

// `failed CODE`, and what main returns then.
inline int failed(errc code) {
  std::cout << "failed " << to_string(code) << std::endl;
  return 1;
}

inline bool next_line() {
  std::string line;
  return static_cast<bool>(std::getline(std::cin, line));
}

inline void until_input_ends() {
  while (next_line()) {
  }
}

// What main does: 2 for a wrong number of words, 3 for an exception.
template <class Work>
int run_child(int argc, char** argv, int words, Work work) {
  if (argc != words + 1) return 2;
  try {
    return work();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", argv[0], problem.what());
    return 3;
  }
}

}  // namespace holdfast::test
