#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "db/file_system.hpp"
#include "in_child.hpp"
#include "sample_rows.hpp"

using namespace halotune;
using namespace halotune::db_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string opening(const std::filesystem::path& file) {
  return message_of<DbError>([&] { Store store(file); });
}

bool mount_tmpfs(const std::filesystem::path& at, const char* options) {
  return unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", at.c_str(), "tmpfs", 0, options) == 0;
}

/// A program that keeps a FUSE mount; it is ended, and the mount with it, with the object.
class FuseMount {
 public:
  FuseMount(std::vector<std::string> words, const std::filesystem::path& at) : at_(at) {
    child_ = fork();
    if (child_ == 0) {
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      const int quiet = open("/dev/null", O_RDWR);
      for (const int stream : {0, 1, 2}) dup2(quiet, stream);
      execvp(arguments[0], arguments.data());
      _exit(127);
    }
    constexpr std::uint32_t fuse = 0x65735546;
    for (int i = 0; i < 500 && !mounted_; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      mounted_ = file_system_of(at).magic == fuse;
    }
  }
  ~FuseMount() {
    umount2(at_.c_str(), MNT_DETACH);
    kill(child_, SIGTERM);
    waitpid(child_, nullptr, 0);
  }
  FuseMount(const FuseMount&) = delete;
  FuseMount& operator=(const FuseMount&) = delete;
  bool mounted() const { return mounted_; }

 private:
  std::filesystem::path at_;
  pid_t child_ = 0;
  bool mounted_ = false;
};

bool is_installed(const char* program) {
  return std::filesystem::exists(std::filesystem::path("/usr/bin") / program);
}

}  // namespace

TEST_CASE("links lead to the store, also before it exists, and not in circles") {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "real");
  std::filesystem::create_symlink(folder / "real/a.db", folder / "link.db");
  std::filesystem::create_symlink("deeper/still/b.db", folder / "relative.db");
  std::filesystem::create_symlink(folder / "y", folder / "x");
  std::filesystem::create_symlink(folder / "x", folder / "y");
  {
    Store store(folder / "link.db");
    store.add(problem());
    CHECK(store.file() == folder / "real/a.db");
  }
  CHECK(Store(folder / "link.db").problems().size() == 1);
  CHECK(Store(folder / "relative.db").file() == folder / "deeper/still/b.db");
  CHECK_THAT(opening(folder / "x"), ContainsSubstring("lead in a circle"));
}

TEST_CASE("folders, devices, pipes and sockets in the place of a store are refused at once") {
  TemporaryFolder folder;
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  std::filesystem::create_symlink("/dev/zero", folder / "device");
  std::ofstream(folder / "file").close();
  for (const char* name : {"fifo", "device", ""}) {
    INFO(name);
    CHECK_THAT(opening(folder / name), ContainsSubstring("not a file"));
  }
  CHECK_THAT(opening(folder / "file/a.db"), ContainsSubstring("Not a directory") || ContainsSubstring("not a folder"));
  CHECK_THAT(opening(folder / std::string(300, 'n')), ContainsSubstring("File name too long"));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 3);
}

TEST_CASE("whether a store can take rows is known before hours of work") {
  TemporaryFolder folder;
  {
    Store store(folder / "a.db");
    store.add(problem());
    const auto before = std::filesystem::last_write_time(folder / "a.db");
    CHECK_NOTHROW(store.require_writable());
    CHECK(std::filesystem::last_write_time(folder / "a.db") == before);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  }
  if (geteuid() != 0) SKIP("the rest needs root, to become an account without rights in a child");
  const auto as_nobody = [&](mode_t folder_mode, mode_t file_mode) {
    REQUIRE(chmod(folder.path().c_str(), folder_mode) == 0);
    REQUIRE(chmod((folder / "a.db").c_str(), file_mode) == 0);
    return in_child([&]() -> std::string {
             if (setgid(65534) != 0 || setuid(65534) != 0) return "no rights to change the account";
             return message_of<DbError>([&] {
               const Store store(folder / "a.db");
               if (store.problems().size() != 1) return;
               store.require_writable();
             });
           })
        .value_or("crashed");
  };
  CHECK(as_nobody(0777, 0666).empty());
  CHECK_THAT(as_nobody(0777, 0644), ContainsSubstring("the file or its folder is read-only"));
  CHECK_THAT(as_nobody(0755, 0666), ContainsSubstring("cannot be"));
  CHECK_THAT(as_nobody(0700, 0666), ContainsSubstring("Permission denied"));
}

