#include "solver/device/cgroup_limits.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>
#include <string>

namespace halotune {
namespace {

namespace fs = std::filesystem;

class FakeRoot {
 public:
  FakeRoot() {
    std::string name = (fs::temp_directory_path() / "halotune-cgroup-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~FakeRoot() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((path / file).parent_path());
    std::ofstream(path / file) << text;
  }
  fs::path path;
};

TEST_CASE("cgroup v2: the tightest limit up the tree counts, page cache is free") {
  const FakeRoot root;
  root.write("proc/self/cgroup", "0::/slice/job\n");
  root.write("sys/fs/cgroup/slice/memory.max", "8000000\n");
  root.write("sys/fs/cgroup/slice/memory.current", "3000000\n");
  root.write("sys/fs/cgroup/slice/memory.stat", "anon 5\ninactive_file 1000000\n");
  root.write("sys/fs/cgroup/slice/cpu.max", "150000 100000\n");
  root.write("sys/fs/cgroup/slice/job/memory.max", "max\n");
  root.write("sys/fs/cgroup/slice/job/cpu.max", "max 100000\n");
  root.write("proc/meminfo", "MemTotal: 99999 kB\nMemAvailable: 50000 kB\n");
  const auto limits = read_cgroup_limits(root.path);
  CHECK(limits.cpus == 1.5);
  CHECK(limits.memory_bytes == 8000000);
  CHECK(limits.memory_headroom_bytes == 6000000);
  CHECK(available_memory_bytes(root.path) == 6000000);
}

TEST_CASE("cgroup v1: each controller has its own tree, and huge means unlimited") {
  const FakeRoot root;
  root.write("proc/self/cgroup", "5:cpu,cpuacct:/job\n4:memory:/job\n1:name=systemd:/\n");
  root.write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "300000\n");
  root.write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  root.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4000000\n");
  root.write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1000000\n");
  root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const auto limits = read_cgroup_limits(root.path);
  CHECK(limits.cpus == 3.0);
  CHECK(limits.memory_bytes == 4000000);
  CHECK(limits.memory_headroom_bytes == 3000000);
}

TEST_CASE("inside a container the named group may be invisible: the mount point's limits count") {
  const FakeRoot root;
  root.write("proc/self/cgroup", "0::/not/visible/here\n");
  root.write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  CHECK(read_cgroup_limits(root.path).cpus == 2.0);
}

TEST_CASE("without cgroups and meminfo nothing is known, and nothing is zero") {
  const FakeRoot root;
  const auto limits = read_cgroup_limits(root.path);
  CHECK_FALSE(limits.cpus.has_value());
  CHECK_FALSE(limits.memory_bytes.has_value());
  CHECK_FALSE(available_memory_bytes(root.path).has_value());
}

}  // namespace
}  // namespace halotune
