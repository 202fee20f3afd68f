#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace halotune {

/// Copies the store to "FILE.vVERSION.TIME.backup" beside it, with its permissions, durable on return. The caller holds
/// the write lock and has changed nothing yet. Unfinished copies of callers that were killed are removed first; when
/// one of them got as far as to leave the same copy, that one stays and no other is made.
/// @returns the copy, when it was made. @throws DbError
std::optional<std::filesystem::path> back_up(const std::filesystem::path& file, std::int64_t version);

}  // namespace halotune
