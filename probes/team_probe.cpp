#include <memory>

#include "probes/probe_groups.hpp"
#include "solver/device/program.hpp"

namespace halotune {
namespace {

constexpr int commands = 64;

Program empty_program(Team& team, int count, bool barrier_after) {
  Program program({&team});
  for (int i = 0; i < count; ++i)
    program.launch(
        0, "empty", [](TeamMember) {}, barrier_after);
  return program;
}

void measure_commands(Team& team, ProbeRow& row, const SamplingPlan& sampling) {
  Program program = empty_program(team, commands, row.variant == "barrier");
  auto seconds = sample_seconds([&](std::int64_t times) { program.run(times); }, sampling);
  for (double& s : seconds) s /= commands;
  row.samples = summarise(seconds);
}

void measure_replay(Team& team, ProbeRow& row, const SamplingPlan& sampling) {
  Program program = empty_program(team, 1, true);
  const auto replay = [&](std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) program.run(1);
  };
  row.samples = summarise(sample_seconds(replay, sampling));
}

void measure_fork_join(Team& team, ProbeRow& row, const SamplingPlan& sampling) {
  const std::function<void(TeamMember)> empty = [](TeamMember) {};
  const auto fork = [&](std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) team.run(empty);
  };
  row.samples = summarise(sample_seconds(fork, sampling));
}

}  // namespace

ProbeGroup team_group(const CpuDeviceSpec& device, const SamplingPlan& sampling) {
  const auto name = device_name(device);
  const auto row = [&](const char* kind, const char* variant, const char* convention) {
    return row_of(kind, variant, name, name, 0, "s", convention);
  };
  ProbeGroup group;
  group.what = "team of " + name;
  group.rows = {row("fork_join", "empty_body", "per Team::run of an empty body"),
                row("program_command", "barrier", "per command of a replayed Program, empty body"),
                row("program_command", "no_barrier", "per command of a replayed Program, empty body"),
                row("program_replay", "empty", "per Program::run of one empty command")};
  group.set_up = [device, sampling]() -> MeasureRow {
    auto team = std::make_shared<Team>(device, 0);
    return [team, sampling](ProbeRow& one, std::size_t) {
      if (one.kind == "fork_join") return measure_fork_join(*team, one, sampling);
      if (one.kind == "program_replay") return measure_replay(*team, one, sampling);
      measure_commands(*team, one, sampling);
    };
  };
  return group;
}

}  // namespace halotune
