#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver/plan.hpp"

namespace halotune {

/// A Plan of more parts is refused before anything is built for it.
inline constexpr std::int64_t most_parts = 1 << 20;

/// --plan FILE and one flag per field of a Plan.
class PlanOptions {
 public:
  void add_to(CLI::App& app);
  bool given() const;
  /// The Plan of the file (a Plan, or an answer of `tune` or `recommend`) or the default Plan, changed by the flags.
  /// More parts than most_parts or than the `cells` of the grid are a fault.
  /// Parts default to one per device, devices to one per part as far as the cores or GPUs reach; the transport to that
  /// of the kind of devices. Nothing when there are faults.
  /// With `gpus`, devices that are not named are GPUs; `at_hand` says how many devices there are where that is not this
  /// machine's number.
  std::optional<Plan> read(std::vector<Fault>& faults, std::int64_t cells = most_parts, bool gpus = false,
                           std::optional<std::size_t> at_hand = std::nullopt) const;

 private:
  Json base(std::vector<Fault>& faults) const;
  void place(Json& plan, std::vector<Fault>& faults, std::int64_t cells, bool gpus,
             std::optional<std::size_t> at_hand) const;

  std::string file_, parts_, s_, exchange_, depths_, transport_, packing_, overlap_, devices_, threads_, cuts_;
};

/// The command-line flags that describe a Plan: {"--parts", "1x1x2", ...}.
std::vector<std::string> plan_arguments(const Plan& plan);

}  // namespace halotune
