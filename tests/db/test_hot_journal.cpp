#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <csignal>
#include <fstream>

#include "in_child.hpp"
#include "old_store.hpp"

using namespace halotune;
using namespace halotune::db_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A store whose writer was killed in the middle of a transaction that had already overwritten pages of the file.
void leave_hot_journal(const std::filesystem::path& file) {
  {
    Store store(file);
    store.add(problem());
    for (int i = 0; i < 50; ++i) store.add(trial(i));
  }
  const pid_t child = fork();
  if (child == 0) {
    SQLite::Database writer(file.string(), SQLite::OPEN_READWRITE);
    // A tiny cache makes SQLite write pages, after syncing the journal, before the commit that never comes.
    writer.exec("PRAGMA cache_size=1; BEGIN IMMEDIATE; UPDATE trials SET reason='half written', node=node||'x'");
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  REQUIRE(std::filesystem::file_size(file.string() + "-journal") > 512);
}

std::size_t sound_trials(const std::filesystem::path& file) {
  Store store(file);
  return store.check().empty() ? store.trials({}).size() : 0;
}

}  // namespace

TEST_CASE("a journal left by SIGKILL is rolled back by the next opening") {
  TemporaryFolder folder;
  leave_hot_journal(folder / "a.db");
  CHECK(sound_trials(folder / "a.db") == 50);
  CHECK_FALSE(std::filesystem::exists(folder / "a.db-journal"));
}

TEST_CASE("a journal left by SIGKILL in a place that cannot be written is named, and kept") {
  if (geteuid() != 0) SKIP("needs root, to mount in a child");
  TemporaryFolder folder;
  leave_hot_journal(folder / "a.db");
  const auto text = in_child([&]() -> std::string {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount(folder.path().c_str(), folder.path().c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        mount(nullptr, folder.path().c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0) {
      return "no mount";
    }
    return message_of<DbError>([&] { Store store(folder / "a.db"); }) + message_of<DbError>([&] {
             Store other(":memory:");
             import_file(other, folder / "a.db");
           });
  });
  REQUIRE(text);
  if (*text == "no mount") SKIP("this environment does not allow mounts");
  CHECK_THAT(*text, ContainsSubstring("left in the middle of a write") && ContainsSubstring("nothing stored is lost"));
  CHECK(sound_trials(folder / "a.db") == 50);
}

TEST_CASE("importing from a store whose writer was killed says how to finish, and does after that") {
  TemporaryFolder folder;
  leave_hot_journal(folder / "a.db");
  Store store(":memory:");
  CHECK_THAT(message_of<DbError>([&] { import_file(store, folder / "a.db"); }),
             ContainsSubstring("left in the middle of a write") && ContainsSubstring("db check"));
  CHECK(sound_trials(folder / "a.db") == 50);
  CHECK(import_file(store, folder / "a.db").at("trials").added == 50);
}

TEST_CASE("an account without rights reads a sound store, and is told about a journal that it cannot roll back") {
  if (geteuid() != 0) SKIP("needs root, to become an account without rights in a child");
  TemporaryFolder folder;
  leave_hot_journal(folder / "a.db");
  REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
  const auto as_nobody = [&] {
    return in_child([&]() -> std::string {
      if (setgid(65534) != 0 || setuid(65534) != 0) return "no rights to change the account";
      return message_of<DbError>([&] {
        const Store store(folder / "a.db");
        throw DbError(fmt::format("{} trials", store.trials({}).size()));
      });
    });
  };
  for (const mode_t mode : {0644, 0666}) {
    REQUIRE(chmod((folder / "a.db").c_str(), mode) == 0);
    REQUIRE(chmod((folder / "a.db-journal").c_str(), mode) == 0);
    const auto text = as_nobody();
    REQUIRE(text);
    INFO(*text);
    CHECK_THAT(*text, !ContainsSubstring(" trials"));
    CHECK_THAT(*text, ContainsSubstring("the store ") && ContainsSubstring("SQLite code"));
    CHECK(std::filesystem::exists(folder / "a.db-journal"));
    // What a file that may be written in a folder that may not be does to itself, its owner finishes.
  }
  CHECK(sound_trials(folder / "a.db") == 50);
  CHECK_THAT(as_nobody().value_or(""), ContainsSubstring("50 trials"));
}

TEST_CASE("a journal without its store is not thrown away") {
  TemporaryFolder folder;
  const auto file = folder / "a.db";
  leave_hot_journal(file);
  std::filesystem::rename(file, folder / "moved.db");
  CHECK_THAT(message_of<DbError>([&] { Store store(file); }),
             ContainsSubstring("is missing") && ContainsSubstring("a.db-journal holds"));
  std::ofstream(file).close();
  CHECK_THAT(message_of<DbError>([&] { Store store(file); }), ContainsSubstring("is empty"));
  std::filesystem::remove(file);
  std::filesystem::rename(folder / "moved.db", file);
  CHECK(sound_trials(file) == 50);
}

TEST_CASE("a store that is moved away while it is open takes no more rows, and says so") {
  TemporaryFolder folder;
  Store store(folder / "a.db");
  store.add(problem());
  std::filesystem::rename(folder / "a.db", folder / "b.db");
  CHECK_THAT(message_of<DbError>([&] { store.add(trial(1)); }), ContainsSubstring("was moved or deleted"));
  CHECK(Store(folder / "b.db").problems().size() == 1);
}
