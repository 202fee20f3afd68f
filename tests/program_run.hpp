#pragma once
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/process.hpp"

namespace halotune {

/// A folder of its own for each test, removed at its end, with the store and the state of the program in it.
class Workplace {
 public:
  Workplace() {
    std::string pattern = (std::filesystem::temp_directory_path() / "halotune-cli-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
  }
  ~Workplace() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  std::map<std::string, std::string> environment() const {
    return {{"XDG_STATE_HOME", folder_.string()}, {"NO_COLOR", "1"}};
  }

 private:
  std::filesystem::path folder_;
};

struct Ran {
  int code = -1;
  std::string out, err;
  Json json() const { return parse_json(out, "stdout"); }
};

inline ChildProcess start(const Workplace& place, std::vector<std::string> arguments,
                          std::map<std::string, std::string> environment = {}) {
  arguments.insert(arguments.begin(), HALOTUNE_PROGRAM);
  ProcessSpec spec;
  spec.argv = std::move(arguments);
  spec.environment = place.environment();
  for (const auto& [name, value] : environment) spec.environment[name] = value;
  ChildProcess child(spec);
  child.close_stdin();
  return child;
}

inline Ran finish(ChildProcess& child) {
  const auto deadline = ChildProcess::Clock::now() + std::chrono::seconds(120);
  Ran ran;
  std::string line;
  while (child.read_line(line, deadline) == ChildProcess::Read::line) ran.out += line + "\n";
  const ProcessExit exit = child.wait(deadline);
  ran.code = exit.code.value_or(exit.signal ? 1000 + *exit.signal : -1);
  ran.err = child.stderr_tail();
  return ran;
}

/// Runs the real program to its end.
inline Ran halotune_run(const Workplace& place, std::vector<std::string> arguments,
                        std::map<std::string, std::string> environment = {}) {
  ChildProcess child = start(place, std::move(arguments), std::move(environment));
  return finish(child);
}

}  // namespace halotune
