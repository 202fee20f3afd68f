#include "solver/device/team.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <mutex>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "base/errors.hpp"
#include "solver/device/isa.hpp"
#include "solver/device/spin_barrier.hpp"

namespace halotune {
namespace {

int thread_count(const CpuDeviceSpec& device, int threads) {
  const int count = threads == 0 ? static_cast<int>(device.cores.size()) : threads;
  if (count < 1) throw std::logic_error("a team needs at least one thread");
  return count;
}

bool shares_cores(const CpuDeviceSpec& device, int threads) {
  const std::set<int> distinct(device.cores.begin(), device.cores.end());
  return device.oversubscribed || (!distinct.empty() && threads > static_cast<int>(distinct.size()));
}

// Returns errno, 0 when pinned. A sandbox that forbids pinning costs speed, not results.
int pin_to(int core) {
  if (core < 0 || core >= 65536) return EINVAL;
  cpu_set_t* set = CPU_ALLOC(core + 1);
  if (set == nullptr) return ENOMEM;
  const std::size_t bytes = CPU_ALLOC_SIZE(core + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(core, bytes, set);
  const int error = pthread_setaffinity_np(pthread_self(), bytes, set);
  CPU_FREE(set);
  return error == EPERM || error == ENOSYS ? 0 : error;
}

}  // namespace

struct Team::State {
  State(const CpuDeviceSpec& spec, int wanted, const TeamOptions& more)
      : device(spec),
        options(more),
        threads(thread_count(spec, wanted)),
        oversubscribed(shares_cores(spec, threads)),
        barrier(threads, oversubscribed, failed) {}
  ~State() { stop(); }

  void launch();
  void stop() noexcept;
  void work(int thread);
  void call(TeamMember member);
  void note_failure(std::exception_ptr error);

  const CpuDeviceSpec device;
  const TeamOptions options;
  const int threads;
  const bool oversubscribed;
  std::atomic<bool> failed{false};
  SpinBarrier barrier;
  std::function<void(TeamMember)> body;
  bool started = false;
  std::mutex error_mutex;
  std::exception_ptr error;
  std::atomic<int> pin_error{0};
  std::atomic<int> pin_core{-1};
  std::atomic<bool> stopping{false};
  alignas(64) std::atomic<std::uint32_t> generation{0};
  alignas(64) std::atomic<int> unfinished{0};
  std::vector<std::jthread> workers;
};

void Team::State::launch() {
  unfinished.store(threads, std::memory_order_relaxed);
  workers.reserve(static_cast<std::size_t>(threads));
  try {
    for (int thread = 0; thread < threads; ++thread) workers.emplace_back([this, thread] { work(thread); });
  } catch (const std::system_error& e) {
    throw DeviceError(fmt::format("cannot start thread {} of {} for cpu:{} ({}) use fewer threads", workers.size() + 1,
                                  threads, device.index, e.what()));
  }
}

void Team::State::stop() noexcept {
  stopping.store(true, std::memory_order_relaxed);
  generation.fetch_add(1, std::memory_order_release);
  generation.notify_all();
  workers.clear();
}

void Team::State::work(int thread) {
  set_flush_denormals();
  if (!device.cores.empty()) {
    const int core = device.cores[static_cast<std::size_t>(thread) % device.cores.size()];
    if (const int failure = pin_to(core); failure != 0) {
      pin_core.store(core, std::memory_order_relaxed);
      pin_error.store(failure, std::memory_order_relaxed);
    }
  }
  std::uint32_t seen = 0;
  while (true) {
    // The first turn reports that the thread is up; each later one that its body has ended.
    if (unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished.notify_all();
    generation.wait(seen, std::memory_order_acquire);
    seen = generation.load(std::memory_order_acquire);
    if (stopping.load(std::memory_order_relaxed)) return;
    call({thread, threads});
  }
}

void Team::State::call(TeamMember member) {
  try {
    body(member);
  } catch (...) {
    note_failure(std::current_exception());
  }
}

void Team::State::note_failure(std::exception_ptr failure) {
  {
    const std::lock_guard lock(error_mutex);
    if (!error) error = std::move(failure);
  }
  failed.store(true, std::memory_order_release);
}

Team::Team(const CpuDeviceSpec& device, int threads, const TeamOptions& options)
    : state_(std::make_unique<State>(device, threads, options)) {
  state_->launch();
  state_->started = true;
  wait();
  if (const int failure = state_->pin_error.load(std::memory_order_relaxed); failure != 0) {
    throw DeviceError(fmt::format("cannot pin a thread of cpu:{} to core {} ({}) choose among the allowed cores",
                                  device.index, state_->pin_core.load(), std::strerror(failure)));
  }
}

Team::~Team() {
  // A body that is still running refers to things that the caller owns: let it end.
  int left = state_->unfinished.load(std::memory_order_acquire);
  for (; left != 0; left = state_->unfinished.load(std::memory_order_acquire)) state_->unfinished.wait(left);
}

void Team::run(const std::function<void(TeamMember)>& body) {
  start(body);
  wait();
}

void Team::start(std::function<void(TeamMember)> body) {
  if (state_->started) throw std::logic_error("this team is running already");
  state_->body = std::move(body);
  state_->barrier.reset();
  state_->failed.store(false, std::memory_order_relaxed);
  state_->error = nullptr;
  state_->unfinished.store(state_->threads, std::memory_order_relaxed);
  state_->started = true;
  state_->generation.fetch_add(1, std::memory_order_release);
  state_->generation.notify_all();
}

void Team::wait() {
  if (!state_->started) return;
  int left = state_->unfinished.load(std::memory_order_acquire);
  for (; left != 0; left = state_->unfinished.load(std::memory_order_acquire)) {
    state_->unfinished.wait(left, std::memory_order_acquire);
  }
  state_->started = false;
  state_->body = nullptr;
  if (state_->error) std::rethrow_exception(std::exchange(state_->error, nullptr));
}

void Team::barrier() {
  state_->barrier.arrive_and_wait();
}
int Team::threads() const noexcept {
  return state_->threads;
}
const CpuDeviceSpec& Team::device() const noexcept {
  return state_->device;
}
const TeamOptions& Team::options() const noexcept {
  return state_->options;
}
bool Team::oversubscribed() const noexcept {
  return state_->oversubscribed;
}

}  // namespace halotune
