// holdfast lab [EXPERIMENT...]
#include "exit_code.hpp"
#include "stop.hpp"
#include "suggestion.hpp"
#include "terminal.hpp"
#include "verb.hpp"

#include <backstage/interrupts.hpp>
#include <holdfast/version.hpp>
#include <lab/laboratory.hpp>
#include <lab/page.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

namespace holdfast::cli {
namespace {

const manual lab_page{
    .name = "lab",
    .usage = "[EXPERIMENT...]",
    .summary = "see locks fail on purpose, and what stops or contains it",
    .description =
        {"Starts redis-servers of its own in temporary directories and brings about what can go wrong with locks on "
         "Redis: a holder that dies or is paused, a failover, a restart, a stepped clock, lost nodes of a quorum, "
         "eviction. Each experiment is a script whose steps are forced to happen in their order; it says what it "
         "expected and what it saw. Nothing of it is left behind.",
         "Without a name all experiments run, which takes less than a minute, and only the findings are shown; of "
         "those that are named the steps are shown, too. With --html everything goes into one page, with a drawing of "
         "each: who believed to hold the lock, for whom the server had it, where two believed it at once, and what a "
         "storage that checks fences accepted and refused.",
         "The experiments with a stepped clock need libfaketime (Debian: faketime), and are skipped without it."},
    .examples = {{"holdfast lab", "all of them"},
                 {"holdfast lab --list", "their names"},
                 {"holdfast lab paused-fenced", "one, with its steps"},
                 {"holdfast lab --html lab.html", "all, as a page to look at"}},
    .exits = {{"0", "all came out as expected"},
              {"1", "one did not"},
              {"69", "no redis-server here, or an experiment was skipped"},
              {"130", "interrupted"}},
};

class lab_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return lab_page; }

  void define(CLI::App& app) override {
    app.add_option("EXPERIMENT", wanted_, "which; --list tells their names");
    app.add_flag("--list", list_, "print names and titles, and run nothing");
    app.add_option("--html", html_, "write a page with drawings to FILE")->type_name("FILE");
  }

  int act() override {
    const std::vector<lab::entry> known = lab::catalogue();
    check_names(known);
    if (list_) {
      print(lab::list_text(known));
      return exit_ok;
    }
    const bool all = wanted_.empty();
    if (all) std::ranges::transform(known, std::back_inserter(wanted_), &lab::entry::name);
    // Before the experiments: nobody wants to learn after a minute that the page has no place.
    std::ofstream file;
    if (!html_.empty()) open(file);
    std::vector<lab::record> seen;
    backstage::catch_interrupts();
    try {
      for (const std::string& each : wanted_) {
        seen.push_back(lab::run(each));
        print(lab::record_text(seen.back(), !all) + "\n");
      }
    } catch (const backstage::interrupted&) {
      std::fputs("interrupted; the servers and clients are gone\n", stderr);
      return exit_signal + SIGINT;
    } catch (const stop&) {
      throw;
    } catch (const std::exception& failed) {
      throw stop{exit_unreachable, wanted_[seen.size()] + ": " + failed.what()};
    }
    print(lab::summary_text(seen));
    if (!html_.empty()) write_page(file, seen);
    return verdict(seen);
  }

 private:
  void check_names(const std::vector<lab::entry>& known) const {
    std::vector<std::string_view> names;
    names.reserve(known.size());
    for (const lab::entry& each : known) names.emplace_back(each.name);
    for (const std::string& each : wanted_) {
      if (std::ranges::find(names, each) != names.end()) continue;
      const std::string_view near = nearest(each, names);
      throw stop{exit_usage, "there is no experiment '" + each + "'" +
                                 (near.empty() ? "" : "; did you mean '" + std::string{near} + "'?") +
                                 " (holdfast lab --list tells them)"};
    }
  }

  void open(std::ofstream& file) const {
    file.open(html_, std::ios::binary | std::ios::trunc);
    if (!file) throw stop{exit_usage, "cannot write " + html_};
  }

  void write_page(std::ofstream& file, const std::vector<lab::record>& seen) const {
    std::string about = "holdfast " HOLDFAST_VERSION;
    for (const lab::record& each : seen) {
      if (each.server.empty()) continue;
      about += ", redis-server " + each.server;
      break;
    }
    file << lab::page_text(seen, about);
    file.close();
    if (!file) throw stop{exit_internal, "cannot write all of " + html_};
  }

  // One that was skipped has not agreed.
  static int verdict(const std::vector<lab::record>& seen) {
    const auto failed = [](const lab::record& each) { return each.skipped.empty() && !each.agrees(); };
    if (std::ranges::any_of(seen, failed)) return 1;
    const bool missing = std::ranges::any_of(seen, [](const lab::record& each) { return !each.skipped.empty(); });
    return missing ? exit_unreachable : exit_ok;
  }

  std::vector<std::string> wanted_;
  bool list_ = false;
  std::string html_;
};

}  // namespace

std::unique_ptr<verb> make_lab() { return std::make_unique<lab_verb>(); }

}  // namespace holdfast::cli
