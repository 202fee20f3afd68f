#pragma once
#include <filesystem>
#include <vector>

#include "solver/problem.hpp"

namespace halotune {

/// Throws when `file` cannot be created where it is to go. @throws ConfigError
void check_writable(const std::filesystem::path& file);

/// Writes receiver traces to an HDF5 file: datasets /time_s [samples], /traces [receivers x samples]
/// (Pa, float64), /position_m [receivers x 3] and /name; attributes problem (JSON) and dt. Written
/// beside the target and renamed, so that an old file is never half overwritten. @throws DeviceError
void write_traces(const std::filesystem::path& file, const Problem& problem,
                  const std::vector<std::vector<double>>& traces);

}  // namespace halotune
