#include "tuner/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/statistics.hpp"
#include "solver/device_name.hpp"
#include "tuner/model_rates.hpp"
#include "tuner/model_work.hpp"

namespace halotune {
namespace {

struct HaloTime {
  double pack_s = 0, move_s = 0, latency_s = 0;
  double leaving_s = 0;  ///< of move_s, what does not need the memory of a GPU alone
};

/// What the exchange leaves exposed per step. `plain` hides only the waiting, because the receiver
/// moves the bytes itself; `progress` gives up one thread while the others compute.
void add_exposed(PredictionTerms& terms, const HaloTime& halo, const Plan& plan, int threads) {
  if (plan.overlap != Overlap::progress || threads < 2) {
    terms.pack_s = halo.pack_s;
    terms.transfer_s = halo.move_s;
    terms.wait_s = plan.overlap == Overlap::off ? halo.latency_s : 0;
    return;
  }
  const double s = plan.steps_per_exchange;
  const double compute_s = terms.compute_s + terms.redundant_s + terms.psi_s;  // of the step that exchanges
  const double moving_s = s * ((halo.pack_s + halo.move_s) * threads + halo.latency_s);
  const bool hidden = moving_s <= compute_s * threads / (threads - 1.0);
  terms.transfer_s = (hidden ? moving_s / threads : moving_s - compute_s) / s;
}

/// Of what leaves a GPU, the share that an overlapping exchange moves beside the inside: what the sender brings in
/// `plain`, of it the first of two hops through the host.
double hidden_share(const Plan& plan) {
  if (plan.overlap == Overlap::off) return 0;
  if (plan.overlap == Overlap::progress) return 1;
  if (plan.transport == "host_staged") return 0.5;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (plan.parts[axis] > 1 && plan.packing[axis] == Packing::strided) return 0;  // the receiver fetches it
  }
  return 1;
}

/// On GPUs an exchange runs beside the inside, but what it moves within a GPU, packing included, takes from the same
/// memory: hidden are the way over a link or the host, and the start-up.
void add_exposed_on_gpu(PredictionTerms& terms, const HaloTime& halo, const Plan& plan) {
  terms.pack_s = halo.pack_s;
  if (plan.overlap == Overlap::off) {
    terms.transfer_s = halo.move_s;
    terms.wait_s = halo.latency_s;
    return;
  }
  const double s = plan.steps_per_exchange;
  const double compute_s = terms.compute_s + terms.redundant_s + terms.psi_s;  // of the step that exchanges
  const double hidden_s = hidden_share(plan) * halo.leaving_s;
  terms.transfer_s = halo.move_s - hidden_s;
  terms.wait_s = std::max(0.0, s * (hidden_s + halo.latency_s) - compute_s) / s;
}

std::string group_of(const Plan& plan) {
  return layout_name(plan.parts) + "/" + plan.transport;
}

}  // namespace

double PredictionTerms::total() const {
  return compute_s + redundant_s + psi_s + pack_s + transfer_s + wait_s + launch_s;
}

std::string PredictionTerms::largest_overhead() const {
  const std::array<std::pair<double, const char*>, 6> terms{{{redundant_s, "redundant ghost work"},
                                                             {psi_s, "CPML memory variables"},
                                                             {pack_s, "packing"},
                                                             {transfer_s, "transfer"},
                                                             {wait_s, "message latency"},
                                                             {launch_s, "barriers and launches"}}};
  const auto largest = std::max_element(terms.begin(), terms.end(), [](auto& a, auto& b) { return a.first < b.first; });
  return largest->first > 0 ? largest->second : "";
}

Json to_json(const PredictionTerms& terms) {
  return Json{{"compute_s", terms.compute_s}, {"redundant_s", terms.redundant_s}, {"psi_s", terms.psi_s},
              {"pack_s", terms.pack_s},       {"transfer_s", terms.transfer_s},   {"wait_s", terms.wait_s},
              {"launch_s", terms.launch_s}};
}

Json to_json(const Prediction& prediction) {
  Json json = Json::object();
  json["seconds_per_step"] = number_or_null(prediction.seconds_per_step);
  json["mpoints_per_s"] = number_or_null(prediction.mpoints_per_s);
  json["terms"] = to_json(prediction.terms);
  json["correction"] = number_or_null(prediction.correction);
  json["usual_error"] = number_or_null(prediction.usual_error);
  json["usual_error_n"] = prediction.usual_error_n;
  json["assumptions"] = prediction.assumptions;
  return json;
}

Model::Model(Machine machine, const std::vector<CalibrationTrial>& trials, ModelConstants constants)
    : machine_(std::move(machine)), constants_(constants) {
  calibrate(trials);
}

std::string Model::missing() const {
  std::vector<std::string> assumptions;
  const Rates rates(machine_, constants_);
  constexpr double beyond_caches = 1e18;
  if (rates.update_bytes_per_s(beyond_caches) || rates.gpu_update_bytes_per_s("", beyond_caches, assumptions))
    return "";
  return "the machine has no memory bandwidth figure; run `halotune probe`";
}

