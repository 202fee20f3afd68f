#pragma once
#include <string>
#include <vector>

namespace halotune {

/// Device files that GPU drivers make: /dev/nvidia0 ..., /dev/kfd. They tell of a GPU whatever the runtime says.
std::vector<std::string> gpu_driver_files();

/// The release of the loaded GPU driver, like "580.159.04"; empty where the kernel does not say.
std::string gpu_driver_release();

}  // namespace halotune
