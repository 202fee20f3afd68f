#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/solver/kernels_random_part.hpp"
#include "tests/solver/kernels_reference.hpp"

using namespace halotune;
using namespace halotune::test;

namespace {

template <class T, class Run, class Reference>
void compare(Random& random, const CaseSpec& spec, const Run& run, const Reference& reference) {
  const Case<T> start = make_case<T>(spec, random);
  Case<T> expected = start;
  reference(expected.bound());
  for (const Isa isa : usable_isas()) {
    CAPTURE(to_string(isa));
    Case<T> got = start;
    run(kernels<T>(isa, 2 * spec.radius), got.bound());
    REQUIRE(got.same_bits(expected));
  }
}

constexpr int rounds = 60;

}  // namespace

TEMPLATE_TEST_CASE("velocity kernels equal the long-hand update", "[kernels]", float, double) {
  for (int radius = 1; radius <= 4; ++radius) {
    for (int round = 0; round < rounds; ++round) {
      Random random(1000 * radius + round);
      CAPTURE(radius, round);
      const CaseSpec spec = random_spec(random, radius, true);
      std::array<Box, 3> boxes;
      for (Box& box : boxes) box = random_box(random, updatable(spec, radius));
      if (round % 7 == 0) boxes[round % 3] = {};
      compare<TestType>(
          random, spec, [&](const auto& k, const auto& part) { k.velocity(part, boxes); },
          [&](const auto& part) { reference_velocity(part, radius, boxes); });
    }
  }
}

TEMPLATE_TEST_CASE("pressure kernels equal the long-hand update", "[kernels]", float, double) {
  for (int radius = 1; radius <= 4; ++radius) {
    for (int round = 0; round < rounds; ++round) {
      Random random(2000 * radius + round);
      CAPTURE(radius, round);
      const CaseSpec spec = random_spec(random, radius, true);
      const Box box = random_box(random, updatable(spec, radius));
      compare<TestType>(
          random, spec, [&](const auto& k, const auto& part) { k.pressure(part, box); },
          [&](const auto& part) { reference_pressure(part, radius, box); });
    }
  }
}

TEMPLATE_TEST_CASE("leapfrog equals velocity, then pressure", "[kernels]", float, double) {
  for (int radius = 1; radius <= 4; ++radius) {
    for (int round = 0; round < rounds; ++round) {
      Random random(3000 * radius + round);
      CAPTURE(radius, round);
      CaseSpec spec = random_spec(random, radius, false);
      spec.owned[1] += between(random, 0, 40);
      for (int a = 0; a < 3; ++a) {
        for (int side = 0; side < 2; ++side) {
          if (spec.ghosts[a][side] == GhostRule::leave) spec.margin[a][side] += radius;
        }
      }
      // v_a needs no more than the pressure box transversally, r more along a towards a split.
      const Box pressure = updatable(spec, 2 * radius);
      std::array<Box, 3> boxes{pressure, pressure, pressure};
      for (int a = 0; a < 3; ++a) {
        boxes[a].lo[a] = updatable(spec, radius).lo[a];
        boxes[a].hi[a] = updatable(spec, radius).hi[a];
      }
      compare<TestType>(
          random, spec, [&](const auto& k, const auto& part) { k.leapfrog(part, boxes, pressure); },
          [&](const auto& part) {
            reference_velocity(part, radius, boxes);
            reference_pressure(part, radius, pressure);
          });
    }
  }
}

TEMPLATE_TEST_CASE("leapfrog of many row blocks equals velocity, then pressure", "[kernels]", float, double) {
  for (int radius = 1; radius <= 4; ++radius) {
    Random random(6000 + radius);
    CaseSpec spec = random_spec(random, radius, false);
    // Rows so long that blocks have their least height whatever the cache.
    spec.owned = {sizeof(TestType) == 4 ? 3000 : 1500, 37, 9};
    for (int a = 0; a < 3; ++a) {
      spec.ghosts[a] = {GhostRule::rigid, GhostRule::free};
      spec.margin[a] = {radius, radius};
      spec.layer[a] = {{{0, 3}, {spec.owned[a] - 5, spec.owned[a]}}};
    }
    const Box all = updatable(spec, 0);
    compare<TestType>(
        random, spec,
        [&](const auto& k, const auto& part) {
          k.leapfrog(part, {all, all, all}, all);
        },
        [&](const auto& part) {
          reference_velocity(part, radius, {all, all, all});
          reference_pressure(part, radius, all);
        });
  }
}

