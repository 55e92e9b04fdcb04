// What main does before anything else.
#pragma once

namespace holdfast::cli {

// Overwrites the passwords in --url, so that `ps` does not show them for longer than an instant. Copy the words first.
void hide_passwords(int count, char** words) noexcept;

// Where standard input, output or error is closed, opens /dev/null in its place (closed again on exec), so that no socket
// of ours gets its number and is written to by mistake.
void fill_standard_descriptors() noexcept;

}  // namespace holdfast::cli
