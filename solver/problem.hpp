#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.hpp"

namespace halotune {

enum class Scheme { collocated, staggered };
enum class Precision { float32, float64 };
enum class FaceKind { cpml, rigid, periodic, free };

/// Axis 0, 1, 2 = x, y, z; x is contiguous in memory. Side 0 = low, 1 = high.
using PerFace = std::array<std::array<FaceKind, 2>, 3>;

/// Acoustic medium. Homogeneous, with a wave speed per axis (equal for an isotropic medium).
struct Medium {
  std::array<double, 3> speed_m_s{1500, 1500, 1500};
  double density_kg_m3 = 1000;
  double max_speed() const;
  bool operator==(const Medium&) const = default;
};

/// CFS-CPML of one face. Profiles follow the FDTD paper's table 2 with sigma_max corrected by c.
struct CpmlFace {
  std::int64_t cells = 20;   ///< thickness L; 0 = no layer, only its rigid backing
  double reflection = 1e-8;  ///< R in sigma_max = -(q+1) c_max ln(R) / (2 L h)
  double grading = 3;        ///< q
  double kappa_max = 5;
  double alpha_ratio = 0.05;  ///< alpha_max / sigma_max
  bool operator==(const CpmlFace&) const = default;
};

struct ZeroState {
  bool operator==(const ZeroState&) const = default;
};
/// Every value is a hash of (seed, field, global index), uniform in [-0.5, 0.5); psi too.
struct RandomState {
  std::int64_t seed = 1;
  bool operator==(const RandomState&) const = default;
};
/// p = amplitude * exp(-|x - center|^2 / (2 width^2)), v = 0.
struct GaussianState {
  std::array<double, 3> center_m{};
  double width_m = 0;
  double amplitude = 1;  ///< [Pa]
  bool operator==(const GaussianState&) const = default;
};
/// p = amplitude * prod_a cos(k_a x_a) at t = 0 with the v that belongs to it at t = -dt/2, k_a = 2 pi
/// modes_a / extent on periodic axes and pi modes_a / extent between rigid faces (cell centres at (i+1/2) h).
struct StandingWaveState {
  std::array<std::int64_t, 3> modes{1, 1, 1};
  double amplitude = 1;  ///< [Pa]
  bool operator==(const StandingWaveState&) const = default;
};
using InitialState = std::variant<ZeroState, RandomState, GaussianState, StandingWaveState>;

/// (1 - 2a^2) exp(-a^2), a = pi f (t - t0). In JSON t0 defaults to 1.2 / f.
struct RickerWavelet {
  double frequency_hz = 0;
  double delay_s = 0;
  bool operator==(const RickerWavelet&) const = default;
};
/// Values at t = n * interval, linear between, zero outside.
struct SampledWavelet {
  std::vector<double> values;
  double interval_s = 0;
  bool operator==(const SampledWavelet&) const = default;
};

/// A pressure rate: each step adds dt * amplitude * weight(cell) * w((n + 1/2) dt) to p(n+1).
struct Source {
  std::array<double, 3> position_m{};
  double amplitude = 1;           ///< [Pa/s] rate of pressure at the centre for a unit wavelet
  std::int64_t radius_cells = 2;  ///< Gaussian width (standard deviation) of the footprint in cells; 0 = one cell
  using Ricker = RickerWavelet;
  using Samples = SampledWavelet;
  std::variant<Ricker, Samples> wavelet;
  /// w(t) in double.
  double value_at(double time_s) const;
  /// Time after which w is (numerically, < 1e-12 of its peak) zero.
  double end_s() const;
  bool operator==(const Source&) const = default;
};

struct Receiver {
  std::string name;
  std::array<double, 3> position_m{};  ///< nearest cell centre is read
  bool operator==(const Receiver&) const = default;
};

struct OutputSpec {
  std::string file;              ///< HDF5 with receiver traces; empty: none
  std::int64_t every_steps = 1;  ///< sampling of the traces
  bool operator==(const OutputSpec&) const = default;
};

/// What to solve. SI units; a field without a unit suffix is in cells.
struct Problem {
  std::array<std::int64_t, 3> grid{};
  std::array<double, 3> spacing_m{10, 10, 10};
  std::int64_t steps = 64;
  double time_step_s = 0;  ///< resolved; see cfl()
  int order = 8;           ///< 2, 4, 6, 8
  Scheme scheme = Scheme::collocated;
  Precision precision = Precision::float32;
  Medium medium;
  PerFace faces{};
  std::array<std::array<CpmlFace, 2>, 3> cpml{};
  InitialState initial = ZeroState{};
  std::vector<Source> sources;
  std::vector<Receiver> receivers;
  OutputSpec output;

  int radius() const { return order / 2; }
  std::int64_t cells() const { return grid[0] * grid[1] * grid[2]; }
  std::int64_t bytes_per_value() const { return precision == Precision::float32 ? 4 : 8; }
  double cfl() const;  ///< lambda = c_max dt / min(h)
  /// CPML thickness of a face, 0 where the face has none.
  std::int64_t layer_cells(int axis, int side) const;
  bool periodic(int axis) const { return faces[axis][0] == FaceKind::periodic; }
  bool operator==(const Problem&) const = default;
};

/// Where a default time step comes from: files use 0.9 of the limit, --grid and --bench 0.05.
enum class CflDefault { fraction_of_limit, fixed };

/// Parses and validates; reports all faults at once with their JSON paths. @throws ConfigError
Problem problem_from_json(const Json& json, CflDefault cfl_default = CflDefault::fraction_of_limit);
Json to_json(const Problem& problem);

/// --grid NXxNYxNZ: lambda 0.05, CPML 20 on every face, order 8, float32, 64 steps, initial random.
Json problem_json_of_grid(std::array<std::int64_t, 3> grid);

/// Sets `path` ("cpml.cells", "faces.xlo", "sources.0.amplitude") to a JSON value or bare word. Setting
/// one of steps and duration_s, or of cfl and time_step_s, removes the other. `problem` is unchanged on error.
/// @throws ConfigError for a path that does not exist in the schema.
void set_json_path(Json& problem, const std::string& assignment);

/// Hash of grid, order, scheme, precision, medium kind, faces, CPML cells (nothing else).
std::string problem_key(const Problem& problem);

/// Largest stable time step: 2 / (c sqrt(sum (M/h_i)^2)) with per-axis speeds, M the maximum of the
/// operator's symbol. @see docs/physics.md
double stable_time_step_s(const Problem& problem);

/// 16 B (float32: 2 psi x read+write x 4 B) per cell of every layer, over all cells, on top of 12
/// values (48 B in float32) per cell and step.
double bytes_per_cell(const Problem& problem);

std::string_view to_string(Scheme);
std::string_view to_string(Precision);
std::string_view to_string(FaceKind);

}  // namespace halotune
