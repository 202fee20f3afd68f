#include "probes/gpu_topology.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace halotune {
namespace {

std::vector<std::string> components(const std::string& path) {
  std::vector<std::string> parts;
  for (const auto& part : std::filesystem::path(path)) parts.push_back(part.string());
  return parts;
}

std::string without_prefix(const std::string& uuid) {
  const auto dash = uuid.find('-');
  return dash == std::string::npos ? uuid : uuid.substr(dash + 1);
}

std::string pci_class_of(const NvmlReport& report, std::size_t a, std::size_t b) {
  return a < report.pcie.size() && b < report.pcie[a].size() ? report.pcie[a][b] : std::string{};
}

/// NVLinks between two GPUs of the report: direct ones, else by way of a switch.
GpuLink nvlink_of(const NvmlReport& report, std::size_t a, std::size_t b) {
  using End = NvmlNvLink::End;
  GpuLink link;
  link.source = "nvml";
  const auto count = [&](std::size_t from, auto counts) {
    const auto& links = report.gpus[from].nvlinks;
    return static_cast<int>(std::count_if(links.begin(), links.end(), counts));
  };
  const std::string& there = report.gpus[b].pci;
  link.nvlinks = count(a, [&](const NvmlNvLink& l) {
    return (l.end == End::gpu || l.end == End::unknown) && !there.empty() && l.remote_pci == there;
  });
  if (link.nvlinks == 0) {
    const auto to_switch = [](const NvmlNvLink& l) { return l.end == End::vendor_switch; };
    link.nvlinks = std::min(count(a, to_switch), count(b, to_switch));
    link.nvswitch = link.nvlinks > 0;
  }
  const auto& links = report.gpus[a].nvlinks;
  if (link.nvlinks > 0 && links.front().bytes_per_s) link.bytes_per_s = link.nvlinks * *links.front().bytes_per_s;
  link.pcie = pci_class_of(report, a, b);
  return link;
}

const PciPlace* place_of(const std::map<int, PciPlace>& places, const GpuFacts& gpu) {
  const auto found = places.find(gpu.ordinal);
  return found == places.end() ? nullptr : &found->second;
}

GpuLink link_of(const GpuFacts& from, const GpuFacts& to, const NvmlReport& report,
                const std::map<int, PciPlace>& places) {
  GpuLink link;
  const auto a = find_in(report, from), b = find_in(report, to);
  if (a && b) link = nvlink_of(report, *a, *b);
  const PciPlace* const here = place_of(places, from);
  const PciPlace* const there = place_of(places, to);
  const std::string by_path = here != nullptr && there != nullptr ? pcie_class(*here, *there) : std::string{};
  if (link.pcie.empty() && !by_path.empty()) {
    link.pcie = by_path;
    link.source += link.source.empty() ? "sysfs" : "+sysfs";
  } else if (!by_path.empty() && by_path != link.pcie) {
    link.conflict = "sysfs: " + by_path;
  }
  link.from = gpu_name(from);
  link.to = gpu_name(to);
  return link;
}

}  // namespace

std::string pcie_class(const PciPlace& a, const PciPlace& b) {
  if (a.path.empty() || b.path.empty()) return {};
  const auto one = components(a.path), two = components(b.path);
  const auto [end_one, end_two] = std::mismatch(one.begin(), one.end(), two.begin(), two.end());
  const auto shared = end_one - one.begin();
  if (shared == 0) {
    const bool same_node = a.numa_node && b.numa_node && *a.numa_node == *b.numa_node;
    return same_node ? "NODE" : "SYS";
  }
  if (shared == 1) return "PHB";  // the host bridge alone
  // Below the switch where the paths part each has one port of it, then the device.
  const auto deepest = std::max(one.end() - end_one, two.end() - end_two);
  return deepest <= 2 ? "PIX" : "PXB";
}

