#pragma once
#include <filesystem>
#include <string_view>

namespace halotune {

/// Brings a file, or a folder's entries, to the disk. @throws DbError
void make_durable(const std::filesystem::path& path);

/// Writes a file that appears under its name only when it is complete and on the disk, replacing an older one. Nothing
/// is left behind by a failure, and where the file system has nameless files, nothing by SIGKILL either.
/// @throws DbError
void write_whole_file(const std::filesystem::path& file, std::string_view contents);

}  // namespace halotune
