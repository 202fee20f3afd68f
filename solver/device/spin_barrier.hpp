#pragma once
#include <atomic>
#include <cstdint>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace halotune {

/// Unwinds a body whose team or program has failed elsewhere. Never reaches a caller outside the device layer.
struct Abandoned {};

/// One wait by polling: pauses first, then yields the core; yields from the first turn when the waiter shares its
/// core with the thread it waits for.
class SpinWait {
 public:
  explicit SpinWait(bool yield_at_once) noexcept : turns_left_(yield_at_once ? 0 : pause_turns) {}

  void turn() noexcept {
    if (turns_left_ == 0) {
      std::this_thread::yield();
      return;
    }
    --turns_left_;
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

 private:
  static constexpr int pause_turns = 4000;  // 40 to 150 us: longer than a fair barrier, shorter than a time slice
  int turns_left_;
};

/// A barrier for a fixed number of threads that polls, and that gives up once `abandoned` is set.
/// All writes before the barrier are seen after it.
class SpinBarrier {
 public:
  /// `abandoned` outlives the barrier.
  SpinBarrier(int members, bool yield_at_once, const std::atomic<bool>& abandoned) noexcept
      : members_(members), yield_at_once_(yield_at_once), abandoned_(abandoned) {}

  /// @throws Abandoned when the flag is set before all have arrived.
  void arrive_and_wait() {
    if (members_ > 1 && !meet()) throw Abandoned{};
  }
  /// Forgets who has arrived. Only while nobody is inside.
  void reset() noexcept { arrived_.store(0, std::memory_order_relaxed); }

 private:
  bool meet() noexcept {
    const std::uint32_t phase = phase_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      return true;
    }
    SpinWait spin(yield_at_once_);
    while (phase_.load(std::memory_order_acquire) == phase) {
      if (abandoned_.load(std::memory_order_acquire)) return false;
      spin.turn();
    }
    return true;
  }

  const int members_;
  const bool yield_at_once_;
  const std::atomic<bool>& abandoned_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> phase_{0};
};

}  // namespace halotune
