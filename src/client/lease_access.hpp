// The inner door of lease and client, for the files of this folder.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/lease.hpp>

#include "client/acquire_call.hpp"
#include "client/core.hpp"
#include "client/held_lease.hpp"

#include <memory>

namespace holdfast::detail {

struct lease_access {
  static const std::shared_ptr<core>& core_of(const client& from) noexcept { return from.core_; }
  static std::shared_ptr<held_lease>& held(lease& from) noexcept { return from.held_; }

  // What a won acquire becomes. With the guard held.
  static lease make(const std::shared_ptr<core>& owner, acquire_call& won, std::size_t prefix,
                    std::function<void(const loss&)> on_lost, bool detached) {
    lease made;
    const lock::flavour_ptr& what = won.what()->held_as ? won.what()->held_as : won.what();
    made.held_ = std::make_shared<held_lease>(owner, won.key(), won.id(), prefix, won.how(), *won.machine().won(),
                                              std::move(on_lost), detached, runtime::boot_clock::now(), what);
    made.held_->start();
    return made;
  }
  // The same for a plain lock that was won by other means than an acquire_call.
  static lease make(const std::shared_ptr<core>& owner, const std::string& key, const std::string& id,
                    std::size_t prefix, const lock::terms& how, const lock::acquisition& got,
                    std::function<void(const loss&)> on_lost) {
    lease made;
    made.held_ = std::make_shared<held_lease>(owner, key, id, prefix, how, got, std::move(on_lost), false,
                                              runtime::boot_clock::now());
    made.held_->start();
    return made;
  }
};

}  // namespace holdfast::detail
