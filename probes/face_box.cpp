#include "probes/face_box.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "probes/word_pattern.hpp"

namespace halotune {
namespace {

constexpr std::int64_t guard_bytes = 64;
constexpr std::int64_t word_bytes = sizeof(std::uint32_t);
constexpr std::int64_t most_cells_along_x = 128, most_rows_along_y = 64;

std::int64_t pitch_of(std::int64_t cells) {
  return (cells * static_cast<std::int64_t>(sizeof(float)) + 63) / 64 * 64;
}

std::uint32_t load_word(const std::byte* at) {
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

void store_word(std::byte* at, std::uint32_t word) {
  std::memcpy(at, &word, sizeof word);
}

/// visit(first byte, index of its first word) for this member's rows.
template <class Visit>
void for_each_row(const ByteBox& box, TeamMember member, Visit visit) {
  const std::int64_t rows = box.rows * box.planes;
  const std::int64_t row_words = box.row_bytes / word_bytes;
  const std::int64_t last = rows * (member.thread + 1) / member.threads;
  for (std::int64_t row = rows * member.thread / member.threads; row < last; ++row) {
    visit(box.data + row / box.rows * box.plane_stride + row % box.rows * box.row_stride, row * row_words);
  }
}

void lower_to(std::atomic<std::int64_t>& first, std::int64_t candidate) {
  std::int64_t seen = first.load();
  while (candidate < seen && !first.compare_exchange_weak(seen, candidate)) {
  }
}

}  // namespace

ByteBox face_box(std::byte* array, const FaceShape& shape) {
  const auto cell_bytes = static_cast<std::int64_t>(sizeof(float));
  ByteBox box;
  box.data = array + guard_bytes;
  if (shape.axis == 'x') {
    box.row_bytes = shape.depth * cell_bytes;
    box.row_stride = pitch_of(std::min(shape.n, most_cells_along_x) + 2 * shape.depth);
    box.rows = box.planes = shape.n;
    box.plane_stride = shape.n * box.row_stride;
    return box;
  }
  box.row_bytes = shape.n * cell_bytes;
  box.row_stride = pitch_of(shape.n + 2 * shape.depth);
  if (shape.axis == 'y') {
    box.rows = shape.depth;
    box.planes = shape.n;
    box.plane_stride = (std::min(shape.n, most_rows_along_y) + 2 * shape.depth) * box.row_stride;
    return box;
  }
  if (shape.axis != 'z') throw std::logic_error("a face has axis x, y or z");
  box.rows = shape.n;
  box.planes = shape.depth;
  box.plane_stride = shape.n * box.row_stride;
  return box;
}

std::int64_t face_array_bytes(const FaceShape& shape) {
  const ByteBox box = face_box(nullptr, shape);
  return box.planes * box.plane_stride + 2 * guard_bytes;
}

ByteBox flat_box(std::byte* array, std::int64_t bytes) {
  ByteBox box;
  box.data = array + guard_bytes;
  box.row_bytes = box.row_stride = box.plane_stride = bytes;
  return box;
}

std::int64_t contiguous_array_bytes(std::int64_t bytes) {
  return bytes + 2 * guard_bytes;
}

void fill_pattern(const ByteBox& box, std::uint32_t salt, Team& owner) {
  owner.run([&](TeamMember member) {
    for_each_row(box, member, [&](std::byte* row, std::int64_t first_word) {
      for (std::int64_t i = 0; i < box.row_bytes / word_bytes; ++i) {
        store_word(row + i * word_bytes, pattern_word(first_word + i, salt));
      }
    });
  });
}

void rewrite_lines(const ByteBox& box, TeamMember member) {
  constexpr std::int64_t line_bytes = 64;
  for_each_row(box, member, [&](std::byte* row, std::int64_t) {
    for (std::int64_t at = 0; at < box.row_bytes; at += line_bytes) {
      volatile std::byte* const byte = row + at;
      *byte = *byte;
    }
  });
}

void poison(const ByteBox& box, Team& owner) {
  owner.run([&](TeamMember member) {
    for_each_row(box, member, [&](std::byte* row, std::int64_t) {
      for (std::int64_t at = -word_bytes; at <= box.row_bytes; at += word_bytes) store_word(row + at, guard_word);
    });
  });
}

std::optional<std::string> find_wrong_word(const ByteBox& box, std::uint32_t salt, Team& owner) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> wrong_word{none}, wrong_guard{none};
  owner.run([&](TeamMember member) {
    for_each_row(box, member, [&](const std::byte* row, std::int64_t first_word) {
      for (std::int64_t i = 0; i < box.row_bytes / word_bytes; ++i) {
        if (load_word(row + i * word_bytes) != pattern_word(first_word + i, salt)) lower_to(wrong_word, first_word + i);
      }
      if (load_word(row - word_bytes) != guard_word || load_word(row + box.row_bytes) != guard_word) {
        lower_to(wrong_guard, first_word);
      }
    });
  });
  if (wrong_word != none) {
    return fmt::format("wrong data at byte {} of {}", wrong_word.load() * word_bytes, box.bytes());
  }
  if (wrong_guard != none) {
    return fmt::format("bytes beside the row that starts at byte {} were overwritten", wrong_guard.load() * word_bytes);
  }
  return std::nullopt;
}

}  // namespace halotune
