// What an error reply of Redis means for a lock: one defined outcome for each.
#pragma once

#include <holdfast/error.hpp>

#include <string_view>

namespace holdfast::lock {

// The failure for an error reply such as "OOM command not allowed …". Errors that a script raised keep their code in the
// text on old servers ("ERR Error running script … WRONGTYPE …"); those are recognised too.
failure server_error(std::string_view text);

// … for a reply that is no error, and nothing that the script returns either.
failure odd_answer(std::string_view script);

// The server has not run the script because it does not know it: sending its text is safe.
bool is_noscript(std::string_view text) noexcept;

// Worth trying again in a while: the server is there but cannot answer yet.
bool is_passing(errc code) noexcept;

}  // namespace holdfast::lock
