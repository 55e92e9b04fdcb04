// Which node is sent a script by hash: the one whose present process has answered its text.
#include "client/known_scripts.hpp"

#include <gtest/gtest.h>

namespace {

using holdfast::detail::known_scripts;
namespace scripts = holdfast::scripts;

TEST(KnownScripts, AreKnownPerNodeAndProcess) {
  known_scripts known;
  EXPECT_FALSE(known.has(2, "a", scripts::quorum_release));
  known.learn(2, "a", scripts::quorum_release);
  EXPECT_TRUE(known.has(2, "a", scripts::quorum_release));
  EXPECT_FALSE(known.has(2, "a", scripts::quorum_acquire));
  EXPECT_FALSE(known.has(1, "a", scripts::quorum_release));
  EXPECT_FALSE(known.has(3, "a", scripts::quorum_release));
  EXPECT_FALSE(known.has(2, "b", scripts::quorum_release));  // restarted
}

TEST(KnownScripts, AnotherProcessBeginsWithNone) {
  known_scripts known;
  known.learn(0, "a", scripts::quorum_release);
  known.learn(0, "b", scripts::quorum_acquire);
  EXPECT_TRUE(known.has(0, "b", scripts::quorum_acquire));
  EXPECT_FALSE(known.has(0, "b", scripts::quorum_release));
  EXPECT_FALSE(known.has(0, "a", scripts::quorum_release));
}

TEST(KnownScripts, AreForgottenOneByOne) {
  known_scripts known;
  known.learn(0, "a", scripts::quorum_release);
  known.learn(0, "a", scripts::quorum_acquire);
  known.forget(0, scripts::quorum_release);
  known.forget(7, scripts::quorum_release);
  EXPECT_FALSE(known.has(0, "a", scripts::quorum_release));
  EXPECT_TRUE(known.has(0, "a", scripts::quorum_acquire));
}

}  // namespace
