#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/cli/fault_lines.hpp"

using namespace halotune;

namespace {

using Words = std::vector<std::string>;

/// A document and the beginnings of all messages about it; "FILE" stands for its name.
struct Row {
  std::string text;
  Words messages;
};

/// How a document reaches the program, the file's name last.
const Words as_problem{"predict"};
const Words as_plan{"predict", "--grid", "64x64x64", "--plan"};
const Words as_machine{"predict", "--grid", "64x64x64", "--machine"};

void check_file(const Workplace& place, Words arguments, const std::string& file, Words expected) {
  arguments.push_back(file);
  for (std::string& text : expected) {
    if (text.starts_with("FILE")) text.replace(0, 4, file);
  }
  check_messages(halotune_run(place, arguments), 2, expected);
}

void check_rows(const Words& arguments, const std::vector<Row>& rows) {
  const Workplace place;
  const std::string file = place.file("document.json").string();
  for (const Row& row : rows) {
    INFO(row.text.substr(0, 200));
    std::ofstream(file, std::ios::binary) << row.text;
    check_file(place, arguments, file, row.messages);
  }
}

std::string with_grid(const std::string& more) {
  return R"({"grid":[64,64,64],)" + more + "}";
}

const std::string nul(1, '\0');

/// Texts that are no document of any kind, with the fault of each.
const std::vector<Row> no_documents{
    {"", {"FILE: is not valid JSON at line 1, column 1 (it is empty)"}},
    {" \n\t", {"FILE: is not valid JSON at line 2, column 2 (it is empty)"}},
    {"{\"grid\": [64, 64", {"FILE: is not valid JSON at line 1, column 17 (it ends before the value is complete)"}},
    {"{\"grid\": \"64", {"FILE: is not valid JSON at line 1, column 13 (it ends before the value is complete)"}},
    {R"({"a": NaN})", {"FILE: is not valid JSON at line 1, column 7 (JSON has no NaN or Infinity)"}},
    {R"({"a": -Infinity})", {"FILE: is not valid JSON at line 1, column 7 (JSON has no NaN or Infinity)"}},
    {R"({"a": 01})", {"FILE: is not valid JSON at line 1, column 7 ('01' is not expected here)"}},
    {R"({"a": 01e400})", {"FILE: is not valid JSON at line 1, column 7 ('01e400' is not expected here)"}},
    {R"({"a": 1,})", {"FILE: is not valid JSON at line 1, column 9 ('}' is not expected here)"}},
    {"{'a': 1}", {"FILE: is not valid JSON at line 1, column 2 (''' is not expected here)"}},
    {"{} trailing", {"FILE: is not valid JSON at line 1, column 4 ('trailing' follows the end of the value)"}},
    {"{}" + nul, {"FILE: holds a NUL byte at line 1, column 3 (JSON is text) remove it"}},
    {"{" + nul + "}", {"FILE: holds a NUL byte at line 1, column 2"}},
    {"\xEF\xBB\xBF{}", {"FILE: starts with a byte order mark at line 1, column 1"}},
    {"{\"a\": \"\xC3\x28\"}", {"FILE: is not valid JSON at line 1, column 9 (bytes that are not UTF-8)"}},
    {"{\"a\": \"\xED\xA0\x80\"}", {"FILE: is not valid JSON at line 1, column 9 (bytes that are not UTF-8)"}},
    {"{\"a\": \"\n\"}", {"FILE: is not valid JSON at line 1, column 8 (a control character inside quotes"}},
    {R"({"a": "\q"})", {"FILE: is not valid JSON at line 1, column 9 (an escape that JSON does not have)"}},
    {std::string(1'000'000, '['), {"FILE: is nested too deep at line 1, column 65 (the limit is 64 levels)"}},
    {"{\"a\":" + std::string(1'000'000, '['), {"FILE: is nested too deep at line 1, column 69"}},
};

Words first_words(const std::vector<Row>& rows, std::size_t row) {
  return rows[row].messages;
}

}  // namespace

