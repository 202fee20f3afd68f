#include "solver/device/gpu_replay.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "base/errors.hpp"
#include "solver/device/whereabouts.hpp"

namespace halotune::replay {
namespace {

/// Replays in one graph: as many as keep its nodes within this number, so that the gap between two launches is small
/// beside the work and building the graph stays cheap.
constexpr std::int64_t most_nodes = 768;
constexpr int most_replays = 16;

/// Which branch a lane is; negative: main or side.
int branch_of(Program::Lane lane) {
  return static_cast<int>(lane) - static_cast<int>(Program::Lane::side) - 1;
}

}  // namespace

GpuScore::GpuScore(std::vector<Gpu*> devices) {
  for (Gpu* gpu : devices) {
    const auto same = [&](const List& list) { return list.gpu == gpu; };
    if (gpu == nullptr || std::any_of(lists_.begin(), lists_.end(), same)) {
      throw std::logic_error("a program needs one GPU per device");
    }
    List list;
    list.gpu = gpu;
    for (gpu::Mark* mark : {&list.fork, &list.join, &list.end_main, &list.end_side}) {
      *mark = gpu::make_mark(gpu->ordinal(), false);
    }
    lists_.push_back(std::move(list));
  }
}

GpuStream GpuScore::stream_of(const List& list, Lane lane) {
  if (branch_of(lane) >= 0) return list.branches[static_cast<std::size_t>(branch_of(lane))];
  return lane == Lane::main ? list.gpu->main() : list.gpu->side();
}

GpuScore::~GpuScore() {
  drop_graphs();
  for (const gpu::Mark mark : marks_) gpu::release_mark(mark);
  for (const List& list : lists_) {
    for (const GpuStream branch : list.branches) gpu::release_stream(branch);
    for (const gpu::Mark mark : {list.fork, list.join, list.end_main, list.end_side}) gpu::release_mark(mark);
    for (const Timed& timed : list.timed) {
      gpu::release_mark(timed.begin);
      gpu::release_mark(timed.end);
    }
  }
}

void GpuScore::drop_graphs() noexcept {
  gpu::release_graph(one_);
  gpu::release_graph(several_);
  one_ = several_ = {};
}

void GpuScore::append(int device, Command command) {
  List& list = lists_.at(static_cast<std::size_t>(device));
  if (const int branch = branch_of(command.lane); branch >= 0) {
    const auto index = static_cast<std::size_t>(branch);
    if (list.branches.size() <= index) list.branches.resize(index + 1);
    GpuStream& stream = list.branches[index];
    if (stream.handle == nullptr) stream = gpu::make_stream(list.gpu->ordinal(), false);
  }
  list.commands.push_back(std::move(command));
  list.timed.emplace_back();
  drop_graphs();
}

int GpuScore::create_event() {
  // An event is recorded on one device; which one is not known yet, and in a capture it does not matter.
  marks_.emplace_back();
  recorded_in_.push_back(0);
  return static_cast<int>(marks_.size()) - 1;
}

/// False when the command waits for an event that has not been recorded yet.
bool GpuScore::issue(List& list, std::size_t index, std::int64_t replay, std::int64_t first, bool timing) {
  const Command& command = list.commands[index];
  const GpuStream stream = stream_of(list, command.lane);
  const auto event = static_cast<std::size_t>(std::max(0, command.event));
  switch (command.kind) {
    case Command::Kind::work: {
      Timed& timed = list.timed[index];
      if (timing && timed.begin.handle == nullptr) {
        timed.begin = gpu::make_mark(list.gpu->ordinal(), true);
        timed.end = gpu::make_mark(list.gpu->ordinal(), true);
      }
      if (timing) gpu::record(timed.begin, stream);
      try {
        gpu::select(stream.ordinal);
        command.work(stream);
      } catch (const MemoryError&) {
        throw;
      } catch (const DeviceError& error) {
        throw DeviceError(fmt::format("{} (in \"{}\" on GPU {})", error.what(), command.label, list.gpu->ordinal()));
      }
      if (timing) gpu::record(timed.end, stream);
      break;
    }
    case Command::Kind::record:
      if (marks_[event].handle == nullptr) marks_[event] = gpu::make_mark(list.gpu->ordinal(), false);
      gpu::record(marks_[event], stream);
      recorded_in_[event] = replay;
      break;
    case Command::Kind::wait:
      if (recorded_in_[event] < replay - command.lag) {
        if (replay - command.lag >= first) return false;
        break;  // before the first replay: holds at once, or by the order of the launches
      }
      if (recorded_in_[event] >= first) gpu::wait(marks_[event], stream);
      break;
    case Command::Kind::fork:
      gpu::record(list.fork, list.gpu->main());
      gpu::wait(list.fork, list.gpu->side());
      break;
    case Command::Kind::join:
      gpu::record(list.join, list.gpu->side());
      gpu::wait(list.join, list.gpu->main());
      break;
  }
  return true;
}

/// Issues the commands of all devices in an order in which every event is recorded before it is waited for.
void GpuScore::issue_replay(std::int64_t replay, std::int64_t first, bool timing) {
  std::vector<std::size_t> next(lists_.size(), 0);
  bool all_done = false;
  while (!all_done) {
    bool moved = false;
    all_done = true;
    for (std::size_t device = 0; device < lists_.size(); ++device) {
      List& list = lists_[device];
      while (next[device] < list.commands.size() && issue(list, next[device], replay, first, timing)) {
        ++next[device];
        moved = true;
      }
      all_done = all_done && next[device] == list.commands.size();
    }
    if (!all_done && !moved) throw std::logic_error("the devices of a program wait for each other");
  }
}

gpu::Graph GpuScore::capture(int replays) {
  const GpuStream origin = lists_.front().gpu->main();
  std::fill(recorded_in_.begin(), recorded_in_.end(), 0);
  gpu::begin_capture(origin);
  try {
    List& first = lists_.front();
    gpu::record(first.fork, origin);
    for (std::size_t device = 0; device < lists_.size(); ++device) {
      if (device > 0) gpu::wait(first.fork, lists_[device].gpu->main());
      gpu::wait(first.fork, lists_[device].gpu->side());
    }
    for (int replay = 1; replay <= replays; ++replay) issue_replay(replay, 1, false);
    for (std::size_t device = 0; device < lists_.size(); ++device) {
      List& list = lists_[device];
      gpu::record(list.end_side, list.gpu->side());
      gpu::wait(list.end_side, origin);
      if (device == 0) continue;
      gpu::record(list.end_main, list.gpu->main());
      gpu::wait(list.end_main, origin);
    }
  } catch (...) {
    gpu::abandon_capture(origin);
    throw;
  }
  return gpu::end_capture(origin);
}

/// Says of every device, while it lives, that it is at one of its commands: which one only the GPU knows.
class GpuScore::Report {
 public:
  explicit Report(const std::vector<List>& lists) {
    for (const List& list : lists) {
      Whereabouts* const whereabouts = list.gpu->options().whereabouts;
      if (whereabouts == nullptr) continue;
      places_.push_back(&whereabouts->of_device(fmt::format("GPU {}", list.gpu->ordinal())));
      places_.back()->foreground.store(whereabouts->number_of(labels_of(list)), std::memory_order_relaxed);
    }
  }
  ~Report() {
    for (Whereabouts::Device* place : places_) place->foreground.store(-1, std::memory_order_relaxed);
  }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

