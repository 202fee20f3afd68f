#pragma once
#include <array>
#include <cstdint>

namespace halotune::HALOTUNE_ISA_NAMESPACE {

/// Memory to be prefetched, in the order in which it will be needed. The updates of a sweep take some
/// with every row, so that requests are spread over all of them and follow addresses, which
/// prefetches along the rows of a tile do not. Hints only: what is asked for may lie outside a field.
template <class T>
class LineQueue {
 public:
  void clear() { count_ = next_ = 0; }
  /// Adds `values` contiguous ones from `first` on, `planes` times, `plane` values apart.
  void add(const T* first, std::int64_t values, std::int64_t plane, std::int64_t planes) {
    for (std::int64_t i = 0; i < planes && count_ < capacity; ++i, first += plane) {
      spans_[count_++] = {first, first + values};
    }
  }
  /// Start of `values` contiguous ones to prefetch; nullptr when all have been taken. May run past
  /// the end of what was added.
  const T* take(std::int64_t values) {
    if (next_ == count_) return nullptr;
    Span& span = spans_[next_];
    const T* const first = span.first;
    span.first += values;
    if (span.first >= span.last) ++next_;
    return first;
  }

 private:
  struct Span {
    const T *first, *last;
  };
  static constexpr int capacity = 32;
  std::array<Span, capacity> spans_;
  int count_ = 0, next_ = 0;
};

}  // namespace halotune::HALOTUNE_ISA_NAMESPACE
