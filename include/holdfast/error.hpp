// What can go wrong, in one enum.
//
// Every operation of Holdfast ends in exactly one of: a value, or a `failure` that carries one `errc`, a sentence that
// names what was wrong and what to do, and whether the request may have reached the server. There is no third outcome:
// nothing ever means "no error and no lock".
//
// Errors are values (`failure`, see result.hpp) inside the library and in the std::nothrow forms; they become
// exceptions (`error`) only at the edge where the standard's Lockable concept wants them.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace holdfast {

enum class errc : unsigned char {
  held = 1,       // somebody else has the lock and the call was not allowed to wait
  timed_out,      // the wait limit passed before the lock was free
  cancelled,      // the caller's stop_token, or the client's destruction, ended the call
  lost,           // the lease ended before the operation: its deadline passed or the server gave the lock away
  not_owner,      // the key exists but is held under another owner id, or not held at all
  unreachable,    // no connection, or no answer within the time limit
  refused,        // the server turned us away: authentication, access rights (ACL), TLS
  server_busy,    // the server cannot answer now: LOADING, BUSY, TRYAGAIN, CLUSTERDOWN, MASTERDOWN, NOREPLICAS, MISCONF
  read_only,      // the server is a replica and takes no writes
  out_of_memory,  // the server is at maxmemory and takes no new keys
  wrong_type,     // the key holds something that is not a lock of this kind; the text names what it is
  bad_name,       // the lock's name is empty, longer than 512 bytes, or has broken braces
  bad_option,     // an option is zero, negative, overflowing, unknown or contradicts another
  bad_url,        // the URL cannot be read; the text names the offending word
  protocol,       // the peer does not speak RESP, or its answer is not what the command can answer
  forked,         // this client belongs to the parent process; make a new one after fork()
  deadlock,       // the wait could never end: another holder waits to be upgraded, or this thread waits for itself
  not_replicated,  // fewer replicas than options::replicas had the lock in time; it was given back
};

// The enum's name as text: "timed_out".
[[nodiscard]] std::string_view to_string(errc code) noexcept;

// Whether a failed request may have taken effect on the server.
enum class delivery : unsigned char {
  not_sent,    // it certainly did not: no byte of it left this process, or the server said no
  unanswered,  // it may have: it was sent and its answer did not come
};

struct failure {
  errc code{};
  std::string detail;
  delivery sent = delivery::not_sent;
};

const std::error_category& category() noexcept;
std::error_code make_error_code(errc code) noexcept;

// The exception form of a `failure`.
class error : public std::system_error {
 public:
  explicit error(const failure& what);

  [[nodiscard]] errc kind() const noexcept { return kind_; }
  [[nodiscard]] delivery sent() const noexcept { return sent_; }

 private:
  errc kind_;
  delivery sent_;
};

}  // namespace holdfast

template <>
struct std::is_error_code_enum<holdfast::errc> : std::true_type {};
