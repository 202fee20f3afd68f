#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/cli/fault_lines.hpp"

using namespace halotune;

namespace {

using Words = std::vector<std::string>;

struct Row {
  Words arguments;
  Words messages;  ///< beginnings of all of them
};

void check_rows(const std::vector<Row>& rows, const Words& common = {}) {
  const Workplace place;
  for (const Row& row : rows) {
    Words arguments = row.arguments;
    arguments.insert(arguments.end(), common.begin(), common.end());
    std::string line;
    for (const auto& word : arguments) line += " '" + word + "'";
    INFO(line);
    check_messages(halotune_run(place, arguments), 2, row.messages);
  }
}

const Words small{"--grid", "48x48x48"};

}  // namespace

TEST_CASE("The command line is refused in the program's own words") {
  check_rows({
      {{}, {"a command is missing use one of probe, tune, recommend, run, verify, predict, history, db, doctor"}},
      {{"fly"}, {"'fly' is not understood (there is no such command) use one of probe, tune"}},
      {{"run", "--wings"}, {"'--wings' is not understood (there is no such flag) see halotune run --help"}},
      {{"run", "a.json", "b.json"}, {"'b.json' is not understood (there is no place for it) see halotune run --help"}},
      {{"run", "a.json", "b.json", "-x"}, {"'b.json' is not understood", "'-x' is not understood"}},
      {{"run", "--grid"}, {"--grid: does not have exactly one value"}},
      {{"run", "--grid", "1x1x1", "--grid", "2x2x2"}, {"--grid: does not have exactly one value"}},
      {{"db"}, {"a command is missing use one of export, import, check, prune"}},
      {{"db", "import"}, {"FILE: is missing see halotune db import --help"}},
      {{"db", "fly"}, {"'fly' is not understood (there is no such command) use one of export"}},
      {{"run", "--json=perhaps"}, {"a flag has a value that it cannot take see halotune run --help"}},
      {{"run", "--devices", "", "--parts", ""},
       {"--parts: is empty give a value or leave it out", "--devices: is empty give a value or leave it out"}},
      {{"probe", "--db", ""}, {"--db: is empty"}},
      {{"history", "--report", ""}, {"--report: is empty"}},
      {{"recommend", "--set", ""}, {"--set: is empty"}},
  });
}

TEST_CASE("Nonsense for the flags of a Problem") {
  check_rows({
      {{"predict"}, {"PROBLEM: is missing"}},
      {{"predict", "x.json", "--grid", "8x8x8"}, {"--grid: cannot be combined with a Problem file (x.json)"}},
      {{"predict", "--grid", "64"}, {"--grid: is no size (got 64)"}},
      {{"predict", "--grid", "64x64"}, {"--grid: is no size"}},
      {{"predict", "--grid", "64x64x64x64"}, {"--grid: is no size"}},
      {{"predict", "--grid", "nanx64x64"}, {"--grid: is no size"}},
      {{"predict", "--grid", "1e2x64x64"}, {"--grid: is no size"}},
      {{"predict", "--grid", "9223372036854775808x1x1"}, {"--grid: is no size"}},
      {{"predict", "--grid", "0x64x-64"}, {"/grid/0: is 0 cells", "/grid/2: is -64 cells"}},
      {{"predict", "--grid", "2147483647x2147483647x2147483647"}, {"/grid: has too many cells"}},
      {{"predict", "--grid", "39x64x64"}, {"/cpml: layers are thicker than the grid along x"}},
      {{"predict", "--grid", "64x64x64", "--steps", "many"}, {"--steps: is not a whole number (got many)"}},
      {{"predict", "--grid", "64x64x64", "--steps", "-1"}, {"/steps: is -1 steps"}},
      {{"predict", "--grid", "64x64x64", "--steps", "1e999"}, {"--steps: is not a whole number"}},
      {{"predict", "--grid", "64x64x64", "--steps", "9223372036854775807"}, {"/steps: is too many steps"}},
      {{"predict", "--grid", "64x64x64", "--steps", "9223372036854775808"}, {"--steps: is not a whole number"}},
  });
}

