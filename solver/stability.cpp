#include "solver/stability.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace halotune {
namespace {

double factorial(int n) {
  return std::tgamma(n + 1.0);
}

/// a_l of sum a_l (f[i+l] - f[i-l]), or of sum a_l (f[i+l-1/2] - f[i-l+1/2]): maximal order.
std::vector<double> weights(int radius, Scheme scheme) {
  std::vector<double> values;
  double odd_product = 1;
  for (int k = 1; k <= radius; ++k) odd_product *= 2 * k - 1;
  for (int l = 1; l <= radius; ++l) {
    const double sign = l % 2 == 1 ? 1 : -1;
    if (scheme == Scheme::collocated) {
      const double top = factorial(radius);
      values.push_back(sign * top * top / (l * factorial(radius - l) * factorial(radius + l)));
    } else {
      const double bottom = std::pow(4, radius - 1) * factorial(radius + l - 1) * factorial(radius - l);
      values.push_back(sign * odd_product * odd_product / (bottom * (2 * l - 1) * (2 * l - 1)));
    }
  }
  return values;
}

double symbol(const std::vector<double>& weight, Scheme scheme, double theta) {
  const double offset = scheme == Scheme::collocated ? 0 : 0.5;
  double sum = 0;
  for (std::size_t l = 0; l < weight.size(); ++l) {
    sum += weight[l] * std::sin((static_cast<double>(l) + 1 - offset) * theta);
  }
  return std::abs(2 * sum);
}

}  // namespace

double symbol_maximum(int order, Scheme scheme) {
  const auto weight = weights(order / 2, scheme);
  constexpr int coarse = 1024;
  const double step = std::numbers::pi / coarse;
  int best = 0;
  for (int i = 1; i <= coarse; ++i) {
    if (symbol(weight, scheme, i * step) > symbol(weight, scheme, best * step)) best = i;
  }
  double low = std::max(0, best - 1) * step;
  double high = std::min(coarse, best + 1) * step;
  for (int i = 0; i < 80; ++i) {
    const double left = low + (high - low) / 3;
    const double right = high - (high - low) / 3;
    (symbol(weight, scheme, left) < symbol(weight, scheme, right) ? low : high) =
        symbol(weight, scheme, left) < symbol(weight, scheme, right) ? left : right;
  }
  return std::max(symbol(weight, scheme, (low + high) / 2), symbol(weight, scheme, best * step));
}

double stable_time_step_s(const Problem& problem) {
  const double peak = symbol_maximum(problem.order, problem.scheme);
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double rate = peak * problem.medium.speed_m_s[axis] / problem.spacing_m[axis];
    sum += rate * rate;
  }
  return 2 / std::sqrt(sum);
}

}  // namespace halotune
