#include <cmath>
#include <map>

#include <fmt/format.h>

#include "solver/verify/checks.hpp"
#include "solver/verify/problems.hpp"

namespace halotune {
namespace {

constexpr double points_per_wavelength = 40;
constexpr std::int64_t across = 16;  ///< cells along the two axes that the wave does not see

struct Layout {
  const char* name;
  std::array<std::int64_t, 3> parts;
  int axis;  ///< along which the wave travels: one that the layout splits
};

/// A plane wave towards the high end of `axis`, a tone burst of one wavelength with 40 points per
/// wavelength, in a box that is periodic across. Reflected over incident peak amplitude.
double reflected_over_incident(const VerifyOptions& options, const Layout& layout, std::int64_t layer_cells) {
  const std::int64_t length = 400 + layer_cells;
  std::array<std::int64_t, 3> grid{across, across, across};
  grid[static_cast<std::size_t>(layout.axis)] = length;
  Problem problem = verification_problem(grid, 8, FaceKind::periodic);
  problem.spacing_m.fill(1);
  problem.time_step_s = 0.5;
  const auto axis = static_cast<std::size_t>(layout.axis);
  problem.faces[axis] = {FaceKind::rigid, FaceKind::cpml};
  problem.cpml[axis][1].cells = layer_cells;
  Simulation simulation(problem, verification_plan(options, layout.parts));

  // Rightward travelling: v(x, t) = p(x, t) / (rho c), with v half a step earlier.
  const auto pulse = [](double x) {
    const double u = (x - 200) / (points_per_wavelength / 2);
    return u * std::exp(-u * u / 2);
  };
  std::vector<double> p(static_cast<std::size_t>(problem.cells())), v(p.size());
  for (std::int64_t z = 0; z < grid[2]; ++z) {
    for (std::int64_t y = 0; y < grid[1]; ++y) {
      for (std::int64_t x = 0; x < grid[0]; ++x) {
        const double along = static_cast<double>(std::array{x, y, z}[axis]);
        const auto cell = static_cast<std::size_t>(x + grid[0] * (y + grid[1] * z));
        p[cell] = pulse(along);
        v[cell] = pulse(along + problem.time_step_s / 2);
      }
    }
  }
  simulation.scatter(0, p);
  simulation.scatter(1 + layout.axis, v);

  // Peak of |p| over the free half behind the pulse: first before, then after the wave met the end.
  const auto peak = [&](std::int64_t from, std::int64_t to) {
    const auto field = simulation.gather(0);
    double largest = 0;
    for (std::int64_t i = from; i < to; ++i) {
      std::array<std::int64_t, 3> cell{across / 2, across / 2, across / 2};
      cell[axis] = i;
      largest = std::max(largest,
                         std::abs(field[static_cast<std::size_t>(cell[0] + grid[0] * (cell[1] + grid[1] * cell[2]))]));
    }
    return largest;
  };
  const double incident = peak(100, 300);
  simulation.advance(800);  // 400 cells of travel: 200 to the layer and 200 back
  return peak(100, 300) / incident;
}

}  // namespace

CheckTable check_reflection(const VerifyOptions& options) {
  CheckTable table{"reflection",
                   "Reflected over incident amplitude of a plane wave, 40 points per wavelength",
                   "FDTD paper, table 8 (its set-up is not printed: order of magnitude and decay)",
                   {"CPML cells", "slab-z", "block-xy", "pencil-yz", "paper slab-z", "expected"},
                   {}};
  constexpr std::array<Layout, 3> layouts{
      {{"slab-z", {1, 1, 4}, 2}, {"block-xy", {2, 2, 1}, 0}, {"pencil-yz", {1, 2, 2}, 1}}};
  const std::map<std::int64_t, double> paper{
      {0, 0.9438}, {8, 0.08049}, {12, 0.006714}, {16, 0.0005581}, {24, 3.328e-05}};
  double previous = 2;
  for (const auto& [cells, expected] : paper) {
    if (options.quick && (cells == 12 || cells == 16)) continue;
    std::vector<std::string> texts{std::to_string(cells)};
    std::array<double, 3> ratios{};
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      ratios[i] = reflected_over_incident(options, layouts[i], cells);
      texts.push_back(scientific(ratios[i]));
    }
    const bool same = ratios[0] == ratios[1] && ratios[1] == ratios[2];
    const bool sized = cells == 0 ? ratios[0] >= 0.93 : cells == 24 ? ratios[0] < 1e-4 : ratios[0] < previous / 2;
    texts.push_back(scientific(expected));
    texts.emplace_back(cells == 0 ? ">= 0.93" : cells == 24 ? "< 1e-4" : "falls");
    add_row(table, same && sized && ratios[0] < previous, texts,
            {{"cells", cells},
             {"slab_z", ratios[0]},
             {"block_xy", ratios[1]},
             {"pencil_yz", ratios[2]},
             {"paper", expected}});
    previous = ratios[0];
  }
  return table;
}

}  // namespace halotune
