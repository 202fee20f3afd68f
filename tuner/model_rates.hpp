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
  double cells_per_s = 0;         ///< arithmetic limit of its threads for this order and precision
  double command_s = 0;           ///< one command of a replayed program, with its barrier
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

  /// In-place update rate of all devices together for a working set, from memory, L3 or L2; nothing when
  /// no such row exists.
  std::optional<double> update_bytes_per_s(double working_set_bytes) const;
  /// `devices` = how many CPU devices the Plan splits the cores into.
  DeviceRate device(const Problem& problem, const Plan& plan, int devices, double update_all,
                    std::vector<std::string>& assumptions) const;
  MessageCost message(const Plan& plan, int axis, std::int64_t depth, const std::string& from, const std::string& to,
                      int devices, double update_all, std::vector<std::string>& assumptions) const;
  int cores() const;

 private:
  /// First row with a figure; "unverified" ones (page placement unknown) count, they are all a guest can have.
  const ProbeRow* measured(std::string_view kind, std::string_view variant, std::string_view from) const;
  std::optional<double> row(std::string_view kind, std::string_view variant, std::string_view from) const;
  const LinkFit* halo_fit(const std::string& variant, const std::string& from, const std::string& to) const;
  std::optional<double> face_bytes_per_s(const char* what, int axis, std::int64_t depth) const;

  const Machine& machine_;
  const ModelConstants& constants_;
};

}  // namespace halotune
