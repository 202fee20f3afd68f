#include "base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace halotune {
namespace {

bool holds_nan(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double median_of_sorted(const std::vector<double>& values) {
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : values[middle - 1] / 2 + values[middle] / 2;
}

/// Largest k with P(B < k) <= tail for B ~ Binomial(n, 1/2): the k-th smallest and k-th largest
/// values bound the median with confidence >= 1 - 2 tail. 0 when n is too small.
std::size_t sign_rank(std::size_t n, double tail) {
  const double total = static_cast<double>(n);
  double log_mass = -total * std::log(2.0);
  double cumulative = 0;
  for (std::size_t k = 0; k < n; ++k) {
    cumulative += std::exp(log_mass);
    if (cumulative > tail) return k;
    const double next = static_cast<double>(k + 1);
    log_mass += std::log((total - next + 1) / next);
  }
  return n / 2;
}

void require_pairs(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) throw std::invalid_argument("paired samples differ in number");
}

struct SignedRanks {
  std::vector<std::int64_t> doubled;  ///< twice the mid-rank of each difference: whole numbers
  std::int64_t smaller = 0;           ///< twice the smaller of the two rank sums
  double tie_term = 0;                ///< sum of t^3 - t over groups of equal magnitudes
};

SignedRanks rank(std::vector<double> differences) {
  std::sort(differences.begin(), differences.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  SignedRanks ranks;
  std::int64_t positive = 0;
  for (std::size_t first = 0; first < differences.size();) {
    std::size_t last = first;
    while (last < differences.size() && std::abs(differences[last]) == std::abs(differences[first])) ++last;
    const auto doubled = static_cast<std::int64_t>(first + last + 1);
    for (std::size_t index = first; index < last; ++index) {
      ranks.doubled.push_back(doubled);
      if (differences[index] > 0) positive += doubled;
    }
    const double tied = static_cast<double>(last - first);
    ranks.tie_term += tied * tied * tied - tied;
    first = last;
  }
  const std::int64_t sum = std::accumulate(ranks.doubled.begin(), ranks.doubled.end(), std::int64_t{0});
  ranks.smaller = std::min(positive, sum - positive);
  return ranks;
}

/// Share of the 2^n sign patterns whose rank sum is at most the observed one, both sides.
double exact_p(const SignedRanks& ranks) {
  std::vector<double> patterns(static_cast<std::size_t>(ranks.smaller) + 1, 0.0);
  patterns[0] = 1;
  for (const std::int64_t doubled : ranks.doubled) {
    const auto step = static_cast<std::size_t>(doubled);
    for (std::size_t sum = patterns.size(); sum-- > step;) patterns[sum] += patterns[sum - step];
  }
  const double extreme = std::accumulate(patterns.begin(), patterns.end(), 0.0);
  return std::min(1.0, 2 * std::ldexp(extreme, -static_cast<int>(ranks.doubled.size())));
}

double normal_p(const SignedRanks& ranks) {
  const double n = static_cast<double>(ranks.doubled.size());
  const double mean = n * (n + 1) / 4;
  const double variance = n * (n + 1) * (2 * n + 1) / 24 - ranks.tie_term / 48;
  const double distance = std::max(0.0, mean - static_cast<double>(ranks.smaller) / 2 - 0.5);
  return std::min(1.0, std::erfc(distance / std::sqrt(2 * variance)));
}

struct Point {
  double bytes = 0;
  double seconds = 0;
};

std::vector<Point> usable_points(std::span<const double> bytes, std::span<const double> seconds) {
  std::vector<Point> points;
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    const Point point{bytes[index], seconds[index]};
    const bool usable = std::isfinite(point.bytes) && point.bytes >= 0 && std::isfinite(point.seconds);
    if (usable && point.seconds > 0) points.push_back(point);
  }
  return points;
}

/// Minimises sum ((alpha + slope n - t) / t)^2 over both numbers.
std::pair<double, double> weighted_line(const std::vector<Point>& points) {
  double sum_w = 0, sum_n = 0, sum_t = 0;
  for (const auto& [n, t] : points) {
    const double w = 1 / (t * t);
    sum_w += w;
    sum_n += w * n;
    sum_t += w * t;
  }
  const double mean_n = sum_n / sum_w, mean_t = sum_t / sum_w;
  double covariance = 0, variance = 0;
  for (const auto& [n, t] : points) {
    const double w = 1 / (t * t);
    covariance += w * (n - mean_n) * (t - mean_t);
    variance += w * (n - mean_n) * (n - mean_n);
  }
  const double slope = covariance / variance;
  return {mean_t - slope * mean_n, slope};
}

double slope_through_zero(const std::vector<Point>& points) {
  double numerator = 0, denominator = 0;
  for (const auto& [n, t] : points) {
    numerator += n / t;
    denominator += (n / t) * (n / t);
  }
  return numerator / denominator;
}

}  // namespace

