#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "solver/device/memory.hpp"
#include "solver/transport/message.hpp"

namespace halotune {

/// A face of float32 cells as the solver sends it: n x n cells across `axis`, `depth` cells along it, in a padded
/// array.
struct FaceShape {
  char axis = 'x';
  std::int64_t n = 0;
  std::int64_t depth = 0;

  std::int64_t bytes() const noexcept { return n * n * depth * static_cast<std::int64_t>(sizeof(float)); }
};

/// Where the face lies in an array at `array`; strides as docs/probes.md says. Guard words fit before and after each
/// row.
ByteBox face_box(std::byte* array, const FaceShape& shape);

/// Bytes that the array of a face needs, guards included.
std::int64_t face_array_bytes(const FaceShape& shape);

/// Contiguous bytes as a box of a single row with guards, at `array`: to check packed data, not to copy a face to.
/// Needs contiguous_array_bytes(bytes).
ByteBox flat_box(std::byte* array, std::int64_t bytes);
std::int64_t contiguous_array_bytes(std::int64_t bytes);

/// Word k of the box's bytes, in gather order, becomes a hash of k and `salt`. The owner's team writes. Rows are whole
/// words.
void fill_pattern(const ByteBox& box, std::uint32_t salt, Team& owner);

/// One member's share of storing to every cache line of the box what it holds already, as a sender does that has just
/// computed its face.
void rewrite_lines(const ByteBox& box, TeamMember member);

/// Fills the box and one word before and after each row with a value that no check takes for data.
void poison(const ByteBox& box, Team& owner);

/// Looks at a box that was poisoned and then received fill_pattern(salt): the owner's team reads every word and the
/// guards. @returns nothing, or which word is wrong first.
std::optional<std::string> find_wrong_word(const ByteBox& box, std::uint32_t salt, Team& owner);

}  // namespace halotune