TEST_CASE("A Problem file that is no JSON is one fault with its place") {
  check_rows(as_problem, no_documents);
}

TEST_CASE("Plan and Machine files that are no JSON are one fault with its place") {
  const Workplace place;
  const std::string file = place.file("document.json").string();
  for (const std::size_t row : {0U, 2U, 4U, 10U, 11U, 13U, 14U, 18U}) {
    std::ofstream(file, std::ios::binary) << no_documents[row].text;
    for (const Words& arguments : {as_plan, as_machine})
      check_file(place, arguments, file, first_words(no_documents, row));
  }
}

TEST_CASE("Every fault of a Problem file is one message with its file and path, and there are no others") {
  check_rows(
      as_problem,
      {
          {"[]", {"FILE: the Problem is not a JSON object (got [])"}},
          {"null", {"FILE: the Problem is not a JSON object (got null)"}},
          {"3", {"FILE: the Problem is not a JSON object (got 3)"}},
          {"{}", {"FILE: /grid: is missing"}},
          {R"({"grid":null})", {"FILE: /grid: is not a list of three (got null)"}},
          {R"({"grid":[64,64]})", {"FILE: /grid: is not a list of three (got [64,64])"}},
          {R"({"grid":[0.0,64,64]})", {"FILE: /grid/0: is 0 cells (allowed are 1 to 2147483647)"}},
          {R"({"grid":[-1,0,64.5]})",
           {"FILE: /grid/2: is not a 64-bit whole number (got 64.5)", "FILE: /grid/0: is -1 cells",
            "FILE: /grid/1: is 0 cells"}},
          {R"({"grid":[9223372036854775807,9223372036854775808,18446744073709551616]})",
           {"FILE: /grid/1: is not a 64-bit whole number (got 9223372036854775808)",
            "FILE: /grid/2: is not a 64-bit whole number (got 1.8446744073709552e+19)",
            "FILE: /grid/0: is 9223372036854775807 cells"}},
          {R"({"grid":[1e308,1e400,-1e400]})",
           {"FILE: /grid/0: is not a 64-bit whole number (got 1e+308)",
            "FILE: /grid/1: is not a 64-bit whole number (got a number beyond float64)",
            "FILE: /grid/2: is not a 64-bit whole number (got a number beyond float64)"}},
          {R"({"grid":[2147483647,2147483647,2147483647]})", {"FILE: /grid: has too many cells"}},
          {R"({"grid":[2147483647,131073,8],"faces":"rigid"})", {"FILE: /grid: has too many cells"}},
          {R"({"grid":[30,64,64]})", {"FILE: /cpml: layers are thicker than the grid along x (20 + 20 cells of 30)"}},
          {R"({"grid":[3,64,64],"faces":"rigid"})", {"FILE: /grid/0: is 3 cells (order 8 needs at least 4"}},
          {with_grid(R"("colour":"red","ordr":8)"),
           {"FILE: /colour: is an unknown key", "FILE: /ordr: is an unknown key did you mean \"order\"?"}},
          {with_grid(R"("order":"8","scheme":1,"precision":[],"medium":3,"faces":null,"cpml":[],"initial":true)"),
           {"FILE: /order: is not a whole number (got \"8\")", "FILE: /scheme: is not a string (got 1)",
            "FILE: /precision: is not a string (got [])", "FILE: /medium: is not an object (got 3)",
            "FILE: /faces: is not a string (got null)", "FILE: /cpml: is not an object (got [])",
            "FILE: /initial: is not an object (got true)"}},
          {with_grid(R"("cfl":1e400)"), {"FILE: /cfl: is not a finite number (got a number beyond float64)"}},
          {with_grid(R"("cfl":"nan")"), {"FILE: /cfl: is not a finite number (got \"nan\")"}},
          {with_grid(R"("cfl":0)"), {"FILE: /cfl: is not above zero (got 0)"}},
          {with_grid(R"("cfl":-0.5)"), {"FILE: /cfl: is not above zero (got -0.5)"}},
          {with_grid(R"("cfl":0.7)"), {"FILE: /cfl: is above the stability limit (lambda 0.7"}},
          {with_grid(R"("cfl":1e308)"), {"FILE: /cfl: is above the stability limit"}},
          {with_grid(R"("time_step_s":1)"), {"FILE: /time_step_s: is above the stability limit"}},
          {with_grid(R"("time_step_s":1e-320)"), {"FILE: /medium: gives an update factor outside float32"}},
          {with_grid(R"("spacing_m":1e308)"), {"FILE: /medium: gives an update factor outside float32"}},
          {with_grid(R"("spacing_m":[10,0,-1])"),
           {"FILE: /spacing_m/1: is not above zero (got 0)", "FILE: /spacing_m/2: is not above zero (got -1)"}},
          {with_grid(R"("medium":{"speed_m_s":[1,"a",0],"density_kg_m3":0})"),
           {"FILE: /medium/speed_m_s/1: is not a finite number (got \"a\")",
            "FILE: /medium/speed_m_s/2: is not above zero (got 0)", "FILE: /medium/density_kg_m3: is not above zero"}},
          {with_grid(R"("medium":"layers")"), {"FILE: /medium/kind: a medium of kind layers is not built yet"}},
          {with_grid(R"("checkpoint":{})"), {"FILE: /checkpoint: checkpoint is not built yet remove it"}},
          {with_grid(R"("steps":0)"), {"FILE: /steps: is 0 steps"}},
          {with_grid(R"("steps":9223372036854775807)"), {"FILE: /steps: is too many steps"}},
          {with_grid(R"("duration_s":1e308)"), {"FILE: /duration_s: is too many steps"}},
          {with_grid(R"("duration_s":"1 s")"), {"FILE: /duration_s: is not a finite number (got \"1 s\")"}},
          {with_grid(R"("cpml":{"cells":-1,"reflection":1,"grading":17,"kappa_max":0.5,"alpha_ratio":-1})"),
           {"FILE: /cpml/cells: is negative", "FILE: /cpml/reflection: is not between 0 and 1",
            "FILE: /cpml/grading: is not between 0 and 16", "FILE: /cpml/kappa_max: is not between 1 and 1e6",
            "FILE: /cpml/alpha_ratio: is not between 0 and 1e6"}},
          {with_grid(R"("cpml":{"cells":9223372036854775807})"), {"FILE: /cpml/cells: is too large"}},
          {with_grid(R"("sources":[{"position_m":[0,640,1e308],"wavelet":{"frequency_hz":1e-320}}])"),
           {"FILE: /sources/0/position_m/1: lies outside the grid (640 m, the grid spans 0 to 640 m)",
            "FILE: /sources/0/position_m/2: lies outside the grid",
            "FILE: /sources/0/wavelet/frequency_hz: is too small"}},
          {with_grid(
               R"("sources":[{"position_m":[1,1,1],"radius_cells":33,"amplitude":1e39,"wavelet":{"kind":"sine"}}])"),
           {"FILE: /sources/0/amplitude: is beyond float32 (got 1e+39)", "FILE: /sources/0/radius_cells: is 33",
            "FILE: /sources/0/wavelet/kind: is the unknown word \"sine\""}},
          {with_grid(
               R"("sources":{},"receivers":[1,{"name":"a\u0000b","position_m":[1,1,1]},{"name":".","position_m":1}])"),
           {"FILE: /sources: is not a list", "FILE: /receivers/0: is not an object (got 1)",
            "FILE: /receivers/1/name: holds a NUL character (got \"a\\u0000b\")",
            "FILE: /receivers/2/name: is no data set name", "FILE: /receivers/2/position_m: is not a list of three"}},
          {with_grid(R"("output":{"file":"a\u0000","every_steps":0})"),
           {"FILE: /output/file: holds a NUL character", "FILE: /output/every_steps: is below 1"}},
          {with_grid(R"("initial":{"kind":"gaussian","width_m":1e-200,"center_m":[1,2]})"),
           {"FILE: /initial/center_m: is not a list of three", "FILE: /initial/width_m: has no square within float64"}},
          {with_grid("\"\\u001b[31m\\n\":1"), {"FILE: /\\x1b[31m\\x0a: is an unknown key"}},
          {R"({"grid":[64,64,64],"order":8,"\u0067rid":[32,32,32],"cpml":{"cells":4,"cells":5},"cfl":1e999,"order":5})",
           {"FILE: key /grid appears twice at line 1, column 30",
            "FILE: key /cpml/cells appears twice at line 1, column 71", "FILE: key /order appears twice",
            "FILE: /order: is 5", "FILE: /cfl: is not a finite number"}},
      });
}