std::optional<double> median(std::span<const double> values) {
  if (values.empty() || holds_nan(values)) return std::nullopt;
  return median_of_sorted(sorted(values));
}

std::optional<double> median_absolute_deviation(std::span<const double> values) {
  const auto centre = median(values);
  if (!centre) return std::nullopt;
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - *centre));
  return median(deviations);
}

std::optional<Interval> median_interval(std::span<const double> values, double level) {
  if (values.empty() || holds_nan(values)) return std::nullopt;
  if (!(level > 0 && level < 1)) throw std::invalid_argument("a confidence level lies between 0 and 1");
  const std::vector<double> ordered = sorted(values);
  const std::size_t k = std::max<std::size_t>(1, sign_rank(ordered.size(), (1 - level) / 2));
  return Interval{median_of_sorted(ordered), ordered[k - 1], ordered[ordered.size() - k]};
}

bool has_level(std::int64_t n, double level) {
  return n > 0 && sign_rank(static_cast<std::size_t>(n), (1 - level) / 2) > 0;
}

std::optional<SampleSummary> summarise(std::span<const double> values) {
  const auto centre = median(values);
  if (!centre) return std::nullopt;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return SampleSummary{static_cast<std::int64_t>(values.size()), *centre, *median_absolute_deviation(values), *low,
                       *high};
}

std::optional<AlphaBetaFit> fit_alpha_beta(std::span<const double> bytes, std::span<const double> seconds) {
  require_pairs(bytes, seconds);
  const std::vector<Point> points = usable_points(bytes, seconds);
  const bool two_sizes = std::any_of(points.begin(), points.end(),
                                     [&](const Point& point) { return point.bytes != points.front().bytes; });
  if (!two_sizes) return std::nullopt;
  auto [intercept_s, slope] = weighted_line(points);
  if (!(slope > 0)) return std::nullopt;
  const bool resolved = intercept_s > 0;
  if (!resolved) {
    intercept_s = 0;
    slope = slope_through_zero(points);
  }
  std::vector<double> errors;
  for (const auto& [n, t] : points) errors.push_back(std::abs(intercept_s + slope * n - t) / t);
  return AlphaBetaFit{resolved ? std::optional(intercept_s) : std::nullopt, 1 / slope, median(errors).value(),
                      static_cast<std::int64_t>(points.size())};
}

double wilcoxon_signed_rank_p(std::span<const double> a, std::span<const double> b) {
  constexpr std::size_t largest_exact = 25;
  require_pairs(a, b);
  std::vector<double> differences;
  for (std::size_t index = 0; index < a.size(); ++index) {
    const double difference = a[index] - b[index];
    if (difference != 0 && !std::isnan(difference)) differences.push_back(difference);
  }
  if (differences.empty()) return 1;
  const SignedRanks ranks = rank(std::move(differences));
  return ranks.doubled.size() <= largest_exact ? exact_p(ranks) : normal_p(ranks);
}

std::optional<Interval> paired_ratio(std::span<const double> a, std::span<const double> b, double level) {
  require_pairs(a, b);
  std::vector<double> ratios;
  for (std::size_t index = 0; index < a.size(); ++index) ratios.push_back(a[index] / b[index]);
  return median_interval(ratios, level);
}

}  // namespace halotune
