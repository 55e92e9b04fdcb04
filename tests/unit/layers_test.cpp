// The layers hold: reads every #include below include/, src/, cli/, backstage/, demo/ and lab/ and compares it with who may include whom.
//
//   client > doctor > lock > scripts > topology > net > resp > runtime       (docs/impl.md; nothing points upward)
//
// The judge, `complaint`, takes one file and one include and knows nothing of the file system, so that the tests
// further down can show it refusing what it must refuse; a checker that finds nothing is no proof until it has found
// something.
#include "support/places.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct include_line {
  std::string target;  // what stands between the quotes or angle brackets
  bool quoted = false;
};

// For each folder of src/, the folders it may include. Every one may use the public headers.
const std::map<std::string, std::set<std::string>, std::less<>> may_include = {
    {"client", {"client", "doctor", "lock", "scripts", "topology", "net", "resp", "runtime"}},
    {"doctor", {"doctor", "lock", "resp", "runtime"}},
    {"lock", {"lock", "scripts", "resp", "runtime"}},
    {"scripts", {"scripts", "resp", "runtime"}},
    {"topology", {"topology", "net", "resp", "runtime"}},
    {"net", {"net", "resp", "runtime"}},
    {"resp", {"resp", "runtime"}},
    {"runtime", {"runtime"}},
};

// What decides must not act: no sockets and no threads below src/lock and src/doctor.
const std::set<std::string, std::less<>> acting_headers = {
    "condition_variable", "future",       "mutex",       "netdb.h",      "poll.h",       "pthread.h",
    "semaphore",          "shared_mutex", "sys/epoll.h", "sys/poll.h",   "sys/select.h", "sys/socket.h",
    "sys/un.h",           "thread",       "arpa/inet.h", "netinet/in.h", "netinet/tcp.h"};

std::string first_folder(std::string_view path) { return std::string{path.substr(0, path.find('/'))}; }

bool is_asio(std::string_view target) { return target.starts_with("boost/asio/") || target == "boost/asio.hpp"; }
bool is_boost_json(std::string_view target) { return target == "boost/json.hpp"; }
bool is_public(std::string_view target) { return target.starts_with("holdfast/"); }
bool is_standard(std::string_view target) {
  return !target.empty() && std::ranges::all_of(target, [](char c) {
    return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9');
  });
}

std::string complaint_about_public(std::string_view file, const include_line& line) {
  const bool asio_header = file == "include/holdfast/asio.hpp";
  if (line.quoted) return "a public header includes with angle brackets";
  if (line.target == "holdfast/asio.hpp") return "the plain headers include no Asio";
  if (line.target == "holdfast/cache_json.hpp") return "the plain headers include no Boost";
  if (file == "include/holdfast/cache_json.hpp" && is_boost_json(line.target)) return {};
  if (is_public(line.target) || is_standard(line.target) || (asio_header && is_asio(line.target))) return {};
  return "a public header includes only <holdfast/...> and the standard library";
}

std::string complaint_about_source(std::string_view file, const include_line& line) {
  const std::string layer = first_folder(file.substr(std::string_view{"src/"}.size()));
  const auto allowed = may_include.find(layer);
  if (allowed == may_include.end()) return "the file is in no layer of src/";
  if (line.quoted) {
    const std::string other = first_folder(line.target);
    if (line.target.find('/') == std::string::npos || !may_include.contains(other))
      return "write quoted includes relative to src/, beginning with a layer";
    if (line.target.find("..") != std::string::npos) return "no .. in includes";
    if (!allowed->second.contains(other)) return "src/" + layer + " may not include src/" + other;
    return {};
  }
  if (may_include.contains(first_folder(line.target)) && line.target.ends_with(".hpp"))
    return "write includes of src/ with quotes";
  if ((is_asio(line.target) || line.target == "holdfast/asio.hpp") && layer != "net" && layer != "runtime")
    return "Asio is only for src/net, src/runtime and holdfast/asio.hpp";
  if ((layer == "lock" || layer == "doctor") && acting_headers.contains(line.target))
    return "src/" + layer + " decides and does no I/O and no threading";
  return {};
}