 private:
  static std::string labels_of(const List& list) {
    std::vector<std::string_view> labels;
    for (const Command& command : list.commands) {
      const bool known = std::find(labels.begin(), labels.end(), command.label) != labels.end();
      if (command.kind == Command::Kind::work && !known) labels.emplace_back(command.label);
    }
    return fmt::format("{}", fmt::join(labels, ", "));
  }

  std::vector<Whereabouts::Device*> places_;
};

void GpuScore::run(std::int64_t times) {
  if (failed_) throw std::logic_error("a program that has failed cannot run again");
  if (times < 1 || lists_.empty()) return;
  failed_ = true;
  const Report report(lists_);
  if (timing_) {
    run_commands(times);
    failed_ = false;
    return;
  }
  const GpuStream origin = lists_.front().gpu->main();
  if (one_.handle == nullptr) {
    one_ = capture(1);
    several_replays_ =
        static_cast<int>(std::clamp<std::int64_t>(most_nodes / std::max<std::int64_t>(1, one_.nodes), 1, most_replays));
  }
  if (several_replays_ > 1 && times >= several_replays_ && several_.handle == nullptr) {
    several_ = capture(several_replays_);
  }
  if (several_.handle != nullptr) {
    for (; times >= several_replays_; times -= several_replays_) gpu::launch(several_, origin);
  }
  for (; times > 0; --times) gpu::launch(one_, origin);
  gpu::synchronise(origin);
  failed_ = false;
}

void GpuScore::run_commands(std::int64_t times) {
  for (std::int64_t i = 0; i < times; ++i) {
    std::fill(recorded_in_.begin(), recorded_in_.end(), 0);
    issue_replay(1, 1, true);
    for (const List& list : lists_) list.gpu->synchronise();
    collect_times();
  }
}

void GpuScore::collect_times() {
  for (List& list : lists_) {
    for (std::size_t i = 0; i < list.commands.size(); ++i) {
      if (list.commands[i].kind != Command::Kind::work) continue;
      list.timed[i].seconds += gpu::seconds_between(list.timed[i].begin, list.timed[i].end);
      ++list.timed[i].calls;
    }
  }
}

void GpuScore::enable_timing(bool on) {
  timing_ = on;
  for (List& list : lists_) {
    for (Timed& timed : list.timed) timed.seconds = 0, timed.calls = 0;
  }
}

std::vector<Program::Timing> GpuScore::timings() const {
  std::vector<Program::Timing> sums;
  for (std::size_t device = 0; device < lists_.size(); ++device) {
    const List& list = lists_[device];
    for (std::size_t i = 0; i < list.commands.size(); ++i) {
      if (list.commands[i].kind != Command::Kind::work) continue;
      const auto known = std::find_if(sums.begin(), sums.end(), [&](const Program::Timing& timing) {
        return timing.device == static_cast<int>(device) && timing.label == list.commands[i].label;
      });
      Program::Timing& sum =
          known != sums.end()
              ? *known
              : sums.emplace_back(Program::Timing{static_cast<int>(device), list.commands[i].label, 0, 0});
      sum.seconds += list.timed[i].seconds;
      sum.calls += list.timed[i].calls;
    }
  }
  return sums;
}

}  // namespace halotune::replay
