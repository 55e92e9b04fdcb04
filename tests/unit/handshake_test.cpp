// The first words on a link: the exact bytes, when to fall back to RESP2, and what a refusal says (never a password).
#include "net/handshake.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::net {
namespace {

using verdict = handshake::verdict;
using resp::kind;
using resp::value;

value ok() {
  value made;
  made.type = kind::simple;
  made.text = "OK";
  return made;
}
value error_of(std::string text) {
  value made;
  made.type = kind::error;
  made.text = std::move(text);
  return made;
}
value hello_map(std::int64_t id) {
  value key;
  key.type = kind::bulk;
  key.text = "id";
  value number;
  number.type = kind::integer;
  number.integer = id;
  value map;
  map.type = kind::map;
  map.items = {key, number};
  return map;
}

settings with_password(std::string user = {}) {
  settings how;
  how.user = std::move(user);
  how.password = "s3cret!";
  return how;
}

TEST(Handshake, Resp3IsOneHelloAndASelect) {
  settings how;
  how.database = 7;
  EXPECT_EQ((handshake{how, 3}.greeting()),
            "*4\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$7\r\nSETNAME\r\n$8\r\nholdfast\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n7\r\n");
}

TEST(Handshake, Resp3CarriesThePasswordUnderTheUserOrDefault) {
  const settings anonymous = with_password();
  EXPECT_NE((handshake{anonymous, 3}.greeting().find("$4\r\nAUTH\r\n$7\r\ndefault\r\n$7\r\ns3cret!\r\n")),
            std::string::npos);
  const settings named = with_password("app");
  EXPECT_NE((handshake{named, 3}.greeting().find("$4\r\nAUTH\r\n$3\r\napp\r\n$7\r\ns3cret!\r\n")), std::string::npos);
}

TEST(Handshake, Resp2SendsAuthNameAndSelect) {
  const settings old = with_password();
  EXPECT_EQ((handshake{old, 2}.greeting()),
            "*2\r\n$4\r\nAUTH\r\n$7\r\ns3cret!\r\n*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n$8\r\nholdfast\r\n"
            "*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n");
  const settings named = with_password("app");
  EXPECT_TRUE((handshake{named, 2}.greeting().starts_with("*3\r\n$4\r\nAUTH\r\n$3\r\napp\r\n$7\r\ns3cret!\r\n")));
}

TEST(Handshake, TheInboxLinkSubscribesAndSelectsNothing) {
  const settings how;
  handshake inbox{how, 2, "holdfast:inbox:0a", "holdfast:inbox:all"};
  EXPECT_EQ(inbox.greeting(),
            "*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n$8\r\nholdfast\r\n"
            "*3\r\n$9\r\nSUBSCRIBE\r\n$17\r\nholdfast:inbox:0a\r\n$18\r\nholdfast:inbox:all\r\n");
  EXPECT_EQ(inbox.on_reply(ok()), verdict::more);
  EXPECT_EQ(inbox.on_reply(ok()), verdict::more) << "each channel is confirmed";
  EXPECT_FALSE(inbox.subscribed());
  EXPECT_EQ(inbox.on_reply(ok()), verdict::done);
  EXPECT_TRUE(inbox.subscribed());
}

TEST(Handshake, Resp3IsDoneAfterBothAnswersAndKnowsItsId) {
  const settings how;
  handshake talk{how, 3};
  EXPECT_EQ(talk.on_reply(hello_map(4711)), verdict::more);
  EXPECT_EQ(talk.on_reply(ok()), verdict::done);
  EXPECT_EQ(talk.connection_id(), 4711);
}

TEST(Handshake, AServerWithoutHelloIsSpokenToInResp2) {
  for (const char* text :
       {"ERR unknown command `HELLO`, with args beginning with: `3`,", "NOPROTO unsupported protocol version",
        "NOPERM this user has no permissions to run the 'hello' command",
        "ERR syntax error in HELLO option 'SETNAME'"}) {
    const settings how;
    handshake talk{how, 3};
    EXPECT_EQ(talk.on_reply(error_of(text)), verdict::fall_back) << text;
  }
}

TEST(Handshake, WhoAskedForResp3DoesNotGetResp2) {
  settings how;
  how.protocol = 3;
  handshake talk{how, 3};
  EXPECT_EQ(talk.on_reply(error_of("ERR unknown command 'HELLO'")), verdict::refused);
  EXPECT_EQ(talk.problem().code, errc::protocol);
}

TEST(Handshake, RefusalsHaveTheirKind) {
  const struct {
    const char* text;
    errc code;
  } rows[] = {
      {"NOAUTH HELLO must be called with the client already authenticated", errc::refused},
      {"WRONGPASS invalid username-password pair or user is disabled.", errc::refused},
      {"ERR invalid password", errc::refused},
      {"ERR AUTH <password> called without any password configured for the default user. no password is set",
       errc::refused},
      {"LOADING Redis is loading the dataset in memory", errc::server_busy},
      {"BUSY Redis is busy running a script", errc::server_busy},
      {"MASTERDOWN Link with MASTER is down", errc::server_busy},
      {"ERR max number of clients reached", errc::server_busy},
      {"DENIED Redis is running in protected mode", errc::refused},
      {"ERR something new", errc::protocol},
  };
  const settings how;
  for (const auto& [text, code] : rows) {
    handshake talk{how, 3};
    ASSERT_EQ(talk.on_reply(error_of(text)), verdict::refused) << text;
    EXPECT_EQ(talk.problem().code, code) << text;
    EXPECT_FALSE(talk.problem().detail.empty());
  }
}

TEST(Handshake, AnUnknownDatabaseIsNamed) {
  settings how;
  how.database = 99;
  handshake talk{how, 3};
  talk.on_reply(hello_map(1));
  ASSERT_EQ(talk.on_reply(error_of("ERR DB index is out of range")), verdict::refused);
  EXPECT_EQ(talk.problem().code, errc::refused);
  EXPECT_NE(talk.problem().detail.find("99"), std::string::npos);
}

TEST(Handshake, MissingRightsForNicetiesAreForgiven) {
  const settings how;
  handshake talk{how, 2};
  EXPECT_EQ(talk.on_reply(error_of("NOPERM no client|setname")), verdict::more);
  EXPECT_EQ(talk.on_reply(error_of("NOPERM no select")), verdict::done) << "database 0 is where one is anyway";
  settings other;
  other.database = 1;
  handshake elsewhere{other, 2};
  elsewhere.on_reply(ok());
  EXPECT_EQ(elsewhere.on_reply(error_of("NOPERM no select")), verdict::refused)
      << "locks would be in the wrong database";
  EXPECT_EQ(elsewhere.problem().code, errc::refused);
}

TEST(Handshake, WithoutTheRightToSubscribeThereIsNoInbox) {
  const settings how;
  handshake inbox{how, 2, "holdfast:inbox:0a", "holdfast:inbox:all"};
  inbox.on_reply(ok());
  EXPECT_EQ(inbox.on_reply(error_of("NOPERM no channels")), verdict::done);
  EXPECT_FALSE(inbox.subscribed());
}

TEST(Handshake, AnAnswerToHelloThatIsNoMapIsProtocol) {
  const settings how;
  handshake talk{how, 3};
  EXPECT_EQ(talk.on_reply(ok()), verdict::refused);
  EXPECT_EQ(talk.problem().code, errc::protocol);
}

value role_of(std::string word) {
  value text;
  text.type = kind::bulk;
  text.text = std::move(word);
  value list;
  list.type = kind::array;
  list.items = {text};
  return list;
}
value hello_with_role(std::string word) {
  value map = hello_map(1);
  value key;
  key.type = kind::bulk;
  key.text = "role";
  map.items.push_back(key);
  map.items.push_back(role_of(std::move(word)).items[0]);
  return map;
}

TEST(Handshake, WhoeverASentinelNamedMustBeAPrimary) {
  const settings how;
  handshake good{how, 3, {}, {}, {.role = true}};
  EXPECT_TRUE(good.greeting().ends_with("*1\r\n$4\r\nROLE\r\n"));
  EXPECT_EQ(good.on_reply(hello_map(1)), verdict::more);
  EXPECT_EQ(good.on_reply(ok()), verdict::more);
  EXPECT_EQ(good.on_reply(role_of("master")), verdict::done);
  for (const char* const word : {"slave", "sentinel"}) {
    handshake wrong{how, 3, {}, {}, {.role = true}};
    wrong.on_reply(hello_map(1));
    wrong.on_reply(error_of("NOPERM no select"));
    ASSERT_EQ(wrong.on_reply(role_of(word)), verdict::refused);
    EXPECT_EQ(wrong.problem().code, errc::unreachable) << "it may be one after the failover";
    EXPECT_NE(wrong.problem().detail.find(word), std::string::npos);
  }
}

TEST(Handshake, WithoutTheRightToAskTheRoleHelloTellsIt) {
  const settings how;
  for (const bool primary : {true, false}) {
    handshake talk{how, 3, {}, {}, {.role = true}};
    talk.on_reply(hello_with_role(primary ? "master" : "replica"));
    talk.on_reply(ok());
    EXPECT_EQ(talk.on_reply(error_of("NOPERM no role")), primary ? verdict::done : verdict::refused);
  }
  handshake old{how, 2, {}, {}, {.role = true}};
  old.on_reply(ok());
  old.on_reply(ok());
  ASSERT_EQ(old.on_reply(error_of("NOPERM no role")), verdict::refused);
  EXPECT_EQ(old.problem().code, errc::refused);
  EXPECT_NE(old.problem().detail.find("+role"), std::string::npos);
}

TEST(Handshake, NoTextCarriesThePassword) {
  const settings how = with_password("app");
  for (const char* text : {"WRONGPASS invalid username-password pair", "NOAUTH x", "ERR odd", "LOADING x", "NOPERM x",
                           "DENIED x", "ERR DB index is out of range"}) {
    for (const int version : {2, 3}) {
      handshake talk{how, version};
      talk.on_reply(error_of(text));
      EXPECT_EQ(talk.problem().detail.find("s3cret"), std::string::npos) << text;
    }
  }
}

TEST(Handshake, TheServersWordsAreShownShortAndWithoutControlCharacters) {
  const settings how;
  handshake talk{how, 3};
  talk.on_reply(error_of("ERR \x1b[2J\n" + std::string(10'000, 'x')));
  EXPECT_LT(talk.problem().detail.size(), 400U);
  for (const char c : talk.problem().detail) EXPECT_GE(static_cast<unsigned char>(c), 0x20U);
}

}  // namespace
}  // namespace holdfast::net
