#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "solver/device/gpu.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/device/program.hpp"

namespace halotune::replay {

/// A Program's lists for GPUs and their replay: as captured graphs, or command by command with timing.
///
/// A captured graph holds one replay or several. Waits of lag 0 are edges of the graph; a wait of lag 1 is an edge to
/// the replay before in the same graph, and needs none to an earlier graph, because graphs are launched one after the
/// other in one stream.
class GpuScore {
 public:
  explicit GpuScore(std::vector<Gpu*> devices);
  ~GpuScore();
  GpuScore(const GpuScore&) = delete;
  GpuScore& operator=(const GpuScore&) = delete;

  using Lane = Program::Lane;
  struct Command {
    enum class Kind { work, record, wait, fork, join };
    Kind kind = Kind::work;
    Lane lane = Lane::main;
    std::string label;
    std::function<void(GpuStream)> work;
    int event = -1;
    int lag = 0;
  };

  void append(int device, Command command);
  int create_event();
  int events() const noexcept { return static_cast<int>(marks_.size()); }
  int devices() const noexcept { return static_cast<int>(lists_.size()); }
  Gpu& gpu(int device) const { return *lists_.at(static_cast<std::size_t>(device)).gpu; }

  void run(std::int64_t times);
  void enable_timing(bool on);
  std::vector<Program::Timing> timings() const;

 private:
  struct Timed {
    gpu::Mark begin, end;
    double seconds = 0;
    std::int64_t calls = 0;
  };
  struct List {
    Gpu* gpu = nullptr;
    std::vector<Command> commands;
    std::vector<GpuStream> branches;  ///< those that commands have named; others are empty
    std::vector<Timed> timed;         ///< per command; marks exist from the first timed replay on
    gpu::Mark fork, join, end_main, end_side;
  };

  class Report;

  static GpuStream stream_of(const List& list, Lane lane);
  gpu::Graph capture(int replays);
  void issue_replay(std::int64_t replay, std::int64_t first, bool timing);
  bool issue(List& list, std::size_t index, std::int64_t replay, std::int64_t first, bool timing);
  void run_commands(std::int64_t times);
  void collect_times();
  void drop_graphs() noexcept;

  std::vector<List> lists_;
  std::vector<gpu::Mark> marks_;           ///< per event
  std::vector<std::int64_t> recorded_in_;  ///< per event: the last replay that has recorded it
  std::int64_t replays_ = 0;
  bool timing_ = false;
  bool failed_ = false;
  gpu::Graph one_, several_;
  int several_replays_ = 1;
};

}  // namespace halotune::replay
