#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/statistics.hpp"
#include "probes/gpu_links.hpp"

namespace halotune {

/// One measured figure. Never zero for unknown: `status` says why there is no value. docs/probes.md names every kind,
/// variant and unit.
struct ProbeRow {
  std::string kind;     ///< e.g. "memory_copy", "memory_update", "flag_ping_pong", "face_copy", "halo", "fork_join"
  std::string variant;  ///< e.g. "non_temporal", "packed", "x", transport name; free text by kind
  std::string from;     ///< device or NUMA node, e.g. "cpu:0", "numa:0", "core:3"
  std::string to;
  std::int64_t bytes = 0;  ///< size of one operation; 0 where it has none
  std::string unit;        ///< "B/s" or "s"
  std::string convention;  ///< how bytes were counted, e.g. "read + write"
  std::optional<SampleSummary> samples;
  std::optional<double> theoretical;
  std::string theoretical_source;
  std::string status = "ok";  ///< ok | unsupported | failed | unverified | timeout
  std::string reason;
};

/// alpha + n/beta over a size sweep of rows of one kind/variant/pair.
struct LinkFit {
  std::string kind, variant, from, to;
  AlphaBetaFit fit;
};

struct MachineKeys {
  std::string hw_class;     ///< what the hardware is, without serials, host names, bus numbers
  std::string sw_env;       ///< kernel, driver, runtimes, path-changing variables
  std::string node;         ///< this very node
  std::string visible_set;  ///< the devices this process may use
  bool operator==(const MachineKeys&) const = default;
};

struct MachineDevice {
  std::string name;     ///< "cpu:0"; a GPU "0"
  std::string backend;  ///< "cpu"; "cuda"
  std::string model;
  int cores = 0;      ///< 0 for a GPU
  int threads = 0;    ///< 0 for a GPU
  int numa_node = 0;  ///< of a GPU the node nearest to its PCI slot; -1: unknown
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0, l3_bytes = 0;  ///< sums over its cores, a shared L3 by share; 0: unknown
  bool oversubscribed = false;

  // GPUs only.
  int multiprocessors = 0;
  std::string compute_capability{};  ///< "9.0"
  std::string uuid{};  ///< "GPU-..." or, for a slice of one, "MIG-..."; joins what different libraries say
};

/// Whether the device is a GPU.
bool is_gpu(const MachineDevice& device);

/// A node as measured (or described by a file under configs/machines/).
struct Machine {
  std::string name;  ///< e.g. "2-core AMD EPYC"
  std::string host;
  MachineKeys keys;
  std::vector<MachineDevice> devices;
  std::vector<ProbeRow> rows;
  std::vector<LinkFit> fits;
  std::vector<GpuLink> links;            ///< between GPUs, each ordered pair; empty without several GPUs
  std::vector<GpuCondition> conditions;  ///< of the GPUs when they were probed; empty without GPUs
  std::string topology_xml;
  std::string measured_at;  ///< ISO 8601 UTC
  bool simulated = false;

  /// First ok row of a kind (and variant, when not empty) from a device; nullptr when absent.
  const ProbeRow* find(std::string_view kind, std::string_view variant, std::string_view from,
                       std::string_view to = {}) const;
  const LinkFit* find_fit(std::string_view kind, std::string_view variant, std::string_view from,
                          std::string_view to) const;
};

Json to_json(const Machine& machine);
/// @throws ConfigError with every fault.
Machine machine_from_json(const Json& json);

}  // namespace halotune
