// holdfast config: which setting has which value, and where it came from
#include "exit_code.hpp"
#include "json.hpp"
#include "target.hpp"
#include "terminal.hpp"
#include "verb.hpp"

#include <holdfast/settings_report.hpp>

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <string>

namespace holdfast::cli {
namespace {

const manual config_page{
    .name = "config",
    .usage = "",
    .summary = "show every setting, its value, and where it came from",
    .description =
        {"Settings come from the system's config file (/etc/holdfast.conf), the user's ($XDG_CONFIG_HOME/holdfast.conf "
         "or ~/.config/holdfast.conf), the environment (HOLDFAST_URL, HOLDFAST_PREFIX, ...), the URL, and the options "
         "of "
         "the command; a later place overrides single keys of an earlier one. HOLDFAST_CONFIG names a file to read "
         "instead of both files. Passwords are shown as ***. Nothing is connected to or started.",
         "A setting that cannot be understood is an error that names the file, the line and the word."},
    .examples = {{"holdfast config", "what would be used now"},
                 {"HOLDFAST_CONFIG=./ci.conf holdfast config --json", "check a file"}},
    .exits = {{"0", "the settings can be used"}, {"64", "a setting cannot be understood"}},
};

std::string cell(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width) + 2, ' ');
  return text;
}

std::string table_of(const settings_report& all, bool coloured) {
  std::size_t keys = 3;
  std::size_t values = 5;
  for (const setting_origin& each : all.values) {
    keys = std::max(keys, each.key.size());
    values = std::max(values, std::min<std::size_t>(printable(each.value).size(), 48));
  }
  std::string out = paint(coloured, colour::bold, cell("KEY", keys) + cell("VALUE", values) + "FROM") + "\n";
  for (const setting_origin& each : all.values) {
    const std::string line = cell(each.key, keys) + cell(printable(each.value), values) + printable(each.from);
    out += paint(coloured && each.from == "default", colour::dim, line) + "\n";
  }
  out += "\nConfig files, the last one counts most:\n";
  for (const config_place& each : all.files) {
    out += std::string{each.read ? "  read       " : "  not there  "} + printable(each.path) + "\n";
  }
  if (all.private_server) {
    out += "\nNo URL is given: the private Redis of this user would be found, or started.\n";
  }
  return out;
}

std::string json_of(const settings_report& all) {
  json_array values;
  for (const setting_origin& each : all.values) {
    values.raw(json_object{}.add("key", each.key).add("value", each.value).add("from", each.from).text());
  }
  json_array files;
  for (const config_place& each : all.files) {
    files.raw(json_object{}.add("path", each.path).add("read", each.read).text());
  }
  return json_object{}
             .raw("settings", values.text())
             .raw("files", files.text())
             .add("private", all.private_server)
             .text() +
         "\n";
}

class config_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return config_page; }
  void define(CLI::App& app) override {
    app.add_flag("--json", json_, "print a JSON object");
    target_.define(app);
  }
  int act() override {
    const settings_report all = target_.explain();
    print(json_ ? json_of(all) : table_of(all, has_colours(STDOUT_FILENO)));
    return exit_ok;
  }

 private:
  target target_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<verb> make_config() { return std::make_unique<config_verb>(); }

}  // namespace holdfast::cli