TEMPLATE_TEST_CASE("leapfrog on tiles and pressure on the frames equals one sweep", "[kernels]", float, double) {
  for (int radius = 1; radius <= 4; ++radius) {
    for (int round = 0; round < rounds / 2; ++round) {
      Random random(4000 * radius + round);
      CAPTURE(radius, round);
      CaseSpec spec = random_spec(random, radius, false);
      spec.owned[1] += between(random, 0, 30);
      spec.owned[2] += between(random, 0, 20);
      const Box all = updatable(spec, 2 * radius);
      const std::int64_t ycut = between(random, all.lo[1], all.hi[1]), zcut = between(random, all.lo[2], all.hi[2]);
      const std::int64_t y[] = {all.lo[1], ycut, all.hi[1]}, z[] = {all.lo[2], zcut, all.hi[2]};
      compare<TestType>(
          random, spec,
          [&](const auto& k, const auto& part) {
            std::vector<Box> inner;
            for (int i = 0; i < 4; ++i) {
              Box tile = all, core = all;
              const std::int64_t* const cuts[] = {nullptr, y + i % 2, z + i / 2};
              for (int a = 1; a < 3; ++a) {
                tile.lo[a] = cuts[a][0], tile.hi[a] = cuts[a][1];
                core.lo[a] = tile.lo[a] + (tile.lo[a] == all.lo[a] ? 0 : radius);
                core.hi[a] = tile.hi[a] - (tile.hi[a] == all.hi[a] ? 0 : radius);
              }
              if (tile.empty()) tile = {};
              if (tile.empty() || core.empty()) core = {};
              k.leapfrog(part, {tile, tile, tile}, core);
              inner.push_back(core);
            }
            // The frame, cell rows at a time: every row that no core has.
            for (std::int64_t zz = all.lo[2]; zz < all.hi[2]; ++zz) {
              for (std::int64_t yy = all.lo[1]; yy < all.hi[1]; ++yy) {
                bool taken = false;
                for (const Box& b : inner) {
                  taken = taken || (yy >= b.lo[1] && yy < b.hi[1] && zz >= b.lo[2] && zz < b.hi[2]);
                }
                if (!taken) k.pressure(part, {{all.lo[0], yy, zz}, {all.hi[0], yy + 1, zz + 1}});
              }
            }
          },
          [&](const auto& part) {
            reference_velocity(part, radius, {all, all, all});
            reference_pressure(part, radius, all);
          });
    }
  }
}

TEMPLATE_TEST_CASE("ghosts are refreshed next to a box and wrapped on periodic axes", "[kernels]", float, double) {
  for (int radius = 1; radius <= 4; ++radius) {
    for (int round = 0; round < rounds / 2; ++round) {
      Random random(5000 * radius + round);
      CAPTURE(radius, round);
      const CaseSpec spec = random_spec(random, radius, true);
      const Box box = random_box(random, updatable(spec, radius));
      const int field = round % 4;
      compare<TestType>(
          random, spec, [&](const auto& k, const auto& part) { k.refresh_ghosts(part, field, box); },
          [&](const auto& part) { reference_ghosts(part, radius, field, box); });
      const int axis = round % 3;
      compare<TestType>(
          random, spec, [&](const auto& k, const auto& part) { k.wrap_ghosts(part, field, axis, box); },
          [&](const auto& part) {
            auto* const f = field == 0 ? part.p : part.v[field - 1];
            const std::int64_t n = part.owned[axis];
            for (std::int64_t j = -radius; j < n + radius; ++j) {
              if (j >= 0 && j < n) continue;
              Box ghost = box;
              ghost.lo[axis] = j, ghost.hi[axis] = j + 1;
              for (std::int64_t z = ghost.lo[2]; z < ghost.hi[2]; ++z) {
                for (std::int64_t y = ghost.lo[1]; y < ghost.hi[1]; ++y) {
                  for (std::int64_t x = ghost.lo[0]; x < ghost.hi[0]; ++x) {
                    std::array<std::int64_t, 3> from{x, y, z};
                    from[axis] = (j + n) % n;
                    f[part.layout.at(x, y, z)] = f[part.layout.at(from[0], from[1], from[2])];
                  }
                }
              }
            }
          });
    }
  }
}

TEST_CASE("difference coefficients differentiate polynomials of their order exactly", "[kernels]") {
  for (const int order : {2, 4, 6, 8}) {
    const auto a = centred_difference(order);
    for (int power = 1; power <= order; power += 2) {
      double sum = 0;
      for (int l = 1; l <= 4; ++l) sum += 2 * a[l - 1] * std::pow(l, power);
      CHECK(std::abs(sum - (power == 1 ? 1.0 : 0.0)) < 1e-12);
    }
  }
}

TEST_CASE("an order that is not built is refused", "[kernels]") {
  CHECK_THROWS_AS(kernels<float>(Isa::baseline, 5), std::logic_error);
  CHECK_THROWS_AS(centred_difference(10), std::logic_error);
}
