#include "probes/sampling.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

using namespace halotune;

TEST_CASE("short operations are repeated until a sample is long enough, and the figure is per operation") {
  SamplingPlan plan;
  plan.samples = 7;
  plan.sample_s = 1e-3;
  std::vector<std::int64_t> calls;
  const auto timed = [&](std::int64_t n) {
    calls.push_back(n);
    return 2e-6 * static_cast<double>(n);
  };
  const auto seconds = sample_timed(timed, plan);
  REQUIRE(seconds.size() == 7);
  CHECK(std::all_of(seconds.begin(), seconds.end(), [](double s) { return s > 1.9e-6 && s < 2.1e-6; }));
  CHECK(calls.front() == 1);
  CHECK(calls.back() >= 490);
  CHECK(calls.back() <= 510);
  CHECK(calls.size() >= 7 + 4);
}

TEST_CASE("long operations run once a sample, after four warm-ups") {
  SamplingPlan plan;
  std::vector<std::int64_t> calls;
  const auto seconds = sample_timed([&](std::int64_t n) { return calls.push_back(n), 0.5; }, plan);
  CHECK(seconds == std::vector<double>(9, 0.5));
  CHECK(calls == std::vector<std::int64_t>(13, 1));
}

TEST_CASE("a clock that never moves does not warm up for ever") {
  int calls = 0;
  const auto seconds = sample_timed([&](std::int64_t) { return ++calls, 0.0; }, SamplingPlan{});
  CHECK(seconds.size() == 9);
  CHECK(calls <= 30);
}

TEST_CASE("a deadline ends the sampling") {
  SamplingPlan plan;
  plan.deadline = SamplingPlan::Clock::now() - std::chrono::seconds(1);
  int calls = 0;
  CHECK_THROWS_AS(sample_seconds([&](std::int64_t) { ++calls; }, plan), ProbeTimeout);
  CHECK(calls == 0);
}