TEST_CASE("Nonsense for --set") {
  const Words common{"--grid", "64x64x64"};
  check_rows(
      {
          {{"predict", "--set", "order"}, {"--set: \"order\" is no assignment write"}},
          {{"predict", "--set", "=4"}, {"--set: \"=4\" is no assignment"}},
          {{"predict", "--set", "ordr=4"}, {"/ordr: is an unknown key did you mean \"order\"?"}},
          {{"predict", "--set", "grid.3=4"}, {"/grid/3: does not exist (the list has 3 elements) use 0 to 2"}},
          {{"predict", "--set", "grid.-1=4"}, {"/grid/-1: does not exist"}},
          {{"predict", "--set", "grid.99999999999999999999=4"}, {"/grid/99999999999999999999: does not exist"}},
          {{"predict", "--set", "grid.0.0=4"}, {"/grid/0/0: does not exist (/grid/0 has no members here)"}},
          {{"predict", "--set", "order.x=4"}, {"/order/x: does not exist (/order has no members here)"}},
          {{"predict", "--set", "..=4"}, {"/: is an unknown key"}},
          {{"predict", "--set", "cpml.=4"}, {"/cpml/: is an unknown key"}},
          {{"predict", "--set", "sources.0.amplitude=4"},
           {"/sources/0: does not exist (/sources has no members here)"}},
          {{"predict", "--set", "order={"}, {"/order: is not a whole number (got \"{\")"}},
          {{"predict", "--set", "order="}, {"/order: is not a whole number (got \"\")"}},
          {{"predict", "--set", "order=1e400"}, {"/order: is not a whole number (got a number beyond float64)"}},
          {{"predict", "--set", "cfl=nan"}, {"/cfl: is not a finite number (got \"nan\")"}},
          {{"predict", "--set", "cfl=NaN"}, {"/cfl: is not a finite number (got \"NaN\")"}},
          {{"predict", "--set", "cfl=-inf"}, {"/cfl: is not a finite number (got \"-inf\")"}},
          {{"predict", "--set", "time_step_s=nan"}, {"/time_step_s: is not a finite number"}},
          {{"predict", "--set", "duration_s=Infinity"}, {"/duration_s: is not a finite number"}},
          {{"predict", "--set", R"(cpml={"cells":1,"cells":2})"}, {"--set: key /cells appears twice at line 1"}},
          {{"predict", "--set", "medium=" + std::string(100, '[') + std::string(100, ']')},
           {"--set: is nested too deep at line 1, column 65"}},
          {{"predict", "--set", "output.file=\xff\xfe"}, {"--set: is not UTF-8"}},
          {{"predict", "--set", "colour=red", "--set", "cfl=x", "--set", "order=3"},
           {"/colour: is an unknown key", "/order: is 3", "/cfl: is not a finite number"}},
      },
      common);
}

