#include "solver/verification.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace halotune;

namespace {

void require_passed(const std::string& name) {
  VerifyOptions options;
  options.quick = true;
  options.only = {name};
  const auto tables = verify(options);
  REQUIRE(tables.size() == 1);
  CHECK_FALSE(tables[0].rows.empty());
  for (const CheckRow& row : tables[0].rows) {
    INFO(name << ": " << row.values.dump());
    CHECK(row.passed);
  }
}

}  // namespace

TEST_CASE("verify: the quick form of a check passes", "[verify]") {
  require_passed(GENERATE(as<std::string>{}, "laplacian", "operators", "time", "energy", "analytic"));
}

TEST_CASE("verify: reflection and exactness, quick form", "[verify]") {
  require_passed(GENERATE(as<std::string>{}, "reflection", "exactness"));
}

TEST_CASE("verify: an unknown check is refused with the known names", "[verify]") {
  VerifyOptions options;
  options.only = {"laplacian", "nonsense"};
  try {
    verify(options);
    FAIL("not refused");
  } catch (const ConfigError& error) {
    CHECK(std::string(error.what()).find("nonsense") != std::string::npos);
    CHECK(std::string(error.what()).find("reflection") != std::string::npos);
  }
}

TEST_CASE("verify: a table without rows, or with a failed one, has not passed", "[verify]") {
  CheckTable table;
  CHECK_FALSE(table.passed());
  table.rows.push_back({{}, true, Json::object()});
  CHECK(table.passed());
  table.rows.push_back({{}, false, Json::object()});
  CHECK_FALSE(table.passed());
}
