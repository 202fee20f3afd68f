#include <filesystem>
#include <fstream>
#include <iterator>

#include <SQLiteCpp/Database.h>
#include <sqlite3.h>
#include <unistd.h>

#include "tests/fuzz/loaders.hpp"
#include "tests/fuzz/properties.hpp"
#include "tests/fuzz/sample_store.hpp"
#include "tests/fuzz/stores.hpp"

namespace halotune::fuzz {
namespace {

namespace fs = std::filesystem;

/// A folder of this process, in memory where the system has such a place; removed at the end.
class Folder {
 public:
  Folder() {
    const fs::path shared_memory = "/dev/shm";
    const fs::path parent = access(shared_memory.c_str(), W_OK) == 0 ? shared_memory : fs::temp_directory_path();
    std::string name = (parent / "halotune-fuzz-XXXXXX").string();
    require(mkdtemp(name.data()) != nullptr, "a temporary folder can be made");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path operator/(const char* name) const { return path_ / name; }
  void empty() const {
    for (const auto& entry : fs::directory_iterator(path_)) fs::remove_all(entry.path());
  }

 private:
  fs::path path_;
};

void write(const fs::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

const std::string& sound_store(const Folder& folder) {
  static const std::string bytes = [&] {
    const fs::path file = folder / "sound.db";
    {
      Store store(file);
      add_sample_rows(store);
    }
    return contents(file);
  }();
  return bytes;
}

int no_other_files(void*, int action, const char* what, const char*, const char*, const char*) {
  if (action == SQLITE_ATTACH) return SQLITE_DENY;
  if (action == SQLITE_PRAGMA && std::string_view(what).ends_with("_directory")) return SQLITE_DENY;
  return SQLITE_OK;
}

/// Runs as much of `sql` as SQLite takes, within bounds of time, memory and the one file.
void change(const fs::path& file, const std::string& sql) {
  constexpr int most_operations = 100'000;
  constexpr int longest_value = 1 << 20;
  try {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    sqlite3* handle = database.getHandle();
    sqlite3_set_authorizer(handle, no_other_files, nullptr);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest_value);
    sqlite3_progress_handler(
        handle, most_operations, [](void*) { return 1; }, nullptr);
    database.exec("PRAGMA max_page_count=2048; PRAGMA synchronous=OFF");
    database.exec(sql);
  } catch (const SQLite::Exception&) {  // what it did before counts
  }
}

}  // namespace

void import_db(std::string_view bytes) {
  static const Folder folder;
  const fs::path file = folder / "source.db";
  const std::string& sound = sound_store(folder);
  folder.empty();
  if (bytes.starts_with("SQLite format 3")) {
    write(file, bytes);
  } else {
    write(file, sound);
    change(file, std::string(bytes));
  }
  require_sound_import([&](Store& store) { return import_file(store, file, import_limits); });
}

}  // namespace halotune::fuzz
