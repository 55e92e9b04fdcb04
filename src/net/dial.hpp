// Opens a socket to one address and starts connecting, without waiting.
//
// Place: between the resolver, which finds addresses, and the multiplexed connection, which drives the stream and goes
// to the next address when one fails. Thread safety: no shared state.
#pragma once

#include "net/resolver.hpp"
#include "net/stream.hpp"
#include "net/tls_context.hpp"

#include <holdfast/settings.hpp>

#include <memory>

namespace holdfast::net {

// Never null. What fails at once is told like what fails later: by progress(), so call that first. `tls` is needed when
// settings.transport is tls (make_tls_context) and ignored otherwise; it serves any number of dials.
[[nodiscard]] std::unique_ptr<stream> dial(const settings& how, const address& where,
                                           std::shared_ptr<const tls_context> tls = nullptr);

}  // namespace holdfast::net
