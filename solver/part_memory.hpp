#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "solver/device/memory.hpp"
#include "solver/kernels/kernels.hpp"
#include "solver/transport/message.hpp"

namespace halotune {

/// How much later than a multiple of 2 MiB each of the four fields begins than the one before: a quarter of the
/// smallest first-level cache way on common processors, and some lines.
inline constexpr std::int64_t field_stagger_bytes = 16 * 1024 + 1024 + 256;

/// One coefficient (b, a or 1/kappa) over `cells` of a layer.
std::int64_t coefficient_bytes(std::int64_t cells, std::int64_t bytes_per_value);

/// The memory of one part on its device: p, v, psi strips and coefficients, and the view of them
/// that kernels get. Owns everything the view points to.
template <class T>
class PartMemory {
 public:
  /// Allocates and fills every value with NaN; psi and coefficients of layers are set up.
  /// @throws DeviceError when memory cannot be had.
  PartMemory(const Part& part, const Problem& problem, const Plan& plan, Team& team);
  /// The same on a GPU: all pointers are device pointers, which the host must not follow, and the values are zero.
  PartMemory(const Part& part, const Problem& problem, const Plan& plan, const Gpu& gpu);

  /// Takes all values of the same part in the memory of another device, or of the host: p, v, psi, ghosts, padding.
  void copy_from(const PartMemory& other);

  const PartView<T>& view() const noexcept { return view_; }
  const Part& part() const noexcept { return part_; }

  /// Pointer to the value of local cell (x, y, z) of a field (strip side for psi).
  T* at(FieldId field, int strip_side, std::int64_t x, std::int64_t y, std::int64_t z) const;
  /// A box of local cells as bytes.
  ByteBox bytes(FieldId field, int strip_side, const Box& local) const;
  /// Stored box of a field in local coordinates: everything for p and v, the strip for psi.
  Box stored(FieldId field, int strip_side) const;
  bool has(FieldId field, int strip_side) const;

  /// [lo, hi) of the cells outside every layer, per axis, local: what thread tiles weigh.
  std::array<std::array<std::int64_t, 2>, 3> layer_bounds() const noexcept { return layer_bounds_; }

 private:
  using Allocate = std::function<Buffer(std::int64_t bytes)>;
  void set_up(const Problem& problem, const Plan& plan, const Allocate& allocate, bool on_gpu);
  void set_up_strip(const Problem& problem, const Plan& plan, FieldId field, int side, const Allocate& allocate,
                    bool on_gpu);
  StripView<T>& strip(FieldId field, int side);
  const StripView<T>& strip(FieldId field, int side) const;

  Part part_;
  PartView<T> view_;
  std::vector<Buffer> buffers_;
  std::vector<std::vector<T>> coefficients_;  ///< on CPU devices
  std::vector<Buffer> placed_coefficients_;   ///< on GPUs
  std::array<std::array<std::int64_t, 2>, 3> layer_bounds_{};
};

/// Every psi field and side, then calls f(FieldId, side) for each.
template <class F>
void for_each_strip(F&& f) {
  for (const FieldKind kind : {FieldKind::psi_v, FieldKind::psi_p}) {
    for (int axis = 0; axis < 3; ++axis) {
      for (int side = 0; side < 2; ++side) f(FieldId{kind, axis}, side);
    }
  }
}

extern template class PartMemory<float>;
extern template class PartMemory<double>;

}  // namespace halotune
