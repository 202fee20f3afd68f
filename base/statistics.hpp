#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace halotune {

// Every function that answers nullopt for no values does so for a NaN among them too. Functions of
// pairs throw std::invalid_argument when the numbers of values differ.

/// Median of the values (mean of the middle two). Empty: nullopt.
std::optional<double> median(std::span<const double> values);

/// Median absolute deviation from the median, not scaled.
std::optional<double> median_absolute_deviation(std::span<const double> values);

/// A number with the bounds that belong to it.
struct Interval {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// Median with a distribution-free confidence interval from order statistics (binomial signs).
/// With too few values for the level (n < 6 at 95 %) low and high are the extremes.
std::optional<Interval> median_interval(std::span<const double> values, double level = 0.95);

/// Whether median_interval() of n values has the level; with fewer its bounds are the extremes.
bool has_level(std::int64_t n, double level = 0.95);

struct SampleSummary {
  std::int64_t n = 0;
  double median = 0, mad = 0, min = 0, max = 0;
};
std::optional<SampleSummary> summarise(std::span<const double> values);

/// t(n) = alpha + n/beta.
struct AlphaBetaFit {
  std::optional<double> alpha_s;  ///< start-up cost [s], above zero; nothing when the times do not show one
  double beta_bytes_per_s = 0;    ///< asymptotic rate [B/s]
  double relative_error = 0;      ///< median of |fit - measured| / measured
  std::int64_t n = 0;
};
/// Least squares weighted by 1/t^2, so that short and long messages count alike. Needs >= 2 sizes and
/// times that grow with them, else nullopt. Times that would need a negative alpha are fitted by n/beta. Points without
/// a positive finite time are left out of n.
std::optional<AlphaBetaFit> fit_alpha_beta(std::span<const double> bytes, std::span<const double> seconds);

/// Two-sided p-value of the Wilcoxon signed-rank test on paired differences a[i]-b[i] (exact for
/// n <= 25, ties included; above, normal with tie and continuity corrections). Zero and NaN
/// differences are dropped; none left: 1.
double wilcoxon_signed_rank_p(std::span<const double> a, std::span<const double> b);

/// Distribution-free interval of the median of a[i]/b[i]; nullopt for no pairs or 0/0.
std::optional<Interval> paired_ratio(std::span<const double> a, std::span<const double> b, double level = 0.95);

}  // namespace halotune
