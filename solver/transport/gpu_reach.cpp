#include "solver/transport/gpu_reach.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/errors.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/transport/gpu_moves.hpp"

namespace halotune {
namespace {

constexpr std::int64_t pattern_words = 16384;

std::vector<std::uint32_t> pattern(int reader, int owner) {
  std::vector<std::uint32_t> words(pattern_words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<std::uint32_t>(i) * 2654435761U ^ static_cast<std::uint32_t>(reader * 256 + owner);
  }
  return words;
}

/// owner's memory -> reader's memory -> owner's memory again, moved by the reader; read by the owner.
std::optional<std::string> data_fault(Gpu& reader, Gpu& owner, bool by_kernel) {
  const auto words = pattern(reader.ordinal(), owner.ordinal());
  constexpr std::int64_t bytes = pattern_words * 4;
  const Buffer origin(bytes, owner), there(bytes, reader), back(bytes, owner);
  gpu::copy_now(origin.data(), words.data(), bytes);
  const auto run = [&](const Buffer& from, const Buffer& to) {
    ByteBox source, target;
    source.data = from.data();
    target.data = to.data();
    source.row_bytes = target.row_bytes = bytes;
    if (by_kernel) {
      GpuMoveList list;
      list.add({source, target});
      list.place(reader);
      gpu::select(reader.ordinal());
      list.enqueue(reader.main());
      reader.synchronise();
    } else {
      gpu::copy(to.data(), from.data(), bytes, reader.main());
      reader.synchronise();
    }
  };
  run(origin, there);
  run(there, back);
  std::vector<std::uint32_t> seen(words.size());
  gpu::copy_now(seen.data(), back.data(), bytes);
  if (seen == words) return std::nullopt;
  return fmt::format("GPU {} says that it reaches GPU {}, and data moved that way arrives damaged", reader.ordinal(),
                     owner.ordinal());
}

}  // namespace

std::optional<std::string> no_gpus() {
  const GpuInventory inventory = find_gpus();
  if (!inventory.gpus.empty()) return std::nullopt;
  return inventory.reason;
}

std::optional<std::string> reach_fault(Gpu& reader, Gpu& owner, bool by_kernel) {
  if (reader.ordinal() == owner.ordinal()) return std::nullopt;
  if (!gpu::can_reach(reader.ordinal(), owner.ordinal())) {
    return fmt::format("GPU {} has no peer access to GPU {}", reader.ordinal(), owner.ordinal());
  }
  gpu::enable_reach(reader.ordinal(), owner.ordinal());
  return data_fault(reader, owner, by_kernel);
}

void check_reach(const Program& program, const std::vector<Message>& messages, bool by_kernel) {
  std::set<std::pair<int, int>> pairs;
  for (const Message& message : messages) {
    pairs.insert({message.from_device, message.to_device});
    pairs.insert({message.to_device, message.from_device});
  }
  for (const auto& [a, b] : pairs) {
    if (const auto fault = reach_fault(program.gpu(a), program.gpu(b), by_kernel)) {
      throw DeviceError(
          fmt::format("the parts cannot exchange directly ({}) use transport host_staged, or other GPUs", *fault));
    }
  }
}

}  // namespace halotune
