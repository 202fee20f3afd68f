#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/statistics.hpp"

using namespace halotune;
using Catch::Approx;

namespace {

std::vector<double> first_numbers(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

/// p of n pairs whose magnitudes rank 1..n and whose negative ones have the rank sum w.
double p_of_rank_sum(int n, int w) {
  std::vector<double> a = first_numbers(n), zero(a.size(), 0.0);
  for (int rank = n; rank > 0; --rank) {
    if (rank > w) continue;
    a[static_cast<std::size_t>(rank - 1)] *= -1;
    w -= rank;
  }
  return wilcoxon_signed_rank_p(a, zero);
}

}  // namespace

TEST_CASE("Median and MAD of short lists") {
  CHECK(median(std::vector<double>{3, 1, 2}) == 2.0);
  CHECK(median(std::vector<double>{4, 1, 3, 2}) == 2.5);
  CHECK(median_absolute_deviation(std::vector<double>{1, 1, 2, 2, 4, 6, 9}) == 1.0);
  CHECK(median_absolute_deviation(std::vector<double>{5}) == 0.0);
}

TEST_CASE("No values and NaN give no answer") {
  const std::vector<double> none, bad{1, std::nan(""), 2};
  for (const auto& values : {none, bad}) {
    CHECK_FALSE(median(values));
    CHECK_FALSE(median_absolute_deviation(values));
    CHECK_FALSE(median_interval(values));
    CHECK_FALSE(summarise(values));
  }
}

TEST_CASE("A summary keeps n, median, MAD and extremes") {
  const auto summary = summarise(std::vector<double>{9, 2, 4, 1, 6, 1, 2}).value();
  CHECK((summary.n == 7 && summary.median == 2 && summary.mad == 1 && summary.min == 1 && summary.max == 9));
}

TEST_CASE("The 95 % interval of a median has the ranks of the published sign-test tables") {
  // Conover, Practical Nonparametric Statistics, and Hahn & Meeker, Statistical Intervals: the widest
  // pair of symmetric ranks whose coverage is at least 95 %.
  const std::pair<int, int> lower_rank_of_n[] = {{1, 1},  {5, 1},  {6, 1},   {8, 1},   {9, 2},
                                                 {11, 2}, {12, 3}, {14, 3},  {15, 4},  {17, 5},
                                                 {20, 6}, {25, 8}, {30, 10}, {50, 18}, {100, 40}};
  for (const auto& [n, rank] : lower_rank_of_n) {
    INFO("n = " << n);
    const auto interval = median_interval(first_numbers(n)).value();
    CHECK(interval.low == rank);
    CHECK(interval.high == n + 1 - rank);
    CHECK(interval.median == (n + 1) / 2.0);
  }
}

TEST_CASE("The interval follows the confidence level") {
  CHECK(median_interval(first_numbers(10), 0.99).value().low == 1);
  CHECK(median_interval(first_numbers(10), 0.90).value().low == 2);
  CHECK(median_interval(first_numbers(20), 0.99).value().low == 4);
  CHECK(median_interval(first_numbers(20), 0.50).value().low == 8);
  CHECK_THROWS_AS(median_interval(first_numbers(10), 1.0), std::invalid_argument);
}

TEST_CASE("Large samples neither underflow nor lose the centre") {
  const auto interval = median_interval(first_numbers(10001)).value();
  // Normal approximation: (n+1)/2 -+ 1.95996 sqrt(n)/2 = 4903 and 5099.
  CHECK(interval.low == Approx(4903).margin(1.5));
  CHECK(interval.high == 10002 - interval.low);
}

TEST_CASE("An exact line gives back its alpha and beta") {
  const std::vector<double> bytes{64, 1024, 65536, 1048576, 16777216};
  std::vector<double> seconds;
  for (const double n : bytes) seconds.push_back(5e-6 + n / 12e9);
  const auto fit = fit_alpha_beta(bytes, seconds).value();
  CHECK(fit.alpha_s.value() == Approx(5e-6).epsilon(1e-10));
  CHECK(fit.beta_bytes_per_s == Approx(12e9).epsilon(1e-10));
  CHECK(fit.relative_error < 1e-10);
  CHECK(fit.n == 5);
}

TEST_CASE("The fit weights relative errors") {
  // Minimising ((a + b - 1)/1)^2 + ((a + 2b - 4)/4)^2 + ((a + 3b - 4)/4)^2 by hand: the normal equations
  // 18a + 21b = 24 and 21a + 29b = 36 give a = -60/81, so alpha is 0 and b = 36/29.
  const auto clamped = fit_alpha_beta(std::vector<double>{1, 2, 3}, std::vector<double>{1, 4, 4}).value();
  CHECK_FALSE(clamped.alpha_s);
  CHECK(1 / clamped.beta_bytes_per_s == Approx(36.0 / 29));
  CHECK(clamped.relative_error == Approx(7.0 / 29));
  // ((a - 2)/2)^2 + ((a + b - 2)/2)^2 + ((a + 2b - 4)/4)^2: 9a + 6b = 20, 6a + 8b = 16 give a = 16/9, b = 2/3.
  const auto fit = fit_alpha_beta(std::vector<double>{0, 1, 2}, std::vector<double>{2, 2, 4}).value();
  CHECK(fit.alpha_s.value() == Approx(16.0 / 9));
  CHECK(1 / fit.beta_bytes_per_s == Approx(2.0 / 3));
}

TEST_CASE("What cannot be fitted gives no answer") {
  CHECK_FALSE(fit_alpha_beta({}, {}));
  CHECK_FALSE(fit_alpha_beta(std::vector<double>{8, 8}, std::vector<double>{1, 2}));
  CHECK_FALSE(fit_alpha_beta(std::vector<double>{8, 16}, std::vector<double>{1, 0}));
  CHECK_FALSE(fit_alpha_beta(std::vector<double>{8, 16}, std::vector<double>{2, 1}));
  CHECK_THROWS_AS(fit_alpha_beta(std::vector<double>{8}, {}), std::invalid_argument);
}

TEST_CASE("Wilcoxon: the published critical values at two-sided 5 % are the last significant rank sums") {
  const int critical[] = {0, 2, 3, 5, 8, 10, 13, 17, 21, 25, 29, 34, 40, 46, 52, 58, 65, 73, 81, 89};
  for (int n = 6; n <= 25; ++n) {
    INFO("n = " << n);
    CHECK(p_of_rank_sum(n, critical[n - 6]) <= 0.05);
    CHECK(p_of_rank_sum(n, critical[n - 6] + 1) > 0.05);
  }
}

TEST_CASE("Wilcoxon: exact small-sample probabilities") {
  CHECK(p_of_rank_sum(5, 0) == 2.0 / 32);
  CHECK(p_of_rank_sum(5, 3) == 10.0 / 32);
  CHECK(p_of_rank_sum(10, 8) == 50.0 / 1024);
  CHECK(p_of_rank_sum(4, 5) == 1.0);
  // Hollander & Wolfe (1973), table 3.1: V = 40, one-sided p 0.0195.
  const std::vector<double> before{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const std::vector<double> after{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  CHECK(wilcoxon_signed_rank_p(before, after) == 20.0 / 512);
  CHECK(wilcoxon_signed_rank_p(after, before) == 20.0 / 512);
}

TEST_CASE("Wilcoxon: ties get mid-ranks, zeros are dropped") {
  // |d| = 1, 1, 2 with the signs +, -, +: rank sums 4.5 and 1.5. Of the 8 patterns 3 have at most 1.5.
  CHECK(wilcoxon_signed_rank_p(std::vector<double>{1, -1, 2, 0}, std::vector<double>(4, 0.0)) == 6.0 / 8);
  CHECK(wilcoxon_signed_rank_p(std::vector<double>{1, 1, 1, 1}, std::vector<double>(4, 0.0)) == 2.0 / 16);
  CHECK(wilcoxon_signed_rank_p(std::vector<double>{3, 3}, std::vector<double>{3, 3}) == 1.0);
  CHECK(wilcoxon_signed_rank_p({}, {}) == 1.0);
  CHECK_THROWS_AS(wilcoxon_signed_rank_p(std::vector<double>{1}, {}), std::invalid_argument);
}

TEST_CASE("Wilcoxon: above 25 pairs the corrected normal approximation") {
  // n = 30, W = 137 (critical value of the tables): z = (232.5 - 137 - 0.5)/sqrt(2363.75) = 1.95401.
  CHECK(p_of_rank_sum(30, 137) == Approx(0.0507).margin(5e-4));
  CHECK(p_of_rank_sum(30, 0) < 1e-5);
  // All 30 magnitudes equal, 20 positive: W = 155, variance 2363.75 - (27000 - 30)/48, z = 1.8076.
  std::vector<double> signs(30, 1.0);
  std::fill_n(signs.begin(), 10, -1.0);
  const double variance = 2363.75 - 26970.0 / 48;
  CHECK(wilcoxon_signed_rank_p(signs, std::vector<double>(30, 0.0)) ==
        Approx(std::erfc(77.0 / std::sqrt(variance) / std::sqrt(2.0))));
}

TEST_CASE("Paired ratios cancel a drift that both series share") {
  std::vector<double> a, b;
  for (int block = 0; block < 12; ++block) {
    b.push_back(1.0 + block);
    a.push_back(1.25 * b.back());
  }
  const auto ratio = paired_ratio(a, b).value();
  CHECK((ratio.median == 1.25 && ratio.low == 1.25 && ratio.high == 1.25));
  CHECK_FALSE(paired_ratio({}, {}));
  CHECK_FALSE(paired_ratio(std::vector<double>{0}, std::vector<double>{0}));
}

TEST_CASE("An interval at 95 % needs six values, at 99 % eight") {
  CHECK_FALSE(has_level(0));
  CHECK_FALSE(has_level(5));
  CHECK(has_level(6));
  CHECK_FALSE(has_level(7, 0.99));
  CHECK(has_level(8, 0.99));
}
