#include "tuner/runner/last_words.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>

#include <fmt/format.h>

namespace halotune {
namespace {

constexpr double longest_margin_s = 0.5;

}  // namespace

LastWords::LastWords(const Json& request, const Whereabouts* whereabouts) {
  if (whereabouts == nullptr || !request.is_object() || !request.contains("deadline_s")) return;
  if (!request["deadline_s"].is_number()) return;
  const auto deadline_s = request["deadline_s"].get<double>();
  const double wait_s = std::min(deadline_s - std::min(longest_margin_s, deadline_s / 4), 1e6);
  watcher_ = std::jthread([whereabouts, wait_s](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock lock(mutex);
    ended.wait_for(lock, stop, std::chrono::duration<double>(wait_s), [] { return false; });
    if (stop.stop_requested()) return;
    const std::string text = whereabouts->describe();
    std::cerr << fmt::format("after {:.3g} s {}\n", wait_s, text.empty() ? "no device has a command" : text)
              << std::flush;
  });
}

}  // namespace halotune
