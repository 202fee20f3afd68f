#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "cli/device_options.hpp"
#include "cli/history_reports.hpp"
#include "cli/plan_options.hpp"
#include "cli/printable.hpp"
#include "cli/quantities.hpp"
#include "cli/table.hpp"
#include "cli/tune_tables.hpp"

using namespace halotune;

TEST_CASE("Quantities have three digits and a unit, and unknown is a dash") {
  CHECK(time_text(0.01234) == "12.3 ms");
  CHECK(time_text(2.0) == "2.00 s");
  CHECK(time_text(std::nullopt) == "-");
  CHECK(time_text(std::numeric_limits<double>::quiet_NaN()) == "-");
  CHECK(interval_text(Interval{0.01234, 0.012, 0.0126}) == "12.3 ms [12.0, 12.6]");
  CHECK(interval_text(Interval{0.01234, std::numeric_limits<double>::quiet_NaN(), 1}) == "12.3 ms");
  CHECK(interval_text(Interval{0.01234, 0.012, 0.0126}, 3) == "12.3 ms [12.0, 12.6] (range of 3)");
  CHECK(interval_text(Interval{0.01234, 0.012, 0.0126}, 6) == "12.3 ms [12.0, 12.6]");
  CHECK(interval_text(Interval{0.01234, 0.012, 0.0126}, std::nullopt) == "12.3 ms [12.0, 12.6]");
  CHECK(bytes_text(1536) == "1.50 KiB");
  CHECK(bandwidth_text(55.3e9) == "55.3 GB/s");
  CHECK(percent_text(0.713) == "71.3 %");
}

TEST_CASE("Sizes are three whole numbers") {
  CHECK(parse_size("3x4x5") == std::array<std::int64_t, 3>{3, 4, 5});
  for (const char* bad : {"", "3x4", "3x4x", "3x4x5x6", "ax4x5", "3 x4x5", "3x4x5.5"}) CHECK_FALSE(parse_size(bad));
}

TEST_CASE("Tables align columns and quote CSV") {
  TextTable table({"name", "n"});
  table.add({"a, \"b\"", "7"});
  table.add({"µ", "12"});
  CHECK(table.to_text() == "name     n\na, \"b\"   7\nµ       12\n");
  CHECK(table.to_csv() == "name,n\r\n\"a, \"\"b\"\"\",7\r\nµ,12\r\n");
}

TEST_CASE("Control characters are made visible, letters of every alphabet stay") {
  CHECK(printable("a\x1b[2Jb\rc\n\td\x7f") == "a\\x1b[2Jb\\x0dc\n\td\\x7f");
  CHECK(printable("a\nb", "") == "a\\x0ab");
  CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(printable("µ 512³ 界 \xF0\x9F\x8C\x8A") == "µ 512³ 界 \xF0\x9F\x8C\x8A");
  CHECK(printable("\xC2\x9B"
                  "31m") == "\\xc2\\x9b31m");                                 // CSI as one character of C1
  CHECK(printable("\xC0\xAF\xFFz\xE2\x82") == "\\xc0\\xaf\\xffz\\xe2\\x82");  // overlong, no lead, cut off
  CHECK(printable("\xED\xA0\x80") == "\\xed\\xa0\\x80");                      // a surrogate
  TextTable table({"name"});
  table.add({"two\nlines\x1b[1m"});
  CHECK(table.to_text() == "name\ntwo\\x0alines\\x1b[1m\n");
  Recommendation none;
  none.why = "\x1b]0;title\x07";
  CHECK(recommendation_text(none) == "No recommendation.\n\\x1b]0;title\\x07\n");
}

TEST_CASE("Shell words are quoted when they need it") {
  CHECK(shell_line({"run", "my problem.json", "it's", "x=1,2"}) == R"(run 'my problem.json' 'it'\''s' x=1,2)");
  CHECK(shell_word("") == "''");
  CHECK(shell_word("$HOME") == "'$HOME'");
}

TEST_CASE("Device lists go out as --devices takes them in") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"cpu:0"}, "cpu:1"},
      {{"cpu:0", "cpu:1"}, "cpu:2"},
      {{"cpu:0", "cpu:0"}, "cpu:0,0"},
      {{"cpu:0", "cpu:0", "cpu:1", "cpu:1"}, "cpu:0,0,1,1"},
      {{"0"}, "1"},
      {{"0", "1", "2", "3"}, "4"},
      {{"0", "0"}, "0,0"},
      {{"1", "0"}, "1,0"},
      {{"3"}, "3-3"},
      {{"cpu:0", "1"}, "cpu:0,gpu:1"},
      {{"1", "cpu:0"}, "gpu:1,cpu:0"}};
  for (const auto& [devices, text] : cases) {
    CHECK(device_arguments(devices) == text);
    CHECK(parse_device_list(text) == devices);
  }
  CHECK_THROWS_AS(parse_device_list("tpu:1"), ConfigError);
}

