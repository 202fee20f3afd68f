#include "cli/probe_tables.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

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

std::string value_text(const ProbeRow& row) {
  if (!row.samples) return row.status;
  if (row.unit == "B/s") return bandwidth_text(row.samples->median);
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
  return kind.starts_with("numa_") || kind == "flag_ping_pong";
}

std::string devices_text(const Machine& machine, bool bold) {
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