TEST_CASE("Nonsense for the flags of a Plan") {
  check_rows(
      {
          {{"run", "--parts", "0x1x1"}, {"--parts: is no layout (got 0x1x1)"}},
          {{"run", "--parts", "1x1"}, {"--parts: is no layout"}},
          {{"run", "--parts", "-1x1x1"}, {"--parts: is no layout"}},
          {{"run", "--parts", "1x1x1x1"}, {"--parts: is no layout"}},
          {{"run", "--parts", "99999999999x1x1"}, {"--parts: are too many"}},
          {{"run", "--parts", "9999999999999999999x1x1"}, {"--parts: is no layout"}},
          {{"run", "--parts", "4294967296x4294967296x1"}, {"--parts: are too many"}},
          {{"run", "--s", "3"}, {"/steps_per_exchange: is 3"}},
          {{"run", "--s", "two"}, {"--s: is not a whole number (got two)"}},
          {{"run", "--exchange", "both"}, {"/exchange: is the unknown word \"both\""}},
          {{"run", "--transport", "drum"}, {"/transport: is the unknown transport \"drum\""}},
          {{"run", "--packing", "x=packed,x=strided"}, {"--packing: axis x is given twice"}},
          {{"run", "--packing", "w=packed"}, {"--packing: 'w=packed' is not axis=value"}},
          {{"run", "--packing", "x=loose"}, {"/packing/x: is the unknown word \"loose\""}},
          {{"run", "--overlap", "some"}, {"/overlap: is the unknown word \"some\""}},
          {{"run", "--threads", "-1"}, {"/threads: is -1"}},
          {{"run", "--threads", "99999999999"}, {"/threads: is out of range"}},
          {{"run", "--threads", "all"}, {"--threads: is not a whole number (got all)"}},
          {{"run", "--cuts", "z"}, {"--cuts: 'z' is not axis=value"}},
          {{"run", "--parts", "1x1x2", "--cuts", "z=10;z=20"}, {"--cuts: axis z is given twice"}},
          {{"run", "--parts", "1x1x2", "--cuts", "z=a"}, {"--cuts: 'a' is not a cell index", "/cuts/z: has 0 cuts"}},
          {{"run", "--parts", "1x1x2", "--cuts", "z=-4"}, {"/cuts/z/0: does not increase (-4 comes after 0)"}},
          {{"run", "--parts", "1x1x2", "--cuts", "z=48"}, {"the plan cannot run this problem (/cuts/z: cuts along z"}},
          {{"run", "--parts", "1x1x3", "--devices", "cpu:2"}, {"--devices: 3 parts cannot be placed on 2 devices"}},
          {{"run", "--bench", "--blocks", "0"}, {"--blocks: is out of range (got 0) give 1 to 100000"}},
          {{"run", "--bench", "--blocks", "1e3"}, {"--blocks: is not a whole number (got 1e3)"}},
          {{"run", "--bench", "--digest"}, {"--digest: cannot be combined with --bench"}},
          {{"predict", "--parts", "1x1x2", "--restrict", "s=1"}, {"--restrict: cannot be combined with a given Plan"}},
          {{"predict", "--top", "0", "--most-devices", "99999999999"},
           {"--top: is out of range", "--most-devices: is out of range"}},
          {{"run", "--transport", "peer_copy"}, {"the plan cannot run this problem (transport peer_copy"}},
          {{"run", "--parts", "1x1x1", "--set", "output.file=/no/such/folder/a.h5"},
           {"/output/file: cannot write /no/such/folder/a.h5"}},
          {{"run", "--parts", "1x1x1", "--set", "output.file=/dev/null"},
           {"/output/file: cannot write /dev/null (it exists and is no regular"}},
      },
      {"--grid", "48x48x48", "--steps", "1"});
}

TEST_CASE("Nonsense for --devices, of every command that takes it") {
  const std::vector<std::pair<std::string, std::string>> lists{
      {"foo", "--devices: 'foo' is not a device (a whole number is expected)"},
      {"cpu:", "--devices: 'cpu:' is not a device"},
      {"cpu:-1", "--devices: 'cpu:-1' is not a device"},
      {"cpu:99999", "--devices: 'cpu:99999' is too many (at most 4096 devices, cpu:0 to cpu:4095)"},
      {"cpu:4294967296", "--devices: 'cpu:4294967296' is not a device"},
      {"cpu:0,4096", "--devices: '4096' is too many"},
      {"0,4096", "--devices: '4096' is too many (at most 4096 devices, 0 to 4095)"},
      {"cuda:0", "--devices: 'cuda' is no kind of device (cuda:0) use cpu:N, or N for GPUs"}};
  std::vector<Row> rows;
  for (const auto& [list, message] : lists) {
    for (const Words& command :
         std::vector<Words>{{"run", "--grid", "48x48x48"}, {"tune", "--grid", "48x48x48"}, {"probe"}}) {
      Words arguments = command;
      arguments.insert(arguments.end(), {"--devices", list});
      rows.push_back({arguments, {message}});
    }
  }
  rows.push_back({{"tune", "--grid", "48x48x48", "--devices", "cpu:257"},
                  {"--devices: are too many to try (got 257, at most 256"}});
  rows.push_back({{"tune", "--grid", "48x48x48", "--devices", "cpu:1,1"}, {"--devices: is no set of CPU devices"}});
  rows.push_back({{"tune", "--grid", "48x48x48", "--devices", "4", "--backend", "cpu"},
                  {"--devices: are of another backend (4) leave out --backend, or name devices of it"}});
  rows.push_back({{"probe", "--devices", "0,cpu:1"}, {"--devices: are CPU devices and GPUs (0,cpu:1) name one kind"}});
  rows.push_back({{"tune", "--grid", "48x48x48", "--devices", "3-2"}, {"--devices: '3-2' is not a device"}});
  rows.push_back({{"recommend", "--grid", "48x48x48", "--devices", "0,0,"}, {"--devices: '' is not a device"}});
  rows.push_back({{"doctor", "--devices", "x"}, {"--devices: 'x' is not a device"}});
  rows.push_back({{"verify", "--devices", "x"}, {"--devices: 'x' is not a device"}});
  check_rows(rows);
}

