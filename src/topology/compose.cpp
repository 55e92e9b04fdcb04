// See compose.hpp.
#include "topology/compose.hpp"

#include "topology/contradictions.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace holdfast::topology {
namespace {

// The assignments that count, in the order of their strength; the last of a key wins.
class merged {
 public:
  explicit merged(const std::vector<source>& places) {
    for (const auto& place : places) {
      if (place.url) url_ = &*place.url;
    }
    for (const auto& place : places) {
      const bool outdone = place.url && &*place.url != url_;
      if (place.url && !outdone) add(place.url->values);
      for (const auto& one : place.values) {
        if (!outdone || !is_credential(one)) order_.push_back(&one);
      }
    }
  }

  [[nodiscard]] const parsed_url* url() const { return url_; }

  [[nodiscard]] const assignment* given(std::string_view name) const {
    const auto found =
        std::find_if(order_.rbegin(), order_.rend(), [&](const assignment* one) { return one->key->name == name; });
    return found == order_.rend() ? nullptr : *found;
  }

 private:
  static bool is_credential(const assignment& one) { return one.key->secret || one.key->name.ends_with("user"); }

  void add(const std::vector<assignment>& more) {
    for (const auto& one : more) order_.push_back(&one);
  }

  const parsed_url* url_ = nullptr;
  std::vector<const assignment*> order_;
};

failure refuse(const assignment& word, const std::string& why) {
  return {word.kind, word.origin + ": " + std::string{word.key->name} + " " + why};
}

result<void> check_tls(const merged& all) {
  const auto* const sentinel_tls = all.given("sentinel_tls");
  const bool over_tls = (all.url() != nullptr && all.url()->transport == transport::tls) ||
                        (sentinel_tls != nullptr && sentinel_tls->value == "yes");
  for (const auto& key : setting_keys()) {
    const auto* const word = key.tls ? all.given(key.name) : nullptr;
    if (word == nullptr || over_tls) continue;
    if (all.url() == nullptr) return refuse(*word, "needs a rediss:// URL, and no URL is given");
    return refuse(*word, "needs a rediss:// URL, and the one in use (" + all.url()->origin + ") is without TLS");
  }
  const auto* const verify = all.given("tls_verify");
  if (verify != nullptr && verify->value == "no") {
    for (const char* const name : {"tls_ca", "tls_server_name"}) {
      const auto* const word = all.given(name);
      if (word != nullptr)
        return refuse(*word, "contradicts tls_verify=no (" + verify->origin + "): nothing would use it");
    }
  }
  const auto* const certificate = all.given("tls_cert");
  const auto* const key = all.given("tls_key");
  if (certificate != nullptr && key == nullptr) return refuse(*certificate, "needs tls_key beside it");
  if (key != nullptr && certificate == nullptr) return refuse(*key, "needs tls_cert beside it");
  return {};
}

result<void> check_credentials(const merged& all) {
  const auto* const user = all.given("user");
  const auto* const password = all.given("password");
  for (const auto* const word : {user, password}) {
    if (word != nullptr && all.url() == nullptr) {
      return refuse(*word, "is given but no URL (HOLDFAST_URL) says where Redis is; the private Redis takes none");
    }
  }
  // The name is not quoted: in redis://word@host the word may be a password that lacks its ':'.
  if (user != nullptr && !user->value.empty() && password == nullptr) {
    return refuse(*user, "is given without a password (a password alone is written redis://:password@host)");
  }
  return {};
}

// Keys that only one deployment looks at; elsewhere they would be ignored.
struct owned_key {
  std::string_view name;
  holdfast::deployment owner;
};

constexpr std::array owned_keys{
    owned_key{"sentinel_user", deployment::sentinel}, owned_key{"sentinel_password", deployment::sentinel},
    owned_key{"sentinel_tls", deployment::sentinel},  owned_key{"max_ttl", deployment::quorum},
    owned_key{"node_timeout", deployment::quorum},
};

result<void> check_deployment(const merged& all, const settings& values) {
  for (const owned_key& each : owned_keys) {
    const auto* const word = all.given(each.name);
    if (word == nullptr || values.deployment == each.owner) continue;
    return refuse(*word, "needs a " + std::string{scheme_of(transport::tcp, each.owner)} + ":// URL");
  }
  const auto* const user = all.given("sentinel_user");
  if (user != nullptr && !user->value.empty() && all.given("sentinel_password") == nullptr) {
    return refuse(*user, "is given without sentinel_password");
  }
  const auto found = find_contradiction(values);
  if (!found) return {};
  const auto* const word = all.given(found->key);
  if (word != nullptr) return refuse(*word, found->why);
  return failure{errc::bad_url, all.url()->origin + ": " + found->why};
}

// As settings::display(), with a password that stands in it as ***.
std::string shown_url(const parsed_url& url, const settings& values) {
  std::string text = values.display();
  const bool inside = std::any_of(url.values.begin(), url.values.end(),
                                  [](const assignment& one) { return one.key->name == "password"; });
  if (!inside) return text;
  const auto authority = text.find("://") + 3;
  if (values.user.empty()) return text.insert(authority, ":***@");
  return text.insert(text.find('@', authority), ":***");  // display() has no other '@' before it
}

std::vector<setting_origin> origins_of(const merged& all, const settings& values) {
  std::vector<setting_origin> out;
  if (all.url() == nullptr) {
    out.push_back({"url", "the private Redis", "default"});
  } else {
    out.push_back({"url", shown_url(*all.url(), values), all.url()->origin});
  }
  for (const auto& key : setting_keys()) {
    const auto* const word = all.given(key.name);
    const bool hide = key.secret && word != nullptr;
    out.push_back({std::string{key.name}, hide ? "***" : key.describe(values), word ? word->origin : "default"});
  }
  return out;
}

}  // namespace

result<composed> compose(const std::vector<source>& places) {
  const merged all{places};
  composed out;
  for (const auto& key : setting_keys()) {
    const auto* const word = all.given(key.name);
    if (word == nullptr) continue;
    if (auto good = apply(*word, out.values); !good) return good.failure();
  }
  if (auto good = check_tls(all); !good) return good.failure();
  if (auto good = check_credentials(all); !good) return good.failure();
  out.private_server = all.url() == nullptr;
  if (const auto* const url = all.url()) {
    out.values.transport = url->transport;
    out.values.deployment = url->deployment;
    out.values.path = url->path;
    out.values.primary_name = url->primary_name;
    if (url->deployment != deployment::single) {
      out.values.hosts = url->hosts;
    } else if (url->transport != transport::unix_socket) {
      out.values.host = url->hosts.front().host;
      out.values.port = url->hosts.front().port;
    }
  }
  if (auto good = check_deployment(all, out.values); !good) return good.failure();
  out.origins = origins_of(all, out.values);
  return out;
}

}  // namespace holdfast::topology
