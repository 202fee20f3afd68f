#include "probes/probe_session.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "probes/probe_targets.hpp"
#include "probes/stream_runs.hpp"
#include "solver/device/memory.hpp"

namespace halotune {
namespace {

constexpr double sentinel_period_s = 1.0;

SamplingPlan sampling_plan(const ProbeOptions& options) {
  SamplingPlan plan;
  plan.samples = options.samples;
  plan.deadline = SamplingPlan::Clock::now() + std::chrono::duration_cast<SamplingPlan::Clock::duration>(
                                                   std::chrono::duration<double>(options.max_seconds));
  return plan;
}

void set_status(ProbeRow& row, std::string status, std::string reason) {
  row.samples.reset();
  row.status = std::move(status);
  row.reason = std::move(reason);
}

std::string described(const ProbeRow& row) {
  return fmt::format("row {} {} {} to {}, {} bytes, {}{}{}", row.kind, row.variant, row.from, row.to, row.bytes,
                     row.status, row.reason.empty() ? "" : ": ", row.reason);
}

ProbeRow drift_row(const std::vector<ProbeRow>& repeats) {
  ProbeRow row;
  row.kind = "sentinel";
  row.variant = "drift";
  row.from = row.to = repeats.front().from;
  row.unit = "ratio";
  row.convention = "repeats / first";
  std::vector<double> ratios;
  for (const auto& repeat : repeats) {
    if (repeat.samples) ratios.push_back(repeat.samples->median / repeats.front().samples->median);
  }
  row.samples = summarise(ratios);
  return row;
}

}  // namespace

Sentinel cpu_sentinel(const CpuDeviceSpec& device, std::int64_t bytes) {
  struct Bench {
    Bench(const CpuDeviceSpec& cores, std::int64_t size) : team(cores, 0), from(size, team), to(size, team) {}
    Team team;
    Buffer from, to;
  };
  const auto bench = std::make_shared<Bench>(device, bytes);
  const auto name = "cpu:" + std::to_string(device.index);
  return {row_of("sentinel", "copy", name, name, bytes, "B/s", copy_convention), [bench](const SamplingPlan& sampling) {
            const StreamArrays arrays{bench->from.as<float>(), bench->to.as<float>(), bench->from.bytes()};
            auto rates = sample_seconds(copy_run(bench->team, arrays, stream_loops().copy_plain), sampling);
            for (double& rate : rates) rate = 2.0 * static_cast<double>(bench->from.bytes()) / rate;
            return rates;
          }};
}

ProbeSession::ProbeSession(const ProbeOptions& options, Sentinel sentinel)
    : options_(options),
      sampling_(sampling_plan(options)),
      random_(std::random_device{}()),
      sentinel_(std::move(sentinel)) {}

void ProbeSession::run(std::vector<ProbeGroup> groups) {
  const auto count = [](int sum, const ProbeGroup& group) { return sum + static_cast<int>(group.rows.size()); };
  all_ += std::accumulate(groups.begin(), groups.end(), 0, count);
  look_at_sentinel();
  for (auto& group : groups) run_group(group);
  look_at_sentinel();
}

bool ProbeSession::out_of_time() const {
  return SamplingPlan::Clock::now() > sampling_.deadline;
}

const ProbeRow* ProbeSession::known(const ProbeRow& row) const {
  const auto identity = [](const ProbeRow& r) { return std::tie(r.kind, r.variant, r.from, r.to, r.bytes, r.unit); };
  const auto found = std::find_if(options_.known.begin(), options_.known.end(),
                                  [&](const ProbeRow& old) { return identity(old) == identity(row); });
  return found == options_.known.end() ? nullptr : &*found;
}

void ProbeSession::run_group(ProbeGroup& group) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    if (const ProbeRow* old = known(group.rows[i])) {
      group.rows[i] = *old;
      ++done_;
    } else {
      order.push_back(i);
    }
  }
  if (!order.empty()) measure_rows(group, std::move(order));
  std::move(group.rows.begin(), group.rows.end(), std::back_inserter(rows_));
}

