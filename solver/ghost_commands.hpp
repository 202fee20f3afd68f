#pragma once
#include <vector>

#include "solver/schedule.hpp"

namespace halotune {

/// Records what happens to the ghosts of one part around an exchange. Like PartCommands, holds
/// references only.
template <class T>
class GhostCommands {
 public:
  GhostCommands(const ScheduleContext<T>& context, Program& program, std::int64_t part);

  /// Fills ghosts beyond split sides of the given fields with NaN.
  void poison(const std::vector<FieldId>& fields);
  /// Mirrors next to received cells.
  void refresh(const std::vector<HaloBox>& received);
  /// Mutation frozen_psi: remembers psi of the ghosts after an exchange, and puts it back.
  void remember_psi();
  void restore_psi();

 private:
  const ScheduleContext<T>& context_;
  Program& program_;
  PartRun<T>& run_;
};

}  // namespace halotune
