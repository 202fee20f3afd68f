#include "db/location.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "db/file_system.hpp"
#include "db/store.hpp"

namespace halotune {
namespace fs = std::filesystem;
namespace {

std::optional<fs::path> absolute_from_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text != '/') return {};
  return fs::path(text);
}

std::optional<fs::path> home_of_account() {
  std::array<char, 16384> text{};
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr) return {};
  if (found->pw_dir == nullptr || *found->pw_dir != '/' || access(found->pw_dir, W_OK) != 0) return {};
  return fs::path(found->pw_dir);
}

void make_private_folders(const fs::path& folder, const fs::path& file) {
  if (folder.empty() || fs::exists(folder)) return;
  make_private_folders(folder.parent_path(), file);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw DbError(fmt::format("cannot make the folder {} for the store ({}) name a file you can write with --db",
                              folder.string(), std::strerror(errno)));
  }
}

void require_own_folder(const fs::path& folder) {
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0) return;
  if (S_ISDIR(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & 0022) == 0) return;
  throw DbError(
      fmt::format("the folder {} is not safe for a store (others can write there, or it is a link) remove "
                  "it, set HOME or XDG_STATE_HOME, or name a file with --db",
                  folder.string()));
}

std::uint32_t big_endian(const std::array<unsigned char, 28>& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = at; i < at + 4; ++i) number = number << 8 | bytes[i];
  return number;
}

/// SQLite removes a journal that has no database beside it. When the journal holds pages of one (its header says how
/// many there were), the database was moved or cut without it, and both are needed.
void require_no_orphaned_journal(const fs::path& file) {
  std::error_code missing;
  if (const auto bytes = fs::file_size(file, missing); !missing && bytes > 0) return;
  const fs::path journal = file.string() + "-journal";
  std::array<unsigned char, 28> header{};
  std::ifstream in(journal, std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(header.data()), header.size())) return;
  constexpr std::array<unsigned char, 8> magic{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
  if (!std::equal(magic.begin(), magic.end(), header.begin()) || big_endian(header, 16) == 0) return;
  throw DbError(
      fmt::format("the store {} is {} but {} holds {} pages of it (the store was moved or cut without its journal) put "
                  "the store back "
                  "beside its journal, or move the journal away to start afresh",
                  file.string(), missing ? "missing" : "empty", journal.string(), big_endian(header, 16)));
}

}  // namespace

fs::path without_links(fs::path file) {
  constexpr int most_links = 40;
  for (int i = 0; i < most_links; ++i) {
    std::error_code none;
    const fs::path target = fs::read_symlink(file, none);
    if (none) return file;
    file = (file.parent_path() / target).lexically_normal();
  }
  throw DbError(fmt::format("{} cannot be reached (its links lead in a circle) name another file", file.string()));
}

fs::path fallback_store_path() {
  return fmt::format("/tmp/halotune-{}/halotune.db", geteuid());
}

fs::path Store::default_path() {
  if (const auto state = absolute_from_environment("XDG_STATE_HOME")) return *state / "halotune" / "halotune.db";
  auto home = absolute_from_environment("HOME");
  if (!home) home = home_of_account();
  if (home) return *home / ".local" / "state" / "halotune" / "halotune.db";
  return fallback_store_path();
}

fs::path prepare_location(const fs::path& file) {
  if (file.empty()) throw DbError("the store has no file name (the path is empty) name a file with --db");
  try {
    const fs::path whole = without_links(fs::absolute(file).lexically_normal());
    refuse_network_file_system(whole, file_system_of(whole));
    make_private_folders(whole.parent_path(), whole);
    if (whole == fallback_store_path()) require_own_folder(whole.parent_path());
    if (!fs::is_directory(whole.parent_path())) {
      throw DbError(fmt::format("the store {} cannot be made ({} is not a folder) name another file with --db",
                                whole.string(), whole.parent_path().string()));
    }
    if (fs::exists(whole) && !fs::is_regular_file(whole)) {
      throw DbError(
          fmt::format("the store {} cannot be used (it is a folder or a device, not a file) name a file "
                      "with --db",
                      whole.string()));
    }
    require_no_orphaned_journal(whole);
    return fs::weakly_canonical(whole);
  } catch (const fs::filesystem_error& error) {
    throw DbError(fmt::format("the store {} cannot be reached ({}) name another file with --db", file.string(),
                              error.code().message()));
  }
}

}  // namespace halotune
