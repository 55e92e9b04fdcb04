// Five independent servers and clients that take a lock on a majority of them.
#pragma once

#include <functional>
#include <vector>

#include "trial.hpp"

namespace lab {

class five_nodes {
 public:
  // `options`: of the node of that index (0 to 4).
  explicit five_nodes(trial& t, const std::function<backstage::server_options(int)>& options = {});

  [[nodiscard]] place& node(int index) { return *nodes_[static_cast<std::size_t>(index)]; }

  // Asks all nodes; true: a majority gave it, and `who` believes to hold it. `votes` says how many did.
  bool vote(actor& who, std::string& votes);
  // Releases on all nodes what `who` got last.
  std::string withdraw(actor& who);

  // How many of the nodes that run have the lock's key.
  [[nodiscard]] std::string keys();

  // The first `count` are killed and come back with nothing.
  void lose_data(int count);

 private:
  trial& t_;
  std::vector<place*> nodes_;
  std::vector<std::pair<const actor*, std::string>> owners_;
};

// The schedule of the experiments with lost nodes: `lost` of the five die, A asks for the lock, B asks while A holds it,
// A releases; the dead come back. Then C takes the lock from all five, as many lose their data, and D asks.
struct losses {
  bool a = false;
  std::string a_votes{};
  bool b = false;
  std::string left{};  // keys on the live nodes after A's release, or its refusal
  bool c = false;
  bool d = false;
  std::string d_votes{};
};
losses lose_nodes(trial& t, int lost);

}  // namespace lab