void ProbeSession::measure_rows(ProbeGroup& group, std::vector<std::size_t> order) {
  MeasureRow measure_row;
  try {
    sampling_.check_deadline();
    measure_row = group.set_up();
  } catch (const ProbeTimeout& e) {
    for (const auto i : order) set_status(group.rows[i], "timeout", e.what());
  } catch (const std::exception& e) {
    for (const auto i : order) set_status(group.rows[i], "failed", e.what());
    last_ = fmt::format("the set-up of {}, which failed: {}", group.what, e.what());
    look_at_sentinel();
  }
  std::shuffle(order.begin(), order.end(), random_);
  for (const std::size_t i : order) {
    if (measure_row) measure(group, i, measure_row);
    ++done_;
  }
}

void ProbeSession::measure(ProbeGroup& group, std::size_t index, const MeasureRow& measure_row) {
  ProbeRow& row = group.rows[index];
  if (options_.progress) options_.progress(group.what, done_, all_);
  const std::chrono::duration<double> since_sentinel = SamplingPlan::Clock::now() - sentinel_time_;
  if (since_sentinel.count() > sentinel_period_s) look_at_sentinel();
  try {
    sampling_.check_deadline();
    measure_row(row, index);
    if (row.status == "ok" && !row.samples) set_status(row, "failed", "the probe gave no samples");
  } catch (const ProbeTimeout& e) {
    set_status(row, "timeout", e.what());
  } catch (const ProbeUnsupported& e) {
    set_status(row, "unsupported", e.what());
  } catch (const std::exception& e) {
    set_status(row, "failed", e.what());
  }
  if (options_.measured) options_.measured(row);
  last_ = described(row);
  if (row.status == "failed") look_at_sentinel();
}

void ProbeSession::look_at_sentinel() {
  if (out_of_time()) return;
  sentinel_time_ = SamplingPlan::Clock::now();
  ProbeRow row = sentinel_.row;
  try {
    row.samples = summarise(sentinel_.take_rates(sampling_));
  } catch (const ProbeTimeout&) {
    return;
  } catch (const DeviceError& e) {
    if (last_.empty()) throw;
    throw DeviceError(fmt::format("{} (seen after {})", e.what(), last_));
  }
  sentinel_rows_.push_back(std::move(row));
}

std::vector<ProbeRow> ProbeSession::take_rows() {
  if (!sentinel_rows_.empty()) sentinel_rows_.push_back(drift_row(sentinel_rows_));
  std::move(sentinel_rows_.begin(), sentinel_rows_.end(), std::back_inserter(rows_));
  sentinel_rows_.clear();
  return std::exchange(rows_, {});
}

void report(ProbeRow& row, const std::optional<std::string>& wrong, const std::vector<double>& seconds) {
  if (wrong) {
    row.status = "failed";
    row.reason = *wrong;
  } else {
    row.samples = summarise(seconds);
  }
}

std::optional<SampleSummary> rates_from_seconds(const std::vector<double>& seconds, double bytes_per_operation) {
  std::vector<double> rates;
  for (const double s : seconds) rates.push_back(bytes_per_operation / s);
  return summarise(rates);
}

std::int64_t memory_array_bytes(std::int64_t l3_bytes, std::int64_t memory_bytes, bool quick) {
  constexpr std::int64_t mib = std::int64_t{1} << 20;
  const std::int64_t wanted = (l3_bytes > 0 ? l3_bytes : 32 * mib) * (quick ? 2 : 4);
  const std::int64_t most = memory_bytes > 0 ? std::min(memory_bytes / 16, 4096 * mib) : 256 * mib;
  return std::max(mib, std::min(wanted, most)) / 4096 * 4096;
}

}  // namespace halotune
