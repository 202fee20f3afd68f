#include "tests/fuzz/sample_store.hpp"

namespace halotune::fuzz {
namespace {

constexpr const char* moment = "2026-03-01T00:00:00.000000Z";

TrialRow trial(const std::string& machine_id, const std::string& status, std::optional<double> median_s) {
  TrialRow row;
  row.problem_key = "problem-1";
  row.machine_id = machine_id;
  row.hw_class = "class-a";
  row.sw_env = "env-a";
  row.node = "node-1";
  row.visible_set = "set-a";
  row.session = "session-1";
  row.plan_key = "plan-1";
  row.plan = R"({"parts":[1,1,2]})";
  row.status = status;
  row.reason = median_s ? "" : "the narrowest part is too narrow";
  row.device_set = "cpu:0,cpu:1";
  row.created = moment;
  row.predicted_s = 0.125;
  row.median_s = median_s;
  row.samples = "[0.1,0.2]";
  row.provenance = R"({"host":"node-1"})";
  return row;
}

}  // namespace

void add_sample_rows(Store& store) {
  const std::string machine_id =
      store.add(MachineRow{"", "class-a", "env-a", "node-1", "set-a", "a machine", moment, R"({"rows":[]})"});
  store.add(ProblemRow{"problem-1", R"({"grid":[64,64,64]})"});
  store.add(trial(machine_id, "ok", 0.1));
  store.add(trial(machine_id, "infeasible", std::nullopt));
  store.add(RecommendationRow{"", "problem-1", R"({"grid":[64,64,64]})", "class-a", "env-a", "node-1", "set-a", "cpu:0",
                              "time", "session-1", moment, R"({"basis":"exact"})"});
  store.add(RunRow{"", "problem-1", "class-a", "node-1", "plan-1", R"({"parts":[1,1,1]})", moment, R"({"steps":8})"});
  store.add(GpuTilesRow{"", "a GPU", "1.2.3", "order 8 float32", "64x64x64", moment, R"({"best":{}})"});
  store.put(SessionRow{"session-1", "request-1", "running", moment, "{}"});
}

}  // namespace halotune::fuzz