std::string complaint_about_cli(const include_line& line) {
  if (line.target.find("..") != std::string::npos) return "no .. in includes";
  if (may_include.contains(first_folder(line.target)) && line.target.find('/') != std::string::npos)
    return "cli/ sees only the public headers";
  if (is_asio(line.target)) return "Asio is only for src/net, src/runtime and holdfast/asio.hpp";
  return {};
}

// Why `file` (relative to the root, with /) may not have this include; empty when it may.
std::string complaint(std::string_view file, const include_line& line) {
  if (file.starts_with("include/")) return complaint_about_public(file, line);
  if (file.starts_with("src/")) return complaint_about_source(file, line);
  for (const char* top : {"cli/", "backstage/", "demo/", "lab/"}) {
    if (file.starts_with(top)) return complaint_about_cli(line);
  }
  return "the file is in none of include/, src/ and cli/";
}

std::vector<include_line> includes_of(std::istream& text) {
  static const std::regex pattern{R"(^\s*#\s*include\s*(["<])([^">]+)[">].*)"};
  std::vector<include_line> found;
  std::smatch match;
  for (std::string line; std::getline(text, line);) {
    if (std::regex_match(line, match, pattern)) found.push_back({match[2], match[1] == "\""});
  }
  return found;
}

struct survey {
  std::size_t includes = 0;
  std::vector<std::string> complaints;
};

