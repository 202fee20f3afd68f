#include "solver/device/gpu_flaw.hpp"

#include <memory>
#include <utility>

#include "base/errors.hpp"

namespace halotune {
namespace gpu {

Spin::Spin() : told_(Buffer::pinned(sizeof(int))) {}

Spin::~Spin() {
  tell();
}

void Spin::tell() noexcept {
  *told_.as<volatile int>() = 1;
}

Stretch::Stretch(const Gpu& gpu, std::int64_t factor) : factor_(factor), began_(sizeof(std::uint64_t), gpu) {}

}  // namespace gpu

std::function<void(GpuStream)> flawed_work(const Flaw& flaw, const Gpu& gpu, std::function<void(GpuStream)> work) {
  switch (flaw.kind) {
    case Flaw::Kind::fails: return [](GpuStream) { throw DeviceError("the command failed (injected)"); };
    case Flaw::Kind::vanishes: return [](GpuStream) { gpu::report_vanished(); };
    case Flaw::Kind::hangs:
      return [spin = std::make_shared<gpu::Spin>(), work = std::move(work)](GpuStream stream) {
        spin->enqueue(stream);
        work(stream);
      };
    case Flaw::Kind::slow:
      return [stretch = std::make_shared<gpu::Stretch>(gpu, flaw.factor), work = std::move(work)](GpuStream stream) {
        stretch->begin(stream);
        work(stream);
        stretch->end(stream);
      };
    case Flaw::Kind::lost:
      return [work = std::move(work)](GpuStream stream) {
        work(stream);
        gpu::enqueue_wild_store(stream);
      };
    case Flaw::Kind::out_of_memory:
    case Flaw::Kind::wrong:
    case Flaw::Kind::nan: break;
  }
  return work;
}

}  // namespace halotune
