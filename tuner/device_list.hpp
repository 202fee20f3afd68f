#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "solver/transport/transport.hpp"

namespace halotune {

/// Parses `--devices`: "cpu:N" = the allowed cores split into N CPU devices; "cpu:0,0,0,0" or
/// "cpu:0,cpu:0" = that device for each part; "N" and "0,1" likewise for `default_backend` ("cpu" or "gpu"); "2-3" =
/// devices 2 and 3, "2-2" device 2 alone.
/// The result names one device per entry ("cpu:0", "cpu:1"; GPUs "0", "1"). Repeats are kept.
/// @throws ConfigError
std::vector<std::string> parse_devices(std::string_view text, std::string_view default_backend = "cpu");

/// Every device of the split that the names of a Plan imply: cpu:0 up to the largest index. A Plan on cpu:1 alone
/// uses the second half of the cores.
std::vector<std::string> split_of(const std::vector<std::string>& devices);

/// GPUs when the first one is; CPU devices otherwise.
DeviceKind device_kind(const std::vector<std::string>& devices);

/// How often the device occurs that is named most often: the parts that a list allows on one device.
int most_repeats(const std::vector<std::string>& devices);

/// Without repeats, in order of first appearance.
std::vector<std::string> distinct_devices(const std::vector<std::string>& devices);

/// "cpu:0,cpu:1": how rows and messages name an allowed set.
std::string device_set_text(const std::vector<std::string>& devices);

/// The device of each part: a shorter list repeats in blocks (two devices, four parts: a a b b).
/// @throws ConfigError when the parts do not divide evenly among a shorter list.
std::vector<std::string> place_parts(const std::vector<std::string>& devices, std::int64_t parts);

}  // namespace halotune
