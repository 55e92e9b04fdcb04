// See config_file.hpp.
#include "topology/config_file.hpp"

#include "topology/descriptor.hpp"
#include "topology/environment.hpp"
#include "topology/text.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace holdfast::topology {
namespace {

constexpr std::size_t largest_file = 65536;

std::string_view without_comment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) return line.substr(0, i);
  }
  return line;
}

result<void> read_line(source& out, std::string_view line, const std::string& origin) {
  const auto equals = line.find('=');
  if (equals == std::string_view::npos) {
    const auto word = line.substr(0, line.find_first_of(" \t:"));
    const bool known = word == "url" || find_key(word) != nullptr;
    return failure{errc::bad_option, origin + ": " + (known ? quoted(word) + " is not followed by '='" : "no '='") +
                                         "; a line is: key = value"};
  }
  const auto name = trimmed(line.substr(0, equals));
  const auto value = trimmed(line.substr(equals + 1));
  if (name == "url") {
    if (out.url) return failure{errc::bad_option, origin + ": url is given twice, also by " + out.url->origin};
    auto url = parse_url(value, origin);
    if (!url) return url.failure();
    out.url = std::move(*url);
    return {};
  }
  const auto* const key = find_key(name);
  if (key == nullptr) return failure{errc::bad_option, origin + ": " + quoted(name) + " is not a setting of Holdfast"};
  out.values.push_back({key, std::string{value}, origin, errc::bad_option});
  return {};
}

bool holds_secret(const source& place) {
  const auto secret = [](const assignment& one) { return one.key->secret; };
  return std::any_of(place.values.begin(), place.values.end(), secret) ||
         (place.url && std::any_of(place.url->values.begin(), place.url->values.end(), secret));
}

failure cannot(const std::string& path, int problem) {
  return {errc::bad_option, "cannot read the config file " + path + ": " + std::generic_category().message(problem) +
                                " (HOLDFAST_CONFIG names another to read instead)"};
}

}  // namespace

result<source> parse_config(std::string_view text, std::string_view path) {
  source out;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = trimmed(without_comment(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.empty()) continue;
    if (auto good = read_line(out, line, std::string{path} + ":" + std::to_string(number)); !good)
      return good.failure();
  }
  if (auto good = check(out); !good) return good.failure();
  return out;
}

result<std::optional<source>> read_config_file(const std::string& path) {
  // Non-blocking, so that a FIFO by this name cannot hang the caller.
  const descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<source>{};
    return cannot(path, errno);
  }
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return cannot(path, errno);
  if (!S_ISREG(about.st_mode)) return failure{errc::bad_option, "the config file " + path + " is not a regular file"};

  std::string text(largest_file + 1, '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const auto got = ::read(file.get(), text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot(path, errno);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  if (have > largest_file) return failure{errc::bad_option, "the config file " + path + " is larger than 64 KiB"};
  text.resize(have);

  auto out = parse_config(text, path);
  if (!out) return out.failure();
  if (holds_secret(*out) && (about.st_mode & S_IROTH) != 0) {
    return failure{errc::bad_option,
                   path + " holds a password and everybody on this host can read it; run: chmod 600 " + path};
  }
  return std::optional<source>{std::move(*out)};
}

result<config_files> find_config(const char* const* variables, const std::string& system_wide) {
  config_files out;
  const auto named = variable(variables, "HOLDFAST_CONFIG");
  if (named) {
    if (named->empty()) return failure{errc::bad_option, "HOLDFAST_CONFIG is set but empty; name a file or unset it"};
    out.places.push_back({std::string{*named}});
  } else {
    out.places.push_back({system_wide});
    const auto config_home = variable(variables, "XDG_CONFIG_HOME");
    const auto home = variable(variables, "HOME");
    if (config_home && config_home->starts_with('/')) {
      out.places.push_back({std::string{*config_home} + "/holdfast.conf"});
    } else if (home && home->starts_with('/')) {
      out.places.push_back({std::string{*home} + "/.config/holdfast.conf"});
    }
  }
  for (auto& place : out.places) {
    auto found = read_config_file(place.path);
    if (!found) return found.failure();
    place.read = found->has_value();
    if (place.read) out.found.push_back(std::move(**found));
  }
  if (named && out.found.empty()) {
    return failure{errc::bad_option, "HOLDFAST_CONFIG names " + quoted(*named) + ", which does not exist"};
  }
  return out;
}

}  // namespace holdfast::topology
