#include "solver/transport/nccl_ranks.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "base/errors.hpp"

namespace halotune {

NcclRanks::NcclRanks(const NcclLibrary& library, std::vector<int> ordinals)
    : library_(library), comms_(ordinals.size(), nullptr) {
  const int result = library.init_all(comms_.data(), size(), ordinals.data());
  if (result != 0) comms_.assign(comms_.size(), nullptr);  // what the library left there is not ours
  check(result, "ncclCommInitAll");
}

NcclRanks::~NcclRanks() {
  if (failed_) return;
  for (const NcclLibrary::Comm comm : comms_) {
    int error = 0;
    const bool sound = library_.async_error(comm, &error) == 0 && error == 0;
    sound ? library_.destroy(comm) : library_.abort(comm);
  }
}

void NcclRanks::give_up() noexcept {
  if (failed_) return;
  failed_ = true;
  for (const NcclLibrary::Comm comm : comms_) {
    if (comm != nullptr) library_.abort(comm);
  }
}

void NcclRanks::check(int result, const char* call) {
  if (result == 0) return;
  std::string text = library_.error_text(result);
  if (library_.last_error != nullptr) {
    if (const char* const more = library_.last_error(nullptr); more != nullptr && *more != '\0') {
      text += fmt::format(": {}", more);
    }
  }
  throw DeviceError(fmt::format("NCCL failed ({}: {}) use another transport, or NCCL_DEBUG=INFO for more", call, text));
}

void NcclRanks::group(const std::function<void()>& enqueue) {
  if (failed_) throw DeviceError("NCCL cannot be used any more (an earlier call failed) use another transport");
  bool open = false;
  try {
    check(library_.group_start(), "ncclGroupStart");
    open = true;
    enqueue();
    open = false;
    check(library_.group_end(), "ncclGroupEnd");
  } catch (...) {
    if (open) library_.group_end();
    give_up();
    throw;
  }
}

void NcclRanks::send(int rank, const std::byte* data, std::int64_t bytes, int peer, GpuStream stream) {
  check(library_.send(data, static_cast<std::size_t>(bytes), NcclLibrary::bytes, peer, comm(rank), stream.handle),
        "ncclSend");
}

void NcclRanks::receive(int rank, std::byte* data, std::int64_t bytes, int peer, GpuStream stream) {
  check(library_.receive(data, static_cast<std::size_t>(bytes), NcclLibrary::bytes, peer, comm(rank), stream.handle),
        "ncclRecv");
}

std::shared_ptr<NcclRanks> nccl_ranks(const std::vector<int>& ordinals) {
  static std::mutex mutex;
  static std::map<std::vector<int>, std::weak_ptr<NcclRanks>> in_use;
  const NcclFound& found = nccl();
  if (!found.library) {
    throw DeviceError(
        fmt::format("transport nccl cannot be used ({}) install it, or use another transport", found.reason));
  }
  const std::lock_guard lock(mutex);
  auto ranks = in_use[ordinals].lock();
  if (ranks == nullptr || ranks->failed())
    in_use[ordinals] = ranks = std::make_shared<NcclRanks>(*found.library, ordinals);
  return ranks;
}

}  // namespace halotune
