#pragma once
#include "solver/device/gpu_launch.cuh"
#include "solver/kernels/gpu/part_args.cuh"

/// The kernels with one thread per cell or ghost. Boxes may be of any shape and place.
namespace halotune::gpu {

inline constexpr int plain_threads = 256;

/// Adds a box for the plain kernels: rows to neighbouring threads, thin boxes without idle ones.
void add_plain(BoxList& list, const UpdateBoxes& boxes);

template <class T>
void plain_velocity(int order, const UpdateArgs<T>& args, const BoxList& list, GpuStream stream);
template <class T>
void plain_pressure(int order, const UpdateArgs<T>& args, const BoxList& list, GpuStream stream);
/// Ghosts of `field` that follow from cells of a box that something else has written.
template <class T>
void refresh_ghosts(int order, const PartView<T>& part, int field, const Box& box, GpuStream stream);
/// Both ends of a periodic axis.
template <class T>
void wrap_ghosts(int order, const PartView<T>& part, int field, int axis, const Box& box, GpuStream stream);

/// One thread per cell of a box: rows to neighbouring threads, thin boxes without idle ones.
LaunchShape cell_shape(const DeviceBox& box);

}  // namespace halotune::gpu
