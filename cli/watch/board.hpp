// What watch knows: the locks as last seen, and what happened to each since watching began. Pure: every look is passed
// in, with its time.
//
//   between two looks                                    counts as
//   another holder, or a waiter who left the queue       a hand-off (at least: shorter holds than a look stay unseen)
//   the holder's time had run out, by the look before    a loss: it did not renew, and did not release
//   nobody holds it, in time                             a release
//
// Thread safety: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli::watch {

using clock = std::chrono::steady_clock;

// One lock at one look.
struct sight {
  std::string name;
  std::string owner;                                   // empty: free, and somebody waits
  std::string holder;                                  // the owner for people: host:pid, or the id
  std::optional<std::chrono::milliseconds> remaining;  // none: never expires
  std::optional<std::chrono::milliseconds> held_for;   // none: the holder does not say
  std::vector<std::string> waiters;                    // owners, first is next
  std::size_t waiting = 0;                             // all of them, also those not listed
};

enum class happening : unsigned char { seen, handed_over, released, lost };

struct event {
  happening what{};
  std::string name;
  std::string holder;  // who has it now; for released and lost: who had it
  std::size_t waiting = 0;
};

struct row {
  sight now;
  std::chrono::milliseconds longest{};  // the most time that was ever left: what the bar is measured against
  std::uint64_t handoffs = 0;           // in the last interval
  std::uint64_t losses = 0;             // since watching began
};

enum class order : unsigned char { name, remaining, waiters, held };
[[nodiscard]] std::string_view to_string(order how) noexcept;

class board {
 public:
  // Takes a look in, and tells what happened since the one before.
  std::vector<event> look(const std::vector<sight>& all, clock::time_point now);

  // Rows whose name contains `filter`, sorted.
  [[nodiscard]] std::vector<row> rows(order how, std::string_view filter) const;
  [[nodiscard]] double handoffs_per_second() const;
  [[nodiscard]] std::uint64_t losses() const noexcept { return losses_; }
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }

 private:
  struct known {
    row shown;
    clock::time_point at;
  };
  std::vector<event> compare(known& before, const sight& now, clock::time_point when);
  void end(known& before, clock::time_point now, std::vector<event>& told);

  std::map<std::string, known> rows_;
  std::map<std::string, std::uint64_t> losses_by_name_;
  std::uint64_t losses_ = 0;
  std::optional<clock::time_point> last_;
  std::chrono::duration<double> interval_{0};
};

}  // namespace holdfast::cli::watch
