#include "solver/device/gpu_files.hpp"

#include <filesystem>
#include <fstream>

namespace halotune {

std::vector<std::string> gpu_driver_files() {
  std::vector<std::string> files;
  std::error_code missing;
  for (int i = 0; i < 64; ++i) {
    const std::string file = "/dev/nvidia" + std::to_string(i);
    if (std::filesystem::exists(file, missing)) files.push_back(file);
  }
  if (std::filesystem::exists("/dev/kfd", missing)) files.emplace_back("/dev/kfd");
  return files;
}

std::string gpu_driver_version() {
  std::string version;
  std::ifstream("/sys/module/nvidia/version") >> version;
  return version;
}

}  // namespace halotune
