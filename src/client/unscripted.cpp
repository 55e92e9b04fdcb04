#include "client/unscripted.hpp"

#include "resp/reader.hpp"
#include "resp/writer.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::detail {

// The values as texts again. They are our own bytes, so they can be read.
std::vector<std::string> read_values(std::string_view bytes, std::size_t count) {
  std::string whole;
  resp::append_array(whole, count);
  whole.append(bytes);
  resp::reader reader;
  std::copy(whole.begin(), whole.end(), reader.prepare(whole.size()).begin());
  reader.commit(whole.size());
  resp::value list;
  static_cast<void>(reader.next(list));
  std::vector<std::string> out;
  out.reserve(list.items.size());
  for (resp::value& each : list.items) out.push_back(std::move(each.text));
  return out;
}

unscripted::unscripted(const scripts::script& what, std::string_view values, std::size_t keys, std::size_t count)
    : transaction_{what, read_values(values, count), keys} {}

std::size_t unscripted::encode(std::string& out) {
  replies_.clear();
  for (const auto& command : transaction_.round()) {
    resp::append_array(out, command.size());
    for (const std::string& word : command) resp::append_bulk(out, word);
  }
  return transaction_.round().size();
}

bool unscripted::take(const resp::value& reply) {
  replies_.push_back(reply);
  return replies_.size() == transaction_.round().size();
}

std::optional<resp::value> unscripted::end_round() { return transaction_.answered(std::exchange(replies_, {})); }

}  // namespace holdfast::detail
