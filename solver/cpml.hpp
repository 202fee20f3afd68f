#pragma once
#include <vector>

#include "solver/problem.hpp"

namespace halotune {

/// Recursion coefficients of one layer, j = 0 .. L-1 counted from the outside, in double.
/// psi <- b psi + a d;  the derivative used is inverse_kappa d + psi.
struct CpmlProfile {
  std::vector<double> b, a, inverse_kappa;
};

enum class CpmlPoints {
  cell,        ///< rho = (L - j - 1/2) / L: everything collocated; p points of the staggered scheme
  half_inner,  ///< rho = (L - j - 1) / L: staggered half points on the inner side of cell j
  half_outer,  ///< rho = (L - j) / L
};

/// Profile of a face: sigma_max = -(q+1) c ln(R) / (2 L h), kappa = 1 + (kappa_max - 1) rho^q,
/// alpha = alpha_max (1 - rho), b = exp(-(sigma/kappa + alpha) dt), a = sigma (b-1) / (kappa (sigma +
/// kappa alpha)), a = 0 where sigma = 0 (FDTD paper, table 2, with c restored). c is the largest speed.
CpmlProfile cpml_profile(const CpmlFace& face, double speed_m_s, double spacing_m, double time_step_s,
                         CpmlPoints points);

}  // namespace halotune
