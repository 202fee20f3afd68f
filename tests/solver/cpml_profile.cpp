#include <cmath>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "solver/cpml.hpp"

using namespace halotune;
using Catch::Matchers::WithinRel;

namespace {

// The table's formulas at one depth, written out again with b - 1 and no cancellation trick.
struct Expected {
  double b, a, inverse_kappa;
};
Expected expected(const CpmlFace& face, double c, double h, double dt, double rho) {
  const double sigma_max = -(face.grading + 1) * c * std::log(face.reflection) / (2.0 * double(face.cells) * h);
  const double sigma = sigma_max * std::pow(rho, face.grading);
  const double kappa = 1 + (face.kappa_max - 1) * std::pow(rho, face.grading);
  const double alpha = face.alpha_ratio * sigma_max * (1 - rho);
  const double b = std::exp(-(sigma / kappa + alpha) * dt);
  return {b, sigma == 0 ? 0 : sigma * (b - 1) / (kappa * (sigma + kappa * alpha)), 1 / kappa};
}

void check(const CpmlFace& face, CpmlPoints points, double offset) {
  const auto profile = cpml_profile(face, 1500, 10, 3e-4, points);
  REQUIRE(std::int64_t(profile.b.size()) == face.cells);
  REQUIRE(std::int64_t(profile.a.size()) == face.cells);
  REQUIRE(std::int64_t(profile.inverse_kappa.size()) == face.cells);
  for (std::int64_t j = 0; j < face.cells; ++j) {
    const auto e = expected(face, 1500, 10, 3e-4, (double(face.cells - j) + offset) / double(face.cells));
    CHECK_THAT(profile.b[j], WithinRel(e.b, 1e-12));
    CHECK_THAT(profile.a[j], WithinRel(e.a, 1e-10));
    CHECK_THAT(profile.inverse_kappa[j], WithinRel(e.inverse_kappa, 1e-12));
  }
}

}  // namespace

TEST_CASE("CPML profiles follow the formulas at their points", "[cpml]") {
  check(CpmlFace{}, CpmlPoints::cell, -0.5);
  check(CpmlFace{}, CpmlPoints::half_inner, -1);
  check(CpmlFace{}, CpmlPoints::half_outer, 0);
  check(CpmlFace{7, 1e-5, 2, 1, 0.2}, CpmlPoints::cell, -0.5);
}

TEST_CASE("CPML numbers by hand: L = 1, q = 1, kappa 3, no alpha", "[cpml]") {
  // sigma_max = -2 * 1000 * ln(e^-2) / (2 * 1 * 4) = 500; rho = 1/2: sigma = 250, kappa = 2.
  const auto profile = cpml_profile({1, std::exp(-2.0), 1, 3, 0}, 1000, 4, 1e-3, CpmlPoints::cell);
  CHECK_THAT(profile.b[0], WithinRel(std::exp(-0.125), 1e-14));
  CHECK_THAT(profile.a[0], WithinRel((std::exp(-0.125) - 1) / 2, 1e-13));
  CHECK_THAT(profile.inverse_kappa[0], WithinRel(0.5, 1e-15));
}

TEST_CASE("CPML where sigma is zero: a is zero, not 0/0", "[cpml]") {
  const auto profile = cpml_profile({5, 1e-8, 3, 5, 0}, 1500, 10, 1e-3, CpmlPoints::half_inner);
  CHECK(profile.a[4] == 0);
  CHECK(profile.b[4] == 1);
  CHECK(profile.inverse_kappa[4] == 1);
  CHECK(profile.a[0] < 0);
}

TEST_CASE("CPML without cells is empty", "[cpml]") {
  CpmlFace face;
  face.cells = 0;
  CHECK(cpml_profile(face, 1500, 10, 1e-3, CpmlPoints::cell).b.empty());
}
