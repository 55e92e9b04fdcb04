// What can be in the way of the private Redis: directories that others planted or may read, a program that is missing, fails
// or does not answer.
#include "redis/private_server_fixture.hpp"

namespace holdfast::topology {
namespace {

TEST_F(PrivateServer, RuntimeDirectoryThatIsNotPrivateIsNotUsed) {
  const auto fallback = "/tmp/holdfast-" + std::to_string(::geteuid());
  const bool was_there = std::filesystem::exists(fallback);
  const auto path = [] {
    const auto got = private_directory::open();
    return got ? got->path() : got.failure().detail;
  };
  EXPECT_EQ(path(), directory());
  ::chmod(runtime_.c_str(), 0755);
  EXPECT_EQ(path(), fallback);
  ::unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(path(), fallback);
  const auto deep = runtime_ + "/" + std::string(80, 'x');  // the socket's path would have more than 107 bytes
  std::filesystem::create_directory(deep);
  ::chmod(deep.c_str(), 0700);
  ::setenv("XDG_RUNTIME_DIR", deep.c_str(), 1);
  EXPECT_EQ(path(), fallback);
  if (!was_there) ::rmdir(fallback.c_str());
}

TEST_F(PrivateServer, SecondServerIsNotStartedBesideOneWhoseSocketIsGone) {
  const auto got = private_server();
  ASSERT_TRUE(got) << got.failure().detail;
  const auto redis = connect(got->path);
  ASSERT_TRUE(redis);
  // The watcher must have its connection, or it cannot see when the server is unused.
  const auto clients = [&] {
    return command(redis, "INFO clients").find("connected_clients:2\r") != std::string::npos;
  };
  ASSERT_TRUE(eventually(clients));
  ASSERT_TRUE(std::filesystem::remove(got->path));
  expect_unreachable(private_server(), "server.lock");
}

TEST_F(PrivateServer, PlantedDirectoryIsRefused) {
  const auto target = runtime_ + "/elsewhere";
  std::filesystem::create_directory(target);
  ::chmod(target.c_str(), 0700);
  std::filesystem::create_directory_symlink(target, directory());
  expect_unreachable(private_server(), directory() + " is not a directory");
  std::filesystem::remove(directory());

  std::ofstream{directory()} << "a file";
  expect_unreachable(private_server(), directory() + " is not a directory");
  std::filesystem::remove(directory());

  std::filesystem::create_directory(directory());
  ::chmod(directory().c_str(), 0755);
  expect_unreachable(private_server(), "0700");
  if (::geteuid() == 0) {  // only root can give a directory away
    ::chmod(directory().c_str(), 0700);
    ASSERT_EQ(::chown(directory().c_str(), 65534, 65534), 0);
    expect_unreachable(private_server(), "another user");
  }
  EXPECT_TRUE(std::filesystem::is_empty(target));
}

TEST_F(PrivateServer, MissingProgramSaysHowToInstallIt) {
  ::setenv("HOLDFAST_TEST_REDIS_SERVER", (runtime_ + "/redis-server").c_str(), 1);
  const auto got = private_server();
  expect_unreachable(got, "apt-get install redis-server");
  expect_unreachable(got, "HOLDFAST_URL");
}

TEST_F(PrivateServer, FailedStartShowsTheLog) {
  const auto program = runtime_ + "/redis-server";
  std::ofstream{program} << "#!/bin/sh\necho the disk is on fire\nexit 1\n";
  ::chmod(program.c_str(), 0700);
  ::setenv("HOLDFAST_TEST_REDIS_SERVER", program.c_str(), 1);
  expect_unreachable(private_server(), "the disk is on fire");
}

TEST_F(PrivateServer, StoppedServerIsSilentNotReplaced) {
  const auto got = private_server();
  ASSERT_TRUE(got) << got.failure().detail;
  auto redis = connect(got->path);
  ASSERT_TRUE(redis);
  const pid_t server = std::stoi(info(redis, "process_id"));
  ASSERT_EQ(::kill(server, SIGSTOP), 0);
  const auto begin = std::chrono::steady_clock::now();
  expect_unreachable(private_server(), "does not answer");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 5s);
  ASSERT_EQ(::kill(server, SIGCONT), 0);
  EXPECT_TRUE(private_server());
}

}  // namespace
}  // namespace holdfast::topology
