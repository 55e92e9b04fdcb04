// One run of one experiment: its servers, its clients, and the notes that are taken of every step.
//
// An experiment is a list of steps written with this class. Each step has ended before the next one begins, so the order
// is the script's and not the scheduler's; where time itself has to pass (a ttl), await_* waits for the effect and not
// for a guess. After every step the lock's key is read on all servers that run: what the drawing shows as held was seen
// there.
#pragma once

#include <backstage/server.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actor.hpp"
#include "record.hpp"
#include "redis_link.hpp"

namespace lab {

// It cannot run here; says why.
struct skipped : std::runtime_error {
  using runtime_error::runtime_error;
};

// A server and what is known of it.
struct place {
  std::string name;
  std::size_t row = 0;
  std::unique_ptr<backstage::server> process{};
  std::unique_ptr<redis_link> link{};  // the laboratory's own
  bool up = true;

  [[nodiscard]] std::string url() const { return process->url(); }
};

// What the library said to that.
struct grant {
  std::string told;                    // "granted", or the name of the error
  std::optional<std::string> fence{};  // none: not granted

  explicit operator bool() const noexcept { return fence.has_value(); }
};

// How a client wants the library's lock.
struct wish {
  std::string ttl_ms;
  bool renew = false;
  std::string wait_ms = "10000";  // 0: it only tries
  std::string replicas = "0";     // that must have it
};

class trial {
 public:
  static constexpr const char* key = "lock";  // what all experiments are about

  explicit trial(record& into);

  // --- the cast -----------------------------------------------------------------------------------------------------
  place& server(const std::string& name, backstage::server_options how = {});
  // What was before is preparation: times count from here.
  void begin();
  actor& client(const std::string& name);
  // "A-93c1…": a random owner id of which the client's name can be told.
  [[nodiscard]] static std::string owner(const actor& who);

  // --- steps of clients ---------------------------------------------------------------------------------------------
  // One command, noted with its answer.
  std::string ask(actor& who, const place& where, const words& command);
  // As ask; the client believes to hold the lock from the answer OK on.
  bool take(actor& who, const place& where, const words& command);
  // As ask; from the sending on it does not believe to hold it any more.
  std::string give(actor& who, const place& where, const words& command);
  // By the library: its fence, or what it was told.
  grant acquire(actor& who, const std::string& url, const wish& how);
  // The same in two parts, where something else happens in between: the order, for actor::tell, and what came of it.
  [[nodiscard]] static order acquire_order(const actor& who, const std::string& url, const wish& how);
  grant note_acquire(const actor& who, const answer& told, const wish& how);
  // The next answer; the servers are looked at meanwhile.
  answer hear(actor& who);
  // The order to send that command there, for actor::tell.
  [[nodiscard]] static order raw_order(const place& where, const words& command);
  // Any order, noted as `what`.
  answer order_of(actor& who, const order& wanted, const std::string& what);

  void pause(actor& who);
  void resume(actor& who);
  void kill(actor& who);
  // A mark in the drawing.
  void event(const actor& who, const std::string& what, std::int64_t at);
  void event(const place& where, const std::string& what);
  void believes(const actor& who, std::int64_t from);
  void believes_no_more(const actor& who, std::int64_t from);

  // --- steps of servers ---------------------------------------------------------------------------------------------
  void kill(place& where);
  void restart(place& where);
  void freeze(place& where);
  void thaw(place& where);
  // The laboratory's own command; not noted.
  std::string peek(place& where, const words& command);
  // The operator's command, noted.
  std::string operate(place& where, const words& command);
  // Until the lock's key is not there.
  void await_free(place& where);
  // Until the command's answer contains the text, or satisfies the condition; throws after 15 s.
  void await(place& where, const words& command, const std::string& wanted);
  void await(place& where, const words& command, const std::function<bool(const std::string&)>& good);

  // --- what the lock guards -----------------------------------------------------------------------------------------
  // A further server that holds one value. With a fence it refuses any that is smaller than one it has seen.
  place& storage();
  [[nodiscard]] static words write_command(const std::string& value, const std::optional<std::string>& fence);
  bool write(actor& who, const std::string& value, const std::optional<std::string>& fence);
  // For a write that was told and is heard now.
  bool note_write(const actor& who, const answer& told, const std::optional<std::string>& fence);

  // --- notes --------------------------------------------------------------------------------------------------------
  void note(const std::string& who, const std::string& what, const std::string& told = {}, std::int64_t at = 0);
  void look();
  // From now on look() asks only whether the key is there: reading it would count as use, which some policies of
  // eviction reward.
  void look_without_touching() { touching_ = false; }
  void expect(const std::string& what, const std::string& expected, const std::string& saw);
  void expect(const std::string& what, bool expected, bool saw);
  // Two clients believed to hold the lock at the same time.
  [[nodiscard]] bool overlapped() const { return !notes_.drawn.overlaps().empty(); }
  void finish();

 private:
  [[nodiscard]] nanoseconds since(std::int64_t at) const;
  [[nodiscard]] std::size_t row_of(const actor& who);
  // For whom that server has the lock; empty: for nobody.
  [[nodiscard]] std::string holder_at(place& where) const;

  record& notes_;
  std::int64_t began_;
  std::vector<std::unique_ptr<place>> places_;
  std::vector<std::unique_ptr<actor>> actors_;
  place* storage_ = nullptr;
  std::string last_taker_;
  bool touching_ = true;
};

}  // namespace lab
