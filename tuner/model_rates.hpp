#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/machine.hpp"
#include "solver/plan.hpp"
#include "solver/problem.hpp"
#include "tuner/model.hpp"

namespace halotune {

/// What one device of a Plan can do while all of them work, read from the rows of docs/probes.md.
struct DeviceRate {
  double update_bytes_per_s = 0;  ///< in-place update stream, its share of what all devices get together
  double efficiency = 0;          ///< of it that updating cells reaches
  double psi_efficiency = 0;      ///< the same for psi strips
  double cells_per_s = 0;         ///< arithmetic limit of its threads for this order and precision; a GPU has none
  double command_s = 0;           ///< one command of a replayed program, with its barrier; a node of a graph
  double ramp_cells = 0;          ///< what a GPU misses in each step while kernels start and run out
  double copy_bytes_per_s = 0;    ///< of faces, when not measured
  double least_s_per_byte = 0;    ///< of messages: together they cannot be faster than the memory
  int threads = 1;
};

/// One message of a halo, and the part of its bytes' cost that gathers and scatters.
struct MessageCost {
  double latency_s = 0;
  double pack_s_per_byte = 0;
  double move_s_per_byte = 0;
};

/// Reads rates from a Machine; what is missing is taken by default and named in `assumptions`.
class Rates {
 public:
  Rates(const Machine& machine, const ModelConstants& constants) : machine_(machine), constants_(constants) {}

  /// In-place update rate of all CPU devices together for a working set, from memory, L3 or L2; nothing when
  /// no such row exists.
  std::optional<double> update_bytes_per_s(double working_set_bytes) const;
  /// The same of one GPU; another's, with an assumption, where its own is missing.
  std::optional<double> gpu_update_bytes_per_s(const std::string& gpu, double working_set_bytes,
                                               std::vector<std::string>& assumptions) const;
  /// Of `name` while all `devices` of the Plan work; CPU devices split the cores. Nothing when no bandwidth is known.
  std::optional<DeviceRate> device(const Problem& problem, const Plan& plan, int devices, const std::string& name,
                                   std::vector<std::string>& assumptions) const;
  /// Received by a device of rate `to_rate`.
  MessageCost message(const Plan& plan, int axis, std::int64_t depth, const std::string& from, const std::string& to,
                      const DeviceRate& to_rate, std::vector<std::string>& assumptions) const;
  int cores() const;

 private:
  std::optional<DeviceRate> gpu(const std::string& name, double working_set_bytes,
                                std::vector<std::string>& assumptions) const;
  /// Seconds per byte of a message that no fit tells about.
  double assumed_s_per_byte(const Plan& plan, bool packed, const std::string& variant, bool within, double copy_rate,
                            std::vector<std::string>& assumptions) const;
  /// First row with a figure; "unverified" ones (page placement unknown) count, they are all a guest can have.
  const ProbeRow* measured(std::string_view kind, std::string_view variant, std::string_view from) const;
  std::optional<double> row(std::string_view kind, std::string_view variant, std::string_view from) const;
  const LinkFit* halo_fit(const std::string& variant, const std::string& from, const std::string& to) const;
  std::optional<double> face_bytes_per_s(const char* what, int axis, std::int64_t depth) const;

  const Machine& machine_;
  const ModelConstants& constants_;
};

}  // namespace halotune
