#include "solver/transport/nccl_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

namespace halotune {
namespace {

constexpr int least_version = 20900;

template <class Function>
bool find(void* opened, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(opened, name));
  return function != nullptr;
}

/// Names that the library lacks.
std::vector<std::string> take_functions(void* opened, NcclLibrary& library) {
  std::vector<std::string> missing;
  const auto take = [&](const char* name, auto& function) {
    if (!find(opened, name, function)) missing.emplace_back(name);
  };
  take("ncclGetErrorString", library.error_text);
  take("ncclCommInitAll", library.init_all);
  take("ncclCommDestroy", library.destroy);
  take("ncclCommAbort", library.abort);
  take("ncclCommGetAsyncError", library.async_error);
  take("ncclGroupStart", library.group_start);
  take("ncclGroupEnd", library.group_end);
  take("ncclSend", library.send);
  take("ncclRecv", library.receive);
  take("ncclReduce", library.reduce);
  take("ncclBroadcast", library.broadcast);
  take("ncclAllReduce", library.all_reduce);
  take("ncclReduceScatter", library.reduce_scatter);
  take("ncclAllGather", library.all_gather);
  find(opened, "ncclGetLastError", library.last_error);
  return missing;
}

std::string version_text(int version) {
  // Since 2.9 the minor version has two digits.
  if (version < 10000) return fmt::format("{}.{}.{}", version / 1000, version % 1000 / 100, version % 100);
  return fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

/// Why an opened library cannot be used; empty when it can.
std::string fault_of(void* opened, NcclLibrary& library) {
  int (*get_version)(int*) = nullptr;
  if (!find(opened, "ncclGetVersion", get_version)) return library.file + " has no ncclGetVersion";
  if (const int error = get_version(&library.version); error != 0) {
    return fmt::format("{} does not tell its version (error {})", library.file, error);
  }
  if (library.version < least_version) {
    return fmt::format("{} is version {}, {} or later is needed", library.file, version_text(library.version),
                       version_text(least_version));
  }
  const auto missing = take_functions(opened, library);
  if (missing.empty()) return "";
  return fmt::format("{} has no {}", library.file, fmt::join(missing, ", "));
}

}  // namespace

std::string version_text(const NcclLibrary& library) {
  return version_text(library.version);
}

NcclFound open_nccl(const std::vector<std::string>& files) {
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  std::string last;
  for (const std::string& file : files) {
    void* const opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
      if (last.empty()) last = dlerror();
      continue;
    }
    auto library = std::make_unique<NcclLibrary>();
    library->file = file;
    std::string fault = fault_of(opened, *library);
    if (fault.empty()) return {std::move(library), ""};
    dlclose(opened);
    return {nullptr, std::move(fault)};
  }
  return {nullptr, fmt::format("no NCCL library can be opened ({})", last)};
}

const NcclFound& nccl() {
  static const NcclFound found = open_nccl({"libnccl.so.2", "librccl.so.1"});
  return found;
}

}  // namespace halotune
