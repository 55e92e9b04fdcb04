// Records as one HTML page that needs nothing else: style and drawings are in it, and it asks no network for anything.
//
// It is well-formed XML as well, so that any parser can check it.
#pragma once

#include <string>
#include <vector>

#include "record.hpp"

namespace lab {

// `about`: what it ran on ("holdfast 0.1.0, redis-server 7.0.15").
std::string page_text(const std::vector<record>& all, const std::string& about);

}  // namespace lab
