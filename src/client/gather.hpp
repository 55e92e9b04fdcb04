// Asks a server the questions of `examine`: thin, decides nothing. What the answers mean is src/doctor's.
//
// Blocking, from any thread, several at once.
#pragma once

#include "client/core.hpp"
#include "doctor/facts.hpp"
#include "doctor/rights.hpp"

#include <holdfast/doctor.hpp>

#include <memory>

namespace holdfast::detail {

// A failure where a question got no answer at all; a refusal becomes `why_not` of its fact. `as`: what the server is one node of.
result<doctor::facts> gather(const std::shared_ptr<core>& owner, const examine_options& how, deployment as);

// The part about rights.
result<doctor::rights_seen> gather_rights(const std::shared_ptr<core>& owner, deployment as);

}  // namespace holdfast::detail