std::optional<PredictionTerms> Model::raw_terms(const Problem& problem, const Plan& plan) const {
  std::vector<std::string> assumptions;
  return raw_terms(problem, plan, assumptions);
}

std::optional<PredictionTerms> Model::raw_terms(const Problem& problem, const Plan& plan,
                                                std::vector<std::string>& assumptions) const {
  const Rates rates(machine_, constants_);
  const double value = static_cast<double>(problem.bytes_per_value());
  const auto work = count_work(problem, plan, constants_.row_overhead_cells, constants_.gpu_kernels);
  const int devices = static_cast<int>(work.size());
  std::optional<PredictionTerms> slowest;
  for (const DeviceWork& device : work) {
    const auto rate = rates.device(problem, plan, devices, device.device, assumptions);
    if (!rate) return std::nullopt;
    const double cell_s = std::max(12 * value / (rate->update_bytes_per_s * rate->efficiency), 1 / rate->cells_per_s);
    PredictionTerms terms;
    terms.compute_s = device.owned_cells * cell_s;
    terms.redundant_s = device.redundant_cells * cell_s;
    terms.psi_s = device.psi_cells * 2 * value / (rate->update_bytes_per_s * rate->psi_efficiency);
    terms.launch_s = device.commands * rate->command_s + rate->ramp_cells * cell_s;
    HaloTime halo;
    for (const auto& h : device.halos) {
      const auto cost = rates.message(plan, h.axis, h.depth, h.from, device.device, *rate, assumptions);
      halo.pack_s += h.bytes * cost.pack_s_per_byte;
      halo.move_s += h.bytes * cost.move_s_per_byte;
      if (!on_gpus(plan)) {
        halo.latency_s += h.messages * cost.latency_s;
        continue;
      }
      if (h.from != device.device || plan.transport == "host_staged") halo.leaving_s += h.bytes * cost.move_s_per_byte;
      // All messages of an exchange start together.
      halo.latency_s = std::max(halo.latency_s, device.exchanges * cost.latency_s);
    }
    if (on_gpus(plan)) {
      add_exposed_on_gpu(terms, halo, plan);
    } else {
      add_exposed(terms, halo, plan, rate->threads);
    }
    if (!slowest || terms.total() > slowest->total()) slowest = terms;
  }
  return slowest;
}

std::optional<Prediction> Model::predict(const Problem& problem, const Plan& plan) const {
  Prediction prediction;
  auto terms = raw_terms(problem, plan, prediction.assumptions);
  if (!terms) return std::nullopt;
  prediction.correction = correction(plan);
  for (double* term : {&terms->compute_s, &terms->redundant_s, &terms->psi_s, &terms->pack_s, &terms->transfer_s,
                       &terms->wait_s, &terms->launch_s}) {
    *term *= prediction.correction;
  }
  prediction.terms = *terms;
  prediction.seconds_per_step = terms->total();
  prediction.mpoints_per_s = static_cast<double>(problem.cells()) / prediction.seconds_per_step / 1e6;
  // Rates and latencies from a file may be any numbers above zero.
  if (!std::isnormal(prediction.seconds_per_step) || !std::isnormal(prediction.mpoints_per_s)) return std::nullopt;
  prediction.usual_error = usual_error_;
  prediction.usual_error_n = error_n_;
  return prediction;
}

double Model::correction(const Plan& plan) const {
  const auto group = group_log_.find(group_of(plan));
  return std::exp(global_log_ + (group == group_log_.end() ? 0 : group->second));
}

void Model::calibrate(const std::vector<CalibrationTrial>& trials) {
  struct Group {
    double sum = 0, n = 0;
  };
  std::vector<std::pair<std::string, double>> logs;
  std::map<std::string, Group> groups;
  Group all;
  for (const auto& trial : trials) {
    if (!(trial.median_s > 0) || infeasible(trial.problem, trial.plan)) continue;
    const auto raw = raw_terms(trial.problem, trial.plan);
    if (!raw || !(raw->total() > 0)) continue;
    const double log_ratio = std::log(trial.median_s / raw->total());
    logs.emplace_back(group_of(trial.plan), log_ratio);
    auto& group = groups[logs.back().first];
    group.sum += log_ratio;
    group.n += 1;
    all.sum += log_ratio;
    all.n += 1;
  }
  if (logs.empty()) return;
  const double prior = constants_.prior_trials;
  const auto shrunk = [prior](double sum, double n) { return sum / (n + prior); };
  global_log_ = shrunk(all.sum, all.n);
  for (const auto& [name, group] : groups) group_log_[name] = shrunk(group.sum - group.n * global_log_, group.n);

  std::vector<double> errors;
  for (const auto& [name, log_ratio] : logs) {
    const auto& group = groups[name];
    const double global = shrunk(all.sum - log_ratio, all.n - 1);
    const double local = shrunk(group.sum - log_ratio - (group.n - 1) * global, group.n - 1);
    errors.push_back(std::abs(std::expm1(global + local - log_ratio)));
  }
  usual_error_ = median(errors);
  error_n_ = static_cast<std::int64_t>(errors.size());
}

}  // namespace halotune
