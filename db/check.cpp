#include "db/check.hpp"

#include <fmt/format.h>

#include "db/migration.hpp"
#include "db/rows.hpp"
#include "db/store.hpp"

namespace halotune {
namespace {

constexpr std::size_t most_findings = 50;
using Findings = std::vector<std::string>;

void find_mark_faults(Connection& connection, Findings& findings) {
  const SchemaMark mark = read_mark(connection);
  if (mark.application != application_id) findings.push_back("application_id " + std::to_string(mark.application));
  if (mark.version != schema_version()) findings.push_back("schema version " + std::to_string(mark.version));
  for (std::string& difference : schema_differences(connection)) findings.push_back(std::move(difference));
}

void find_dangling_references(Connection& connection, Findings& findings) {
  connection.attempt([&] {
    Loan statement =
        connection.prepare("SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2");
    while (statement->executeStep()) {
      findings.push_back(fmt::format("{} rows of {} name rows that {} lacks", statement->getColumn(2).getInt64(),
                                     statement->getColumn(0).getString(), statement->getColumn(1).getString()));
    }
  });
}

void find_row_faults_of(Connection& connection, const Table& from, const RowCheck& look_deeper, Findings& findings) {
  connection.attempt([&] {
    std::vector<Fault> faults;
    Loan statement = connection.prepare(select_sql(from));
    while (statement->executeStep() && faults.size() < most_findings) {
      const Cells cells = read_cells(*statement, from);
      const std::string path = fmt::format("{}/{}", from.name, valid_utf8(std::get<std::string>(cells.front())));
      const std::size_t before = faults.size();
      find_row_faults(from, cells, path, faults);
      if (faults.size() == before) find_deeper_faults(from, cells, look_deeper, path, faults);
    }
    for (const Fault& fault : faults) findings.push_back(to_string(fault));
  });
}

// Each part runs even when another cannot read its pages.
template <class Part>
void examine(Findings& findings, Part&& part) {
  try {
    part();
  } catch (const DbError& error) {
    findings.emplace_back(error.what());
  }
}

}  // namespace

Findings page_findings(Connection& connection, bool quick) {
  Findings findings;
  examine(findings, [&] {
    connection.attempt([&] {
      findings.clear();
      const char* pragma = quick ? "quick_check" : "integrity_check";
      Loan statement = connection.prepare(fmt::format("PRAGMA {}({})", pragma, most_findings));
      while (statement->executeStep()) {
        const std::string line = statement->getColumn(0).getString();
        if (line != "ok") findings.push_back(fmt::format("{}: {}", pragma, line));
      }
    });
  });
  return findings;
}

Findings store_findings(Connection& connection, const RowCheck& look_deeper) {
  Findings findings;
  examine(findings, [&] { find_mark_faults(connection, findings); });
  for (std::string& finding : page_findings(connection, false)) findings.push_back(std::move(finding));
  examine(findings, [&] { find_dangling_references(connection, findings); });
  for (const Table& each : tables())
    examine(findings, [&] { find_row_faults_of(connection, each, look_deeper, findings); });
  return findings;
}

std::vector<std::string> Store::check(const RowCheck& look_deeper) const {
  return store_findings(connection(), look_deeper);
}

}  // namespace halotune
