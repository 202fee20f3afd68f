#include "probes/link_fits.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace halotune {
namespace {

struct Sweep {
  LinkFit link;
  std::vector<double> bytes, seconds;
};

bool is_sweep(const ProbeRow& row) {
  constexpr std::array kinds{"halo", "face_copy", "host_copy", "peer_link"};
  const bool sized = std::any_of(kinds.begin(), kinds.end(), [&](std::string_view kind) { return row.kind == kind; });
  return sized && row.status == "ok" && row.samples && row.bytes > 0;
}

bool same_link(const LinkFit& link, const ProbeRow& row) {
  return link.kind == row.kind && link.variant == row.variant && link.from == row.from && link.to == row.to;
}

}  // namespace

std::vector<LinkFit> fit_links(const std::vector<ProbeRow>& rows) {
  std::vector<Sweep> sweeps;
  for (const auto& row : rows) {
    if (!is_sweep(row)) continue;
    auto sweep = std::find_if(sweeps.begin(), sweeps.end(), [&](const Sweep& s) { return same_link(s.link, row); });
    if (sweep == sweeps.end()) {
      sweep = sweeps.insert(sweep, Sweep{});
      sweep->link = {row.kind, row.variant, row.from, row.to, {}};
    }
    sweep->bytes.push_back(static_cast<double>(row.bytes));
    sweep->seconds.push_back(row.samples->median);
  }
  std::vector<LinkFit> fits;
  for (auto& sweep : sweeps) {
    const auto fit = fit_alpha_beta(sweep.bytes, sweep.seconds);
    if (!fit) continue;
    sweep.link.fit = *fit;
    fits.push_back(sweep.link);
  }
  return fits;
}

}  // namespace halotune
