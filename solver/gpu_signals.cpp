#include "solver/gpu_signals.hpp"

#include <algorithm>

#include "solver/device/gpu_runtime.hpp"
#include "solver/kernels/gpu_signals.hpp"

namespace halotune {
namespace {

template <class Value>
Buffer placed(const std::vector<Value>& values, const Gpu& gpu) {
  Buffer buffer(static_cast<std::int64_t>(values.size() * sizeof(Value)), gpu);
  if (!values.empty()) gpu::copy_now(buffer.data(), values.data(), buffer.bytes());
  return buffer;
}

std::vector<std::size_t> receivers_in(const Problem& problem, const Part& part) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < problem.receivers.size(); ++i) {
    const auto cell = nearest_cell(problem, problem.receivers[i].position_m);
    bool inside = true;
    for (int axis = 0; axis < 3; ++axis) {
      inside = inside && cell[axis] >= part.owned.lo[axis] && cell[axis] < part.owned.hi[axis];
    }
    if (inside) list.push_back(i);
  }
  return list;
}

}  // namespace

bool has_signals(const Problem& problem) {
  return !problem.sources.empty() || !problem.receivers.empty();
}

std::int64_t signal_window(const Problem& problem, std::int64_t s) {
  constexpr std::int64_t table_values = std::int64_t{1} << 20;
  const auto signals = static_cast<std::int64_t>(problem.sources.size() + problem.receivers.size());
  const std::int64_t steps = std::min<std::int64_t>(table_values / std::max<std::int64_t>(1, signals), 65536);
  return std::max<std::int64_t>(1, steps / s) * s;
}

std::vector<std::int64_t> signal_table_bytes(const Problem& problem, const Part& part, std::int64_t s) {
  const auto receivers = static_cast<std::int64_t>(receivers_in(problem, part).size());
  const auto sources = static_cast<std::int64_t>(problem.sources.size());
  const std::int64_t window = signal_window(problem, s);
  return {receivers * static_cast<std::int64_t>(sizeof(std::int64_t)), receivers * window * problem.bytes_per_value(),
          sources * window * static_cast<std::int64_t>(sizeof(double)),
          static_cast<std::int64_t>(sizeof(std::int64_t))};
}

template <class T>
GpuSignals<T>::GpuSignals(const Problem& problem, const Part& part, const PartMemory<T>& memory, const Gpu& gpu,
                          std::int64_t window)
    : view_(memory.view()),
      gpu_(gpu),
      sources_(static_cast<std::int64_t>(problem.sources.size())),
      receivers_(receivers_in(problem, part)) {
  std::vector<std::int64_t> taps;
  for (const std::size_t receiver : receivers_) {
    const auto cell = nearest_cell(problem, problem.receivers[receiver].position_m);
    taps.push_back(view_.layout.at(cell[0] - part.owned.lo[0], cell[1] - part.owned.lo[1], cell[2] - part.owned.lo[2]));
  }
  taps_ = placed(taps, gpu);
  const auto rows = static_cast<std::int64_t>(receivers_.size()) * window;
  traces_ = Buffer(rows * static_cast<std::int64_t>(sizeof(T)), gpu);
  wavelets_ = Buffer(sources_ * window * static_cast<std::int64_t>(sizeof(double)), gpu);
  step_ = Buffer(sizeof(std::int64_t), gpu);
}

template <class T>
void GpuSignals<T>::load(const Problem& problem, std::int64_t first, std::int64_t steps) {
  std::vector<double> table;
  table.reserve(static_cast<std::size_t>(steps * sources_));
  for (std::int64_t step = first; step < first + steps; ++step) {
    const auto values = wavelet_values(problem, step);
    table.insert(table.end(), values.begin(), values.end());
  }
  if (!table.empty()) {
    gpu::copy_now(wavelets_.data(), table.data(), static_cast<std::int64_t>(table.size() * sizeof(double)));
  }
  const std::int64_t zero = 0;
  gpu::copy_now(step_.data(), &zero, sizeof zero);
}

