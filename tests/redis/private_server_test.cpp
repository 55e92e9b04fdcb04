// The private Redis: found or started, once per user, in a directory of the user's alone, and gone when unused. What can be in
// its way: private_server_faults_test.cpp.
#include "redis/private_server_fixture.hpp"

namespace holdfast::topology {
namespace {

TEST_F(PrivateServer, IsStartedForThisUserOnly) {
  const auto got = private_server();
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(got->transport, transport::unix_socket);
  EXPECT_EQ(got->path, directory() + "/redis.sock");
  struct stat about {};
  ASSERT_EQ(::stat(directory().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0700U);
  const auto redis = connect(got->path);
  ASSERT_TRUE(redis);
  EXPECT_EQ(info(redis, "tcp_port"), "0");
  const auto config = [&](const char* name) {
    auto* const reply = static_cast<redisReply*>(redisCommand(redis.get(), "CONFIG GET %s", name));
    const std::string out = reply->elements == 2 ? reply->element[1]->str : "?";
    freeReplyObject(reply);
    return out;
  };
  EXPECT_EQ(config("save"), "");
  EXPECT_EQ(config("appendonly"), "no");
  EXPECT_EQ(config("maxmemory-policy"), "noeviction");
  EXPECT_EQ(config("unixsocketperm"), "700");
}

TEST_F(PrivateServer, LoadWithoutAnyUrlUsesIt) {
  ::setenv("XDG_CONFIG_HOME", runtime_.c_str(), 1);  // no config file there
  ::unsetenv("HOLDFAST_URL");
  ::unsetenv("HOLDFAST_CONFIG");
  if (std::filesystem::exists("/etc/holdfast.conf")) GTEST_SKIP() << "this host has a config file of its own";
  ::setenv("HOLDFAST_PREFIX", "mine:", 1);
  const auto got = settings::load();
  ::unsetenv("HOLDFAST_PREFIX");
  ASSERT_TRUE(got) << got.failure().detail;
  EXPECT_EQ(got->path, directory() + "/redis.sock");
  EXPECT_EQ(got->prefix, "mine:");
}

TEST_F(PrivateServer, TenProcessesAtOnceReachTheSameServer) {
  int gate[2];
  int answers[2];
  ASSERT_EQ(::pipe(gate), 0);
  ASSERT_EQ(::pipe(answers), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < 10; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(gate[1]);
      char byte = 0;
      (void)!::read(gate[0], &byte, 1);  // ends for all at once, when the parent closes its end
      const auto got = private_server();
      const auto redis = got ? connect(got->path) : connection{nullptr, &redisFree};
      auto line = redis ? info(redis, "run_id") : got ? "no connection" : got.failure().detail;
      line += '\n';
      ::_exit(::write(answers[1], line.data(), line.size()) == static_cast<ssize_t>(line.size()) ? 0 : 1);
    }
    children.push_back(child);
  }
  ::close(gate[0]);
  ::close(gate[1]);
  ::close(answers[1]);
  std::string all;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(answers[0], buffer, sizeof buffer)) > 0;) {
    all.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(answers[0]);
  for (const auto child : children) {
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  std::istringstream lines{all};
  std::multiset<std::string> ids;
  for (std::string line; std::getline(lines, line);) ids.insert(line);
  ASSERT_EQ(ids.size(), 10U) << all;
  EXPECT_EQ(ids.count(*ids.begin()), 10U) << all;
  EXPECT_EQ(ids.begin()->size(), 40U) << all;
}

TEST_F(PrivateServer, ThreadsAtOnceReachTheSameServer) {
  std::vector<std::string> ids(8);
  std::vector<std::thread> threads;
  for (auto& id : ids) {
    threads.emplace_back([&id] {
      const auto got = private_server();
      const auto redis = got ? connect(got->path) : connection{nullptr, &redisFree};
      id = redis ? info(redis, "run_id") : got ? "no connection" : got.failure().detail;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(ids.front().size(), 40U) << ids.front();
  for (const auto& id : ids) EXPECT_EQ(id, ids.front());
}

TEST_F(PrivateServer, IsDetachedFromItsStarter) {
  const int leak = ::open("/dev/zero", O_RDONLY);  // without O_CLOEXEC
  ASSERT_GE(leak, 0);
  const auto got = private_server();
  ASSERT_TRUE(got) << got.failure().detail;
  const auto redis = connect(got->path);
  ASSERT_TRUE(redis);
  const pid_t server = std::stoi(info(redis, "process_id"));
  for (const pid_t process : {server, parent_of(server)}) {
    EXPECT_NE(::getsid(process), ::getsid(0));
    for (const auto& fd : std::filesystem::directory_iterator{"/proc/" + std::to_string(process) + "/fd"}) {
      std::error_code gone;
      EXPECT_NE(std::filesystem::read_symlink(fd, gone), "/dev/zero");
    }
  }
  EXPECT_NE(parent_of(parent_of(server)), ::getpid()) << "it would become a zombie of ours";
  ::close(leak);
}

TEST_F(PrivateServer, GoesAfterItsLastClientAndComesBack) {
  const auto first = private_server();
  ASSERT_TRUE(first) << first.failure().detail;
  auto redis = connect(first->path);
  ASSERT_TRUE(redis);
  const pid_t server = std::stoi(info(redis, "process_id"));
  const pid_t watcher = parent_of(server);
  const auto id = info(redis, "run_id");
  std::this_thread::sleep_for(3s);  // twice the idle time: a connected client keeps it alive
  EXPECT_EQ(info(redis, "run_id"), id);
  redis.reset();
  EXPECT_TRUE(eventually([&] { return has_ended(server) && has_ended(watcher); }));
  EXPECT_FALSE(std::filesystem::exists(first->path));

  const auto second = private_server();
  ASSERT_TRUE(second) << second.failure().detail;
  const auto again = connect(second->path);
  ASSERT_TRUE(again);
  EXPECT_NE(info(again, "run_id"), id);
}

TEST_F(PrivateServer, StaysWhileALockIsHeldWithoutAConnection) {
  const auto got = private_server();
  ASSERT_TRUE(got) << got.failure().detail;
  auto redis = connect(got->path);
  ASSERT_TRUE(redis);
  const auto id = info(redis, "run_id");
  EXPECT_EQ(command(redis, "SET lock owner NX PX 4500"), "OK");
  EXPECT_EQ(command(redis, "SET counter 1"), "OK");                       // without expiry: does not keep the server
  EXPECT_EQ(command(redis, "SET holdfast:fence:{7} 5 EX 604800"), "OK");  // can be drawn anew: neither
  redis.reset();
  std::this_thread::sleep_for(3s);  // twice the idle time
  redis = connect(got->path);
  ASSERT_TRUE(redis);
  EXPECT_EQ(info(redis, "run_id"), id);
  EXPECT_EQ(command(redis, "GET lock"), "owner");
}

TEST_F(PrivateServer, WatcherEndsWithItsServerAndTheNextStartsAnew) {
  const auto got = private_server();
  ASSERT_TRUE(got) << got.failure().detail;
  auto redis = connect(got->path);
  ASSERT_TRUE(redis);
  const pid_t server = std::stoi(info(redis, "process_id"));
  const pid_t watcher = parent_of(server);
  const auto id = info(redis, "run_id");
  ASSERT_EQ(::kill(server, SIGKILL), 0);  // leaves its socket behind
  EXPECT_TRUE(eventually([&] { return has_ended(watcher); }));
  const auto next = private_server();
  ASSERT_TRUE(next) << next.failure().detail;
  redis = connect(next->path);
  ASSERT_TRUE(redis);
  EXPECT_NE(info(redis, "run_id"), id);
}

}  // namespace
}  // namespace holdfast::topology
