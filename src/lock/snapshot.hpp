// What inspect.lua and the break scripts answer, read into the structs of holdfast/inspect.hpp.
#pragma once

#include <holdfast/inspect.hpp>
#include <holdfast/result.hpp>

#include "resp/value.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::lock {

// Everything but what only the holder knows. Nothing: the script found it not worth an answer.
result<std::optional<lock_info>> read_snapshot(const resp::value& reply, std::string_view key, std::size_t prefix);

// Marks what one acquisition took together: several plain locks with one owner, in the form that the library makes.
void find_together(std::span<lock_info> found);

// Why nothing was broken.
failure changed_holder(std::string_view now);
failure nothing_to_break(std::string_view key);

// `key` is for the texts of failures.
result<broken_lock> read_break(const resp::value& reply, std::string_view key);

// Redisson's names for what belongs to its lock at `key`.
std::string redisson_queue(std::string_view key);
std::string redisson_channel(std::string_view key);
std::string redisson_read_write_channel(std::string_view key);
// What the names of a read-write lock's timeouts begin with.
std::string redisson_stem(std::string_view key);

}  // namespace holdfast::lock
