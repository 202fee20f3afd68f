#include <cstdlib>
#include <iostream>
#include <memory>

#include "cli/commands.hpp"
#include "tuner/runner/trial_loop.hpp"

namespace halotune {

Command add_worker(CLI::App& program) {
  struct Options {
    std::int64_t memory_budget_bytes = TrialLoopOptions{}.memory_budget_bytes;
  };
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("worker", "Times Plans for tune: one JSON request a line on stdin");
  app->group("");
  app->add_option("--memory-budget", options->memory_budget_bytes, "Bytes of state to keep between requests")
      ->type_name("BYTES");
  return {app, [options] {
            forget_signals();
            Whereabouts whereabouts;
            TrialLoopOptions loop;
            loop.whereabouts = &whereabouts;
            loop.memory_budget_bytes = options->memory_budget_bytes;
            if (const char* faults = std::getenv("HALOTUNE_TEST_FAULT")) loop.faults = parse_trial_faults(faults);
            TrialLoop(std::move(loop)).serve(std::cin, std::cout);
            return 0;
          }};
}

}  // namespace halotune
