#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "db/salvage.hpp"
#include "sample_rows.hpp"

#include <SQLiteCpp/Database.h>

namespace halotune::db_tests {

inline constexpr std::int64_t page_bytes = 4096;

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void overwrite(const std::filesystem::path& file, std::int64_t at, const std::string& bytes) {
  std::fstream raw(file, std::ios::in | std::ios::out | std::ios::binary);
  raw.seekp(at);
  raw << bytes;
}

inline std::uint32_t number_in(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = at; i < at + 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes.at(i));
  return number;
}

/// Pages of the free list, by the chain of its trunk pages (SQLite's file format, section 1.5).
inline std::set<std::int64_t> free_pages(const std::string& bytes) {
  std::set<std::int64_t> free;
  for (std::uint32_t trunk = number_in(bytes, 32); trunk != 0;) {
    const auto start = static_cast<std::size_t>((trunk - 1) * page_bytes);
    free.insert(trunk);
    for (std::uint32_t i = 0; i < number_in(bytes, start + 4); ++i) free.insert(number_in(bytes, start + 8 + 4 * i));
    trunk = number_in(bytes, start);
  }
  return free;
}

inline std::string kind_of_page(const std::string& bytes, std::int64_t page) {
  if (free_pages(bytes).contains(page)) return "free list";
  const auto first =
      static_cast<unsigned char>(bytes.at(static_cast<std::size_t>((page - 1) * page_bytes + (page == 1 ? 100 : 0))));
  if (page == 1) return "schema";
  switch (first) {
    case 0x02: return "index interior";
    case 0x05: return "table interior";
    case 0x0a: return "index leaf";
    case 0x0d: return "table leaf";
    default: return "overflow";
  }
}
inline std::string kind_of_page(const std::filesystem::path& file, std::int64_t page) {
  return kind_of_page(bytes_of(file), page);
}

inline bool page_holds(const std::filesystem::path& file, std::int64_t page, const std::string& text) {
  return bytes_of(file).substr(static_cast<std::size_t>((page - 1) * page_bytes), page_bytes).find(text) !=
         std::string::npos;
}

struct DamageOutcomes {
  int trials = 0;
  int refused = 0;                  ///< the store did not open
  int found = 0;                    ///< check() had findings
  int harmless = 0;                 ///< no finding, and every row is what it was
  int unsealed = 0;                 ///< no finding, and text of problems or sessions, which carry no hash, is another
  std::vector<std::string> silent;  ///< no finding, but another export: must not happen
  std::vector<std::string> lost_by_salvage;  ///< salvage() brought a row that was never stored
};
struct DamageReport {
  std::map<std::string, DamageOutcomes> outcomes;  ///< by kind of page
};

inline std::set<std::string> lines_of(const std::string& text, bool hashed_tables_only) {
  std::set<std::string> lines;
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const bool unhashed = line.ends_with("\"table\":\"problems\"}") || line.ends_with("\"table\":\"sessions\"}");
    if (!unhashed || !hashed_tables_only) lines.insert(line);
  }
  return lines;
}

/// A store with every kind of page: long JSON overflows, deleted rows leave free pages.
inline void fill_every_kind_of_page(const std::filesystem::path& file, int trials) {
  Store store(file);
  store.add(problem());
  MachineRow large = machine(1);
  large.json = R"({"text":")" + std::string(20000, 'x') + "\"}";
  const std::string machine_id = store.add(large);
  std::vector<TrialRow> rows;
  for (int i = 0; i < trials; ++i) rows.push_back(trial(i, machine_id));
  store.add_trials(rows);
  for (int i = 0; i < 3; ++i) store.add(recommendation(i));
  store.put(session(1, "finished"));
  RunRow gone = run(1);
  gone.json = R"({"text":")" + std::string(60000, 'y') + "\"}";
  store.add(gone);
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("DELETE FROM runs");
}

/// Damages copies of the store, one byte each, at `places` random places of up to `pages_of_a_kind` pages of each kind,
/// the first bytes (of the file, of each page) among them, and sees what comes of it.
inline DamageReport damage_every_kind_of_page(int trials, int pages_of_a_kind, int places) {
  TemporaryFolder folder;
  fill_every_kind_of_page(folder / "sound.db", trials);
  const std::string sound = bytes_of(folder / "sound.db");
  const std::string text = export_text(Store(folder / "sound.db"));
  const auto stored = lines_of(text, true);
  std::map<std::string, int> taken;
  std::mt19937 random(20261201);
  DamageReport report;
  for (std::int64_t page = 1; page <= static_cast<std::int64_t>(sound.size()) / page_bytes; ++page) {
    std::string kind = kind_of_page(sound, page);
    if (taken[kind]++ >= pages_of_a_kind) continue;
    for (int place = 0; place < (page == 1 ? 100 + places : places); ++place) {
      const bool header = page == 1 && place < 100;
      const int offset = place < places / 2 || header ? place : static_cast<int>(random() % page_bytes);
      DamageOutcomes& outcomes = report.outcomes[header ? "file header" : kind];
      const std::string where = fmt::format("page {} offset {}", page, offset);
      const auto file = folder / "damaged.db";
      std::string damaged = sound;
      damaged[static_cast<std::size_t>((page - 1) * page_bytes + offset)] ^= static_cast<char>(1 + random() % 255);
      std::ofstream(file, std::ios::binary) << damaged;
      ++outcomes.trials;
      try {
        const Salvage saved = salvage(file);
        for (const std::string& line : lines_of(saved.text, true)) {
          if (!stored.contains(line)) outcomes.lost_by_salvage.push_back(where);
        }
      } catch (const DbError&) {
      }
      try {
        const Store store(file);
        if (!store.check().empty()) {
          ++outcomes.found;
        } else if (const std::string now = export_text(store); now == text) {
          ++outcomes.harmless;
        } else if (lines_of(now, true) == stored) {
          ++outcomes.unsealed;
        } else {
          outcomes.silent.push_back(where);
        }
      } catch (const DbError&) {
        ++outcomes.refused;
      }
    }
  }
  return report;
}

}  // namespace halotune::db_tests
