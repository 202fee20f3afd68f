#include "solver/device/pci_place.hpp"

#include <array>
#include <filesystem>
#include <fstream>

namespace halotune {
namespace {

namespace fs = std::filesystem;

template <class Number>
std::optional<Number> read_number(const fs::path& file) {
  std::ifstream in(file);
  Number value{};
  if (!(in >> value)) return std::nullopt;
  return value;
}

}  // namespace

PciPlace read_pci_place(const std::string& pci, const std::string& sys) {
  PciPlace place;
  if (pci.empty()) return place;  // the folder of all devices is no device
  const fs::path device = fs::path(sys) / "bus/pci/devices" / pci;
  std::error_code missing;
  const fs::path canonical = fs::canonical(device, missing);
  if (missing) return place;
  const fs::path root = fs::canonical(fs::path(sys) / "devices", missing);
  if (!missing) place.path = canonical.lexically_relative(root).string();
  if (const auto node = read_number<int>(device / "numa_node"); node && *node >= 0) place.numa_node = node;
  if (const auto rate = read_number<double>(device / "max_link_speed"); rate && *rate > 0) place.gt_per_s = rate;
  // 0 and 255: the device does not say.
  const auto lanes = read_number<int>(device / "max_link_width");
  if (lanes && *lanes > 0 && *lanes <= 64) place.lanes = lanes;
  return place;
}

double pcie_bytes_per_s(double gt_per_s, int lanes) {
  const double encoding = gt_per_s <= 5 ? 0.8 : gt_per_s <= 32 ? 128.0 / 130 : 242.0 / 256;
  return gt_per_s * 1e9 / 8 * lanes * encoding;
}

std::optional<double> pcie_gt_per_s(int generation) {
  constexpr std::array rates{2.5, 5.0, 8.0, 16.0, 32.0, 64.0};
  if (generation < 1 || generation > static_cast<int>(rates.size())) return std::nullopt;
  return rates[static_cast<std::size_t>(generation - 1)];
}

}  // namespace halotune
