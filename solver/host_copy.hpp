#pragma once
#include <memory>
#include <vector>

#include "solver/schedule.hpp"

namespace halotune {

/// The parts of GPUs once more in host memory, for what the host does with a state as a whole: the initial state,
/// digest, energy, fields in global order. As large as the parts, so it is made when needed and dropped.
template <class T>
class HostCopy {
 public:
  /// @param parts the parts on GPUs; they, the context and the team outlive this object
  HostCopy(const ScheduleContext<T>& on_gpus, Team& team);

  void take();  ///< GPUs to host, everything
  void put() const;
  /// The same problem with the host's team in the place of every GPU.
  const ScheduleContext<T>& context() const noexcept { return context_; }
  PartMemory<T>& memory(std::size_t part) { return parts_[part]->memory; }

 private:
  const PartRuns<T>& originals_;
  PartRuns<T> parts_;
  ScheduleContext<T> context_;
};

extern template class HostCopy<float>;
extern template class HostCopy<double>;

}  // namespace halotune
