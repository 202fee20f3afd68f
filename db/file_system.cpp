#include "db/file_system.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace halotune {
namespace {

constexpr std::uint32_t fuse_magic = 0x65735546;

constexpr std::array<std::pair<std::uint32_t, const char*>, 18> network_magics{{
    {0x00006969, "NFS"},
    {0x0000517b, "SMB"},
    {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB2"},
    {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x5346414f, "AFS"},
    {0x6b414653, "kAFS"},
    {0x00c36400, "Ceph"},
    {0x19830326, "BeeGFS"},
    {0x20030528, "OrangeFS"},
    {0xaad7aaea, "PanFS"},
    {0x73757245, "Coda"},
    {0x0000564c, "NCP"},
    {0x7461636f, "OCFS2"},
    {0x01161970, "GFS2"},
    {0x786f4256, "VirtualBox shared folder"},
    {0x01021997, "9p"},
}};

constexpr std::array<std::string_view, 11> local_fuse_types{
    "fuseblk",       "virtiofs",       "fuse.fuse-overlayfs", "fuse.ntfs-3g", "fuse.ntfs",      "fuse.bindfs",
    "fuse.mergerfs", "fuse.gocryptfs", "fuse.encfs",          "fuse.lxcfs",   "fuse.squashfuse"};

std::string mount_type(dev_t device) {
  const std::string wanted = fmt::format("{}:{}", major(device), minor(device));
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string id, parent, device_text, type;
    fields >> id >> parent >> device_text;
    const auto separator = line.find(" - ");
    if (device_text != wanted || separator == std::string::npos) continue;
    std::istringstream(line.substr(separator + 3)) >> type;
    return type;
  }
  return {};
}

}  // namespace

FileSystem file_system_of(const std::filesystem::path& path) {
  std::filesystem::path existing = std::filesystem::absolute(path);
  std::error_code ignored;
  while (!std::filesystem::exists(existing, ignored) && existing.has_relative_path()) existing = existing.parent_path();
  struct statfs fs {};
  struct stat status {};
  if (statfs(existing.c_str(), &fs) != 0 || stat(existing.c_str(), &status) != 0) {
    throw DbError(
        fmt::format("cannot examine {} ({}) name another file with --db", existing.string(), std::strerror(errno)));
  }
  return {static_cast<std::uint32_t>(fs.f_type), mount_type(status.st_dev)};
}

std::optional<std::string> network_file_system(const FileSystem& fs) {
  if (fs.magic == fuse_magic) {
    if (std::find(local_fuse_types.begin(), local_fuse_types.end(), fs.type) != local_fuse_types.end()) return {};
    return fs.type.empty() ? "FUSE" : fs.type;
  }
  for (const auto& [magic, name] : network_magics) {
    if (magic == fs.magic) return name;
  }
  return {};
}

void refuse_network_file_system(const std::filesystem::path& file, const FileSystem& fs) {
  const auto name = network_file_system(fs);
  if (!name) return;
  const char* allowed = std::getenv("HALOTUNE_ALLOW_NETWORK_DB");
  if (allowed != nullptr && std::string_view(allowed) == "1") return;
  throw DbError(
      fmt::format("the store {} lies on a network file system ({}: its file locks do not protect a SQLite "
                  "file that several machines open) name a file on a local disk with --db and merge stores "
                  "with `halotune db export` and `db import`, or set HALOTUNE_ALLOW_NETWORK_DB=1 when only "
                  "one machine uses the file",
                  file.string(), *name));
}

}  // namespace halotune