TEST_CASE("Tables name the devices of a Plan, not their number") {
  const auto cell = [](std::vector<std::string> devices) {
    Plan plan;
    plan.devices = std::move(devices);
    plan.parts = {1, 1, static_cast<std::int64_t>(plan.devices.size())};
    const auto columns = plan_columns();
    return plan_cells(plan).at(
        static_cast<std::size_t>(std::find(columns.begin(), columns.end(), "devices") - columns.begin()));
  };
  CHECK(cell({"cpu:0"}) == "cpu:0");
  CHECK(cell({"cpu:0", "cpu:1"}) == "cpu:0,1");
  CHECK(cell({"cpu:1", "cpu:1"}) == "cpu:1");
}

TEST_CASE("Reports carry units in the cells for people and in the names for programs") {
  const Report recommendations{
      "recommendations", {"created", "plan", "step_s", "mpoints_per_s"}, {{"now", "p", 0.002, 50.5}}};
  CHECK(recommendations.to_text(false) == "created  plan     step  Mpoints/s\nnow      p     2.00 ms       50.5\n");
  CHECK(recommendations.to_csv() == "created,plan,step_s,mpoints_per_s\r\nnow,p,0.002,50.5\r\n");
  const Report runs{"runs", {"created", "kind", "step_s"}, {{"then", "bench", 0.5}}};
  CHECK(joined_report(recommendations, runs).to_csv() ==
        "kind,created,plan,step_s,mpoints_per_s\r\nrecommendation,now,p,0.002,50.5\r\nbench,then,,0.5,\r\n");
}

TEST_CASE("The flags of a Plan give the Plan back") {
  Plan plan;
  plan.parts = {2, 1, 2};
  plan.devices = {"cpu:0", "cpu:0", "cpu:1", "cpu:1"};
  plan.steps_per_exchange = 4;
  plan.transport = "staged";
  plan.packing = {Packing::strided, Packing::packed, Packing::packed};
  plan.overlap = Overlap::plain;
  plan.threads = 1;
  plan.cuts[0] = std::vector<std::int64_t>{17};
  CLI::App app;
  PlanOptions options;
  options.add_to(app);
  auto words = plan_arguments(plan);
  std::reverse(words.begin(), words.end());
  app.parse(words);
  std::vector<Fault> faults;
  const auto read = options.read(faults);
  REQUIRE(read);
  CHECK(*read == plan);
}

TEST_CASE("Reports compare with their baseline") {
  const auto plan_of = [](std::int64_t parts, int s, double step_s) {
    MeasuredPlan measured;
    measured.problem = problem_from_json(problem_json_of_grid({64, 64, 64}));
    measured.hw_class = "class";
    measured.plan.parts = {1, 1, parts};
    for (std::int64_t i = 1; i < parts; ++i) measured.plan.devices.push_back("cpu:" + std::to_string(i));
    measured.plan.steps_per_exchange = s;
    measured.step_s = step_s;
    measured.n = 9;
    return measured;
  };
  const std::vector<MeasuredPlan> plans{plan_of(1, 1, 8e-3), plan_of(2, 1, 5e-3), plan_of(2, 2, 4e-3)};
  const auto value = [](const Report& report, std::size_t row, const std::string& column) {
    const auto at = std::find(report.columns.begin(), report.columns.end(), column) - report.columns.begin();
    return report.rows.at(row).at(static_cast<std::size_t>(at));
  };
  const Report scaling = make_report("scaling", plans);
  REQUIRE(scaling.rows.size() == 2);
  CHECK(value(scaling, 1, "devices") == "2");
  CHECK(value(scaling, 1, "time_ratio") == 0.5);
  CHECK(value(scaling, 1, "efficiency") == 1.0);
  const Report ghost = make_report("ghost", plans);
  REQUIRE(ghost.rows.size() == 3);
  CHECK(value(ghost, 2, "exchange") == "s=2");
  CHECK(value(ghost, 2, "time_ratio") == 0.8);
  CHECK_THROWS_AS(make_report("weather", plans), ConfigError);
}
