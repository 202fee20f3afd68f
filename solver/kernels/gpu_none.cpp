#include "base/errors.hpp"
#include "solver/kernels/gpu_signals.hpp"
#include "solver/kernels/gpu_values.hpp"

/// Stands in for the kernels of GPUs in a build without them.
namespace halotune::gpu {
namespace {

[[noreturn]] void refuse() {
  throw DeviceError("a kernel cannot be launched (this build has no GPU backend) configure with HALOTUNE_GPU=cuda");
}

}  // namespace

template <class T>
void fill_values(const ValueBox<T>&, T, GpuStream) {
  refuse();
}
template <class T>
void add_hash(const ValueBox<T>&, std::uint64_t, const GlobalPlace&, std::uint64_t*, GpuStream) {
  refuse();
}
template <class T>
void count_not_finite(const ValueBox<T>&, std::uint64_t*, GpuStream) {
  refuse();
}
template <class T>
void add_squares(const ValueBox<T>&, double, double*, GpuStream) {
  refuse();
}
template <class T>
void inject(T*, const Injection&, GpuStream) {
  refuse();
}
template <class T>
void observe(const T*, const std::int64_t*, std::int64_t, T*, std::int64_t*, GpuStream) {
  refuse();
}

template void fill_values<float>(const ValueBox<float>&, float, GpuStream);
template void fill_values<double>(const ValueBox<double>&, double, GpuStream);
template void add_hash<float>(const ValueBox<float>&, std::uint64_t, const GlobalPlace&, std::uint64_t*, GpuStream);
template void add_hash<double>(const ValueBox<double>&, std::uint64_t, const GlobalPlace&, std::uint64_t*, GpuStream);
template void count_not_finite<float>(const ValueBox<float>&, std::uint64_t*, GpuStream);
template void count_not_finite<double>(const ValueBox<double>&, std::uint64_t*, GpuStream);
template void add_squares<float>(const ValueBox<float>&, double, double*, GpuStream);
template void add_squares<double>(const ValueBox<double>&, double, double*, GpuStream);
template void inject<float>(float*, const Injection&, GpuStream);
template void inject<double>(double*, const Injection&, GpuStream);
template void observe<float>(const float*, const std::int64_t*, std::int64_t, float*, std::int64_t*, GpuStream);
template void observe<double>(const double*, const std::int64_t*, std::int64_t, double*, std::int64_t*, GpuStream);

}  // namespace halotune::gpu
