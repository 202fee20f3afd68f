#pragma once
#include <filesystem>

namespace halotune {

/// Makes sure that `file` can be a store: absolute and weakly canonical on return, its folders made (0700 for those
/// that were missing), no folder, device or FIFO in its place, no network file system, no journal that lost its store.
/// Links are followed, also to a file that does not exist yet.
/// A folder under /tmp must be ours alone. @throws DbError
std::filesystem::path prepare_location(const std::filesystem::path& file);

/// Where links lead, also when nothing is there yet. @throws DbError when they lead in a circle
std::filesystem::path without_links(std::filesystem::path file);

/// "/tmp/halotune-UID/halotune.db", for accounts without a home.
std::filesystem::path fallback_store_path();

}  // namespace halotune
