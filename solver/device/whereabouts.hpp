#pragma once
#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace halotune {

/// Which command every device is at, for another thread to look at: what a deadline's last words say. Outlives the
/// teams that report to it. A report is one relaxed store.
class Whereabouts {
 public:
  /// The two places of one device: its list, and the background command beside it. -1: idle.
  struct Device {
    int index = 0;
    std::atomic<int> foreground{-1};
    std::atomic<int> background{-1};
  };

  /// The entry of CPU device `index`; the same one for the same index.
  Device& of_device(int index);
  /// The number that stands for this label.
  int number_of(std::string_view label);

  /// `cpu:0 in "wait", cpu:1 in "halo receive"`; empty when every device is idle.
  std::string describe() const;

 private:
  mutable std::mutex mutex_;
  std::deque<Device> devices_;
  std::deque<std::string> labels_;
};

}  // namespace halotune
