#include "cli/unfinished_probe.hpp"

#include <unistd.h>

#include <ctime>

#include "base/json.hpp"
#include "db/clock.hpp"

namespace halotune {
namespace {

constexpr std::chrono::seconds keep_every{5};
constexpr std::time_t good_for_s = 3600;

std::string request_of(const Machine& machine, const ProbeOptions& options) {
  const MachineKeys& keys = machine.keys;
  return content_hash(Json{{"probe", {keys.hw_class, keys.sw_env, keys.node, keys.visible_set}},
                           {"devices", options.devices},
                           {"quick", options.quick},
                           {"samples", options.samples}});
}

}  // namespace

UnfinishedProbe::UnfinishedProbe(Store& store, const ProbeOptions& options)
    : store_(store), machine_(describe_machine(options.devices)), kept_(std::chrono::steady_clock::now()) {
  session_.request_key = request_of(machine_, options);
  const auto unfinished = store.unfinished_sessions(session_.request_key);
  if (!unfinished.empty() && unfinished.front().created >= utc_second(std::time(nullptr) - good_for_s)) {
    session_ = unfinished.front();
    try {
      machine_.rows = machine_from_json(parse_json(session_.json, "interrupted probe")).rows;
    } catch (const ConfigError&) {
      machine_.rows.clear();  // of another version, say: all is measured anew
    }
    return;
  }
  session_.created = utc_now();
  session_.id = content_hash(Json{{"request", session_.request_key}, {"created", session_.created}, {"by", getpid()}});
}

void UnfinishedProbe::add(const ProbeRow& row) {
  if (row.status == "timeout") return;
  machine_.rows.push_back(row);
  if (std::chrono::steady_clock::now() - kept_ > keep_every) keep();
}

void UnfinishedProbe::keep() {
  if (machine_.rows.empty()) return;
  session_.state = "running";
  session_.json = to_json(machine_).dump();
  store_.put(session_);
  kept_ = std::chrono::steady_clock::now();
}

void UnfinishedProbe::close() {
  if (session_.state.empty()) return;  // nothing was kept
  session_.state = "finished";
  session_.json = "{}";
  store_.put(session_);
}

}  // namespace halotune
