#include "probes/gpu_box.hpp"

#include <cstring>

#include <fmt/format.h>

#include "probes/gpu_work.hpp"
#include "probes/word_pattern.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/device/memory.hpp"

namespace halotune {
namespace {

constexpr std::int64_t word_bytes = sizeof(std::uint32_t);

std::string wrong_text(std::uint64_t word, std::int64_t bytes) {
  return fmt::format("wrong data at byte {} of {}", word * word_bytes, bytes);
}

}  // namespace

void fill_pattern(const ByteBox& box, std::uint32_t salt, const Gpu& owner) {
  gpu_work::enqueue_pattern(box, salt, owner.main());
  owner.synchronise();
}

void poison(const ByteBox& box, const Gpu& owner) {
  gpu_work::enqueue_poison(box, owner.main());
  owner.synchronise();
}

std::optional<std::string> find_wrong_word(const ByteBox& box, std::uint32_t salt, const Gpu& owner) {
  const Buffer wrong(2 * sizeof(std::uint64_t), owner);
  std::uint64_t words[2] = {gpu_work::no_wrong_word, gpu_work::no_wrong_word};
  gpu::copy_now(wrong.data(), words, sizeof words);
  gpu_work::enqueue_check(box, salt, wrong.as<std::uint64_t>(), owner.main());
  owner.synchronise();
  gpu::copy_now(words, wrong.data(), sizeof words);
  if (words[0] != gpu_work::no_wrong_word) return wrong_text(words[0], box.bytes());
  if (words[1] != gpu_work::no_wrong_word) {
    return fmt::format("bytes beside the row that starts at byte {} were overwritten", words[1] * word_bytes);
  }
  return std::nullopt;
}

void fill_host_pattern(std::byte* memory, std::int64_t bytes, std::uint32_t salt) {
  for (std::int64_t i = 0; i < bytes / word_bytes; ++i) {
    const std::uint32_t word = pattern_word(i, salt);
    std::memcpy(memory + i * word_bytes, &word, sizeof word);
  }
}

std::optional<std::string> find_wrong_host_word(const std::byte* memory, std::int64_t bytes, std::uint32_t salt) {
  for (std::int64_t i = 0; i < bytes / word_bytes; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, memory + i * word_bytes, sizeof word);
    if (word != pattern_word(i, salt)) return wrong_text(static_cast<std::uint64_t>(i), bytes);
  }
  return std::nullopt;
}

}  // namespace halotune