TEST_CASE("Every fault of a Plan file is one message with its file and path, and there are no others") {
  check_rows(
      as_plan,
      {
          {"[]", {"FILE: holds no Plan (got [])"}},
          {"null", {"FILE: holds no Plan (got null)"}},
          {R"({"recommendation":{"plan":null}})", {"FILE: holds no Plan (got null)"}},
          {R"({"part":1,"parts":[0,"a",2.5]})",
           {"FILE: /parts/1: is not a whole number", "FILE: /parts/2: is not a 64-bit whole number (got 2.5)",
            "FILE: /parts/0: is 0", "FILE: /part: is an unknown key did you mean \"parts\"?"}},
          {R"({"parts":[4294967296,4294967296,4294967296]})", {"FILE: /parts: are too many parts"}},
          {R"({"parts":[1e400,1,1]})", {"FILE: /parts/0: is not a 64-bit whole number"}},
          {R"({"parts":[1,1,2],"devices":["cpu:0"]})", {"FILE: /devices: has 1 devices (the plan has 2 parts)"}},
          {R"({"devices":["cpu:4096"]})", {"FILE: /devices/0: is not a device (got \"cpu:4096\""}},
          {R"({"devices":["cpu:2147483647"]})", {"FILE: /devices/0: is not a device"}},
          {R"({"devices":["cpu:00"]})", {"FILE: /devices/0: is not a device"}},
          {R"({"steps_per_exchange":3,"exchange":"both","depths":1,"transport":"drum","overlap":"x","threads":4097})",
           {"FILE: /steps_per_exchange: is 3", "FILE: /exchange: is the unknown word \"both\"",
            "FILE: /depths: is not a string", "FILE: /transport: is the unknown transport \"drum\"",
            "FILE: /overlap: is the unknown word \"x\"", "FILE: /threads: is 4097"}},
          {R"({"exchange":"split","steps_per_exchange":2})", {"FILE: /exchange: is split with several local steps"}},
          {R"({"parts":[1,1,3],"devices":["cpu:0","cpu:0","cpu:0"],"cuts":{"z":[5,"a"],"w":[1]}})",
           {"FILE: /cuts/z/1: is not a whole number", "FILE: /cuts/w: is an unknown key"}},
          {R"({"environment":{"A=B":"1","C":2,"D":"x\u0000"}})",
           {"FILE: /environment/A=B: is not a variable name", "FILE: /environment/C: is not text",
            "FILE: /environment/D: holds a NUL character"}},
          {R"({"threads":1,"threads":2})", {"FILE: key /threads appears twice at line 1, column 14"}},
      });
}

