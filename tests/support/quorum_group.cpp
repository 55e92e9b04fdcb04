#include "support/quorum_group.hpp"

namespace holdfast::test {

namespace {

std::string run_id_of(redis_server& server) {
  const std::string info = server.text({"INFO", "server"});
  const auto from = info.find("run_id:") + 7;
  return info.substr(from, info.find('\r', from) - from);
}

}  // namespace

quorum_group::quorum_group(quorum_shape shape) : shape_{std::move(shape)} {
  for (std::size_t i = 0; i < shape_.nodes; ++i) {
    servers_.push_back(std::make_unique<redis_server>(shape_.each));
    if (!shape_.fresh) seat(i);
  }
  for (std::size_t i = 0; shape_.gates && i < shape_.nodes; ++i) {
    gates_.push_back(std::make_unique<gate>(servers_[i]->port()));
  }
}

std::string quorum_group::url() const {
  std::string made = "redis+quorum://";
  for (std::size_t i = 0; i < size(); ++i) {
    const auto port = gates_.empty() ? servers_[i]->port() : gates_[i]->port();
    made += (i == 0 ? "" : ",") + std::string{"127.0.0.1:"} + std::to_string(port);
  }
  return made;
}

settings quorum_group::where() const {
  settings made = settings::from_url(url()).value();
  made.max_ttl = shape_.max_ttl;
  // A loaded machine is not a dead node.
  made.command_timeout = std::chrono::seconds{5};
  made.node_timeout = std::chrono::milliseconds{500};
  made.on_warning = [](const warning&) {};
  return made;
}

void quorum_group::seat(std::size_t which) {
  redis_server& server = node(which);
  static_cast<void>(
      server.text({"SET", "holdfast:quorum",
                   run_id_of(server) + " 1 " + std::to_string(shape_.max_ttl.count()) + " run", "EX", "86400"}));
}

std::string quorum_group::owner_at(std::size_t which, const std::string& key) {
  const auto got = node(which).command({"GET", key});
  return got.type == reply::kind::nil ? std::string{} : got.text;
}

std::size_t quorum_group::holding(const std::string& key) {
  std::size_t count = 0;
  for (const auto& each : servers_) {
    if (each->pid() > 0 && each->number({"EXISTS", key}) == 1) ++count;
  }
  return count;
}

std::vector<std::string> quorum_group::left_behind() {
  std::vector<std::string> found;
  for (const auto& each : servers_) {
    if (each->pid() <= 0) continue;
    for (const std::string& key : each->keys()) {
      if (key != "holdfast:quorum" && !key.starts_with("holdfast:fence:")) found.push_back(key);
    }
  }
  return found;
}

std::vector<std::string> quorum_group::without_expiry() {
  std::vector<std::string> found;
  for (const auto& each : servers_) {
    if (each->pid() <= 0) continue;
    const auto here = each->keys_without_expiry();
    found.insert(found.end(), here.begin(), here.end());
  }
  return found;
}

}  // namespace holdfast::test
