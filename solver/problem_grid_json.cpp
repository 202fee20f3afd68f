#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "solver/json_words.hpp"
#include "solver/problem_reading.hpp"

namespace halotune {
namespace {

// Four float64 fields with their ghosts and padding, 27 times the cells and 8 values a row at worst, are below 2^61 B.
constexpr std::int64_t most_cells_of_axis = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_cells = std::int64_t{1} << 48;
constexpr std::int64_t most_steps = 1'000'000'000'000;

/// Judges the elements that could be read; the others have their fault already.
void check_grid(ProblemReading& reading, const std::array<bool, 3>& read) {
  const auto& grid = reading.problem.grid;
  const std::int64_t least = reading.order_known ? reading.problem.radius() : 1;
  ObjectReader& reader = reading.reader;
  for (int axis = 0; axis < 3; ++axis) {
    if (!read[static_cast<std::size_t>(axis)]) continue;
    const std::string path = fmt::format("grid/{}", axis);
    if (grid[axis] < 1 || grid[axis] > most_cells_of_axis) {
      reading.faults.push_back({"/" + path, fmt::format("is {} cells", grid[axis]),
                                fmt::format("allowed are 1 to {}", most_cells_of_axis), ""});
    } else if (grid[axis] < least) {
      reading.faults.push_back(
          {"/" + path, fmt::format("is {} cells", grid[axis]),
           fmt::format("order {} needs at least {} along every axis", reading.problem.order, least),
           "widen the grid or lower the order"});
    }
  }
  std::int64_t cells = 0;
  if (__builtin_mul_overflow(grid[0], grid[1], &cells) || __builtin_mul_overflow(cells, grid[2], &cells) ||
      cells > most_cells) {
    reader.fault("grid", "has too many cells",
                 fmt::format("{} x {} x {}, at most {}", grid[0], grid[1], grid[2], most_cells), "");
  }
}

void resolve_time_step(ProblemReading& reading, CflDefault cfl_default) {
  ObjectReader& reader = reading.reader;
  Problem& problem = reading.problem;
  const bool given_step = reader.has("time_step_s");
  double cfl = 0;
  const bool step_read = read_positive(reader, "time_step_s", problem.time_step_s);
  const bool cfl_read = read_positive(reader, "cfl", cfl);
  if (given_step && reader.has("cfl")) {
    reader.fault("cfl", "is given beside time_step_s", "each fixes the other", "remove one of them");
    return;
  }
  if ((given_step && !step_read) || (reader.has("cfl") && !cfl_read)) return;
  if (!reading.medium_known || !reading.grid_known || !reading.order_known) return;

  const double limit_s = stable_time_step_s(problem);
  const double courant_s =
      *std::min_element(problem.spacing_m.begin(), problem.spacing_m.end()) / problem.medium.max_speed();
  if (reader.has("cfl")) {
    problem.time_step_s = cfl * courant_s;
  } else if (!given_step) {
    problem.time_step_s = cfl_default == CflDefault::fixed ? 0.05 * courant_s : 0.9 * limit_s;
  }
  const double limit = limit_s / courant_s;
  // A last-digit excess is the rounding of whoever computed the limit.
  if (problem.time_step_s > limit_s * (1 + 1e-12)) {
    reader.fault(given_step ? "time_step_s" : "cfl", "is above the stability limit",
                 fmt::format("lambda {:.6g} ({:.6g} s), limit {:.6g} ({:.6g} s)", problem.cfl(), problem.time_step_s,
                             limit, limit_s),
                 fmt::format("use cfl {:.3f} or less", 0.99 * limit));
  }
}

/// The factors that multiply differences must survive rounding to the precision.
void check_factors(ProblemReading& reading) {
  const Problem& problem = reading.problem;
  if (!reading.medium_known || !reading.grid_known || !reading.order_known) return;
  const bool single = problem.precision == Precision::float32;
  const double least = single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  const double most = single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  for (int axis = 0; axis < 3; ++axis) {
    const double speed = problem.medium.speed_m_s[axis];
    const double velocity = problem.time_step_s / (problem.medium.density_kg_m3 * problem.spacing_m[axis]);
    const double pressure =
        problem.medium.density_kg_m3 * speed * speed * problem.time_step_s / problem.spacing_m[axis];
    for (double factor : {velocity, pressure}) {
      if (factor >= least && factor <= most) continue;
      reading.reader.fault("medium", fmt::format("gives an update factor outside {}", to_string(problem.precision)),
                           fmt::format("{:.3g}", factor), "check the units of speed, density, spacing and time step");
      return;
    }
  }
}

}  // namespace

void read_grid(ProblemReading& reading) {
  const auto faults_before = reading.faults.size();
  check_grid(reading, read_three(reading.reader, "grid", reading.problem.grid, reading.faults));
  read_positive_or_three(reading, reading.reader, "spacing_m", reading.problem.spacing_m);
  reading.grid_known = reading.reader.has("grid") && reading.faults.size() == faults_before;
}

void read_time(ProblemReading& reading, CflDefault cfl_default) {
  const auto faults_before = reading.faults.size();
  resolve_time_step(reading, cfl_default);
  if (reading.faults.size() == faults_before) check_factors(reading);

  ObjectReader& reader = reading.reader;
  Problem& problem = reading.problem;
  double duration_s = 0;
  const bool step_known = problem.time_step_s > 0 && reading.faults.size() == faults_before;
  reader.read("steps", problem.steps);
  const bool duration_read = read_positive(reader, "duration_s", duration_s);
  if (reader.has("duration_s")) {
    if (reader.has("steps")) {
      reader.fault("duration_s", "is given beside steps", "each fixes the other", "remove one of them");
    } else if (duration_read && step_known) {
      const double steps = duration_s / problem.time_step_s;
      // A duration that is a whole number of steps must not gain one by rounding.
      const double rounded = std::round(steps);
      const double whole = std::abs(steps - rounded) <= 1e-9 * steps ? rounded : std::ceil(steps);
      problem.steps =
          whole <= static_cast<double>(most_steps) ? std::max<std::int64_t>(1, std::llround(whole)) : most_steps + 1;
    }
  }
  if (problem.steps < 1 || problem.steps > most_steps) {
    reader.fault(reader.has("duration_s") ? "duration_s" : "steps",
                 problem.steps < 1 ? fmt::format("is {} steps", problem.steps) : "is too many steps",
                 fmt::format("allowed are 1 to {}", most_steps));
  }
}

}  // namespace halotune
