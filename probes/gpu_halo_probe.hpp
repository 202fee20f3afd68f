#pragma once
#include "probes/face_box.hpp"
#include "probes/halo_probe.hpp"
#include "probes/sampling.hpp"

namespace halotune {

/// measure_halo() between GPUs, or a GPU and itself (the same object): the host's clock over many replays of a Program,
/// of which none begins before the message before has been taken; the owners write and check the data.
struct GpuHaloEnds {
  Gpu& from;
  Gpu& to;
  Buffer& source;
  Buffer& destination;
};
HaloTimes measure_gpu_halo(const Transport& transport, Packing packing, const FaceShape& shape, GpuHaloEnds ends,
                           const SamplingPlan& sampling);

}  // namespace halotune