TEST_CASE("Every fault of a Machine file is one message with its file and path, and there are no others") {
  const std::string head =
      R"({"name":"m","keys":{"hw_class":"c"},"devices":[{"name":"cpu:0","backend":"cpu","cores":2}])";
  check_rows(
      as_machine,
      {
          {"[]", {"FILE: the Machine is not a JSON object (got [])"}},
          {"{}", {"FILE: /name: is missing", "FILE: /keys: is missing", "FILE: /devices: is missing"}},
          {R"({"name":"m","keys":{"hw_class":"c"},"devices":[]})", {"FILE: /devices: has 0 devices"}},
          {R"({"name":"m","keys":{},"devices":[{"name":"a","backend":"cpu","cores":0,"memory_bytes":-1},
                     {"name":"a","backend":"cpu","cores":2147483648}]})",
           {"FILE: /keys/hw_class: is missing", "FILE: /devices/0/memory_bytes: is out of range",
            "FILE: /devices/0/cores: is out of range (got 0", "FILE: /devices/1/cores: is out of range",
            "FILE: /devices/1/name: \"a\" is used twice"}},
          {head + R"(,"rows":[{"kind":"k","from":"f","unit":"s","samples":{"n":0,"median":0,"min":0,"max":0}}]})",
           {"FILE: /rows/0/samples/n: needs at least one sample", "FILE: /rows/0/samples/median: is not above zero"}},
          {head + R"(,"rows":[{"kind":"k","from":"f","unit":"s"},7],"fits":{}})",
           {"FILE: /rows/0/samples: an ok row needs samples", "FILE: /rows/1: is not an object (got 7)",
            "FILE: /fits: is not a list (got {})"}},
          {head + R"(,"fits":[{"kind":"k","from":"f","alpha_s":-1,"beta_bytes_per_s":1e400}]})",
           {"FILE: /fits/0/alpha_s: must not be negative",
            "FILE: /fits/0/beta_bytes_per_s: is not a finite number (got a number beyond float64)"}},
      });
}

