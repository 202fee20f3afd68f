#include "exactness_cases.hpp"

namespace halotune::exactness {

Problem random_problem(std::array<std::int64_t, 3> grid, int order, Precision precision,
                       std::array<std::array<std::int64_t, 2>, 3> layers) {
  Json json = problem_json_of_grid(grid);
  json["order"] = order;
  json["precision"] = precision == Precision::float32 ? "float32" : "float64";
  json["cfl"] = 0.4;
  json["faces"] = "rigid";
  json["medium"] = {{"kind", "homogeneous"}, {"speed_m_s", {1500.0, 1300.0, 1700.0}}, {"density_kg_m3", 1100.0}};
  Problem problem = problem_from_json(json);
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      problem.faces[axis][side] = layers[axis][side] > 0 ? FaceKind::cpml : FaceKind::rigid;
      problem.cpml[axis][side].cells = layers[axis][side];
    }
  }
  problem.initial = RandomState{7};
  const auto metres = [&](int axis, double cells) { return (cells + 0.5) * problem.spacing_m[axis]; };
  for (const double fraction : {0.5, 0.03}) {
    Source source;
    for (int axis = 0; axis < 3; ++axis) {
      source.position_m[axis] = metres(axis, fraction * static_cast<double>(grid[axis]));
    }
    source.amplitude = 3e3;
    source.wavelet = Source::Ricker{25.0, 0.001};
    problem.sources.push_back(source);
  }
  return problem;
}

namespace {

std::vector<std::vector<std::string>> placements(std::int64_t parts) {
  std::vector<std::string> one, two;
  for (std::int64_t i = 0; i < parts; ++i) {
    one.push_back("cpu:0");
    two.push_back(i % 2 == 0 ? "cpu:0" : "cpu:1");
  }
  return {one, two};
}

std::vector<std::array<Packing, 3>> packings() {
  constexpr auto packed = Packing::packed;
  constexpr auto strided = Packing::strided;
  return {{packed, packed, packed}, {strided, strided, strided}, {packed, strided, packed}};
}

}  // namespace

std::vector<Plan> all_plans(const Problem& problem, std::array<std::int64_t, 3> parts, const std::vector<int>& steps) {
  std::vector<Plan> plans;
  Plan plan;
  plan.parts = parts;
  const auto add = [&] {
    if (!infeasible(problem, plan)) plans.push_back(plan);
  };
  for (const auto& devices : placements(plan.part_count())) {
    for (const int threads : {1, 2}) {
      for (const auto* transport : {"shared", "staged"}) {
        for (const auto& packing : packings()) {
          for (const Overlap overlap : {Overlap::off, Overlap::plain, Overlap::progress}) {
            plan.devices = devices;
            plan.threads = threads;
            plan.transport = transport;
            plan.packing = packing;
            plan.overlap = overlap;
            plan.exchange = ExchangeKind::split;
            plan.depths = Depths::minimal;
            plan.steps_per_exchange = 1;
            add();
            plan.exchange = ExchangeKind::merged;
            for (const int s : steps) {
              plan.steps_per_exchange = s;
              for (const Depths depths : {Depths::minimal, Depths::uniform}) {
                plan.depths = depths;
                add();
              }
            }
          }
        }
      }
    }
  }
  return plans;
}

std::vector<Family> families() {
  std::vector<Family> list;
  const auto add = [&](std::string name, Problem problem, std::int64_t steps,
                       const std::vector<std::array<std::int64_t, 3>>& layouts, const std::vector<int>& s) {
    Family family{std::move(name), std::move(problem), steps, {}};
    for (const auto& layout : layouts) {
      for (Plan& plan : all_plans(family.problem, layout, s)) family.plans.push_back(std::move(plan));
    }
    list.push_back(std::move(family));
  };
  constexpr auto f32 = Precision::float32;
  constexpr auto f64 = Precision::float64;
  const std::array<std::array<std::int64_t, 2>, 3> uneven{{{11, 7}, {0, 13}, {9, 5}}};
  for (const Precision precision : {f32, f64}) {
    const std::string tag = precision == f32 ? " float32" : " float64";
    add("97x101x103 order 8" + tag, random_problem({97, 101, 103}, 8, precision, uneven), 11,
        {{2, 1, 1}, {1, 3, 1}, {1, 1, 3}, {2, 2, 1}, {1, 2, 2}, {2, 2, 2}}, {1, 2, 4});
    add("97x101x103 order 4" + tag, random_problem({97, 101, 103}, 4, precision, uneven), 11, {{2, 1, 2}, {3, 2, 1}},
        {1, 2, 4, 8});
    add("53x50x49 order 2, 3x3x3" + tag, random_problem({53, 50, 49}, 2, precision, uneven), 11, {{3, 3, 3}, {3, 1, 3}},
        {1, 2, 4, 8});
    add("61x59x67 order 6" + tag, random_problem({61, 59, 67}, 6, precision, uneven), 7, {{2, 2, 1}, {1, 1, 5}},
        {1, 2, 4});
    add("layers wider than a part" + tag, random_problem({40, 43, 47}, 2, precision, {{{14, 17}, {15, 0}, {18, 16}}}),
        11, {{1, 1, 4}, {4, 1, 1}, {2, 4, 1}, {2, 2, 4}}, {1, 2, 4});
  }
  const std::array<std::array<std::int64_t, 2>, 3> thin{{{9, 6}, {5, 8}, {7, 4}}};
  add("131x137x29 order 8, s = 8", random_problem({131, 137, 29}, 8, f32, thin), 19, {{2, 2, 1}}, {8});
  add("29x131x137 order 8, s = 8", random_problem({29, 131, 137}, 8, f32, thin), 19, {{1, 2, 2}}, {8});
  add("137x29x131 order 8, s = 8", random_problem({137, 29, 131}, 8, f64, thin), 19, {{2, 1, 2}}, {8});

  Problem periodic = random_problem({49, 52, 55}, 4, f32, {{{0, 0}, {6, 9}, {0, 0}}});
  periodic.faces[0] = {FaceKind::periodic, FaceKind::periodic};
  periodic.faces[2] = {FaceKind::periodic, FaceKind::periodic};
  add("periodic x and z", periodic, 11, {{2, 1, 1}, {1, 2, 1}, {1, 1, 2}, {2, 2, 2}, {1, 1, 3}}, {1, 2, 4});
  Problem free = random_problem({45, 47, 51}, 6, f64, {{{8, 0}, {0, 7}, {0, 6}}});
  free.faces[0][1] = FaceKind::free;
  free.faces[1][0] = FaceKind::free;
  free.faces[2][0] = FaceKind::free;
  add("free faces", free, 7, {{2, 1, 2}, {1, 2, 1}}, {1, 2});

  Family cuts{"uneven cuts", random_problem({64, 60, 70}, 4, f32, uneven), 11, {}};
  for (Plan plan : all_plans(cuts.problem, {2, 1, 2}, {1, 2})) {
    plan.cuts[0] = std::vector<std::int64_t>{19};
    plan.cuts[2] = std::vector<std::int64_t>{51};
    cuts.plans.push_back(plan);
  }
  list.push_back(std::move(cuts));
  return list;
}

StateHash run(const Family& family, const Plan& plan, const SimulationOptions& options) {
  Simulation simulation(family.problem, plan, options);
  simulation.advance(family.steps);
  return simulation.state_hash();
}

}  // namespace halotune::exactness