std::optional<std::size_t> find_in(const NvmlReport& report, const GpuFacts& gpu) {
  const auto at = [&](auto same) -> std::optional<std::size_t> {
    const auto found = std::find_if(report.gpus.begin(), report.gpus.end(), same);
    if (found == report.gpus.end()) return std::nullopt;
    return static_cast<std::size_t>(found - report.gpus.begin());
  };
  if (!gpu.uuid.empty()) {
    const std::string uuid = without_prefix(gpu.uuid);
    if (const auto found = at([&](const NvmlGpu& g) { return without_prefix(g.uuid) == uuid; })) return found;
  }
  return at([&](const NvmlGpu& g) { return !g.pci.empty() && g.pci == gpu.pci; });
}

std::vector<GpuLink> gpu_links(const std::vector<GpuFacts>& gpus, const NvmlReport& report,
                               const std::map<int, PciPlace>& places) {
  std::vector<GpuLink> links;
  for (const auto& from : gpus) {
    for (const auto& to : gpus) {
      if (from.ordinal != to.ordinal) links.push_back(link_of(from, to, report, places));
    }
  }
  return links;
}

std::vector<std::string> link_classes(const NvmlReport& report) {
  std::vector<std::string> classes;
  for (std::size_t a = 0; a < report.gpus.size(); ++a) {
    for (std::size_t b = a + 1; b < report.gpus.size(); ++b) classes.push_back(nvlink_of(report, a, b).class_name());
  }
  std::sort(classes.begin(), classes.end());
  return classes;
}

std::vector<GpuCondition> gpu_conditions(const std::vector<GpuFacts>& gpus, const NvmlReport& report) {
  std::vector<GpuCondition> conditions;
  for (const auto& gpu : gpus) {
    const auto at = find_in(report, gpu);
    if (!at) continue;
    const NvmlGpu& seen = report.gpus[*at];
    conditions.push_back({gpu_name(gpu), seen.sm_clock_mhz, seen.memory_clock_mhz, seen.temperature_c,
                          seen.foreign_processes, seen.throttling});
  }
  return conditions;
}

std::map<int, Theory> host_theory(const std::vector<GpuFacts>& gpus, const NvmlReport& report,
                                  const std::map<int, PciPlace>& places) {
  std::map<int, Theory> theory;
  for (const auto& gpu : gpus) {
    if (const auto at = find_in(report, gpu)) {
      const NvmlGpu& seen = report.gpus[*at];
      const auto rate = seen.pcie_generation ? pcie_gt_per_s(*seen.pcie_generation) : std::nullopt;
      if (rate && seen.pcie_width && *seen.pcie_width > 0) {
        theory[gpu.ordinal] = {pcie_bytes_per_s(*rate, *seen.pcie_width),
                               fmt::format("PCIe {}.0 x{}, from NVML", *seen.pcie_generation, *seen.pcie_width)};
        continue;
      }
    }
    const PciPlace* const place = place_of(places, gpu);
    if (place == nullptr || !place->gt_per_s || !place->lanes) continue;
    theory[gpu.ordinal] = {pcie_bytes_per_s(*place->gt_per_s, *place->lanes),
                           fmt::format("PCIe {} GT/s x{}, from sysfs", *place->gt_per_s, *place->lanes)};
  }
  return theory;
}

std::map<std::pair<int, int>, Theory> link_theory(const std::vector<GpuFacts>& gpus,
                                                  const std::vector<GpuLink>& links) {
  std::map<std::pair<int, int>, Theory> theory;
  for (const auto& gpu : gpus) {
    if (!gpu.memory_gbs) continue;
    theory[{gpu.ordinal, gpu.ordinal}] = {*gpu.memory_gbs * 1e9 / 2,
                                          "half of memory clock x bus width x 2, from the CUDA runtime"};
  }
  for (const auto& link : links) {
    if (!link.bytes_per_s) continue;
    theory[{std::stoi(link.from), std::stoi(link.to)}] = {*link.bytes_per_s,
                                                          fmt::format("{} NVLinks, from NVML", link.nvlinks)};
  }
  return theory;
}

}  // namespace halotune
