// holdfast demo
#include "exit_code.hpp"
#include "stop.hpp"
#include "verb.hpp"

#include <demo/show.hpp>

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdlib>
#include <string>

namespace holdfast::cli {
namespace {

const manual demo_page{
    .name = "demo",
    .usage = "",
    .summary = "watch eight processes share a lock, lose a holder, and go on",
    .description =
        {"Starts a redis-server of its own in a temporary directory, shows eight processes taking turns, kills a "
         "holder, stops another one past the end of its lease, and sums up what it saw: hand-off times, overlaps, "
         "fences. It takes about five seconds, and nothing of it is left behind.",
         "With --url, or where HOLDFAST_URL is set, that Redis is used instead; its locks are named "
         "holdfast-demo:<pid> and expire by themselves. The configuration file does not count here: a demonstration "
         "should not meet the locks of others unasked."},
    .examples = {{"holdfast demo", "on a redis-server of its own"},
                 {"holdfast demo --url redis://cache-1", "on that Redis, over the network"}},
    .exits = {{"0", "everything held"},
              {"1", "two holds overlapped, a fence went back, or a loss was told late"},
              {"69", "no redis-server here, or Redis unreachable"},
              {"130", "interrupted"}},
};

class demo_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return demo_page; }
  void define(CLI::App& app) override {
    app.add_option("--url", url_, "a Redis to show it on (HOLDFAST_URL counts, too)")->type_name("URL");
  }
  int act() override {
    const char* const set = std::getenv("HOLDFAST_URL");
    const std::string where = url_.empty() && set != nullptr ? set : url_;
    try {
      switch (demo::show(where)) {
        case demo::verdict::good:
          return exit_ok;
        case demo::verdict::bad:
          return 1;
        case demo::verdict::interrupted:
          return exit_signal + SIGINT;
      }
    } catch (const std::exception& failed) {
      throw stop{exit_unreachable, failed.what()};
    }
    return exit_internal;
  }

 private:
  std::string url_;
};

}  // namespace

std::unique_ptr<verb> make_demo() { return std::make_unique<demo_verb>(); }

}  // namespace holdfast::cli
