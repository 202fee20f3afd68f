// Stands in for libcuda.so.1, the NVIDIA driver's library, which the CUDA runtime opens by name: as much of it as the
// runtime needs to find that no GPU can be used. (To enumerate GPUs it would ask for tables that are the vendor's own.)
//   STAND_IN_DRIVER   latest CUDA version that it serves; 13000 by default
//   STAND_IN_INIT     result of cuInit; 100 by default: no GPU
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

int setting(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

int unsupported() {
  return 801;
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  return setting("STAND_IN_INIT", 100);
}
int cuDriverGetVersion(int* version) {
  *version = setting("STAND_IN_DRIVER", 13000);
  return 0;
}
int cuGetExportTable(const void**, const void*) {
  return unsupported();
}
int cuGetProcAddress_v2(const char* name, void** function, int, std::uint64_t, int* status) {
  *function = std::strcmp(name, "cuInit") == 0               ? reinterpret_cast<void*>(cuInit)
              : std::strcmp(name, "cuDriverGetVersion") == 0 ? reinterpret_cast<void*>(cuDriverGetVersion)
              : std::strcmp(name, "cuGetProcAddress") == 0   ? reinterpret_cast<void*>(cuGetProcAddress_v2)
                                                             : reinterpret_cast<void*>(unsupported);
  if (status != nullptr) *status = 0;
  return 0;
}
}
