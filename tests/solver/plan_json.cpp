#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "solver/device_name.hpp"
#include "solver/device_teams.hpp"
#include "solver/plan.hpp"

using namespace halotune;

namespace {

std::vector<std::string> fault_paths(const char* text) {
  try {
    plan_from_json(Json::parse(text));
  } catch (const ConfigError& error) {
    std::vector<std::string> paths;
    for (const auto& fault : error.faults()) paths.push_back(fault.path);
    return paths;
  }
  return {};
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("Plan text is canonical and has the keys of the contract in order", "[plan]") {
  CHECK(to_json(Plan{}).dump() ==
        R"({"parts":[1,1,1],"cuts":null,"steps_per_exchange":1,"exchange":"merged","depths":"minimal",)"
        R"("transport":"shared","remote_transport":null,"packing":"packed","overlap":"off","devices":["cpu:0"],)"
        R"("threads":0,"environment":{}})");
}

TEST_CASE("Plan round-trips", "[plan]") {
  Plan plan;
  plan.parts = {2, 1, 3};
  plan.cuts[0] = std::vector<std::int64_t>{40};
  plan.cuts[2] = std::vector<std::int64_t>{10, 70};
  plan.steps_per_exchange = 4;
  plan.depths = Depths::uniform;
  plan.transport = "staged";
  plan.remote_transport = "mpi_host";
  plan.packing = {Packing::packed, Packing::strided, Packing::strided};
  plan.overlap = Overlap::progress;
  plan.devices = {"cpu:0", "cpu:1", "0", "1:0", "1:cpu:2", "cpu:0"};
  plan.threads = 3;
  plan.environment = {{"HSA_ENABLE_SDMA", "0"}, {"A", ""}};
  const Json json = to_json(plan);
  CHECK(json["packing"] == Json::parse(R"({"x":"packed","y":"strided","z":"strided"})"));
  CHECK(json["cuts"] == Json::parse(R"({"x":[40],"z":[10,70]})"));
  CHECK(plan_from_json(json) == plan);
  CHECK(to_json(plan_from_json(json)).dump() == json.dump());
  CHECK(plan_key(plan_from_json(json)) == plan_key(plan));
  CHECK(plan_key(Plan{}) != plan_key(plan));
  CHECK(short_text(plan) ==
        "2x1x3 cut-x@40 cut-z@10,70 s=4 merged uniform staged+mpi_host x:packed,z:strided progress "
        "cpu:0,cpu:1,0,1:0,1:cpu:2,cpu:0 threads=3 A= HSA_ENABLE_SDMA=0");
}

TEST_CASE("Plan spellings that mean the same give the same text", "[plan]") {
  const Plan plain = plan_from_json(Json::parse(R"({})"));
  CHECK(plain == Plan{});
  CHECK(plan_from_json(Json::parse(R"({"packing":{"x":"packed"},"cuts":{"x":[]},"schema":1})")) == Plan{});
  CHECK(plan_from_json(Json::parse(R"({"parts":[1,1,2]})")).devices == std::vector<std::string>{"cpu:0", "cpu:0"});
}

TEST_CASE("Plan faults are all reported with their paths", "[plan]") {
  CHECK(fault_paths(R"({"parts":[0,1,2],"steps_per_exchange":3,"exchange":"both","overlap":"x","threads":-1,
                        "devices":["gpu"],"environment":{"A":1},"part":1})") ==
        Paths{"/parts/0", "/steps_per_exchange", "/exchange", "/overlap", "/devices/0", "/threads", "/environment/A",
              "/part"});
  CHECK(fault_paths(R"({"exchange":"split","steps_per_exchange":2})") == Paths{"/exchange"});
  CHECK(fault_paths(R"({"parts":[1,1,3],"cuts":{"z":[5]},"devices":["0","0","0"]})") == Paths{"/cuts/z"});
  CHECK(fault_paths(R"({"parts":[1,1,3],"cuts":{"z":[5,5]},"devices":["0","0","0"]})") == Paths{"/cuts/z/1"});
  CHECK(fault_paths(R"({"parts":[1,1,3],"cuts":{"z":[5.0,9]},"devices":["0","0","0"]})").empty());
  CHECK(fault_paths(R"({"cuts":{"w":[5]}})") == Paths{"/cuts/w"});
}

TEST_CASE("Plan refuses sizes that overflow, wrong counts and unknown words", "[plan]") {
  CHECK(fault_paths(R"({"parts":[4294967296,4294967296,4294967296]})") == Paths{"/parts"});
  CHECK(fault_paths(R"({"parts":[1e300,1,1]})") == Paths{"/parts/0"});
  CHECK(fault_paths(R"({"parts":[1,2,1],"devices":["cpu:0"]})") == Paths{"/devices"});
  CHECK(fault_paths(R"({"transport":"smoke","remote_transport":"drum"})") == Paths{"/transport", "/remote_transport"});
  CHECK(fault_paths(R"({"packing":"zipped"})") == Paths{"/packing"});
  CHECK(fault_paths(R"({"schema":2})") == Paths{"/schema"});
  CHECK_THROWS_AS(plan_from_json(Json::parse("[]")), ConfigError);
}

TEST_CASE("Layouts have names", "[plan]") {
  CHECK(layout_name({1, 1, 1}) == "one part");
  CHECK(layout_name({1, 1, 4}) == "slab-z");
  CHECK(layout_name({4, 1, 1}) == "slab-x");
  CHECK(layout_name({2, 2, 1}) == "block-xy");
  CHECK(layout_name({1, 2, 2}) == "pencil-yz");
  CHECK(layout_name({3, 3, 3}) == "3D");
}

TEST_CASE("Every device has one name, and its number a limit", "[plan]") {
  CHECK(parse_device_name("cpu:4095") == DeviceName{std::nullopt, true, 4095});
  CHECK(parse_device_name("2:cpu:0") == DeviceName{2, true, 0});
  CHECK(parse_device_name("7") == DeviceName{std::nullopt, false, 7});
  for (const char* bad : {"", "cpu:", "cpu:00", "cpu:01", "cpu:-0", "cpu:-1", "cpu:+1", "cpu:4096", "cpu:2147483647",
                          "cpu:99999999999", "cpu:1 ", "gpu:0", "1:2:3", ":0", "cpu:0:1"}) {
    INFO(bad);
    CHECK_FALSE(parse_device_name(bad));
  }
}

TEST_CASE("Threads without a core of their own are counted", "[plan]") {
  const auto waiting = [](std::vector<std::string> devices, int threads, int cores) {
    Plan plan;
    plan.devices = std::move(devices);
    plan.threads = threads;
    return threads_without_core(plan, cores);
  };
  CHECK(waiting({"cpu:0"}, 0, 1) == 0);
  CHECK(waiting({"cpu:0"}, 2, 2) == 0);
  CHECK(waiting({"cpu:0"}, 3, 2) == 1);
  CHECK(waiting({"cpu:0", "cpu:1"}, 0, 2) == 0);
  CHECK(waiting({"cpu:0", "cpu:1"}, 2, 2) == 1);
  CHECK(waiting({"cpu:0", "cpu:1"}, 0, 1) == 1);
  CHECK(waiting({"cpu:0", "cpu:1", "cpu:2"}, 2, 2) == 3);  // two devices of two threads on one core
  CHECK(waiting({"cpu:0", "cpu:0"}, 0, 1) == 0);           // two parts on one device
  CHECK(waiting({"0", "1"}, 8, 1) == 0);                   // GPUs have no threads here
}

TEST_CASE("Variables with NUL characters are refused", "[plan]") {
  CHECK(fault_paths(R"({"environment":{"A":"b\u0000c"}})") == Paths{"/environment/A"});
  CHECK(fault_paths(R"({"environment":{"A\u0000":"b"}})").size() == 1);
}

TEST_CASE("Variables have names that a shell can set", "[plan]") {
  CHECK(fault_paths(R"({"environment":{"NCCL_P2P_LEVEL":"SYS","_a9":""}})").empty());
  for (const char* name : {"", "1A", "A B", "A;reboot", "A=B", "A-B", "Ä", "$A", "A\\n"}) {
    INFO(name);
    CHECK(fault_paths((std::string(R"({"environment":{")") + name + R"(":"b"}})").c_str()).size() == 1);
  }
}
