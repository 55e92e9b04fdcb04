// The cache against its model on one Redis, and on a quorum.
#include "redis/cache_model.hpp"

#include "support/quorum_group.hpp"
#include "support/seed.hpp"

namespace holdfast::test {
namespace {

class one_redis final : public cache_ground {
 public:
  [[nodiscard]] settings where() const override { return at(server_); }
  void drop(const std::string& lock) override { server_.text({"DEL", lock}); }
  void expect_clean(const std::vector<std::string>& locks) override {
    for (const auto& each : locks) EXPECT_EQ(server_.number({"EXISTS", each, waiters_of(each)}), 0);
    EXPECT_EQ(server_.keys_without_expiry(), std::vector<std::string>{});
    for (const auto& each : server_.keys()) EXPECT_TRUE(has(each, "holdfast:fence:")) << each;
  }

 private:
  redis_server server_;
};

class quorum final : public cache_ground {
 public:
  explicit quorum(std::size_t nodes) : nodes_{{.nodes = nodes, .max_ttl = 60s}} {}
  [[nodiscard]] settings where() const override { return nodes_.where(); }
  void drop(const std::string& lock) override {
    for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_.node(i).text({"DEL", lock});
  }
  void expect_clean(const std::vector<std::string>& locks) override {
    EXPECT_EQ(nodes_.without_expiry(), std::vector<std::string>{});
    const auto is_mark = [&](const std::string& key) {
      return std::any_of(locks.begin(), locks.end(), [&](const auto& each) { return key == "{" + each + "}:value"; });
    };
    EXPECT_TRUE(eventually(patience, [&] {
      const auto left = nodes_.left_behind();
      return std::all_of(left.begin(), left.end(), is_mark);
    })) << "more than the marks of erasures";
  }

 private:
  quorum_group nodes_;
};

TEST(cache_model, random_calls_do_what_the_model_does) {
  const unsigned seed = make_seed();
  one_redis ground;
  cache_model_run{ground, seed}.run(10'000);
}

TEST(cache_model, on_a_quorum_of_three) {
  const unsigned seed = make_seed();
  quorum ground{3};
  cache_model_run{ground, seed}.run(4'000);
}

TEST(cache_model, on_a_quorum_of_five) {
  const unsigned seed = make_seed();
  quorum ground{5};
  cache_model_run{ground, seed}.run(3'000);
}

}  // namespace
}  // namespace holdfast::test
