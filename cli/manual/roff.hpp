// Text for man(7): escapes, and the few requests that the pages need.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::cli {

// The text so that it is printed as it stands: hyphens that can be copied, no request at the start of a line, other
// characters than ASCII by their number (every formatter knows that form).
[[nodiscard]] std::string roff(std::string_view text);

[[nodiscard]] std::string roff_bold(std::string_view text);

// Bold what the user types and italic what stands for something: "-w, --wait TIME" as \fB-w\fR, \fB--wait\fR \fITIME\fR.
[[nodiscard]] std::string roff_usage(std::string_view text);

// Prose: `words in backticks` become bold.
[[nodiscard]] std::string roff_prose(std::string_view text);

}  // namespace holdfast::cli
