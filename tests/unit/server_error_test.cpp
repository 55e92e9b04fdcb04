// Every error reply that a lock can meet has its one outcome, as Redis 7 words it and as older servers wrap it.
#include "lock/server_error.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::lock {
namespace {

struct known_error {
  const char* text;  // as a real server says it
  errc code;
};

const known_error known[] = {
    {"READONLY You can't write against a read only replica.", errc::read_only},
    {"LOADING Redis is loading the dataset in memory", errc::server_busy},
    {"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", errc::server_busy},
    {"NOREPLICAS Not enough good replicas to write.", errc::server_busy},
    {"MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
     errc::server_busy},
    {"OOM command not allowed when used memory > 'maxmemory'.", errc::out_of_memory},
    {"CLUSTERDOWN The cluster is down", errc::server_busy},
    {"TRYAGAIN Multiple keys request during rehashing of slot", errc::server_busy},
    {"NOAUTH Authentication required.", errc::refused},
    {"WRONGPASS invalid username-password pair or user is disabled.", errc::refused},
    {"NOPERM User app has no permissions to run the 'evalsha' command", errc::refused},
    {"NOPERM this user has no permissions to run the 'evalsha' command", errc::refused},
    {"WRONGTYPE Operation against a key holding the wrong kind of value", errc::wrong_type},
    {"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.", errc::server_busy},
    {"MOVED 3999 127.0.0.1:6381", errc::refused},
    {"ASK 3999 127.0.0.1:6381", errc::server_busy},
    {"CROSSSLOT Keys in request don't hash to the same slot", errc::protocol},
    {"DENIED Redis is running in protected mode because protected mode is enabled", errc::refused},
    {"ERR max number of clients reached", errc::server_busy},
    {"ERR invalid password", errc::refused},
    {"ERR unknown command 'EVALSHA', with args beginning with: '2f', ", errc::refused},
    {"ERR unknown command `EVAL`, with args beginning with: ", errc::refused},
    {"ERR unknown command 'GETT'", errc::protocol},
};

TEST(ServerError, EachHasItsOutcome) {
  for (const auto& [text, code] : known) {
    const failure why = server_error(text);
    EXPECT_EQ(why.code, code) << text;
    EXPECT_FALSE(why.detail.empty()) << text;
    EXPECT_EQ(why.sent, delivery::not_sent) << "the server said no: " << text;
  }
}

TEST(ServerError, WhereScriptsAreRefusedTheWayOutIsNamed) {
  for (const char* text :
       {"NOPERM this user has no permissions to run the 'evalsha' command",
        "NOPERM User app has no permissions to run the 'eval' command", "ERR unknown command 'EVALSHA'"}) {
    EXPECT_NE(server_error(text).detail.find("scripts = off"), std::string::npos) << text;
  }
  EXPECT_EQ(server_error("NOPERM this user has no permissions to run the 'get' command").detail.find("scripts = off"),
            std::string::npos);
}

TEST(ServerError, ErrorsInsideScriptsKeepTheirMeaningOnOldServers) {
  const std::string start =
      "ERR Error running script (call to f_0123456789abcdef0123456789abcdef01234567): @user_script:12: ";
  EXPECT_EQ(server_error(start + "WRONGTYPE Operation against a key holding the wrong kind of value").code,
            errc::wrong_type);
  EXPECT_EQ(server_error(start + "-OOM command not allowed when used memory > 'maxmemory'.").code, errc::out_of_memory);
  EXPECT_EQ(server_error(start + "-READONLY You can't write against a read only replica.").code, errc::read_only);
  EXPECT_EQ(server_error(start + "-MISCONF Redis is configured to save RDB snapshots").code, errc::server_busy);
  EXPECT_EQ(server_error(start + "@user_script: 12: Unknown Redis command called from Lua script").code,
            errc::protocol);
}

TEST(ServerError, ErrorsInsideScriptsKeepTheirMeaningOnRedis7) {
  EXPECT_EQ(server_error("WRONGTYPE Operation against a key holding the wrong kind of value script: "
                         "0123456789abcdef0123456789abcdef01234567, on @user_script:30.")
                .code,
            errc::wrong_type);
  EXPECT_EQ(server_error("OOM command not allowed when used memory > 'maxmemory'. script: "
                         "0123456789abcdef0123456789abcdef01234567, on @user_script:30.")
                .code,
            errc::out_of_memory);
  EXPECT_EQ(
      server_error("NOPERM User app has no permissions to access one of the keys used as arguments script: 01, on "
                   "@user_script:1.")
          .code,
      errc::refused);
}

TEST(ServerError, AWordInsideAnotherWordDoesNotCount) {
  EXPECT_EQ(server_error("ERR the ROOM is full").code, errc::protocol);
  EXPECT_EQ(server_error("ERR unASKed").code, errc::protocol);
  EXPECT_EQ(server_error("BUSYKEY Target key name already exists.").code, errc::protocol);
  EXPECT_EQ(server_error("").code, errc::protocol);
}

TEST(ServerError, TheLeadingWordDecides) {
  // A later word of the text must not win over the code that the server put in front.
  EXPECT_EQ(server_error("NOPERM User OOM has no permissions to run the 'evalsha' command").code, errc::refused);
  EXPECT_EQ(server_error("LOADING WRONGTYPE").code, errc::server_busy);
}

TEST(ServerError, ServerTextsAreShownShortAndWithoutControlCharacters) {
  const failure why = server_error("OOM \x1b[31m\r\n" + std::string(10'000, 'x'));
  EXPECT_LT(why.detail.size(), 400U);
  for (const char c : why.detail) EXPECT_GE(static_cast<unsigned char>(c), 0x20U);
}

TEST(ServerError, NoscriptIsRecognisedAndNothingElse) {
  EXPECT_TRUE(is_noscript("NOSCRIPT No matching script. Please use EVAL."));
  EXPECT_FALSE(is_noscript("ERR NOSCRIPT"));
  EXPECT_FALSE(is_noscript(""));
}

TEST(ServerError, OnlyABusyServerIsWorthWaitingFor) {
  EXPECT_TRUE(is_passing(errc::server_busy));
  for (const errc code : {errc::held, errc::refused, errc::read_only, errc::out_of_memory, errc::wrong_type,
                          errc::protocol, errc::unreachable, errc::cancelled}) {
    EXPECT_FALSE(is_passing(code)) << to_string(code);
  }
}

}  // namespace
}  // namespace holdfast::lock
