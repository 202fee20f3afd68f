#pragma once
#include <string>
#include <vector>

#include "solver/schedule.hpp"
#include "solver/step_regions.hpp"

namespace halotune {

/// Records the compute commands of one part into a Program. Holds nothing but references and the
/// part's source cells; what it records outlives it.
template <class T>
class PartCommands {
 public:
  PartCommands(const ScheduleContext<T>& context, Program& program, std::int64_t part);

  /// One whole sub-step: fused where the part allows it.
  void whole_step(const StepRegion& region);
  /// The two updates alone, over `boxes` of each velocity component or of pressure.
  void velocity(const std::array<std::vector<Box>, 3>& boxes);
  void pressure(const std::vector<Box>& boxes);
  /// The inner part of an overlapped sub-step, by `members` threads.
  void inner_step(const StepRegion& inner, int members);
  void inner_velocity(const StepRegion& inner, int members);
  void inner_pressure(const StepRegion& inner, int members);
  /// Periodic y and z axes that are not split.
  void wrap_pressure(const StepRegion& region);
  void wrap_velocity(const StepRegion& region);
  /// Sources in the cells of `boxes`.
  void inject(const std::vector<Box>& boxes);
  /// Receivers, and the count of steps.
  void observe();

  bool fusable() const;

 private:
  using Tiles = std::vector<ThreadTile>;
  void launch(std::string label, Program::Body body, bool barrier_after = true);
  void swept(const StepRegion& region, int members);
  void in_turn(const StepRegion& region, int members);
  void for_tiles(std::string label, const StepRegion& region, int members,
                 void (*body)(const Kernels<T>&, const PartView<T>&, const ThreadTile&));

  const ScheduleContext<T>& context_;
  Program& program_;
  PartRun<T>& run_;
  const Part& part_;
  int device_;
  int radius_;
};

}  // namespace halotune
