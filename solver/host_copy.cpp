#include "solver/host_copy.hpp"

namespace halotune {

template <class T>
HostCopy<T>::HostCopy(const ScheduleContext<T>& on_gpus, Team& team)
    : originals_(on_gpus.parts), context_{on_gpus.problem, on_gpus.plan, on_gpus.cut, on_gpus.options,
                                          on_gpus.kernels, {},           parts_,      on_gpus.traces} {
  context_.teams.assign(on_gpus.gpu->gpus.size(), &team);
  for (const auto& original : originals_) {
    const Part& part = original->memory.part();
    auto run = std::make_unique<PartRun<T>>(PartRun<T>{
        PartMemory<T>(part, on_gpus.problem, on_gpus.plan, team), original->device, 0, {}, nullptr, nullptr});
    parts_.push_back(std::move(run));
  }
}

template <class T>
void HostCopy<T>::take() {
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i]->memory.copy_from(originals_[i]->memory);
}

template <class T>
void HostCopy<T>::put() const {
  for (std::size_t i = 0; i < parts_.size(); ++i) originals_[i]->memory.copy_from(parts_[i]->memory);
}

template class HostCopy<float>;
template class HostCopy<double>;

}  // namespace halotune
