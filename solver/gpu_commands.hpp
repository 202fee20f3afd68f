#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "solver/schedule.hpp"
#include "solver/step_regions.hpp"

namespace halotune {

/// PartCommands for a part on a GPU: the same verbs, recorded as kernels of the main lane, or of the part's branch
/// where parts share the GPU: between fan_out() and fan_in(). Thread counts say nothing here.
template <class T>
class GpuPartCommands {
 public:
  GpuPartCommands(const ScheduleContext<T>& context, Program& program, std::int64_t part);

  void whole_step(const StepRegion& region);
  void velocity(const std::array<std::vector<Box>, 3>& boxes);
  void pressure(const std::vector<Box>& boxes);
  void inner_step(const StepRegion& inner, int members);
  void inner_velocity(const StepRegion& inner, int members);
  void inner_pressure(const StepRegion& inner, int members);
  void wrap_pressure(const StepRegion& region);
  void wrap_velocity(const StepRegion& region);
  void inject(const std::vector<Box>& boxes);
  void observe();

 private:
  void enqueue(std::string label, std::function<void(GpuStream)> work);
  void update_velocity(std::vector<std::array<Box, 3>> boxes);

  const Program::Lane lane_;  ///< a branch of its own where several parts share the GPU
  const ScheduleContext<T>& context_;
  Program& program_;
  PartRun<T>& run_;
  const Part& part_;
};

/// GhostCommands for a part on a GPU.
template <class T>
class GpuGhostCommands {
 public:
  GpuGhostCommands(const ScheduleContext<T>& context, Program& program, std::int64_t part);

  void poison(const std::vector<FieldId>& fields);
  void refresh(const std::vector<HaloBox>& received);
  /// The first block already freezes psi, at what it was when the block was recorded.
  void remember_psi();
  void restore_psi();

 private:
  const ScheduleContext<T>& context_;
  Program& program_;
  PartRun<T>& run_;
};

}  // namespace halotune
