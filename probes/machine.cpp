#include "probes/machine.hpp"

#include <algorithm>

namespace halotune {

bool is_gpu(const MachineDevice& device) {
  return device.backend == "cuda" || device.backend == "hip";
}

const ProbeRow* Machine::find(std::string_view kind, std::string_view variant, std::string_view from,
                              std::string_view to) const {
  const auto wanted = [&](const ProbeRow& row) {
    return row.status == "ok" && row.kind == kind && (variant.empty() || row.variant == variant) && row.from == from &&
           (to.empty() || row.to == to);
  };
  const auto found = std::find_if(rows.begin(), rows.end(), wanted);
  return found == rows.end() ? nullptr : &*found;
}

const LinkFit* Machine::find_fit(std::string_view kind, std::string_view variant, std::string_view from,
                                 std::string_view to) const {
  const auto wanted = [&](const LinkFit& fit) {
    return fit.kind == kind && fit.variant == variant && fit.from == from && fit.to == to;
  };
  const auto found = std::find_if(fits.begin(), fits.end(), wanted);
  return found == fits.end() ? nullptr : &*found;
}

}  // namespace halotune
