#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "db/connection.hpp"
#include "db/schema.hpp"
#include "db/store.hpp"

namespace halotune {
namespace fs = std::filesystem;
namespace {

/// A journal and a few thousand trials.
constexpr std::int64_t needed_bytes = 1 << 20;

struct TakenBack {};

/// 0, or why a file of `bytes` finds no room in the folder. The file has no name and is gone at once.
int try_to_fill(const fs::path& folder, std::int64_t bytes) {
  const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) {
    const int failure = posix_fallocate(file, 0, bytes);
    close(file);
    return failure;
  }
  if (errno == ENOSPC || errno == EDQUOT) return errno;
  struct statvfs room {};  // this file system has no nameless files
  if (statvfs(folder.c_str(), &room) != 0) return 0;
  return room.f_bavail * room.f_frsize < static_cast<std::uint64_t>(bytes) ? ENOSPC : 0;
}

}  // namespace

void Store::require_writable() const {
  if (file() == ":memory:") return;
  try {
    // Takes the write lock, makes the journal, changes nothing, and takes it back.
    connection().write([&] {
      connection().database().exec(fmt::format("PRAGMA user_version={}", schema_version()));
      throw TakenBack{};
    });
  } catch (const TakenBack&) {
  }
  const int failure = try_to_fill(file().parent_path(), needed_bytes);
  if (failure == ENOSPC || failure == EDQUOT) {
    throw DbError(
        fmt::format("the store {} has no room left ({}: less than {} KiB free) free some space or run "
                    "`halotune db prune`; rows stored before are safe",
                    file().string(), std::strerror(failure), needed_bytes >> 10));
  }
}

}  // namespace halotune