TEST_CASE("Nonsense for the other flags") {
  check_rows({
      {{"tune", "--grid", "48x48x48", "--budget", "nan"}, {"--budget: is not a number (got nan)"}},
      {{"tune", "--grid", "48x48x48", "--budget", "-1"}, {"--budget: is out of range (got -1)"}},
      {{"tune", "--grid", "48x48x48", "--budget", "0"}, {"--budget: is out of range (got 0)"}},
      {{"tune", "--grid", "48x48x48", "--budget", "1e999"}, {"--budget: is out of range (got 1e999)"}},
      {{"tune", "--grid", "48x48x48", "--budget", "inf"}, {"--budget: is out of range (got inf)"}},
      {{"tune", "--grid", "48x48x48", "--budget", "1 min"}, {"--budget: is not a number (got 1 min)"}},
      {{"tune", "--grid", "48x48x48", "--seed", "1.5"}, {"--seed: is not a whole number (got 1.5)"}},
      {{"tune", "--grid", "48x48x48", "--search", "wild", "--objective", "speed", "--budget", "x"},
       {"--search: unknown kind of search (wild)", "--objective: unknown objective (speed)",
        "--budget: is not a number"}},
      {{"tune", "--grid", "48x48x48", "--devices", "cpu:2", "--restrict", "transport=mpi_host"},
       {"--restrict: transport 'mpi_host' is not part of this build use shared or staged"}},
      {{"tune", "--grid", "48x48x48", "--devices", "cpu:2", "--restrict", "transport=peer_copy"},
       {"--restrict: transport 'peer_copy' does not serve CPU devices use shared or staged"}},
      {{"tune", "--grid", "48x48x48", "--devices", "0,0", "--restrict", "transport=shared"},
       {"--restrict: transport 'shared' does not serve GPUs use host_staged"}},
      {{"tune", "--grid", "48x48x48", "--restrict", "s=3 threads=99999 parts_per_device=100000 layout=1 parts=1x2"},
       {"--restrict: '3' is no value of 's'", "--restrict: '99999' is no value of 'threads'",
        "--restrict: '100000' is no value of 'parts_per_device'", "--restrict: unknown key 'layout'",
        "--restrict: '1x2' is no value of 'parts'"}},
      {{"probe", "--samples", "6"}, {"--samples: is out of range (got 6) give 7 to 10000"}},
      {{"probe", "--samples", "x", "--max-seconds", "nan"},
       {"--samples: is not a whole number (got x)", "--max-seconds: is not a number (got nan)"}},
      {{"history", "--limit", "0"}, {"--limit: is out of range"}},
      {{"history", "--csv", "--json"}, {"--csv: cannot be combined with --json"}},
      {{"recommend", "--grid", "48x48x48", "--format", "xml"}, {"--format: is the unknown word \"xml\""}},
      {{"probe", "--backend", "abacus"}, {"--backend: is the unknown word \"abacus\""}},
  });
}

TEST_CASE("A run that memory cannot hold is refused before it starts, with its numbers") {
  const Workplace place;
  const Ran ran = halotune_run(place, {"run", "--grid", "20000x20000x20000", "--steps", "1"});
  CHECK(ran.code == 3);
  CHECK_THAT(ran.err, Catch::Matchers::ContainsSubstring("the run does not fit in memory (fields and buffers 11"));
  const Ran traces = halotune_run(place, {"run", "--grid", "48x48x48", "--steps", "1000000000000", "--set",
                                          R"(receivers=[{"position_m":[9,9,9]}])"});
  CHECK(traces.code == 3);
  CHECK_THAT(traces.err, Catch::Matchers::ContainsSubstring("traces 7.28 TiB"));
}
