// holdfast extend NAME --owner ID
#include "duration.hpp"
#include "exit_code.hpp"
#include "json.hpp"
#include "status/not_ours.hpp"
#include "target.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace holdfast::cli {
namespace {

const manual extend_page{
    .name = "extend",
    .usage = "NAME --owner ID",
    .summary = "hold a lock from 'acquire' for longer",
    .description =
        {"The lock ends --ttl from now, if it is still held under this owner. Extend it well before its end: what has "
         "ended cannot be extended, somebody else may have it."},
    .examples = {{"holdfast extend deploy --owner \"$owner\"", "30 s from now"},
                 {"holdfast extend deploy --owner \"$owner\" --ttl 5m", "5 minutes"}},
    .exits = {{"0", "it is held for --ttl from now"}, {"1", "it is not held under this owner any more"}},
};

class extend_verb final : public verb {
 public:
  [[nodiscard]] const manual& text() const override { return extend_page; }

  void define(CLI::App& app) override {
    app.add_option("NAME", name_, "the lock's name")->required();
    app.add_option("--owner", owner_, "as 'holdfast acquire' printed it")->type_name("ID")->required();
    add_duration(app, "--ttl", ttl_, "from now on (30)");
    app.add_flag("--json", json_, "print a JSON object");
    target_.define(app);
  }

  int act() override {
    client redis = target_.connect();
    const auto ttl = ttl_.value_or(options{}.ttl);
    const std::string key = redis.where().prefix + name_;
    if (const auto done = redis.extend(key, owner_, ttl); !done) explain(redis, name_, done.failure());
    if (json_) {
      json_object out;
      print(out.add("name", name_).add("key", key).add("owner", owner_).add("ttl_ms", ttl.count()).text() + "\n");
    }
    return exit_ok;
  }

 private:
  target target_;
  std::string name_;
  std::string owner_;
  std::optional<std::chrono::milliseconds> ttl_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<verb> make_extend() { return std::make_unique<extend_verb>(); }

}  // namespace holdfast::cli
