// A database: PostgreSQL through libpq, with the statements prepared.
//
// The advisory lock belongs to the connection: SELECT pg_advisory_lock(n), SELECT pg_advisory_unlock(n); nothing is
// written. The row lock belongs to a transaction: BEGIN, SELECT … FOR UPDATE, COMMIT; the row is marked, and the commit
// waits for the disk. Both end with the connection, and neither has a lifetime: a holder that stops without
// closing its connection holds on.
#include "families/service.hpp"
#include "server.hpp"

#include <libpq-fe.h>

#include <algorithm>

namespace holdfast::bench {
namespace {

namespace fs = std::filesystem;

class session {
 public:
  explicit session(int port) {
    const std::string where = "host=127.0.0.1 dbname=postgres user=bench port=" + std::to_string(port);
    connection_ = PQconnectdb(where.c_str());
    if (PQstatus(connection_) != CONNECTION_OK) {
      const std::string why = PQerrorMessage(connection_);
      PQfinish(connection_);
      throw std::runtime_error{"PostgreSQL: " + why};
    }
  }
  ~session() { PQfinish(connection_); }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  void say(const char* statement) { check(PQexec(connection_, statement)); }
  void prepare(const char* name, const std::string& statement) {
    check(PQprepare(connection_, name, statement.c_str(), 0, nullptr));
  }
  void run(const char* name) { check(PQexecPrepared(connection_, name, 0, nullptr, nullptr, nullptr, 0)); }

 private:
  void check(PGresult* result) {
    const ExecStatusType status = PQresultStatus(result);
    PQclear(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      throw std::runtime_error{std::string{"PostgreSQL: "} + PQerrorMessage(connection_)};
    }
  }
  PGconn* connection_ = nullptr;
};

class advisory_contender : public contender {
 public:
  advisory_contender(int port, unsigned lock) : session_{port} {
    session_.prepare("lock", "SELECT pg_advisory_lock(" + std::to_string(lock) + ")");
    session_.prepare("unlock", "SELECT pg_advisory_unlock(" + std::to_string(lock) + ")");
  }
  void lock() override { session_.run("lock"); }
  void unlock() override { session_.run("unlock"); }

 private:
  session session_;
};

class row_contender : public contender {
 public:
  row_contender(int port, unsigned lock) : session_{port} {
    session_.prepare("begin", "BEGIN");
    session_.prepare("lock", "SELECT id FROM locks WHERE id = " + std::to_string(lock) + " FOR UPDATE");
    session_.prepare("commit", "COMMIT");
  }
  void lock() override {
    session_.run("begin");
    session_.run("lock");
  }
  void unlock() override { session_.run("commit"); }

 private:
  session session_;
};

// Debian has them beside one another by version, none of them in the path.
fs::path newest_programs() {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& each : fs::directory_iterator{"/usr/lib/postgresql", none}) {
    if (fs::exists(each.path() / "bin/postgres")) found.push_back(each.path() / "bin");
  }
  if (found.empty()) throw unavailable{"no PostgreSQL below /usr/lib/postgresql; is it installed?"};
  return *std::max_element(found.begin(), found.end());
}

class postgresql_family : public family {
 public:
  explicit postgresql_family(bool advisory) : advisory_{advisory} {}
  ~postgresql_family() override { stop(); }
  [[nodiscard]] std::string name() const override { return advisory_ ? "postgresql_advisory" : "postgresql_row"; }

  void start() override {
    const fs::path programs = newest_programs();
    folder_ = std::make_unique<scratch_folder>();
    const fs::path data = folder_->path() / "data";
    // It refuses to run as root.
    const std::string user = "postgres";
    give_to(folder_->path(), user);
    run_program({.words = {programs / "initdb", "-D", data, "-U", "bench", "--auth=trust", "--no-locale", "-E", "UTF8"},
                 .log = folder_->path() / "initdb.log",
                 .user = user});
    port_ = free_port();
    server_ = std::make_unique<service>(
        program{.words = {programs / "postgres", "-D", data, "-p", std::to_string(port_), "-c",
                          "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="},
                .log = folder_->path() / "log",
                .user = user,
                .stop_signal = SIGQUIT});  // at once, its helpers included
    server_->wait_until([this] {
      try {
        session{port_};
        return true;
      } catch (const std::runtime_error&) {
        return false;
      }
    });
    session admin{port_};
    admin.say("CREATE TABLE locks (id int PRIMARY KEY)");
    admin.say("INSERT INTO locks SELECT generate_series(0, 63)");
  }
  void stop() noexcept override {
    server_.reset();
    folder_.reset();
  }
  std::unique_ptr<contender> join(unsigned lock, unsigned /*me*/) override {
    if (advisory_) return std::make_unique<advisory_contender>(port_, lock);
    return std::make_unique<row_contender>(port_, lock);
  }

 private:
  bool advisory_;
  int port_ = 0;
  std::unique_ptr<scratch_folder> folder_;
  std::unique_ptr<service> server_;
};

}  // namespace

std::unique_ptr<family> make_postgresql(bool advisory) { return std::make_unique<postgresql_family>(advisory); }

}  // namespace holdfast::bench
