#pragma once
#include <optional>
#include <string_view>
#include <vector>

namespace halotune {

/// CPU instruction sets that the kernels are built for. All give the same bits.
enum class Isa { baseline, avx2, avx512 };

/// The best one that was built and that this processor and OS support; the environment variable
/// HALOTUNE_ISA (baseline|avx2|avx512) lowers it. @throws ConfigError on an unusable value.
Isa default_isa();
std::vector<Isa> usable_isas();
std::string_view to_string(Isa isa);
std::optional<Isa> isa_from_string(std::string_view name);

/// Flush denormals to zero and treat them as zero in the calling thread (MXCSR FTZ and DAZ).
void set_flush_denormals();

}  // namespace halotune
