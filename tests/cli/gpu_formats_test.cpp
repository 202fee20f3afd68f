#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "cli/device_options.hpp"
#include "cli/plan_options.hpp"
#include "cli/recommendation_formats.hpp"
#include "cli/tune_tables.hpp"

using namespace halotune;
using Catch::Matchers::ContainsSubstring;

namespace {

Recommendation on_gpus_0_and_2() {
  Recommendation recommendation;
  Plan plan;
  plan.parts = {1, 1, 2};
  plan.devices = {"0", "2"};
  plan.transport = "peer_direct";
  recommendation.plan = plan;
  recommendation.basis = Basis::exact;
  recommendation.seconds_per_step = Interval{1e-3, 0.9e-3, 1.1e-3};
  return recommendation;
}

}  // namespace

TEST_CASE("A batch script for GPUs asks for as many as the highest one needs, and for no cores") {
  const auto problem = problem_from_json(problem_json_of_grid({64, 64, 64}));
  const std::string text = as_sbatch(on_gpus_0_and_2(), problem, 0, {"--grid", "64x64x64"});
  CHECK_THAT(text, ContainsSubstring("#SBATCH --gpus-per-node=3\n"));
  CHECK_THAT(text, ContainsSubstring("--devices 0,2"));
  CHECK_THAT(text, !ContainsSubstring("cpus-per-task"));
  Recommendation on_cores = on_gpus_0_and_2();
  on_cores.plan->devices = {"cpu:0", "cpu:1"};
  const std::string other = as_sbatch(on_cores, problem, 8, {"--grid", "64x64x64"});
  CHECK_THAT(other, ContainsSubstring("#SBATCH --cpus-per-task=8\n"));
  CHECK_THAT(other, !ContainsSubstring("gpus"));
}

TEST_CASE("Shell and environment forms name GPUs as --devices takes them") {
  CHECK_THAT(as_shell(on_gpus_0_and_2(), {}),
             ContainsSubstring("--transport peer_direct") && ContainsSubstring("--devices 0,2"));
  Recommendation alone = on_gpus_0_and_2();
  alone.plan->parts = {1, 1, 1};
  alone.plan->devices = {"2"};
  CHECK_THAT(as_environment(alone), ContainsSubstring("HALOTUNE_DEVICES=2-2\n"));
  CHECK(parse_device_list("2-2") == alone.plan->devices);
}

TEST_CASE("A Plan on GPUs comes back from its own flags") {
  const Plan plan = *on_gpus_0_and_2().plan;
  CLI::App app;
  PlanOptions options;
  options.add_to(app);
  auto words = plan_arguments(plan);
  std::reverse(words.begin(), words.end());
  app.parse(words);
  std::vector<Fault> faults;
  const auto read = options.read(faults);
  REQUIRE(faults.empty());
  CHECK(read == plan);
}

TEST_CASE("Tables say nothing of threads on GPUs") {
  CHECK(plan_cells(*on_gpus_0_and_2().plan).back() == "-");
  CHECK(plan_cells(Plan{}).back() == "all");
}

TEST_CASE("A device that is named K times may hold up to K parts") {
  CHECK(read_restriction({}, {"0", "0", "0"}).parts_per_device == std::vector{1, 2, 3});
  CHECK(read_restriction({"parts_per_device=3"}, {"0", "0", "0"}).parts_per_device == std::vector{3});
  CHECK_FALSE(read_restriction({}, {"0", "1"}).parts_per_device);
  CHECK(read_restriction({"transport=peer_copy"}, {"0"}).transport == std::vector<std::string>{"peer_copy"});
}
