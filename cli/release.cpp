// holdfast release NAME --owner ID
#include "exit_code.hpp"
#include "json.hpp"
#include "status/not_ours.hpp"
#include "target.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace holdfast::cli {
namespace {

const manual release_page{
    .name = "release",
    .usage = "NAME --owner ID",
    .summary = "give back a lock from 'acquire'",
    .description =
        {"Gives the lock to the first waiter, or to nobody, if it is still held under this owner. To take it from "
         "another owner there is 'holdfast break'."},
    .examples = {{"holdfast release deploy --owner \"$owner\"", "give it back"},
                 {"trap 'holdfast release deploy --owner \"$owner\"' EXIT", "whatever happens"}},
    .exits = {{"0", "released"}, {"1", "it was not held under this owner any more"}},
};

class release_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return release_page; }

  void define(CLI::App& app) override {
    app.add_option("NAME", name_, "the lock's name")->required();
    app.add_option("--owner", owner_, "as 'holdfast acquire' printed it")->type_name("ID")->required();
    app.add_flag("--json", json_, "print a JSON object");
    target_.define(app);
  }

  int act() override {
    client redis = target_.connect();
    const std::string key = redis.where().prefix + name_;
    if (const auto done = redis.release(key, owner_); !done) explain(redis, name_, done.failure());
    if (json_) print(json_object{}.add("name", name_).add("key", key).add("released", true).text() + "\n");
    return exit_ok;
  }

 private:
  target target_;
  std::string name_;
  std::string owner_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<verb> make_release() { return std::make_unique<release_verb>(); }

}  // namespace holdfast::cli
