// Implements history and its checker.
#include "support/history.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <type_traits>

namespace holdfast::test {
namespace {

static_assert(std::is_trivially_copyable_v<held_interval> && sizeof(held_interval) == 32);

std::string describe(const held_interval& interval) {
  return "owner " + std::to_string(interval.owner) + " fence " + std::to_string(interval.fence) + " [" +
         std::to_string(interval.start) + " .. " + std::to_string(interval.end) + "] ns";
}

}  // namespace

history::history(const std::string& path)
    : path_{path}, file_{::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)} {
  if (!file_) throw std::system_error{errno, std::generic_category(), "cannot open the history " + path};
}

void history::append(const held_interval& interval) {
  // A short write would shift every later record, so it is an error and not something to continue from.
  if (::write(file_.get(), &interval, sizeof interval) != static_cast<ssize_t>(sizeof interval)) {
    throw std::system_error{errno, std::generic_category(), "cannot append to the history " + path_};
  }
}

std::vector<held_interval> history::read() const {
  const unique_fd file{::open(path_.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file) throw std::system_error{errno, std::generic_category(), "cannot read the history " + path_};
  std::vector<held_interval> all;
  held_interval one;
  ssize_t got = 0;
  while ((got = ::read(file.get(), &one, sizeof one)) == static_cast<ssize_t>(sizeof one)) all.push_back(one);
  if (got != 0) throw std::runtime_error{"the history " + path_ + " ends in a torn record"};
  return all;
}

std::optional<std::string> find_violation(std::vector<held_interval> intervals) {
  std::sort(intervals.begin(), intervals.end(), [](const held_interval& a, const held_interval& b) {
    return std::tie(a.start, a.end, a.fence) < std::tie(b.start, b.end, b.fence);
  });
  const held_interval* latest = nullptr;   // the earlier interval that ends last
  const held_interval* highest = nullptr;  // the earlier interval with the largest fence
  for (const auto& now : intervals) {
    if (now.end < now.start) return "ends before it starts: " + describe(now);
    if (latest != nullptr && now.start < latest->end) {
      return "two held it at once for " + std::to_string(std::min(latest->end, now.end) - now.start) +
             " ns: " + describe(*latest) + " and " + describe(now);
    }
    if (highest != nullptr && now.fence <= highest->fence) {
      return "the fence did not increase: " + describe(*highest) + " then " + describe(now);
    }
    if (latest == nullptr || now.end >= latest->end) latest = &now;
    if (highest == nullptr || now.fence > highest->fence) highest = &now;
  }
  return std::nullopt;
}

}  // namespace holdfast::test
