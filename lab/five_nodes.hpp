// Five independent servers, and clients of the library that take a lock on a majority of them (redis+quorum://).
#pragma once

#include <functional>
#include <vector>

#include "trial.hpp"

namespace lab {

class five_nodes {
 public:
  // Of all locks here, and the quorum's max_ttl: so long nodes that are new or were restarted do not vote.
  static constexpr const char* ttl_ms = "2000";

  // `options`: of the node of that index (0 to 4).
  explicit five_nodes(trial& t, const std::function<backstage::server_options(int)>& options = {});

  [[nodiscard]] place& node(int index) { return *nodes_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const std::string& url() const noexcept { return url_; }

  // Returns when the nodes, which are new, vote. Not part of the experiment, which begins then.
  void come_of_age();

  // How many of the nodes that run have the lock for `who`; for anybody.
  [[nodiscard]] std::string that_have_it_for(const actor& who);
  [[nodiscard]] std::string that_have_it();
  // Until they are so many; says how many they were in the end. Those that a decision did not wait for follow it, and
  // those that came back are asked again at the next renewals.
  std::string await_nodes(const actor& who, int wanted);
  std::string await_none();

  // The first `count` are killed, all of them, and come back with nothing.
  void lose_data(int count);

 private:
  [[nodiscard]] int count(const std::string& owner);  // whose ids begin so
  std::string await_count(const std::string& owner, int wanted);

  trial& t_;
  std::vector<place*> nodes_;
  std::string url_;
};

// The schedule of the experiments with lost nodes: `lost` of the five are lost, A asks for the lock, B asks while A holds
// it, A releases; the lost come back. Then C takes the lock on all five, as many lose their data, and D asks: at once,
// and, where C cannot keep its lock, until it gets it.
struct losses {
  std::string a{};        // what A is told
  std::string a_nodes{};  // that have A's lock
  std::string b{};
  std::string left{};     // live nodes with a lock after A's release, or its refusal
  std::string c_nodes{};  // that have C's lock before they lose their data
  std::string d{};
  std::string c_lease{};        // after all
  std::string c_nodes_again{};  // that have C's lock after all
  std::string d_later{};
};
losses lose_nodes(trial& t, int lost);

}  // namespace lab
