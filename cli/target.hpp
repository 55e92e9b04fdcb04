// Which Redis, and which key: the options that every verb with a connection has.
#pragma once

#include <holdfast/client.hpp>
#include <holdfast/settings_report.hpp>

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::cli {

class target {
 public:
  // Adds --url and --prefix.
  void define(CLI::App& app);

  // From --url, environment, file; else the user's private Redis. Throws holdfast::error. Warnings of the client stay
  // silent unless `verbose`: `holdfast doctor` is for them.
  [[nodiscard]] settings where(bool verbose = false) const;
  // The same with where each value came from, starting nothing: what `where` would use.
  [[nodiscard]] settings_report explain() const;
  [[nodiscard]] client connect(bool verbose = false) const { return client{where(verbose)}; }

 private:
  std::string url_;
  std::optional<std::string> prefix_;
};

}  // namespace holdfast::cli
