#include "probes/link_fits.hpp"

#include <cmath>

#include <catch2/catch_test_macros.hpp>

using namespace halotune;

namespace {

ProbeRow timed(std::string kind, std::string variant, std::string to, std::int64_t bytes, double seconds) {
  ProbeRow row;
  row.kind = std::move(kind);
  row.variant = std::move(variant);
  row.from = "cpu:0";
  row.to = std::move(to);
  row.bytes = bytes;
  row.unit = "s";
  row.samples = SampleSummary{9, seconds, 0, seconds, seconds};
  return row;
}

bool near(double value, double expected) {
  return std::abs(value - expected) < 1e-6 * expected;
}

}  // namespace

TEST_CASE("fits find the alpha and beta that made the rows, per pair and variant") {
  std::vector<ProbeRow> rows;
  for (const std::int64_t bytes : {4096, 65536, 1048576}) {
    const auto n = static_cast<double>(bytes);
    rows.push_back(timed("halo", "shared:packed:x", "cpu:1", bytes, 2e-6 + n / 8e9));
    rows.push_back(timed("halo", "shared:packed:x", "cpu:0", bytes, 1e-6 + n / 20e9));
    rows.push_back(timed("face_copy", "gather:x:8", "cpu:0", bytes, 5e-7 + n / 3e9));
  }
  const auto fits = fit_links(rows);
  REQUIRE(fits.size() == 3);
  CHECK(fits[0].to == "cpu:1");
  CHECK(near(fits[0].fit.alpha_s.value(), 2e-6));
  CHECK(near(fits[0].fit.beta_bytes_per_s, 8e9));
  CHECK(fits[0].fit.n == 3);
  CHECK(near(fits[1].fit.alpha_s.value(), 1e-6));
  CHECK(near(fits[1].fit.beta_bytes_per_s, 20e9));
  CHECK(fits[2].kind == "face_copy");
  CHECK(fits[2].variant == "gather:x:8");
  CHECK(near(fits[2].fit.beta_bytes_per_s, 3e9));
}

TEST_CASE("rows that are not ok, have one size or no sizes give no fit") {
  auto failed = timed("halo", "staged:packed:x", "cpu:1", 65536, 1e-3);
  failed.status = "failed";
  const std::vector<ProbeRow> rows{
      timed("halo", "staged:packed:x", "cpu:1", 4096, 1e-6), failed, timed("fork_join", "empty_body", "cpu:0", 0, 1e-6),
      timed("memory_copy", "plain", "cpu:0", 4096, 1e9), timed("memory_copy", "plain", "cpu:0", 8192, 1e9)};
  CHECK(fit_links(rows).empty());
}
