// holdfast version
#include "exit_code.hpp"
#include "json.hpp"
#include "terminal.hpp"
#include "verb.hpp"

#include <holdfast/version.hpp>

namespace holdfast::cli {
namespace {

const manual version_page{
    .name = "version",
    .usage = "",
    .summary = "print the version",
    .examples = {{"holdfast version", "holdfast 0.1.0"}, {"holdfast version --json", "for scripts"}},
};

class version_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return version_page; }
  void define(CLI::App& app) override { app.add_flag("--json", json_, "print a JSON object"); }
  int act() override {
    print(json_ ? json_object{}.add("version", HOLDFAST_VERSION).text() + "\n"
                : std::string{"holdfast " HOLDFAST_VERSION "\n"});
    return exit_ok;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<verb> make_version() { return std::make_unique<version_verb>(); }

}  // namespace holdfast::cli
