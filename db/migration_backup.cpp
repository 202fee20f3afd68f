#include "db/migration_backup.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include <SQLiteCpp/Backup.h>
#include <fmt/format.h>

#include "base/errors.hpp"
#include "db/connection.hpp"
#include "db/store.hpp"
#include "db/whole_file.hpp"

namespace halotune {
namespace fs = std::filesystem;
namespace {

std::string time_for_file_name() {
  std::string text = utc_now();
  std::erase_if(text, [](char c) { return c == ':' || c == '-'; });
  return text;
}

/// "FILE.vVERSION.<time>" with one of the endings that a copy, unfinished or whole, and its journal have.
std::vector<fs::path> copies_of(const fs::path& file, std::int64_t version, const std::vector<std::string>& endings) {
  const std::string start = fmt::format("{}.v{}.", file.filename().string(), version);
  const std::size_t time_size = time_for_file_name().size();
  std::vector<fs::path> copies;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(file.parent_path(), failure)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(start) || name.size() < start.size() + time_size) continue;
    const std::string time = name.substr(start.size(), time_size), ending = name.substr(start.size() + time_size);
    const bool ours = time.find_first_not_of("0123456789TZ.") == std::string::npos &&
                      std::find(endings.begin(), endings.end(), ending) != endings.end();
    if (ours) copies.push_back(entry.path());
  }
  return copies;
}

/// SQLite counts changes in its header; a copy may count on from another number.
void clear_counters(std::string& page) {
  constexpr std::array<std::size_t, 2> counters{24, 92};
  for (const std::size_t at : counters) std::fill_n(page.begin() + static_cast<std::ptrdiff_t>(at), 4, '\0');
}

bool same_contents(const fs::path& one, const fs::path& other) {
  std::error_code failure;
  if (fs::file_size(one, failure) != fs::file_size(other, failure) || failure) return false;
  std::ifstream a(one, std::ios::binary), b(other, std::ios::binary);
  std::string x(4096, '\0'), y(4096, '\0');
  for (bool first = true; a && b; first = false) {
    a.read(x.data(), static_cast<std::streamsize>(x.size()));
    b.read(y.data(), static_cast<std::streamsize>(y.size()));
    if (first) clear_counters(x);
    if (first) clear_counters(y);
    if (a.gcount() != b.gcount() ||
        x.compare(0, static_cast<std::size_t>(a.gcount()), y, 0, static_cast<std::size_t>(b.gcount())) != 0)
      return false;
  }
  return true;
}

// A second connection reads: SQLite refuses to copy from a connection that is inside a write transaction.
void copy_database(const fs::path& file, const fs::path& target) {
  Connection source(file, Connection::Mode::read_only);
  {
    SQLite::Database copy(target.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    SQLite::Backup backup(copy, source.database());
    backup.executeStep(-1);
    if (backup.getRemainingPageCount() != 0) throw DbError("the copy is not complete");
  }
  fs::permissions(target, fs::status(file).permissions());
  make_durable(target);
}

}  // namespace

std::optional<fs::path> back_up(const fs::path& file, std::int64_t version) {
  const fs::path target = fmt::format("{}.v{}.{}.backup", file.string(), version, time_for_file_name());
  const fs::path unfinished = target.string() + ".part";
  try {
    for (const fs::path& left_over : copies_of(file, version, {".backup.part", ".backup.part-journal"}))
      fs::remove(left_over);
    copy_database(file, unfinished);
    const auto earlier = copies_of(file, version, {".backup"});
    const bool known = std::any_of(earlier.begin(), earlier.end(),
                                   [&](const fs::path& copy) { return same_contents(copy, unfinished); });
    if (known) {
      fs::remove(unfinished);
      return {};
    }
    fs::rename(unfinished, target);
    make_durable(target.parent_path());
    return target;
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    throw DbError(
        fmt::format("cannot copy the store {} before changing its schema ({}) free some space beside it and see that "
                    "its folder can be written; the store is unchanged",
                    file.string(), error.what()));
  }
}

}  // namespace halotune
