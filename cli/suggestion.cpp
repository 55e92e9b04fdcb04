#include "suggestion.hpp"

#include <algorithm>
#include <numeric>

namespace holdfast::cli {
namespace {

// Levenshtein's distance, by rows.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known) {
  std::string_view best;
  std::size_t least = word.size() / 3 + 2;  // more changes than this is another word
  for (const std::string_view each : known) {
    const std::size_t far = distance(word, each);
    if (far < least) {
      least = far;
      best = each;
    }
  }
  return best;
}

}  // namespace holdfast::cli
