#include <cstddef>
#include <cstdint>

#include "tests/fuzz/loaders.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  halotune::fuzz::HALOTUNE_LOADER({reinterpret_cast<const char*>(bytes), count});
  return 0;
}
