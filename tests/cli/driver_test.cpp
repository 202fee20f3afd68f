#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <map>

#include "solver/device/gpu.hpp"
#include "tests/cli/program_run.hpp"

using namespace halotune;
using Catch::Matchers::ContainsSubstring;

namespace {

using Environment = std::map<std::string, std::string>;

/// A machine whose driver is as tests/device/stand_ins/cuda.cpp says.
Environment with_driver(Environment settings) {
  settings["LD_LIBRARY_PATH"] = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "stand_ins" / "driver";
  return settings;
}

const std::vector<std::string> small{"run",   "--grid",  "24x24x24", "--set", "cpml.cells=4",
                                     "--set", "order=4", "--steps",  "4",     "--json"};

std::vector<std::string> small_run(std::vector<std::string> more) {
  more.insert(more.begin(), small.begin(), small.end());
  return more;
}

struct Machine {
  std::string what;
  Environment environment;
  std::string reason, suggestion;
};

}  // namespace

TEST_CASE("Without a GPU that can be used: a clear reason, exit 3 where GPUs were asked for, CPUs otherwise") {
  if (find_gpus().backend != "cuda") SKIP("this build has no CUDA backend");
  const std::vector<Machine> machines{
      {"no GPU", {}, "the driver finds no GPU", "nvidia-smi"},
      {"old driver",
       {{"STAND_IN_DRIVER", "12000"}},
       "the driver serves CUDA 12.0 and this program needs 1",
       "install a newer driver"},
      {"hidden", {{"CUDA_VISIBLE_DEVICES", ""}}, "CUDA_VISIBLE_DEVICES is \"\", which hides every GPU", "unset it"},
      {"reordered, not there",
       {{"CUDA_VISIBLE_DEVICES", "3,1"}},
       "CUDA_VISIBLE_DEVICES is \"3,1\", which names no GPU of this machine",
       "name GPUs that are here"},
      {"UUID",
       {{"CUDA_VISIBLE_DEVICES", "GPU-00000000-0000-0000-0000-000000000000"}},
       "GPU-00000000-0000-0000-0000-000000000000\", which names no GPU",
       "unset it"},
      {"MIG slice",
       {{"CUDA_VISIBLE_DEVICES", "MIG-00000000-0000-0000-0000-000000000000"}},
       "MIG-00000000-0000-0000-0000-000000000000\", which names no GPU",
       "unset it"},
      {"broken", {{"STAND_IN_INIT", "3"}}, "cudaErrorInitializationError", "nvidia-smi"},
      {"fabric not ready", {{"STAND_IN_INIT", "802"}}, "cudaErrorSystemNotReady", "nvidia-smi"},
      {"half-installed", {{"STAND_IN_INIT", "803"}}, "cudaErrorSystemDriverMismatch", "nvidia-smi"},
  };
  const Workplace place;
  for (const Machine& machine : machines) {
    INFO(machine.what);
    const Environment environment = with_driver(machine.environment);
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"--backend", "cuda"}, {"--devices", "0"}}) {
      const Ran refused = halotune_run(place, small_run(words), environment);
      INFO(refused.err);
      CHECK(refused.code == 3);
      CHECK_THAT(refused.err, ContainsSubstring(machine.reason) && ContainsSubstring(machine.suggestion));
      CHECK(refused.out.empty());
    }
    const Ran on_cpu = halotune_run(place, small_run({}), environment);
    INFO(on_cpu.err);
    REQUIRE(on_cpu.code == 0);
    CHECK(on_cpu.json()["plan"]["devices"] == Json::array({"cpu:0"}));
    const Ran doctor = halotune_run(place, {"doctor", "--json"}, environment);
    CHECK_THAT(doctor.out, ContainsSubstring(Json(machine.reason).dump().substr(1, machine.reason.size() / 2)));
  }
  // The runs on CPUs were stored, and nothing of those that were refused.
  const Json history = halotune_run(place, {"history", "--json"}).json();
  CHECK(history["runs"]["rows"].size() == machines.size());
}

TEST_CASE("Without any driver the reason is that there is none") {
  if (find_gpus().backend != "cuda") SKIP("this build has no CUDA backend");
  if (find_gpus().driver_version) SKIP("this machine has a driver");
  const Workplace place;
  const Ran refused = halotune_run(place, small_run({"--backend", "cuda"}));
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, ContainsSubstring("no NVIDIA driver is loaded") && ContainsSubstring("--backend cpu"));
}
