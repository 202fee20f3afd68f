#include "solver/device/pci_place.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

namespace halotune {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const char* text) {
  std::ofstream(file) << text << '\n';
}

TEST_CASE("the place of a PCI device is its path, node and link") {
  const fs::path sys = fs::temp_directory_path() / ("halotune-sys-" + std::to_string(getpid()));
  const fs::path device = sys / "devices/pci0000:15/0000:15:01.0/0000:18:00.0";
  fs::create_directories(device);
  fs::create_directories(sys / "bus/pci/devices");
  fs::create_directory_symlink(device, sys / "bus/pci/devices/0000:18:00.0");
  write(device / "numa_node", "1");
  write(device / "max_link_speed", "32.0 GT/s PCIe");
  write(device / "max_link_width", "16");
  const PciPlace place = read_pci_place("0000:18:00.0", sys.string());
  CHECK(place.path == "pci0000:15/0000:15:01.0/0000:18:00.0");
  CHECK(place.numa_node == 1);
  CHECK(place.gt_per_s == 32.0);
  CHECK(place.lanes == 16);
  write(device / "numa_node", "-1");
  write(device / "max_link_speed", "Unknown");
  write(device / "max_link_width", "255");
  const PciPlace unknown = read_pci_place("0000:18:00.0", sys.string());
  CHECK_FALSE(unknown.numa_node);
  CHECK_FALSE(unknown.gt_per_s);
  CHECK_FALSE(unknown.lanes);
  CHECK(read_pci_place("0000:19:00.0", sys.string()).path.empty());
  fs::remove_all(sys);
}

TEST_CASE("PCIe rates are lanes x rate x encoding") {
  CHECK(pcie_bytes_per_s(2.5, 1) == Catch::Approx(0.25e9));
  CHECK(pcie_bytes_per_s(8, 16) == Catch::Approx(15.7538e9).epsilon(1e-5));
  CHECK(pcie_bytes_per_s(32, 16) == Catch::Approx(63.0154e9).epsilon(1e-5));
  CHECK(pcie_bytes_per_s(64, 16) == Catch::Approx(121e9));
  CHECK(pcie_gt_per_s(5) == 32.0);
  CHECK_FALSE(pcie_gt_per_s(0));
  CHECK_FALSE(pcie_gt_per_s(7));
}

}  // namespace
}  // namespace halotune
