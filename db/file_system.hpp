#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace halotune {

/// The file system below a path.
struct FileSystem {
  std::uint32_t magic = 0;  ///< statfs f_type, see statfs(2)
  std::string type;         ///< as in /proc/self/mountinfo, e.g. "fuse.sshfs"; empty when not found there
};

/// The file system of the deepest existing folder or file on `path`. @throws DbError
FileSystem file_system_of(const std::filesystem::path& path);

/// "NFS", "Lustre", "fuse.sshfs" ... when `fs` lives on other machines, where SQLite cannot trust locks; else nullopt.
/// A FUSE file system counts as remote unless its type is known to be local.
std::optional<std::string> network_file_system(const FileSystem& fs);

/// @throws DbError when `fs` is a network file system, unless HALOTUNE_ALLOW_NETWORK_DB=1 is set.
void refuse_network_file_system(const std::filesystem::path& file, const FileSystem& fs);

}  // namespace halotune
