#include <algorithm>
#include <atomic>
#include <thread>

#include "probes/probe_groups.hpp"
#include "solver/device/team.hpp"

namespace halotune {
namespace {

constexpr std::size_t most_pairs = 96;

/// One flag on a line of its own that two cores set in turn.
class Ball {
 public:
  explicit Ball(const SamplingPlan& sampling) : sampling_(sampling) {}

  /// Waits until the flag has `value`. @returns false when either side has given up.
  bool wait_for(std::int64_t value) {
    for (std::int64_t spins = 1; flag_.load(std::memory_order_acquire) != value; ++spins) {
      if (spins % spins_before_yield != 0) continue;
      // The other core may belong to another process for a while.
      std::this_thread::yield();
      if (SamplingPlan::Clock::now() > sampling_.deadline) given_up_ = true;
      if (given_up_) return false;
    }
    return true;
  }
  void set(std::int64_t value) { flag_.store(value, std::memory_order_release); }
  bool given_up() const { return given_up_; }

 private:
  static constexpr std::int64_t spins_before_yield = 20000;
  const SamplingPlan& sampling_;
  alignas(64) std::atomic<std::int64_t> flag_{0};
  alignas(64) std::atomic<bool> given_up_{false};
};

void play(Ball& ball, int thread, std::int64_t rounds) {
  for (std::int64_t round = 0; round < rounds; ++round) {
    if (thread == 0) {
      ball.set(2 * round + 1);
      if (!ball.wait_for(2 * round + 2)) return;
    } else {
      if (!ball.wait_for(2 * round + 1)) return;
      ball.set(2 * round + 2);
    }
  }
}

void measure_ping_pong(ProbeRow& row, const SamplingPlan& sampling) {
  CpuDeviceSpec pair;
  pair.cores = {std::stoi(row.from.substr(row.from.find(':') + 1)), std::stoi(row.to.substr(row.to.find(':') + 1))};
  Team team(pair, 2);
  auto seconds = sample_seconds(
      [&](std::int64_t rounds) {
        Ball ball(sampling);
        team.run([&](TeamMember member) { play(ball, member.thread, rounds); });
        if (ball.given_up()) sampling.check_deadline();
      },
      sampling);
  for (double& s : seconds) s /= 2;
  row.samples = summarise(seconds);
}

ProbeRow ping_pong_row(const std::string& from, const std::string& to) {
  return row_of("flag_ping_pong", "half_round_trip", from, to, 0, "s", "round trip / 2");
}

}  // namespace

ProbeGroup ping_pong_group(const CpuTopology& topology, std::mt19937_64& random, const SamplingPlan& sampling) {
  ProbeGroup group;
  group.what = "core to core";
  const auto& cores = topology.cores;
  for (std::size_t a = 0; a < cores.size(); ++a) {
    for (std::size_t b = a + 1; b < cores.size(); ++b) {
      const auto [low, high] = std::minmax(cores[a].os_index, cores[b].os_index);
      group.rows.push_back(ping_pong_row("core:" + std::to_string(low), "core:" + std::to_string(high)));
    }
  }
  if (group.rows.size() > most_pairs) {
    std::vector<ProbeRow> drawn;
    std::sample(group.rows.begin(), group.rows.end(), std::back_inserter(drawn), most_pairs, random);
    group.rows = std::move(drawn);
  }
  const bool alone = group.rows.empty();
  if (alone) {
    const std::string only = "core:" + (cores.empty() ? std::string("0") : std::to_string(cores.front().os_index));
    group.rows.push_back(ping_pong_row(only, only));
  }
  group.set_up = [=]() -> MeasureRow {
    return [=](ProbeRow& row, std::size_t) {
      if (alone) throw ProbeUnsupported("only one core is allowed");
      measure_ping_pong(row, sampling);
    };
  };
  return group;
}

}  // namespace halotune
