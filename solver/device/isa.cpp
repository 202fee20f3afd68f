#include "solver/device/isa.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/errors.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace halotune {
namespace {

constexpr std::array<std::pair<Isa, std::string_view>, 3> names{
    {{Isa::baseline, "baseline"}, {Isa::avx2, "avx2"}, {Isa::avx512, "avx512"}}};

std::string usable_names() {
  std::string list;
  for (const Isa isa : usable_isas()) list += (list.empty() ? "" : ", ") + std::string(to_string(isa));
  return list;
}

}  // namespace

std::string_view to_string(Isa isa) {
  for (const auto& [value, name] : names) {
    if (value == isa) return name;
  }
  throw std::logic_error("unknown instruction set");
}

std::optional<Isa> isa_from_string(std::string_view name) {
  for (const auto& [value, text] : names) {
    if (text == name) return value;
  }
  return std::nullopt;
}

std::vector<Isa> usable_isas() {
  std::vector<Isa> usable{Isa::baseline};
#if defined(__x86_64__)
  // The builtin also asks XGETBV whether the OS saves the wide registers.
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) usable.push_back(Isa::avx2);
  if (usable.size() == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")) {
    usable.push_back(Isa::avx512);
  }
#endif
  return usable;
}

Isa default_isa() {
  const auto usable = usable_isas();
  const char* wanted = std::getenv("HALOTUNE_ISA");
  if (wanted == nullptr || *wanted == '\0') return usable.back();
  const auto isa = isa_from_string(wanted);
  if (!isa) {
    throw ConfigError(Fault{"", "environment variable HALOTUNE_ISA names no instruction set",
                            "it is \"" + std::string(wanted) + "\"", "use one of " + usable_names()});
  }
  if (std::find(usable.begin(), usable.end(), *isa) == usable.end()) {
    throw ConfigError(Fault{"", "environment variable HALOTUNE_ISA asks for " + std::string(wanted),
                            "this processor, operating system or build does not support it",
                            "use one of " + usable_names()});
  }
  return *isa;
}

void set_flush_denormals() {
#if defined(__x86_64__)
  constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
  _mm_setcsr(_mm_getcsr() | flush_to_zero | denormals_are_zero);
#elif defined(__aarch64__)
  constexpr std::uint64_t flush_to_zero = std::uint64_t{1} << 24;
  std::uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | flush_to_zero));
#endif
}

}  // namespace halotune
