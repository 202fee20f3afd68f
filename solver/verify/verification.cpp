#include "solver/verification.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "solver/device_name.hpp"
#include "solver/transport/transport.hpp"
#include "solver/verify/checks.hpp"

namespace halotune {
namespace {

struct Check {
  const char* name;
  CheckTable (*run)(const VerifyOptions&);
};

constexpr std::array<Check, 7> checks{{{"laplacian", check_laplacian},
                                       {"operators", check_operators},
                                       {"time", check_time_convergence},
                                       {"reflection", check_reflection},
                                       {"exactness", check_exactness},
                                       {"energy", check_energy},
                                       {"analytic", check_analytic}}};

}  // namespace

bool CheckTable::passed() const {
  return !rows.empty() && std::all_of(rows.begin(), rows.end(), [](const CheckRow& row) { return row.passed; });
}

Json to_json(const CheckTable& table) {
  Json json{{"name", table.name}, {"title", table.title}, {"source", table.source}, {"passed", table.passed()}};
  json["rows"] = Json::array();
  for (const CheckRow& row : table.rows) {
    Json values = row.values;
    values["passed"] = row.passed;
    json["rows"].push_back(std::move(values));
  }
  return json;
}

std::vector<std::string> check_names() {
  std::vector<std::string> names;
  for (const Check& check : checks) names.emplace_back(check.name);
  return names;
}

std::vector<CheckTable> verify(const VerifyOptions& options) {
  const auto names = check_names();
  std::vector<Fault> faults;
  for (const std::string& name : options.only) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      faults.push_back(
          {"", "there is no check \"" + name + "\"", "", "choose among " + fmt::format("{}", fmt::join(names, ", "))});
    }
  }
  throw_if_any(faults);
  const auto wanted = [&](const Check& check) {
    return options.only.empty() ||
           std::find(options.only.begin(), options.only.end(), check.name) != options.only.end();
  };
  const auto all = static_cast<int>(std::count_if(checks.begin(), checks.end(), wanted));
  std::vector<CheckTable> tables;
  for (const Check& check : checks) {
    if (!wanted(check)) continue;
    if (options.progress) options.progress(check.name, static_cast<int>(tables.size()), all);
    tables.push_back(check.run(options));
  }
  return tables;
}

Plan verification_plan(const VerifyOptions& options, std::array<std::int64_t, 3> parts, int s, ExchangeKind exchange) {
  Plan plan;
  plan.parts = parts;
  plan.steps_per_exchange = s;
  plan.exchange = exchange;
  const auto count = static_cast<std::size_t>(plan.part_count());
  plan.devices.clear();
  for (std::size_t i = 0; i < count; ++i) plan.devices.push_back(options.devices[i * options.devices.size() / count]);
  plan.transport = default_transport(on_gpus(plan) ? DeviceKind::gpu : DeviceKind::cpu);
  return plan;
}

void add_row(CheckTable& table, bool passed, std::vector<std::string> cells, Json values) {
  table.rows.push_back({std::move(cells), passed, std::move(values)});
}

std::string scientific(double value) {
  return fmt::format("{:.4g}", value);
}

}  // namespace halotune
