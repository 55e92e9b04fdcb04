// Which processor runs what. Two processes that talk are five times faster on one core than on two of a virtual machine,
// where waking the other core costs most of a round trip; left alone, the scheduler changes its mind every few seconds
// and a ratio would show its mood. So suites of few processes say where: the server has the first core of those that we
// may use, and the calling thread, with all that it starts later, is put beside it or on the others.
#pragma once

namespace holdfast::bench {

enum class placement : unsigned char {
  anywhere,  // left to the scheduler
  together,  // on the server's core: nothing but work is measured, neither idling nor waking a core hides any
  apart,     // on all other cores, as if on another machine
};

// On a machine with one core, and where it is not allowed, nothing changes.
void place_server() noexcept;
void place_clients(placement where) noexcept;

}  // namespace holdfast::bench