TEST_CASE("no room is known before hours of work, and running out of it loses nothing stored") {
  if (geteuid() != 0) SKIP("needs root, to mount a small file system in a child");
  TemporaryFolder folder;
  const auto text = in_child([&]() -> std::string {
    if (!mount_tmpfs(folder.path(), "size=3m")) return "no mount";
    Store store(folder / "a.db");
    store.require_writable();
    std::size_t acknowledged = 0;
    const std::string full = message_of<DbError>([&] {
      for (int i = 0;; ++i, ++acknowledged) {
        RunRow row = run(i % 60);
        row.json = R"({"text":")" + std::string(50000, 'x') + std::to_string(i) + "\"}";
        row.problem_key.clear();
        store.add(row);
      }
    });
    const std::string before = message_of<DbError>([&] { store.require_writable(); });
    const bool sound = store.check().empty() && store.runs({}).size() == acknowledged && acknowledged > 10;
    const std::string exporting = message_of<DbError>([&] { export_file(store, folder / "out.jsonl"); });
    const bool nothing_left = std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1;
    return full + "|" + before + "|" + exporting + (sound ? " sound" : " damaged") +
           (nothing_left ? " clean" : " litter");
  });
  REQUIRE(text);
  if (*text == "no mount") SKIP("this environment does not allow mounts");
  CHECK_THAT(*text, ContainsSubstring("the disk or the quota is full") &&
                        ContainsSubstring("less than 1024 KiB free") && ContainsSubstring("No space left on device") &&
                        ContainsSubstring(" sound clean"));
}

TEST_CASE("a store on a full disk from the start is an error, not a crash") {
  if (geteuid() != 0) SKIP("needs root, to mount a small file system in a child");
  TemporaryFolder folder;
  const auto text = in_child([&]() -> std::string {
    if (!mount_tmpfs(folder.path(), "size=16k")) return "no mount";
    return opening(folder / "a.db");
  });
  REQUIRE(text);
  if (*text == "no mount") SKIP("this environment does not allow mounts");
  CHECK_THAT(*text, ContainsSubstring("the disk or the quota is full"));
}

TEST_CASE("a real sshfs mount is a network file system") {
  constexpr const char* server = "/usr/lib/openssh/sftp-server";
  if (geteuid() != 0 || !is_installed("sshfs") || !std::filesystem::exists(server) ||
      !std::filesystem::exists("/dev/fuse"))
    SKIP("needs root, /dev/fuse, sshfs and sftp-server");
  TemporaryFolder folder;
  for (const char* name : {"there", "here"}) std::filesystem::create_directory(folder / name);
  std::ofstream(folder / "connect") << "#!/bin/sh\nexec " << server << "\n";  // in the place of ssh
  REQUIRE(chmod((folder / "connect").c_str(), 0755) == 0);
  const auto text = in_child([&]() -> std::string {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "no mount";
    const FuseMount sshfs({"sshfs", "-f", "-o", "ssh_command=" + (folder / "connect").string(),
                           "nobody@nowhere:" + (folder / "there").string(), (folder / "here").string()},
                          folder / "here");
    if (!sshfs.mounted()) return "no mount";
    std::string said = opening(folder / "here/a.db") + "|";
    std::filesystem::create_symlink(folder / "here/a.db", folder / "link.db");
    said += opening(folder / "link.db") + "|";
    setenv("HALOTUNE_ALLOW_NETWORK_DB", "1", 1);
    said += opening(folder / "here/a.db");
    Store store(folder / "here/a.db");
    store.add(problem());
    return said + (store.check().empty() ? "sound" : "damaged");
  });
  REQUIRE(text);
  if (*text == "no mount") SKIP("this environment does not allow FUSE mounts");
  const std::string refused = "lies on a network file system (fuse.sshfs";
  CHECK(text->find(refused) != std::string::npos);
  CHECK(text->rfind(refused) > text->find('|'));
  CHECK(text->ends_with("|sound"));
}

TEST_CASE("a real FUSE mount of a local folder takes a store, with locks between processes") {
  if (geteuid() != 0 || !is_installed("bindfs") || !std::filesystem::exists("/dev/fuse"))
    SKIP("needs root, /dev/fuse and bindfs");
  TemporaryFolder folder;
  for (const char* name : {"there", "here"}) std::filesystem::create_directory(folder / name);
  const auto text = in_child([&]() -> std::string {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "no mount";
    const FuseMount bindfs({"bindfs", "-f", (folder / "there").string(), (folder / "here").string()}, folder / "here");
    if (!bindfs.mounted()) return "no mount";
    setenv("HALOTUNE_ALLOW_NETWORK_DB", "1", 1);  // its type is "fuse", which could be anything
    const auto file = folder / "here/a.db";
    { Store(file).add(problem()); }
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
      children.push_back(fork());
      if (children.back() != 0) continue;
      Store store(file);
      for (int row = 0; row < 10; ++row) store.add(trial(100 * i + row));
      _exit(0);
    }
    for (const pid_t child : children) waitpid(child, nullptr, 0);
    Store store(file);
    return fmt::format("{} {} trials, {}", file_system_of(file).type, store.trials({}).size(),
                       store.check().empty() ? "sound" : "damaged");
  });
  REQUIRE(text);
  if (*text == "no mount") SKIP("this environment does not allow FUSE mounts");
  CHECK_THAT(*text, ContainsSubstring("fuse") && ContainsSubstring(" 40 trials, sound"));
}
