#pragma once
#include <filesystem>

namespace halotune {

/// Makes sure that `file` can be a store: absolute and weakly canonical on return, its folders made (0700 for those
/// that were missing), no folder or device in its place, no network file system.
/// A folder under /tmp must be ours alone. @throws DbError
std::filesystem::path prepare_location(const std::filesystem::path& file);

/// "/tmp/halotune-UID/halotune.db", for accounts without a home.
std::filesystem::path fallback_store_path();

}  // namespace halotune
