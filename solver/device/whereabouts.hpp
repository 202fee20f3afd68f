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
    std::string name;
    std::atomic<int> foreground{-1};
    std::atomic<int> background{-1};
  };

  /// The entry of a device by its name, "cpu:0" or "GPU 0"; the same one for the same name.
  Device& of_device(const std::string& name);
  /// The number that stands for this label.
  int number_of(std::string_view label);

  /// `cpu:0 in "wait", cpu:1 in "halo receive"`; empty when every device is idle. Of a GPU all commands that are
  /// replayed are named.
  std::string describe() const;

 private:
  mutable std::mutex mutex_;
  std::deque<Device> devices_;
  std::deque<std::string> labels_;
};

}  // namespace halotune
