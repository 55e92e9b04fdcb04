// The laboratory: what can go wrong with locks on Redis, done on purpose, on redis-servers of its own.
//
// Forks, so call it from a program that has no threads. Nothing that it started is left behind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record.hpp"
#include "table.hpp"

namespace lab {

// All experiments, in the order in which they are best read.
std::vector<entry> catalogue();

// Runs the experiment of that name, which must be in the catalogue. Throws backstage::interrupted on Ctrl-C (after
// backstage::catch_interrupts), and std::exception when it cannot run at all: no redis-server, no processes.
record run(std::string_view name);

}  // namespace lab
