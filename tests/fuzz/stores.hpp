#pragma once
#include <functional>

#include "db/exchange.hpp"

namespace halotune::fuzz {

/// Small, so that a fuzzer reaches them.
inline constexpr ImportLimits import_limits{1 << 20, 1 << 18};

/// Runs `import` on a store without rows. Refused, it leaves the store as it was. Accepted, it leaves a store in which
/// `db check` finds nothing but rows naming others that were not imported, whose export comes back byte for byte from
/// another store, and to which the same import adds nothing.
void require_sound_import(const std::function<ImportReport(Store&)>& import);

}  // namespace halotune::fuzz
