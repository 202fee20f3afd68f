#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solver/device/flaw.hpp"
#include "solver/device/isa.hpp"
#include "solver/device/whereabouts.hpp"
#include "solver/geometry.hpp"
#include "solver/kernels/gpu/gpu_tiles.hpp"
#include "solver/plan.hpp"
#include "solver/problem.hpp"
#include "solver/transport/communicator.hpp"

namespace halotune {

class Transport;

/// A flaw of one device (`to` empty), or of the way from one device to another, by the names in Plan.devices.
struct PlacedFlaw {
  Flaw flaw;
  std::string from, to;
  bool operator==(const PlacedFlaw&) const = default;
};

/// Switches that tests, checks and watchdogs need; the defaults are what production runs use.
struct SimulationOptions {
  Isa isa = default_isa();
  /// Fill ghosts with NaN beyond what every exchange delivers.
  bool poison_ghosts = false;
  /// Deliberate faults that tests must catch.
  enum class Mutation {
    none,
    depth_minus_one,    ///< every halo box lacks its outermost layer
    psi_not_exchanged,  ///< ghosts keep the psi they had
    frozen_psi,         ///< psi in ghosts is received but not advanced within a block
  };
  Mutation mutation = Mutation::none;
  /// Moves halos instead of the transport that the Plan names (nccl's loop-back); not owned.
  const Transport* transport = nullptr;
  /// Never use the fused sweep (for comparing the two).
  bool fuse = true;
  /// Collect per-command timings.
  bool timing = false;
  /// Tiles of the kernels on GPUs; nothing: those that serve without a search. Ones that are not built, or too
  /// large for the GPU, are a ConfigError. No choice changes a bit of the results.
  std::optional<GpuTiles> gpu_tiles;
  /// Deliberate faults of devices and transports; those that the Plan does not use do nothing. lost and vanishes of a
  /// CPU device are a ConfigError.
  std::vector<PlacedFlaw> flaws;
  /// Where devices report what they are at; not owned, outlives the Simulation.
  Whereabouts* whereabouts = nullptr;
};

/// Order-independent state hash: sum over owned cells of mix64(field, global index, bits), mod 2^64.
struct StateHash {
  std::uint64_t value = 0;
  bool operator==(const StateHash&) const = default;
};

/// One problem, cut by one Plan, in memory on its devices, ready to step.
class Simulation {
 public:
  /// Allocates and sets the initial state. @throws ConfigError when infeasible(); MemoryError when memory cannot be
  /// had, on GPUs before anything is allocated where the forecast exceeds what is free; DeviceError when threads
  /// cannot.
  Simulation(const Problem& problem, const Plan& plan, const SimulationOptions& options = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Takes n more steps; blocks until they are done. n need not be a multiple of s.
  void advance(std::int64_t n);
  std::int64_t steps_taken() const;

  /// Over p, v and psi of owned cells.
  StateHash state_hash();
  /// SHA-256 over p, vx, vy, vz one after another, whole owned grid in global order, x fastest,
  /// little endian, own precision. 64 hex digits.
  std::string digest();
  /// The whole field (0 = p, 1..3 = v) in global order, as double (exact for both precisions).
  std::vector<double> gather(int field);
  /// Replaces a field by values in global order and refreshes all ghosts.
  void scatter(int field, const std::vector<double>& values);
  /// E = sum p^2/(2K) + rho/2 v(n-1/2) v(n+1/2) times cell volume; takes the velocity half step on a
  /// copy. K per axis enters through the scaled velocity, see docs/physics.md. [J]
  double energy();
  /// Around energy(), without a copy of the state: both are energy() on CPU devices. On GPUs they follow from the
  /// state as it stands and the time step's share mu of the stable limit, (1 -+ mu) times the energy without the half
  /// step; absorbing layers may leave them.
  struct EnergyBounds {
    double low_J = 0, high_J = 0;
  };
  EnergyBounds energy_bounds();
  /// False when any owned value is NaN or Inf.
  bool finite();
  /// "cpu:0 to cpu:1" for every ordered pair of devices over which a ghost cell arrived with other bits than its owner
  /// holds. Only meaningful for a Simulation that has not stepped since it was made (or since scatter()).
  std::vector<std::string> wrong_deliveries();
  /// Traces of p, receiver by receiver, one value per step taken since the start.
  const std::vector<std::vector<double>>& traces() const;

  const Problem& problem() const;
  const Plan& plan() const;
  struct Timing {
    std::string device, label;
    double seconds;
    std::int64_t calls;
  };
  std::vector<Timing> timings() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halotune
