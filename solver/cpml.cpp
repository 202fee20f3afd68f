#include "solver/cpml.hpp"

#include <cmath>

namespace halotune {
namespace {

double normalised_depth(std::int64_t j, std::int64_t cells, CpmlPoints points) {
  const auto left = static_cast<double>(cells - j);
  const auto thickness = static_cast<double>(cells);
  switch (points) {
    case CpmlPoints::cell: return (left - 0.5) / thickness;
    case CpmlPoints::half_inner: return (left - 1) / thickness;
    case CpmlPoints::half_outer: return left / thickness;
  }
  return 0;
}

}  // namespace

CpmlProfile cpml_profile(const CpmlFace& face, double speed_m_s, double spacing_m, double time_step_s,
                         CpmlPoints points) {
  CpmlProfile profile;
  const double thickness_m = static_cast<double>(face.cells) * spacing_m;
  const double sigma_max = -(face.grading + 1) * speed_m_s * std::log(face.reflection) / (2 * thickness_m);
  for (std::int64_t j = 0; j < face.cells; ++j) {
    const double rho = normalised_depth(j, face.cells, points);
    const double graded = std::pow(rho, face.grading);
    const double sigma = sigma_max * graded;
    const double kappa = 1 + (face.kappa_max - 1) * graded;
    const double alpha = face.alpha_ratio * sigma_max * (1 - rho);
    const double exponent = -(sigma / kappa + alpha) * time_step_s;
    profile.b.push_back(std::exp(exponent));
    // expm1 keeps the digits of b - 1 when dt is small.
    profile.a.push_back(sigma == 0 ? 0 : sigma * std::expm1(exponent) / (kappa * (sigma + kappa * alpha)));
    profile.inverse_kappa.push_back(1 / kappa);
  }
  return profile;
}

}  // namespace halotune
