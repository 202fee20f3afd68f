#include <catch2/catch_test_macros.hpp>

#include "tuner/space.hpp"

using namespace halotune;
using PackingClass = Restriction::PackingClass;

TEST_CASE("flag --restrict reads every key") {
  const auto r = parse_restriction(
      "s=1,2 transport=shared parts=1x1x2,1x2x1; overlap=off exchange=split depths=uniform packing=mixed,packed "
      "threads=0,3 devices=2 "
      "parts_per_device=1,4");
  CHECK(r.steps_per_exchange == std::vector{1, 2});
  CHECK(r.transport == std::vector<std::string>{"shared"});
  CHECK(r.parts == std::vector<std::array<std::int64_t, 3>>{{1, 1, 2}, {1, 2, 1}});
  CHECK(r.overlap == std::vector{Overlap::off});
  CHECK(r.exchange == std::vector{ExchangeKind::split});
  CHECK(r.depths == std::vector{Depths::uniform});
  CHECK(r.packing == std::vector{PackingClass::mixed, PackingClass::packed});
  CHECK(r.threads == std::vector{0, 3});
  CHECK(r.device_count == std::vector{2});
  CHECK(r.parts_per_device == std::vector{1, 4});
  CHECK(canonical_text(to_json(r)) ==
        R"({"depths":["uniform"],"devices":[2],"exchange":["split"],"overlap":["off"],"packing":["mixed","packed"],)"
        R"("parts":[[1,1,2],[1,2,1]],"parts_per_device":[1,4],"s":[1,2],"threads":[0,3],"transport":["shared"]})");
}

TEST_CASE("flag --restrict without words restricts nothing") {
  CHECK(parse_restriction("") == Restriction{});
  CHECK(to_json(Restriction{}).empty());
}

TEST_CASE("flag --restrict reports every fault") {
  try {
    parse_restriction("s=3 layout=1x1x2 parts=1x2 transport=pigeon overlap s= s=1 s=2");
    FAIL("accepted");
  } catch (const ConfigError& error) {
    // s=3, layout, parts, transport, overlap without values, s=, and s given twice (two more times)
    CHECK(error.faults().size() == 8);
    for (const auto& fault : error.faults()) CHECK(fault.path == "--restrict");
  }
}

TEST_CASE("flag --restrict refuses what no Plan here can be") {
  for (const char* bad :
       {"transport=nccl", "transport=shared,peer_copy", "threads=4097", "threads=-1", "devices=0", "devices=4097",
        "parts_per_device=65", "parts=4097x1x1", "parts=0x1x1", "parts=1x1x1x1", "s=0"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_restriction(bad), ConfigError);
  }
  CHECK(parse_restriction("threads=4096 devices=4096 parts_per_device=64").threads == std::vector{4096});
}
