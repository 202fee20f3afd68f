#include "solver/device/flaw.hpp"

#include <chrono>
#include <thread>

#include "base/errors.hpp"

namespace halotune {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void hang() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace

void flawed(const Flaw& flaw, bool strikes, const std::function<void()>& work) {
  if (strikes && flaw.kind == Flaw::Kind::fails) throw DeviceError("the command failed (injected)");
  if (strikes && flaw.kind == Flaw::Kind::hangs) hang();
  const auto begin = Clock::now();
  work();
  if (flaw.kind != Flaw::Kind::slow) return;
  const auto end = begin + (Clock::now() - begin) * flaw.factor;
  while (Clock::now() < end) std::this_thread::yield();
}

}  // namespace halotune
