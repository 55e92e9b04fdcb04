// The bytes that have come in and are not parsed yet.
//
// A socket reads straight into `prepare()`d room and `commit()`s what came; `reader` looks at `pending()` and
// `consume()`s from its front.
//
//   storage:  | consumed | pending | room |
//             0        begin_     end_    capacity_
//
// Cost: consuming moves an offset. Pending bytes are moved only if no more of them are moved than were consumed
// before, or into storage at least twice their size, so every byte is moved a constant number of times on average.
// Memory: at most about twice the pending bytes plus the room asked for; storage that a burst made large is given back
// once it is empty.
//
// Thread safety: none. Invariant: begin_ <= end_ <= capacity_.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace holdfast::resp {

class buffer {
 public:
  // Room for at least `at_least` bytes (and never none). Valid until the next call of prepare() or clear().
  std::span<char> prepare(std::size_t at_least) {
    at_least = std::max<std::size_t>(at_least, 1);
    const std::size_t size = end_ - begin_;
    if (size == 0) {
      begin_ = end_ = 0;
      if (capacity_ > kept && at_least <= kept) release();
    }
    if (capacity_ - end_ < at_least) {
      if (begin_ >= size && capacity_ - size >= at_least) {
        if (size > 0) std::memmove(storage_.get(), storage_.get() + begin_, size);
      } else {
        const std::size_t wanted = 2 * size + at_least;
        std::unique_ptr<char[]> larger(new char[wanted]);  // not make_unique: it would write zeros first
        if (size > 0) std::memcpy(larger.get(), storage_.get() + begin_, size);
        storage_ = std::move(larger);
        capacity_ = wanted;
      }
      begin_ = 0;
      end_ = size;
    }
    return {storage_.get() + end_, capacity_ - end_};
  }

  // The first `n` bytes of the prepared room have been filled.
  void commit(std::size_t n) noexcept {
    assert(n <= capacity_ - end_);
    end_ += n;
  }

  [[nodiscard]] std::string_view pending() const noexcept { return {storage_.get() + begin_, end_ - begin_}; }

  // Views of consumed bytes stay valid until prepare() or clear().
  void consume(std::size_t n) noexcept {
    assert(n <= end_ - begin_);
    begin_ += n;
  }

  void clear() noexcept {
    begin_ = end_ = 0;
    if (capacity_ > kept) release();
  }

 private:
  static constexpr std::size_t kept = 64 * 1024;

  void release() noexcept {
    storage_.reset();
    capacity_ = 0;
  }

  std::unique_ptr<char[]> storage_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace holdfast::resp
