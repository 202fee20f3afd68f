#pragma once
#include <cstdint>

#include "solver/kernels/kernels.hpp"

namespace halotune::gpu {

/// A box of local cells in device code.
struct DeviceBox {
  int lo[3];
  int hi[3];

  __host__ __device__ bool has(int axis, int i) const { return i >= lo[axis] && i < hi[axis]; }
  __host__ __device__ bool has(int x, int y, int z) const { return has(0, x) && has(1, y) && has(2, z); }
  __host__ __device__ int size(int axis) const { return hi[axis] - lo[axis]; }
};

/// A psi strip in device code; `psi` points to where local cell (0, 0, 0) is or would be.
template <class T>
struct StripArgs {
  T* psi;  ///< null: no strip; then the box is empty
  const T *b, *a, *inverse_kappa;
  long long plane;
  int row;
  DeviceBox box;

  __device__ T* at(int x, int y, int z) const { return psi + x + static_cast<long long>(y) * row + z * plane; }
};

/// Where one update takes place.
struct UpdateBoxes {
  DeviceBox box[3];  ///< of the three velocity components; pressure: box[0]
  DeviceBox hull;    ///< around them
};

/// What one launch updates: blocks first[i] to first[i + 1] - 1 take entry i, `across` by `along` of them in a layer
/// and so on along z. Small enough to be a kernel parameter.
struct BoxList {
  static constexpr int most = 18;  ///< shells of three components on six sides
  struct Entry {
    UpdateBoxes boxes;
    int across, along;
    int depth;  ///< planes of a layer of blocks; plain kernels: threads along x
  };
  int count;
  int first[most + 1];
  Entry entry[most];

  /// @param layers of blocks along z
  void add(const UpdateBoxes& boxes, int across, int along, int layers, int depth) {
    entry[count] = {boxes, across, along, depth};
    first[count + 1] = first[count] + across * along * layers;
    ++count;
  }
  int blocks() const { return first[count]; }
};

/// Where a block of a launch over a BoxList is.
struct BlockPlace {
  const BoxList::Entry& entry;
  int x, y, z;
  __device__ static int entry_of(const BoxList& list, int block) {
    int i = 0;
    while (block >= list.first[i + 1]) ++i;
    return i;
  }
  __device__ explicit BlockPlace(const BoxList& list)
      : entry(list.entry[entry_of(list, static_cast<int>(blockIdx.x))]) {
    const int block = static_cast<int>(blockIdx.x) - list.first[&entry - list.entry];
    x = block % entry.across;
    y = block / entry.across % entry.along;
    z = block / entry.across / entry.along;
  }
};

/// One update of a part as kernels get it, by value: p and v point to local cell (0, 0, 0).
template <class T>
struct UpdateArgs {
  T* p;
  T* v[3];
  long long plane;
  int row;
  int owned[3];
  GhostRule ghosts[3][2];
  T difference[4];
  T minus_factor[3];         ///< of the update in question
  StripArgs<T> strip[3][2];  ///< of the update in question

  __device__ long long at(int x, int y, int z) const { return x + static_cast<long long>(y) * row + z * plane; }
};

DeviceBox device_box(const Box& box);

UpdateBoxes velocity_boxes(const std::array<Box, 3>& boxes);
UpdateBoxes pressure_boxes(const Box& box);

template <class T>
UpdateArgs<T> velocity_args(const PartView<T>& part);
template <class T>
UpdateArgs<T> pressure_args(const PartView<T>& part);

}  // namespace halotune::gpu
