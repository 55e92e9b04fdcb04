#include "target.hpp"

#include "stop.hpp"

#include <cstdio>

namespace holdfast::cli {

void target::define(CLI::App& app) {
  app.add_option("--url", url_, "where Redis is (redis:// rediss:// unix://); better: HOLDFAST_URL")
      ->type_name("URL")
      ->group("Connection");
  app.add_option("--prefix", prefix_, "put before the name to make the key")->type_name("TEXT")->group("Connection");
}

settings target::where(bool verbose) const {
  settings found = settings::load(url_).value();
  if (prefix_) found.prefix = *prefix_;
  found.client_name = "holdfast-cli";
  found.on_warning = [verbose](const warning& each) {
    if (!verbose) return;
    std::fprintf(stderr, "holdfast: warning: %s; fix: %s\n", each.what.c_str(), each.fix.c_str());
  };
  return found;
}

}  // namespace holdfast::cli
