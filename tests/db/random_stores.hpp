#pragma once
#include <algorithm>
#include <filesystem>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "sample_rows.hpp"

namespace halotune::db_tests {

/// The rows of one store, drawn from a pool that all stores of a seed share: problems in several spellings, machines,
/// sessions of one id in different states, trials, answers and runs that name them. The order of insertion is random.
inline void fill_randomly(Store& store, std::uint64_t seed, int which) {
  std::mt19937_64 random(seed * 1000 + static_cast<std::uint64_t>(which));
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<std::function<void()>> steps;
  std::vector<int> problems, machines;
  for (int i = 0; i < 4; ++i) {
    if (below(3) > 0) problems.push_back(i);
    if (below(3) > 0) machines.push_back(i);
  }
  if (problems.empty()) problems.push_back(0);
  if (machines.empty()) machines.push_back(0);
  for (const int number : problems) {
    const ProblemRow row{fmt::format("problem-{}", number),
                         fmt::format(R"({{"grid":[64,64,64],"steps":{}}})", below(5))};
    steps.emplace_back([&store, row] { store.add(row); });
  }
  std::vector<std::string> machine_ids;
  Store pool(":memory:");
  for (const int number : machines) {
    machine_ids.push_back(pool.add(machine(number)));
    steps.emplace_back([&store, number] { store.add(machine(number)); });
  }
  for (int i = 0; i < 20; ++i) {
    const int number = below(200);
    TrialRow row = trial(number, machine_ids[static_cast<std::size_t>(below(static_cast<int>(machine_ids.size())))]);
    row.problem_key = fmt::format("problem-{}", problems[static_cast<std::size_t>(number) % problems.size()]);
    steps.emplace_back([&store, row] { store.add(row); });
  }
  for (int i = 0; i < 4; ++i) {
    RecommendationRow answer = recommendation(below(20));
    RunRow ran = run(below(20));
    answer.problem_key = ran.problem_key =
        fmt::format("problem-{}", problems[static_cast<std::size_t>(below(static_cast<int>(problems.size())))]);
    steps.emplace_back([&store, answer] { store.add(answer); });
    steps.emplace_back([&store, ran] { store.add(ran); });
    SessionRow row{fmt::format("session-{}", below(6)), fmt::format("request-{}", below(2)),
                   below(2) == 0 ? "running" : "finished", time_of(below(3)),
                   fmt::format(R"({{"tried":{}}})", below(3))};
    steps.emplace_back([&store, row] { store.put(row); });
    steps.emplace_back([&store, number = below(20)] { store.add(gpu_tiles(number)); });
  }
  std::shuffle(steps.begin(), steps.end(), random);
  for (const auto& step : steps) step();
}

/// Makes `stores` files "0.db" ... and "0.jsonl" ... in the folder.
inline void make_random_stores(const TemporaryFolder& folder, std::uint64_t seed, int stores) {
  for (int which = 0; which < stores; ++which) {
    Store store(":memory:");
    fill_randomly(store, seed, which);
    export_file(store, folder / fmt::format("{}.jsonl", which));
    Store file(folder / fmt::format("{}.db", which));
    import_file(file, folder / fmt::format("{}.jsonl", which));
  }
}

/// Merges all of them in `orders` random orders, some sources as text, some as stores, some twice.
/// @returns the different exports that came of it
inline std::vector<std::string> merged_exports(const TemporaryFolder& folder, std::uint64_t seed, int stores,
                                               int orders) {
  std::vector<std::string> exports;
  std::mt19937_64 random(seed);
  std::vector<int> order(static_cast<std::size_t>(stores));
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < orders; ++i) {
    std::shuffle(order.begin(), order.end(), random);
    Store merged(":memory:");
    for (const int which : order) {
      for (std::uint64_t again = random() % 3; again < 3; again += 2)
        import_file(merged, folder / fmt::format("{}{}", which, random() % 2 == 0 ? ".db" : ".jsonl"));
    }
    std::string text = export_text(merged);
    if (std::find(exports.begin(), exports.end(), text) == exports.end()) exports.push_back(std::move(text));
  }
  return exports;
}

}  // namespace halotune::db_tests
