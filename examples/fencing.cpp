// A guarded resource refuses numbers smaller than the largest it has seen: a holder that came back from the dead
// cannot overwrite the work of its successor.
#include <holdfast/holdfast.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>

using namespace std::chrono_literals;

class storage {
 public:
  bool write(std::uint64_t fence, const std::string& text) {
    if (fence < largest_) return false;
    largest_ = fence;
    text_ = text;
    return true;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::uint64_t largest_ = 0;
  std::string text_;
};

int main() {
  holdfast::client redis;
  storage disk;
  auto slow = redis.acquire("ledger", {.ttl = 100ms, .renew = false});
  auto next = redis.acquire("ledger");  // has it when the slow one's lease is over

  const bool second = disk.write(next.fence(), "from the next");
  const bool late = disk.write(slow.fence(), "from the slow one, too late");
  std::cout << std::boolalpha << "next: " << second << ", too late: " << late << ", stored: " << disk.text() << "\n";
  return second && !late ? 0 : 1;
}
