#pragma once
#include <filesystem>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "db/exchange.hpp"
#include "db/store.hpp"

namespace halotune::db_tests {

/// A folder of this test alone, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "halotune-db-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string time_of(int second) {
  return fmt::format("2026-03-01T00:{:02}:{:02}.000000Z", second / 60, second % 60);
}

inline MachineRow machine(int number) {
  return {"",      "class-a",   "env-a",         fmt::format("node-{}", number),
          "set-a", "a machine", time_of(number), R"({"rows":[]})"};
}

inline TrialRow trial(int number, const std::string& machine_id = {}) {
  TrialRow row;
  row.problem_key = "problem-1";
  row.machine_id = machine_id;
  row.hw_class = "class-a";
  row.sw_env = "env-a";
  row.node = "node-1";
  row.visible_set = "set-a";
  row.session = fmt::format("session-{}", number % 2);
  row.plan_key = fmt::format("plan-{}", number);
  row.plan = R"({"parts":[1,1,2]})";
  row.status = number % 3 == 0 ? "infeasible" : "ok";
  row.reason = number % 3 == 0 ? "narrowest part 8 < depth 16" : "";
  row.device_set = "cpu:0,cpu:1";
  row.created = time_of(number);
  row.predicted_s = 0.1 + number * 1e-3;
  if (number % 3 != 0) row.median_s = 1.0 / (3 + number);
  row.samples = "[0.1,0.2]";
  row.provenance = R"({"host":"h"})";
  return row;
}

inline ProblemRow problem() {
  return {"problem-1", R"({"grid":[64,64,64]})"};
}

inline RecommendationRow recommendation(int number) {
  return {
      "",          "problem-1",     R"({"grid":[64,64,64]})", "class-a", "env-a", "node-1", "set-a", "cpu:0", "time",
      "session-1", time_of(number), R"({"basis":"exact"})"};
}

inline RunRow run(int number) {
  return {"", "problem-1", "class-a", "node-1", "plan-1", R"({"parts":[1,1,1]})", time_of(number), R"({"steps":8})"};
}

inline SessionRow session(int number, const std::string& state) {
  return {fmt::format("session-{}", number), "request-1", state, time_of(number), "{}"};
}

inline GpuTilesRow gpu_tiles(int number) {
  return {"", "a GPU", "1.2.3", "order 8 float32", fmt::format("64x64x{}", number), time_of(number), R"({"best":{}})"};
}

inline std::string export_text(const Store& store) {
  std::ostringstream out;
  export_rows(store, out);
  return out.str();
}

/// The message of the exception that `body` throws; fails the caller's expectations by being empty when none comes.
template <class Error, class Body>
std::string message_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace halotune::db_tests
