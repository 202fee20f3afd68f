#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdlib>
#include <optional>

#include <sys/stat.h>

#include "db/file_system.hpp"
#include "db/location.hpp"
#include "in_child.hpp"
#include "sample_rows.hpp"

using namespace halotune;
using namespace halotune::db_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Sets or clears an environment variable for one scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace

TEST_CASE("network file systems are named and refused, local ones are not") {
  CHECK(network_file_system({0x6969, "nfs4"}) == "NFS");
  CHECK(network_file_system({0xfe534d42, "cifs"}) == "SMB2");
  CHECK(network_file_system({0x0bd00bd0, "lustre"}) == "Lustre");
  CHECK(network_file_system({0x47504653, "gpfs"}) == "GPFS");
  CHECK(network_file_system({0x5346414f, "afs"}) == "AFS");
  CHECK(network_file_system({0x65735546, "fuse.sshfs"}) == "fuse.sshfs");
  CHECK(network_file_system({0x65735546, ""}) == "FUSE");
  CHECK_FALSE(network_file_system({0x65735546, "fuse.fuse-overlayfs"}));
  for (const std::uint32_t local : {0xef53U, 0x01021994U, 0x58465342U, 0x9123683eU, 0x794c7630U}) {
    CHECK_FALSE(network_file_system({local, ""}));
  }
  const FileSystem nfs{0x6969, "nfs4"};
  {
    Variable unset("HALOTUNE_ALLOW_NETWORK_DB", nullptr);
    CHECK_THAT(message_of<DbError>([&] { refuse_network_file_system("/home/a/b.db", nfs); }),
               ContainsSubstring("/home/a/b.db") && ContainsSubstring("NFS") && ContainsSubstring("--db"));
  }
  {
    Variable zero("HALOTUNE_ALLOW_NETWORK_DB", "0");
    CHECK_THROWS_AS(refuse_network_file_system("/b.db", nfs), DbError);
  }
  Variable one("HALOTUNE_ALLOW_NETWORK_DB", "1");
  CHECK_NOTHROW(refuse_network_file_system("/b.db", nfs));
}

TEST_CASE("the file system of a path that does not exist yet is that of its nearest folder") {
  TemporaryFolder folder;
  CHECK(file_system_of(folder / "x/y/z.db").magic == file_system_of(folder.path()).magic);
  CHECK(file_system_of("/proc/self/status").magic == 0x9fa0);
  CHECK(file_system_of("/proc/self/status").type == "proc");
}

TEST_CASE("the default path follows XDG, then HOME, then the account, then /tmp") {
  Variable home("HOME", "/home/someone");
  {
    Variable state("XDG_STATE_HOME", "/state");
    CHECK(Store::default_path() == "/state/halotune/halotune.db");
  }
  for (const char* useless : {static_cast<const char*>(nullptr), "", "relative"}) {
    Variable state("XDG_STATE_HOME", useless);
    CHECK(Store::default_path() == "/home/someone/.local/state/halotune/halotune.db");
  }
  Variable state("XDG_STATE_HOME", nullptr);
  Variable no_home("HOME", nullptr);
  CHECK(Store::default_path().is_absolute());
  CHECK_THAT(fallback_store_path().string(), ContainsSubstring(std::to_string(geteuid())));
}

TEST_CASE("a folder under /tmp that others can write is not used") {
  const std::filesystem::path folder = "/tmp/halotune-65534";
  if (geteuid() != 0 || std::filesystem::exists(folder)) SKIP("needs root and the name " + folder.string());
  REQUIRE(mkdir(folder.c_str(), 0700) == 0);
  REQUIRE(chmod(folder.c_str(), 0777) == 0);
  const auto text = in_child([&]() -> std::string {
    if (setgid(65534) != 0 || setuid(65534) != 0) return "no rights to change the account";
    return message_of<DbError>([] { Store store(fallback_store_path()); });
  });
  std::filesystem::remove_all(folder);
  REQUIRE(text);
  CHECK_THAT(*text, ContainsSubstring("is not safe for a store"));
}