template <class T>
void GpuSignals<T>::take(const Problem& problem, std::int64_t first, std::int64_t steps,
                         std::vector<std::vector<double>>& traces) const {
  const std::size_t width = receivers_.size();
  if (width == 0) return;
  std::vector<T> seen(static_cast<std::size_t>(steps) * width);
  gpu::copy_now(seen.data(), traces_.data(), static_cast<std::int64_t>(seen.size() * sizeof(T)));
  for (std::int64_t step = 0; step < steps; ++step) {
    if ((first + step + 1) % problem.output.every_steps != 0) continue;
    for (std::size_t i = 0; i < width; ++i) {
      traces[receivers_[i]].push_back(static_cast<double>(seen[static_cast<std::size_t>(step) * width + i]));
    }
  }
}

template <class T>
void GpuSignals<T>::add_ghosts(const SourceCell& cell, std::vector<std::int64_t>& ghosts, std::uint32_t& negated,
                               int radius) const {
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t n = view_.owned[axis], i = cell.local[axis];
    for (int side = 0; side < 2; ++side) {
      const GhostRule rule = view_.ghosts[axis][side];
      if (rule == GhostRule::leave || (rule == GhostRule::wrap && axis != 0)) continue;
      const std::int64_t from_low = i, from_high = n - 1 - i;
      const bool low = (side == 0) != (rule == GhostRule::wrap);
      const std::int64_t distance = low ? from_low : from_high;
      if (distance < 0 || distance >= radius) continue;
      auto ghost = cell.local;
      if (rule == GhostRule::wrap) {
        ghost[axis] = side == 0 ? i - n : i + n;
      } else {
        ghost[axis] = side == 0 ? -1 - i : 2 * n - 1 - i;
      }
      if (rule == GhostRule::free) negated |= 1U << ghosts.size();
      ghosts.push_back(view_.layout.at(ghost[0], ghost[1], ghost[2]));
    }
  }
}

template <class T>
std::function<void(GpuStream)> GpuSignals<T>::injection(const Problem& problem, const std::vector<SourceCell>& cells) {
  std::vector<gpu::InjectionCell> list;
  std::vector<gpu::InjectionTerm> terms;
  for (const SourceCell& cell : cells) {
    gpu::InjectionCell entry;
    entry.cell = view_.layout.at(cell.local[0], cell.local[1], cell.local[2]);
    entry.first = static_cast<std::int32_t>(terms.size());
    entry.count = static_cast<std::int32_t>(cell.contributions.size());
    for (const auto& [source, weight] : cell.contributions) {
      terms.push_back({static_cast<std::int64_t>(source), weight});
    }
    std::vector<std::int64_t> ghosts;
    add_ghosts(cell, ghosts, entry.negated, problem.radius());
    entry.ghosts = static_cast<std::int32_t>(ghosts.size());
    std::copy(ghosts.begin(), ghosts.end(), entry.ghost.begin());
    list.push_back(entry);
  }
  gpu::Injection injection;
  lists_.push_back(placed(list, gpu_));
  injection.cells = lists_.back().template as<const gpu::InjectionCell>();
  injection.count = static_cast<std::int64_t>(list.size());
  lists_.push_back(placed(terms, gpu_));
  injection.terms = lists_.back().template as<const gpu::InjectionTerm>();
  injection.wavelets = wavelets_.template as<const double>();
  injection.sources = sources_;
  injection.step = step_.template as<const std::int64_t>();
  injection.time_step_s = problem.time_step_s;
  return [injection, p = view_.p](GpuStream stream) { gpu::inject(p, injection, stream); };
}

template <class T>
std::function<void(GpuStream)> GpuSignals<T>::observation() const {
  return [p = view_.p, taps = taps_.template as<const std::int64_t>(),
          count = static_cast<std::int64_t>(receivers_.size()), traces = traces_.template as<T>(),
          step = step_.template as<std::int64_t>()](GpuStream stream) {
    gpu::observe(p, taps, count, traces, step, stream);
  };
}

template class GpuSignals<float>;
template class GpuSignals<double>;

}  // namespace halotune
