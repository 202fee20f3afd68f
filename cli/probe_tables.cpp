#include "cli/probe_tables.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/printable.hpp"
#include "cli/quantities.hpp"
#include "cli/table.hpp"

namespace halotune {
namespace {

constexpr std::size_t most_columns = 8;

/// Keeps the order of first appearance.
void add_once(std::vector<std::string>& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

/// Whether the times of a kind are read as bandwidth.
bool shown_as_bandwidth(const ProbeRow& row) {
  return row.bytes > 0 && (row.kind == "host_copy" || row.kind == "peer_link" || row.kind == "halo_together");
}

/// " (86 %)" of what the hardware is made for, where that is known.
std::string share_text(double bytes_per_s, const std::optional<double>& theory) {
  return theory ? " (" + percent_text(bytes_per_s / *theory) + ")" : "";
}

std::string value_text(const ProbeRow& row) {
  if (!row.samples) return row.status;
  const double median = row.samples->median;
  if (shown_as_bandwidth(row)) {
    const auto bytes = static_cast<double>(row.bytes);
    const auto theory = row.theoretical ? std::optional(bytes / *row.theoretical) : std::nullopt;
    return bandwidth_text(bytes / median) + share_text(bytes / median, theory);
  }
  if (row.unit == "B/s") return bandwidth_text(median) + share_text(median, row.theoretical);
  if (row.unit == "s") return time_text(row.samples->median);
  return number_text(row.samples->median);
}

/// One figure a cell: the largest size of each (row word, column word).
struct Grid {
  std::vector<std::string> rows, columns;
  std::map<std::pair<std::string, std::string>, const ProbeRow*> cells;

  void add(const std::string& row, const std::string& column, const ProbeRow& value) {
    add_once(rows, row);
    add_once(columns, column);
    const ProbeRow*& cell = cells[{row, column}];
    if (cell == nullptr || value.bytes >= cell->bytes) cell = &value;
  }

  std::string to_text(const std::string& corner, bool bold) const {
    const std::size_t shown = std::min(columns.size(), most_columns);
    std::vector<std::string> header{corner};
    header.insert(header.end(), columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(shown));
    TextTable table(header);
    for (const auto& row : rows) {
      std::vector<std::string> line{row};
      for (std::size_t i = 0; i < shown; ++i) {
        const auto found = cells.find({row, columns[i]});
        line.push_back(found == cells.end() ? "-" : value_text(*found->second));
      }
      table.add(std::move(line));
    }
    std::string text = table.to_text(bold);
    if (shown < columns.size()) text += fmt::format("({} more columns in --json)\n", columns.size() - shown);
    return text;
  }
};

bool is_matrix(const std::string& kind) {
  return kind.starts_with("numa_") || kind == "flag_ping_pong" || kind == "peer_link" || kind == "copy_latency" ||
         kind == "pointer_chase";
}

std::string number_or_dash(const std::optional<int>& value, const char* unit) {
  return value ? fmt::format("{} {}", *value, unit) : "-";
}

std::string gpus_text(const Machine& machine, bool bold) {
  TextTable table({"device", "model", "capability", "multiprocessors", "NUMA node", "memory", "L2"});
  for (const auto& device : machine.devices) {
    table.add({device.name, device.model, device.compute_capability, std::to_string(device.multiprocessors),
               device.numa_node < 0 ? "-" : std::to_string(device.numa_node), bytes_text(device.memory_bytes),
               bytes_text(device.l2_bytes)});
  }
  return table.to_text(bold);
}

std::string conditions_text(const Machine& machine, bool bold) {
  if (machine.conditions.empty()) return "";
  TextTable table({"device", "SM clock", "memory clock", "temperature", "other processes", "throttled by"});
  for (const auto& state : machine.conditions) {
    table.add({state.device, number_or_dash(state.sm_clock_mhz, "MHz"), number_or_dash(state.memory_clock_mhz, "MHz"),
               number_or_dash(state.temperature_c, "C"), number_or_dash(state.foreign_processes, ""),
               state.throttling.empty() ? "nothing" : fmt::format("{}", fmt::join(state.throttling, ", "))});
  }
  return "\nwhen it was probed\n" + table.to_text(bold);
}

std::string links_text(const Machine& machine, bool bold) {
  if (machine.links.empty()) return "";
  std::vector<std::string> header{"from / to"};
  for (const auto& device : machine.devices) header.push_back(device.name);
  TextTable table(header);
  std::string conflicts;
  for (const auto& from : machine.devices) {
    std::vector<std::string> line{from.name};
    for (const auto& to : machine.devices) {
      const auto link = std::find_if(machine.links.begin(), machine.links.end(),
                                     [&](const GpuLink& l) { return l.from == from.name && l.to == to.name; });
      line.push_back(link == machine.links.end() ? "-" : link->class_name() + (link->conflict.empty() ? "" : " !"));
      if (link != machine.links.end() && !link->conflict.empty()) {
        conflicts += fmt::format("! {} to {}: {} by {}, {}\n", from.name, to.name, link->class_name(), link->source,
                                 link->conflict);
      }
    }
    table.add(std::move(line));
  }
  return "\nlinks between GPUs\n" + table.to_text(bold) + conflicts;
}

std::string devices_text(const Machine& machine, bool bold) {
  if (!machine.devices.empty() && is_gpu(machine.devices.front())) {
    return gpus_text(machine, bold) + conditions_text(machine, bold) + links_text(machine, bold);
  }
  TextTable table({"device", "model", "cores", "NUMA node", "memory", "L2", "L3"});
  for (const auto& device : machine.devices) {
    table.add({device.name + (device.oversubscribed ? " (oversubscribed)" : ""), device.model,
               std::to_string(device.cores), std::to_string(device.numa_node), bytes_text(device.memory_bytes),
               bytes_text(device.l2_bytes), bytes_text(device.l3_bytes)});
  }
  return table.to_text(bold);
}

std::string kind_text(const Machine& machine, const std::string& kind, bool bold) {
  std::map<std::string, Grid> grids;  // matrices: one by variant
  std::string convention;
  for (const auto& row : machine.rows) {
    if (row.kind != kind) continue;
    convention = row.convention;
    if (is_matrix(kind)) {
      grids[row.variant].add(row.from, row.to, row);
    } else {
      grids[""].add(row.variant, row.from == row.to || row.to.empty() ? row.from : row.from + "->" + row.to, row);
    }
  }
  std::string text;
  for (const auto& [variant, grid] : grids) {
    text += fmt::format("\n{}{}{}{}\n", kind, variant.empty() ? "" : " " + variant, convention.empty() ? "" : ", ",
                        convention);
    text += grid.to_text(is_matrix(kind) ? "from / to" : "variant", bold);
  }
  return text;
}

std::string fits_text(const Machine& machine, bool bold) {
  TextTable table({"halo", "from -> to", "alpha", "beta", "error"});
  for (const auto& fit : machine.fits) {
    if (fit.kind != "halo") continue;
    table.add({fit.variant, fit.from + " -> " + fit.to, time_text(fit.fit.alpha_s),
               bandwidth_text(fit.fit.beta_bytes_per_s), percent_text(fit.fit.relative_error)});
  }
  return table.empty()
             ? ""
             : "\nhalo messages, alpha + bytes/beta (alpha -: too small to show in the times)\n" + table.to_text(bold);
}

std::string missing_text(const Machine& machine) {
  std::map<std::string, int> reasons;
  for (const auto& row : machine.rows) {
    if (row.status != "ok") ++reasons[fmt::format("{} {}: {}", row.kind, row.status, row.reason)];
  }
  std::string text;
  for (const auto& [reason, count] : reasons) text += fmt::format("{} x {}\n", count, reason);
  return text.empty() ? "" : "\nwithout a verified figure\n" + text;
}

}  // namespace

std::string probe_text(const Machine& machine, bool bold) {
  std::string text = fmt::format("{} ({})\nmeasured {}\n\n", printable(machine.name, ""), printable(machine.host, ""),
                                 machine.measured_at) +
                     devices_text(machine, bold);
  std::vector<std::string> kinds;
  for (const auto& row : machine.rows) add_once(kinds, row.kind);
  for (const auto& kind : kinds) text += kind_text(machine, kind, bold);
  return text + fits_text(machine, bold) + missing_text(machine);
}

}  // namespace halotune
