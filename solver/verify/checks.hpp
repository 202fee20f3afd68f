#pragma once
#include "solver/verification.hpp"

namespace halotune {

/// Compact second-derivative Laplacian of a standing wave against the FDTD paper's table 6.
CheckTable check_laplacian(const VerifyOptions& options);
/// The solver's own D(D p), taken from one step of it, against the closed-form symbol.
CheckTable check_operators(const VerifyOptions& options);
/// Order of convergence in time of a standing wave, four parts.
CheckTable check_time_convergence(const VerifyOptions& options);
/// Reflected over incident amplitude of a plane wave against CPML thickness, three layouts.
CheckTable check_reflection(const VerifyOptions& options);
/// Plans against the one-part run, bit for bit.
CheckTable check_exactness(const VerifyOptions& options);
/// Energy without and with absorbing layers.
CheckTable check_energy(const VerifyOptions& options);
/// A spreading Gaussian against d'Alembert's solution in three dimensions.
CheckTable check_analytic(const VerifyOptions& options);

/// A Plan of `parts` on the devices in turn (blocks), everything else default.
Plan verification_plan(const VerifyOptions& options, std::array<std::int64_t, 3> parts, int s = 1,
                       ExchangeKind exchange = ExchangeKind::merged);

/// Adds a row; the numbers go into `values` under the column names too.
void add_row(CheckTable& table, bool passed, std::vector<std::string> cells, Json values);

/// "1.234e-05"
std::string scientific(double value);

}  // namespace halotune
