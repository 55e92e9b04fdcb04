#include "target.hpp"

#include "stop.hpp"

#include <cstdio>

namespace holdfast::cli {

void target::define(CLI::App& app) {
  app.add_option("--url", url_,
                 "where Redis is (redis://, rediss://, unix://, redis+sentinel://, redis+cluster://, redis+quorum://); "
                 "better: HOLDFAST_URL")
      ->type_name("URL")
      ->group("Connection");
  app.add_option("--prefix", prefix_, "put before the name to make the key")->type_name("TEXT")->group("Connection");
}

namespace {

// What CLIENT LIST shows of the command, unless a setting says otherwise.
constexpr auto own_name = "holdfast-cli";

}  // namespace

settings_report target::explain() const {
  settings_report all = explain_settings(url_, "--url").value();
  for (setting_origin& each : all.values) {
    if (each.key == "prefix" && prefix_) {
      each.value = *prefix_;
      each.from = "--prefix";
    }
    if (each.key == "client_name" && each.value == settings{}.client_name) each.value = own_name;
  }
  return all;
}

settings target::where(bool verbose) const {
  settings found = settings::load(url_).value();
  if (prefix_) found.prefix = *prefix_;
  if (found.client_name == settings{}.client_name) found.client_name = own_name;
  found.on_warning = [verbose](const warning& each) {
    if (!verbose) return;
    std::fprintf(stderr, "holdfast: warning: %s; fix: %s\n", each.what.c_str(), each.fix.c_str());
  };
  return found;
}

}  // namespace holdfast::cli
