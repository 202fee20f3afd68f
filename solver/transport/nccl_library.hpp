#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace halotune {

/// The few functions of NCCL (or of RCCL, which has the same) that halotune calls, found when the program runs: it
/// neither links the library nor needs its headers. Results are 0 or an error number for `error_text`.
struct NcclLibrary {
  using Comm = void*;
  using Stream = void*;
  /// Types of values and the one operation, as the library numbers them.
  static constexpr int bytes = 1;
  static constexpr int float32 = 7;
  static constexpr int sum = 0;

  std::string file;  ///< as it was opened
  int version = 0;   ///< 22809 = 2.28.9
  const char* (*error_text)(int) = nullptr;
  const char* (*last_error)(Comm) = nullptr;  ///< null before 2.13
  int (*init_all)(Comm*, int, const int*) = nullptr;
  int (*destroy)(Comm) = nullptr;
  int (*abort)(Comm) = nullptr;
  int (*async_error)(Comm, int*) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*send)(const void*, std::size_t, int type, int peer, Comm, Stream) = nullptr;
  int (*receive)(void*, std::size_t, int type, int peer, Comm, Stream) = nullptr;
  int (*reduce)(const void*, void*, std::size_t, int type, int operation, int root, Comm, Stream) = nullptr;
  int (*broadcast)(const void*, void*, std::size_t, int type, int root, Comm, Stream) = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, int type, int operation, Comm, Stream) = nullptr;
  int (*reduce_scatter)(const void*, void*, std::size_t, int type, int operation, Comm, Stream) = nullptr;
  int (*all_gather)(const void*, void*, std::size_t, int type, Comm, Stream) = nullptr;
};

/// "2.28.9"
std::string version_text(const NcclLibrary& library);

/// The library, or why there is none that can be used.
struct NcclFound {
  std::unique_ptr<const NcclLibrary> library;
  std::string reason;
};

/// Opens the first file that is there. Refuses what lacks a function, and versions before 2.9, whose calls cannot be
/// captured. Switches its use of NVLink multicast off (NCCL_NVLS_ENABLE=0) unless the environment says otherwise.
NcclFound open_nccl(const std::vector<std::string>& files);

/// The library of this machine, by its usual names; opened at the first call.
const NcclFound& nccl();

}  // namespace halotune
