#include "probes/sampling.hpp"

#include <algorithm>
#include <cmath>

namespace halotune {
namespace {

constexpr int most_warmups = 12;
constexpr double largest_growth = 64;

std::int64_t grown(std::int64_t repeats, double took_s, double wanted_s) {
  const double factor = std::min(wanted_s / std::max(took_s, 1e-9), largest_growth);
  return std::max<std::int64_t>(1, std::llround(std::ceil(static_cast<double>(repeats) * factor)));
}

}  // namespace

void SamplingPlan::check_deadline() const {
  if (Clock::now() > deadline) throw ProbeTimeout("the time for all probes was over");
}

std::vector<double> sample_timed(const std::function<double(std::int64_t)>& timed, const SamplingPlan& plan) {
  std::int64_t repeats = 1;
  for (int warmup = 0; warmup < most_warmups; ++warmup) {
    plan.check_deadline();
    const double took_s = timed(repeats);
    const bool long_enough = took_s >= plan.sample_s / 2;
    if (warmup + 1 >= plan.warmups && long_enough) break;
    if (!long_enough) repeats = grown(repeats, took_s, plan.sample_s);
  }
  std::vector<double> seconds;
  for (int sample = 0; sample < plan.samples; ++sample) {
    plan.check_deadline();
    seconds.push_back(timed(repeats) / static_cast<double>(repeats));
  }
  return seconds;
}

std::vector<double> sample_seconds(const std::function<void(std::int64_t)>& repeat, const SamplingPlan& plan) {
  const auto timed = [&](std::int64_t repeats) {
    const auto start = SamplingPlan::Clock::now();
    repeat(repeats);
    return std::chrono::duration<double>(SamplingPlan::Clock::now() - start).count();
  };
  return sample_timed(timed, plan);
}

}  // namespace halotune
