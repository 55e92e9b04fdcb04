// Messages between clients: what is written can be read, and what is anything else is ignored. Whoever may publish may
// send any bytes.
#include "lock/messages.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::lock {
namespace {

using namespace std::string_literals;
using namespace std::chrono_literals;

TEST(Messages, BrokenNamesKeyAndOwner) {
  const auto read = read_broken("broken 4 dooran owner, with: anything");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->key, "door");
  EXPECT_EQ(read->owner, "an owner, with: anything");
}

TEST(Messages, BrokenIsStrict) {
  for (const auto& odd :
       {""s, "broken"s, "broken "s, "broken 4 door"s, "broken 5 door"s, "broken 0 x"s, "broken -1 doorx"s,
        "broken 99999999999999999999 x"s, "broken 4  dooroo"s.substr(0, 11), "Broken 4 doorx"s, "broken 4doorx"s,
        "broken x doorx"s, "broken 4 door"s + std::string(5000, 'o'), "broken 2000 "s + std::string(3000, 'k'),
        " broken 4 doorx"s}) {
    EXPECT_FALSE(read_broken(odd)) << odd.substr(0, 40);
  }
}

TEST(Messages, AnAskIsReadAsItWasWritten) {
  const std::string odd_key{"a \0b", 4};
  const std::string text = write_ask({"00ff", 7, {{"door", "somebody"}, {odd_key, "1 2 3"}}});
  EXPECT_EQ(text, "ask 00ff 7 4 8 doorsomebody4 5 " + odd_key + "1 2 3");
  const auto read = read_ask(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->inbox, "00ff");
  EXPECT_EQ(read->first, 7U);
  ASSERT_EQ(read->about.size(), 2U);
  EXPECT_EQ(read->about[1].key, odd_key);
  EXPECT_EQ(read->about[1].owner, "1 2 3");
}

TEST(Messages, AskIsStrict) {
  const std::string whole = write_ask({"00ff", 7, {{"door", "somebody"}}});
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    EXPECT_FALSE(read_ask(std::string_view{whole}.substr(0, cut))) << cut;
  }
  for (const auto& odd :
       {whole + "x"s, "ask all 1 1 1 ko"s, "ask ../x 1 1 1 ko"s, "ask  1 1 1 ko"s, "ask 00FF 1 1 1 ko"s,
        "ask "s + std::string(33, 'a') + " 1 1 1 ko", "ask 0 -1 1 1 ko"s, "ask 0 1 0 1 o"s, "ask 0 1 1 0 k"s,
        "ask 0 1 18446744073709551615 1 ko"s, "ask 0 1 1 18446744073709551615 ko"s, "told 1 2 3 4 VALID\n"s}) {
    EXPECT_FALSE(read_ask(odd)) << odd;
  }
}

TEST(Messages, AnAskIsBounded) {
  ask_message many{"0", 1, {}};
  many.about.assign(most_asked, {"k", "o"});
  EXPECT_TRUE(read_ask(write_ask(many)));
  many.about.push_back({"k", "o"});
  EXPECT_FALSE(read_ask(write_ask(many)));
}

TEST(Messages, WhatIsToldIsReadAsItWasWritten) {
  const std::string text =
      write_told({{7, 1794777060182298, 1500us, 20s, lease_state::VALID}, {9, 0, 0us, 0us, lease_state::JEOPARDY}});
  EXPECT_EQ(text, "told 7 1794777060182298 1500 20000000 VALID\n9 0 0 0 JEOPARDY\n");
  const auto read = read_told(text);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].number, 7U);
  EXPECT_EQ((*read)[0].fence, 1794777060182298U);
  EXPECT_EQ((*read)[0].held, 1500us);
  EXPECT_EQ((*read)[0].remaining, 20s);
  EXPECT_EQ((*read)[1].state, lease_state::JEOPARDY);
}

TEST(Messages, DismissalsAndChangesOfLeadersAreRead) {
  const auto read = read_dismissal("dismissed 17 1794777060182298");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->waiter, 17U);
  EXPECT_EQ(read->ticket, 1794777060182298U);
  for (const char* odd :
       {"dismissed ", "dismissed 17", "dismissed 17 ", "dismissed 17 18 ", "dismissed x 1", "17 18"}) {
    EXPECT_FALSE(read_dismissal(odd)) << odd;
  }
  EXPECT_EQ(read_leader_change("leader app:seat one"), "app:seat one");
  EXPECT_FALSE(read_leader_change("leader "));
  EXPECT_FALSE(read_leader_change("leader " + std::string(5000, 'x')));
}

TEST(Messages, ToldIsStrict) {
  const std::string whole = write_told({{7, 8, 9us, 10us, lease_state::VALID}});
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    EXPECT_FALSE(read_told(std::string_view{whole}.substr(0, cut))) << cut;
  }
  for (const auto& odd :
       {whole + "x", "told 1 2 3 4 LOST\n"s, "told 1 2 -3 4 VALID\n"s, "told 1 2 3 -4 VALID\n"s,
        "told 1 2 3 4 valid\n"s, "told 1 2 3 99999999999999999999 VALID\n"s, "told 1 2 3 4 VALID \n"s}) {
    EXPECT_FALSE(read_told(odd)) << odd;
  }
}

}  // namespace
}  // namespace holdfast::lock