TEST_CASE("What is no readable file is one fault, found without reading it to an end") {
  const Workplace place;
  const std::string fifo = place.file("fifo").string(), large = place.file("large.json").string(),
                    secret = place.file("secret.json").string();
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  std::ofstream(large) << "{";
  std::filesystem::resize_file(large, 100'000'000);  // sparse: only reading it would take time
  std::ofstream(secret) << "{}";
  std::filesystem::permissions(secret, std::filesystem::perms::none);
  const std::vector<std::pair<std::string, std::string>> rows{
      {"/dev/zero", "FILE: cannot be read (it is a device or a socket)"},
      {"/dev/null", "FILE: cannot be read (it is a device or a socket)"},
      {place.file("").string(), "FILE: cannot be read (it is a directory)"},
      {place.file("missing.json").string(), "FILE: cannot be read (no such file)"},
      {fifo, "FILE: is not valid JSON at line 1, column 1 (it is empty)"},  // nobody writes to it
      {large, "FILE: is too large (100000000 bytes, the limit is 16777216)"},
  };
  for (const auto& [file, message] : rows) {
    for (const Words& arguments : {as_problem, as_plan, as_machine}) check_file(place, arguments, file, {message});
  }
  if (geteuid() != 0)
    check_file(place, as_problem, secret, {"FILE: cannot be read (Permission denied) check the permissions"});
}

TEST_CASE("Thousands of faults and keys are answered with a bounded number of messages") {
  const Workplace place;
  const std::string file = place.file("document.json").string();
  std::string list = "1";
  for (int i = 0; i < 500'000; ++i) list += ",1";
  std::ofstream(file) << with_grid("\"receivers\":[" + list + "]");
  const Ran many = halotune_run(place, {"predict", file});
  CHECK(many.code == 2);
  CHECK(many.err.find("/receivers/500: is not an object") != std::string::npos);  // the tail that is kept
  CHECK(messages(many.err).size() <= 1002);

  std::string keys = "\"a\":1";
  for (int i = 0; i < 200'000; ++i) keys += ",\"k" + std::to_string(i) + "\":1";
  std::ofstream(file) << "{" + keys + "}";
  check_file(place, as_problem, file, {"FILE: has an object with too many keys at line 1, column"});

  std::ofstream(file) << with_grid("\"" + std::string(3'000'000, 'x') + "\":1");
  const Ran longest = halotune_run(place, {"predict", file});
  CHECK(longest.code == 2);
  CHECK(messages(longest.err).size() == 1);
  CHECK(longest.err.size() < 2000);
}
