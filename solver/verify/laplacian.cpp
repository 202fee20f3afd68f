#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "solver/verify/checks.hpp"

namespace halotune {
namespace {

/// Compact second differences c_0, c_1 .. c_r (unit spacing), exact to the order.
const std::map<int, std::vector<double>>& second_differences() {
  static const std::map<int, std::vector<double>> table{{2, {-2.0, 1.0}},
                                                        {4, {-5.0 / 2, 4.0 / 3, -1.0 / 12}},
                                                        {8, {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560}}};
  return table;
}

struct Errors {
  double l2, linf;
};

/// Relative errors of the Laplacian of sin sin sin, mode 4 per axis of the unit cube, on N^3 cells.
/// The wave is a product, so its rows are taken from one table instead of being stored.
Errors laplacian_errors(int order, std::int64_t n) {
  constexpr double mode = 4;
  const auto& c = second_differences().at(order);
  const auto r = static_cast<std::int64_t>(c.size()) - 1;
  const double h = 1.0 / static_cast<double>(n);
  std::vector<double> wave(static_cast<std::size_t>(n + 2 * r));
  for (std::int64_t i = -r; i < n + r; ++i) {
    wave[static_cast<std::size_t>(i + r)] =
        std::sin(2 * std::numbers::pi * mode * static_cast<double>((i + n) % n) * h);
  }
  const auto at = [&](std::int64_t i) { return wave[static_cast<std::size_t>(i + r)]; };
  const auto second = [&](std::int64_t i) {
    double sum = c[0] * at(i);
    for (std::int64_t l = 1; l <= r; ++l) sum += c[static_cast<std::size_t>(l)] * (at(i + l) + at(i - l));
    return sum / (h * h);
  };
  std::vector<double> bent(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) bent[static_cast<std::size_t>(i)] = second(i);
  const double k = 2 * std::numbers::pi * mode;
  double error2 = 0, norm2 = 0, error_max = 0, norm_max = 0;
  for (std::int64_t z = 0; z < n; ++z) {
    for (std::int64_t y = 0; y < n; ++y) {
      const double yz = at(y) * at(z);
      const double bent_yz = bent[static_cast<std::size_t>(y)] * at(z) + at(y) * bent[static_cast<std::size_t>(z)];
      for (std::int64_t x = 0; x < n; ++x) {
        const double computed = bent[static_cast<std::size_t>(x)] * yz + at(x) * bent_yz;
        const double exact = -3 * k * k * at(x) * yz;
        const double difference = computed - exact;
        error2 += difference * difference;
        norm2 += exact * exact;
        error_max = std::max(error_max, std::abs(difference));
        norm_max = std::max(norm_max, std::abs(exact));
      }
    }
  }
  return {std::sqrt(error2 / norm2), error_max / norm_max};
}

struct Expected {
  int order;
  std::int64_t n;
  double l2;
  double tolerance;  ///< half a unit of the last printed digit, relative
};

/// FDTD paper, table 6.
constexpr std::array<Expected, 14> table6{{{2, 30, 0.05714, 1e-4},
                                           {2, 60, 0.01454, 4e-4},
                                           {2, 120, 0.00365, 1.4e-3},
                                           {2, 240, 0.0009135, 1e-4},
                                           {2, 480, 0.0002284, 3e-4},
                                           {4, 30, 0.005141, 1e-4},
                                           {4, 60, 0.0003368, 2e-4},
                                           {4, 120, 2.13e-05, 2.4e-3},
                                           {4, 240, 1.335e-06, 4e-4},
                                           {4, 480, 8.349e-08, 1e-4},
                                           {8, 30, 6.568e-05, 1e-4},
                                           {8, 60, 2.891e-07, 2e-4},
                                           {8, 120, 1.164e-09, 5e-4},
                                           {8, 240, 4.561e-12, 1e-3}}};

}  // namespace

CheckTable check_laplacian(const VerifyOptions& options) {
  CheckTable table{"laplacian",
                   "Compact second-derivative Laplacian of a standing wave (mode 4), relative error",
                   "FDTD paper, table 6; L-infinity of order 8, N = 240: 4.606e-12",
                   {"order", "N", "L2", "paper L2", "deviation", "Linf"},
                   {}};
  for (const Expected& expected : table6) {
    if (options.quick && expected.n > 120) continue;
    const Errors errors = laplacian_errors(expected.order, expected.n);
    const double deviation = std::abs(errors.l2 / expected.l2 - 1);
    bool passed = deviation <= expected.tolerance;
    if (expected.order == 8 && expected.n == 240) passed = passed && std::abs(errors.linf / 4.606e-12 - 1) < 0.02;
    add_row(table, passed,
            {std::to_string(expected.order), std::to_string(expected.n), scientific(errors.l2), scientific(expected.l2),
             fmt::format("{:.3f} %", 100 * deviation), scientific(errors.linf)},
            {{"order", expected.order},
             {"n", expected.n},
             {"l2", errors.l2},
             {"paper_l2", expected.l2},
             {"linf", errors.linf}});
  }
  return table;
}

}  // namespace halotune