survey survey_tree(const fs::path& root) {
  survey seen;
  for (const char* top : {"include", "src", "cli", "backstage", "demo", "lab"}) {
    if (!fs::exists(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator{root / top}) {
      const auto extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp") continue;
      const std::string file = fs::relative(entry.path(), root).generic_string();
      std::ifstream text{entry.path()};
      for (const auto& line : includes_of(text)) {
        ++seen.includes;
        if (const auto why = complaint(file, line); !why.empty())
          seen.complaints.push_back(file + " includes " + line.target + ": " + why);
      }
    }
  }
  return seen;
}

TEST(Layers, NothingPointsUpward) {
  const survey seen = survey_tree(holdfast::test::source_dir());
  EXPECT_GT(seen.includes, 5U) << "the survey found no includes: is it looking in the right place?";
  for (const auto& text : seen.complaints) ADD_FAILURE() << text;
}

TEST(Layers, SurveyFindsAPlantedViolation) {
  const fs::path root = fs::path{testing::TempDir()} / ("holdfast-layers-" + std::to_string(::getpid()));
  fs::create_directories(root / "src/resp");
  std::ofstream{root / "src/resp/reader.cpp"} << "#include \"resp/reader.hpp\"\n  #  include \"net/link.hpp\" // why\n";
  const survey seen = survey_tree(root);
  fs::remove_all(root);
  EXPECT_EQ(seen.includes, 2U);
  ASSERT_EQ(seen.complaints.size(), 1U);
  EXPECT_EQ(seen.complaints[0], "src/resp/reader.cpp includes net/link.hpp: src/resp may not include src/net");
}

struct made_up {
  const char* file;
  const char* target;
  bool quoted;
};

TEST(Layers, JudgeRefuses) {
  for (const auto& [file, target, quoted] : std::vector<made_up>{
           {"src/runtime/clock.cpp", "resp/value.hpp", true},
           {"src/resp/reader.cpp", "net/link.hpp", true},
           {"src/net/link.cpp", "topology/url.hpp", true},
           {"src/topology/nodes.cpp", "client/core.hpp", true},
           {"src/topology/url.cpp", "scripts/sources.hpp", true},
           {"src/scripts/call.cpp", "lock/machine.hpp", true},
           {"src/scripts/call.cpp", "net/link.hpp", true},
           {"src/lock/machine.cpp", "net/link.hpp", true},
           {"src/lock/machine.cpp", "client/client.hpp", true},
           {"src/lock/machine.cpp", "machine.hpp", true},
           {"src/lock/machine.cpp", "../net/link.hpp", true},
           {"src/lock/machine.cpp", "lock/../net/link.hpp", true},
           {"src/lock/machine.cpp", "net/link.hpp", false},
           {"src/lock/machine.cpp", "holdfast/error.hpp", true},
           {"src/lock/machine.cpp", "sys/socket.h", false},
           {"src/lock/machine.cpp", "poll.h", false},
           {"src/lock/machine.cpp", "thread", false},
           {"src/lock/machine.cpp", "mutex", false},
           {"src/lock/machine.cpp", "boost/asio/io_context.hpp", false},
           {"src/doctor/judge.cpp", "sys/socket.h", false},
           {"src/doctor/judge.cpp", "client/core.hpp", true},
           {"src/client/client.cpp", "boost/asio.hpp", false},
           {"src/client/client.cpp", "holdfast/asio.hpp", false},
           {"src/client/client.cpp", "support/server.hpp", true},
           {"src/elsewhere/file.cpp", "string", false},
           {"include/holdfast/client.hpp", "net/link.hpp", true},
           {"include/holdfast/client.hpp", "net/link.hpp", false},
           {"include/holdfast/client.hpp", "holdfast/error.hpp", true},
           {"include/holdfast/client.hpp", "sys/socket.h", false},
           {"include/holdfast/client.hpp", "openssl/ssl.h", false},
           {"include/holdfast/client.hpp", "boost/asio.hpp", false},
           {"include/holdfast/holdfast.hpp", "holdfast/asio.hpp", false},
           {"include/holdfast/asio.hpp", "boost/json.hpp", false},
           {"cli/run.cpp", "client/client.hpp", true},
           {"cli/run.cpp", "resp/reader.hpp", false},
           {"cli/run.cpp", "../src/resp/reader.hpp", true},
           {"demo/hand.cpp", "net/link.hpp", true},
           {"backstage/server.cpp", "net/link.hpp", true},
           {"lab/redis_link.cpp", "resp/reader.hpp", true},
           {"elsewhere/file.cpp", "string", false},
       }) {
    EXPECT_NE(complaint(file, {target, quoted}), "") << file << " includes " << target;
  }
}

TEST(Layers, JudgeAllows) {
  for (const auto& [file, target, quoted] : std::vector<made_up>{
           {"src/client/client.cpp", "lock/machine.hpp", true},
           {"src/client/client.cpp", "net/link.hpp", true},
           {"src/client/client.cpp", "thread", false},
           {"src/lock/machine.cpp", "scripts/sources.hpp", true},
           {"src/lock/machine.cpp", "resp/value.hpp", true},
           {"src/lock/machine.cpp", "holdfast/error.hpp", false},
           {"src/topology/url.cpp", "runtime/clock.hpp", true},
           {"src/topology/nodes.cpp", "net/connection.hpp", true},
           {"src/net/link.cpp", "sys/socket.h", false},
           {"src/net/link.cpp", "openssl/ssl.h", false},
           {"src/net/link.cpp", "boost/asio.hpp", false},
           {"src/runtime/clock.cpp", "time.h", false},
           {"include/holdfast/client.hpp", "stop_token", false},
           {"include/holdfast/client.hpp", "condition_variable", false},
           {"include/holdfast/client.hpp", "holdfast/error.hpp", false},
           {"include/holdfast/asio.hpp", "boost/asio/async_result.hpp", false},
           {"cli/run.cpp", "holdfast/holdfast.hpp", false},
           {"cli/run.cpp", "CLI/CLI.hpp", false},
           {"cli/run.cpp", "verbs.hpp", true},
           {"cli/demo.cpp", "demo/show.hpp", false},
           {"cli/lab.cpp", "lab/laboratory.hpp", false},
           {"lab/experiments/no_owner.cpp", "lab/experiment.hpp", false},
       }) {
    EXPECT_EQ(complaint(file, {target, quoted}), "") << file << " includes " << target;
  }
}

}  // namespace
