#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "solver/device/gpu.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/device/memory.hpp"
#include "solver/transport/nccl_ranks.hpp"

namespace halotune {
namespace {

using Catch::Matchers::ContainsSubstring;

/// Beside this program.
const std::string stand_ins = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "stand_ins";

TEST_CASE("a library that is missing, too old or incomplete is a reason with its name") {
  CHECK_THAT(open_nccl({"libno_such_nccl.so.9"}).reason,
             ContainsSubstring("no NCCL library can be opened") && ContainsSubstring("libno_such_nccl.so.9"));
  const auto old = open_nccl({"libno_such_nccl.so.9", stand_ins + "/libnccl_old.so"});
  CHECK(old.library == nullptr);
  CHECK_THAT(old.reason, ContainsSubstring("libnccl_old.so is version 2.8.4, 2.9.0 or later is needed"));
  CHECK_THAT(open_nccl({stand_ins + "/libnccl_bare.so"}).reason,
             ContainsSubstring("libnccl_bare.so has no ncclSend, ncclRecv"));
  CHECK_THAT(open_nccl({stand_ins + "/libnccl_mute.so"}).reason,
             ContainsSubstring("does not tell its version (error 3)"));
}

TEST_CASE("a sound library is found, and NVLink multicast is off unless the user says otherwise") {
  unsetenv("NCCL_NVLS_ENABLE");
  const auto found = open_nccl({"libno_such_nccl.so.9", stand_ins + "/libnccl_sound.so"});
  REQUIRE(found.library != nullptr);
  CHECK(found.reason.empty());
  CHECK(version_text(*found.library) == "2.28.9");
  CHECK(found.library->last_error == nullptr);
  CHECK(std::string(std::getenv("NCCL_NVLS_ENABLE")) == "0");
  setenv("NCCL_NVLS_ENABLE", "1", 1);
  open_nccl({stand_ins + "/libnccl_sound.so"});
  CHECK(std::string(std::getenv("NCCL_NVLS_ENABLE")) == "1");
  unsetenv("NCCL_NVLS_ENABLE");
}

/// What a library that fails on demand has seen.
struct Seen {
  int destroyed = 0, aborted = 0, opened = 0, closed = 0;
  int fail_init = 0, fail_send = 0, fail_end = 0, async = 0;
};
Seen seen;

NcclLibrary failing_library() {
  NcclLibrary library;
  library.error_text = [](int code) { return code == 2 ? "unhandled system error" : "other"; };
  library.last_error = [](NcclLibrary::Comm) { return "GPU fell off the bus"; };
  library.init_all = [](NcclLibrary::Comm* comms, int count, const int*) {
    for (int i = 0; i < count; ++i) comms[i] = &seen;
    return seen.fail_init;
  };
  library.destroy = [](NcclLibrary::Comm) { return ++seen.destroyed, 0; };
  library.abort = [](NcclLibrary::Comm) { return ++seen.aborted, 0; };
  library.async_error = [](NcclLibrary::Comm, int* error) { return *error = seen.async, 0; };
  library.group_start = [] { return ++seen.opened, 0; };
  library.group_end = [] { return ++seen.closed, seen.fail_end; };
  library.send = [](const void*, std::size_t, int, int, NcclLibrary::Comm, NcclLibrary::Stream) {
    return seen.fail_send;
  };
  return library;
}

TEST_CASE("a communicator is destroyed when all went well, and aborted once when something failed") {
  const NcclLibrary library = failing_library();
  std::byte data[4];
  const auto send = [&](NcclRanks& ranks) { ranks.group([&] { ranks.send(0, data, 4, 1, {}); }); };
  SECTION("well") {
    seen = {};
    {
      NcclRanks ranks(library, {0, 1});
      send(ranks);
      CHECK_FALSE(ranks.failed());
    }
    CHECK(seen.destroyed == 2);
    CHECK(seen.aborted == 0);
  }
  SECTION("set-up") {
    seen = {};
    seen.fail_init = 2;
    CHECK_THROWS_WITH(NcclRanks(library, {0, 1}),
                      "NCCL failed (ncclCommInitAll: unhandled system error: GPU fell off the bus) use another "
                      "transport, or NCCL_DEBUG=INFO for more");
    CHECK(seen.destroyed + seen.aborted == 0);
  }
  SECTION("a call inside a group") {
    seen = {};
    seen.fail_send = 2;
    {
      NcclRanks ranks(library, {0, 1, 2});
      CHECK_THROWS_WITH(send(ranks), ContainsSubstring("ncclSend: unhandled system error"));
      CHECK(seen.closed == 1);  // a group left open would swallow what comes later
      CHECK_THROWS_WITH(send(ranks), ContainsSubstring("cannot be used any more"));
      CHECK(seen.opened == 1);
    }
    CHECK(seen.aborted == 3);
    CHECK(seen.destroyed == 0);
  }
  SECTION("the end of a group") {
    seen = {};
    seen.fail_end = 2;
    {
      NcclRanks ranks(library, {0});
      CHECK_THROWS_WITH(send(ranks), ContainsSubstring("ncclGroupEnd"));
      CHECK(seen.closed == 1);
    }
    CHECK(seen.aborted == 1);
  }
  SECTION("later, on a GPU") {
    seen = {};
    seen.async = 6;
    { NcclRanks ranks(library, {0, 1}); }
    CHECK(seen.aborted == 2);
    CHECK(seen.destroyed == 0);
  }
}

void skip_without_nccl() {
  const GpuInventory inventory = find_gpus();
  if (inventory.gpus.empty()) SKIP("no GPU: " << inventory.reason);
  if (!nccl().library) SKIP("no NCCL: " << nccl().reason);
}

TEST_CASE("a communicator of all GPUs reduces what its ranks hold, and is shared while it is in use") {
  skip_without_nccl();
  std::vector<std::unique_ptr<Gpu>> gpus;
  std::vector<int> ordinals;
  std::vector<Buffer> values;
  constexpr std::size_t count = 1000;
  for (const GpuFacts& facts : find_gpus().gpus) {
    ordinals.push_back(facts.ordinal);
    gpus.push_back(std::make_unique<Gpu>(facts.ordinal));
    values.emplace_back(static_cast<std::int64_t>(count * sizeof(float)), *gpus.back());
    const std::vector<float> own(count, static_cast<float>(facts.ordinal + 1));
    gpu::copy_now(values.back().data(), own.data(), values.back().bytes());
  }
  const auto ranks = nccl_ranks(ordinals);
  CHECK(nccl_ranks(ordinals) == ranks);
  ranks->group([&] {
    for (int rank = 0; rank < ranks->size(); ++rank) {
      const auto i = static_cast<std::size_t>(rank);
      ranks->check(ranks->library().all_reduce(values[i].data(), values[i].data(), count, NcclLibrary::float32,
                                               NcclLibrary::sum, ranks->comm(rank), gpus[i]->main().handle),
                   "ncclAllReduce");
    }
  });
  const auto n = static_cast<float>(gpus.size());
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    gpus[i]->synchronise();
    std::vector<float> now(count);
    gpu::copy_now(now.data(), values[i].data(), values[i].bytes());
    CHECK(now == std::vector<float>(count, n * (n + 1) / 2));
  }
}

}  // namespace
}  // namespace halotune
