#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "solver/device/gpu.hpp"
#include "solver/transport/message.hpp"

namespace halotune {

/// The functions of face_box.hpp for boxes in the memory of a GPU, by that GPU's own kernels. All wait until it is
/// done.
void fill_pattern(const ByteBox& box, std::uint32_t salt, const Gpu& owner);
void poison(const ByteBox& box, const Gpu& owner);
std::optional<std::string> find_wrong_word(const ByteBox& box, std::uint32_t salt, const Gpu& owner);

/// Contiguous bytes of host memory: word k holds pattern_word(k, salt).
void fill_host_pattern(std::byte* memory, std::int64_t bytes, std::uint32_t salt);
/// Nothing, or which word is wrong first.
std::optional<std::string> find_wrong_host_word(const std::byte* memory, std::int64_t bytes, std::uint32_t salt);

}  // namespace halotune
