#pragma once
#include <string>
#include <vector>

namespace halotune {

/// Device files that GPU drivers make: /dev/nvidia0 ..., /dev/kfd. They tell of a GPU whatever the runtime says.
std::vector<std::string> gpu_driver_files();

/// "580.159.04", as the loaded kernel module says; empty when it does not.
std::string gpu_driver_version();

}  // namespace halotune
