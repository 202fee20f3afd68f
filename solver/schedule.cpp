#include "solver/schedule.hpp"

#include <algorithm>
#include <optional>

#include "solver/device/gpu_branches.hpp"
#include "solver/ghost_commands.hpp"
#include "solver/gpu_commands.hpp"
#include "solver/part_commands.hpp"

namespace halotune {
namespace {

using Mutation = SimulationOptions::Mutation;

/// How parts on CPU devices are driven.
template <class T>
struct OnTeams {
  using Value = T;
  using Part = PartCommands<T>;
  using Ghosts = GhostCommands<T>;
  static int members(const Program& program, int device) { return program.team(device).threads(); }
  static void begin_parts(Program&, int, int) {}
  static void end_parts(Program&, int, int) {}
};

/// How parts on GPUs are driven.
template <class T>
struct OnGpus {
  using Value = T;
  using Part = GpuPartCommands<T>;
  using Ghosts = GpuGhostCommands<T>;
  static int members(const Program&, int) { return 2; }  // the lanes: the side lane is free for an exchange
  /// Parts that share a GPU run beside each other.
  static void begin_parts(Program& program, int device, int parts) {
    if (parts > 1) fan_out(program, device, parts);
  }
  static void end_parts(Program& program, int device, int parts) {
    if (parts > 1) fan_in(program, device, parts);
  }
};

/// Records the commands of all devices, one device after the other; devices meet in exchanges only.
template <class Driver>
class Recorder {
  using T = typename Driver::Value;
  using Commands = typename Driver::Part;
  using Ghosts = typename Driver::Ghosts;

 public:
  Recorder(const ScheduleContext<T>& context, Block& block)
      : context_(context), program_(block.program), block_(block) {
    for (std::size_t i = 0; i < context.parts.size(); ++i) {
      commands_.emplace_back(context, program_, static_cast<std::int64_t>(i));
      ghosts_.emplace_back(context, program_, static_cast<std::int64_t>(i));
    }
  }

  void merged(int sub_steps);
  void split();
  void exchange_alone();

 private:
  struct Link {
    std::vector<HaloBox> boxes;
    Exchange* exchange = nullptr;  ///< null: nothing to move
    std::vector<FieldId> fields;
  };

  Link connect(ExchangePhase phase);
  template <class F>
  void parts_of(int device, F&& f) {
    const auto count = static_cast<int>(std::count_if(context_.parts.begin(), context_.parts.end(),
                                                      [&](const auto& run) { return run->device == device; }));
    Driver::begin_parts(program_, device, count);
    for (std::size_t i = 0; i < context_.parts.size(); ++i) {
      if (context_.parts[i]->device == device) f(commands_[i], context_.cut.part[i]);
    }
    Driver::end_parts(program_, device, count);
  }
  template <class F>
  void ghosts_of(int device, F&& f) {
    for (std::size_t i = 0; i < context_.parts.size(); ++i) {
      if (context_.parts[i]->device == device) f(ghosts_[i]);
    }
  }
  /// `inner` computes what needs no ghosts while the exchange is on its way, as the Plan overlaps.
  template <class F>
  void overlapped(int device, const Link& link, F&& inner);
  void start(int device, const Link& link) {
    if (link.exchange != nullptr) link.exchange->start(program_, device);
  }
  void release(int device, const Link& link, int lag) {
    if (link.exchange != nullptr) link.exchange->release(program_, device, lag);
  }
  void receive(int device, const Link& link);
  void poison(int device, const Link& link);
  void refresh(int device, const Link& link);
  void last_sub_step(int device, const Link& link);
  void split_step(int device, const Link& p, const Link& v);
  void split_step_overlapped(int device, const Link& p, const Link& v);
  int devices() const { return program_.devices(); }
  int members(int device) const { return Driver::members(program_, device); }
  bool overlaps() const { return context_.plan.overlap != Overlap::off; }

  const ScheduleContext<T>& context_;
  Program& program_;
  Block& block_;
  std::vector<Commands> commands_;
  std::vector<Ghosts> ghosts_;
};

template <class Driver>
typename Recorder<Driver>::Link Recorder<Driver>::connect(ExchangePhase phase) {
  Link link;
  link.boxes = mutated(halo_boxes(context_.problem, context_.plan, context_.cut, phase), context_.options.mutation);
  if (phase != ExchangePhase::split_v) link.fields.push_back({FieldKind::p, 0});
  if (phase != ExchangePhase::split_p) {
    for (int axis = 0; axis < 3; ++axis) link.fields.push_back({FieldKind::v, axis});
  }
  if (phase == ExchangePhase::merged) {
    for (int axis = 0; axis < 3; ++axis) {
      link.fields.push_back({FieldKind::psi_v, axis});
      link.fields.push_back({FieldKind::psi_p, axis});
    }
  }
  auto messages = exchange_messages<T>(link.boxes, context_.plan, context_.parts);
  if (messages.empty()) return link;
  const Transport* const instead = context_.options.transport;
  const Transport& way = instead != nullptr ? *instead : transport(context_.plan.transport);
  block_.exchanges.push_back(context_.pair_flaws.empty()
                                 ? way.connect(program_, std::move(messages))
                                 : connect_flawed(way, program_, std::move(messages), context_.pair_flaws));
  link.exchange = block_.exchanges.back().get();
  return link;
}

template <class Driver>
void Recorder<Driver>::poison(int device, const Link& link) {
  if (!context_.options.poison_ghosts) return;
  ghosts_of(device, [&](Ghosts& ghosts) { ghosts.poison(link.fields); });
}

template <class Driver>
void Recorder<Driver>::refresh(int device, const Link& link) {
  ghosts_of(device, [&](Ghosts& ghosts) {
    ghosts.refresh(link.boxes);
    if (context_.options.mutation == Mutation::frozen_psi) ghosts.remember_psi();
  });
}

template <class Driver>
void Recorder<Driver>::receive(int device, const Link& link) {
  if (link.exchange == nullptr) return;
  poison(device, link);
  link.exchange->finish(program_, device);
  refresh(device, link);
}

template <class Driver>
template <class F>
void Recorder<Driver>::overlapped(int device, const Link& link, F&& inner) {
  if (link.exchange == nullptr || context_.plan.overlap == Overlap::plain) {
    inner(members(device));
    receive(device, link);
    return;
  }
  poison(device, link);
  link.exchange->finish_in_background(program_, device);
  inner(members(device) - 1);
  program_.end_background(device);
  refresh(device, link);
}

template <class Driver>
void Recorder<Driver>::merged(int sub_steps) {
  const Link link = connect(ExchangePhase::merged);
  for (int device = 0; device < devices(); ++device) {
    release(device, link, 1);
    for (int remaining = sub_steps; remaining >= 1; --remaining) {
      if (context_.options.mutation == Mutation::frozen_psi && remaining < sub_steps) {
        ghosts_of(device, [](Ghosts& ghosts) { ghosts.restore_psi(); });
      }
      if (remaining == 1 && overlaps() && link.exchange != nullptr) {
        last_sub_step(device, link);
        break;
      }
      parts_of(device, [&](Commands& commands, const Part& part) {
        const StepRegion region = step_region(part, context_.problem, context_.plan, remaining);
        commands.whole_step(region);
        commands.inject({region.pressure});
        commands.observe();
      });
      if (remaining == 1 && link.exchange != nullptr) {
        start(device, link);
        receive(device, link);
      }
    }
  }
}

template <class Driver>
void Recorder<Driver>::last_sub_step(int device, const Link& link) {
  const Problem& problem = context_.problem;
  const Plan& plan = context_.plan;
  const auto regions = [&](const Part& part) {
    const StepRegion all = step_region(part, problem, plan, 1);
    const std::int64_t sent = std::max(depth({FieldKind::p, 0}, 0, 0, problem.radius(), problem.scheme, plan.exchange,
                                             plan.depths, plan.steps_per_exchange),
                                       depth({FieldKind::p, 0}, 0, 1, problem.radius(), problem.scheme, plan.exchange,
                                             plan.depths, plan.steps_per_exchange));
    return std::pair{all, inner_region(all, part, sent, problem.radius())};
  };
  parts_of(device, [&](Commands& commands, const Part& part) {
    const auto [all, inner] = regions(part);
    std::array<std::vector<Box>, 3> shell;
    for (int axis = 0; axis < 3; ++axis) shell[axis] = difference(all.velocity[axis], inner.velocity[axis]);
    const auto rim = difference(all.pressure, inner.pressure);
    commands.wrap_pressure(all);
    commands.velocity(shell);
    commands.wrap_velocity(all);
    commands.pressure(rim);
    commands.inject(rim);
  });
  start(device, link);
  overlapped(device, link, [&](int threads) {
    parts_of(device, [&](Commands& commands, const Part& part) {
      const StepRegion inner = regions(part).second;
      commands.inner_step(inner, threads);
      commands.inject({inner.pressure});
      commands.observe();
    });
  });
}

template <class Driver>
void Recorder<Driver>::split() {
  const Link p = connect(ExchangePhase::split_p);
  const Link v = connect(ExchangePhase::split_v);
  for (int device = 0; device < devices(); ++device) {
    if (overlaps() && p.exchange != nullptr) {
      split_step_overlapped(device, p, v);
    } else {
      split_step(device, p, v);
    }
  }
}

template <class Driver>
void Recorder<Driver>::split_step(int device, const Link& p, const Link& v) {
  const auto region_of = [&](const Part& part) { return step_region(part, context_.problem, context_.plan, 1); };
  if (p.exchange == nullptr) {
    parts_of(device, [&](Commands& commands, const Part& part) {
      commands.whole_step(region_of(part));
      commands.inject({region_of(part).pressure});
      commands.observe();
    });
    return;
  }
  start(device, p);
  receive(device, p);
  release(device, v, 1);
  parts_of(device, [&](Commands& commands, const Part& part) {
    commands.wrap_pressure(region_of(part));
    commands.inner_velocity(region_of(part), members(device));
  });
  start(device, v);
  receive(device, v);
  release(device, p, 0);
  parts_of(device, [&](Commands& commands, const Part& part) {
    commands.wrap_velocity(region_of(part));
    commands.inner_pressure(region_of(part), members(device));
    commands.inject({region_of(part).pressure});
    commands.observe();
  });
}

template <class Driver>
void Recorder<Driver>::split_step_overlapped(int device, const Link& p, const Link& v) {
  const std::int64_t r = context_.problem.radius();
  const auto region_of = [&](const Part& part) { return step_region(part, context_.problem, context_.plan, 1); };
  // v_a needs ghosts along a alone; pressure needs those of every split axis.
  const auto inner_of = [&](const Part& part) {
    StepRegion inner = region_of(part);
    for (int axis = 0; axis < 3; ++axis) {
      if (part.sides[axis][0] == Side::split) inner.velocity[axis].lo[axis] += r;
      if (part.sides[axis][1] == Side::split) inner.velocity[axis].hi[axis] -= r;
      if (inner.velocity[axis].empty()) inner.velocity[axis] = {};
    }
    inner.pressure = inner_region(region_of(part), part, r, 0).pressure;
    return inner;
  };
  start(device, p);
  release(device, v, 1);
  overlapped(device, p, [&](int threads) {
    parts_of(device, [&](Commands& commands, const Part& part) {
      commands.wrap_pressure(region_of(part));
      commands.inner_velocity(inner_of(part), threads);
    });
  });
  parts_of(device, [&](Commands& commands, const Part& part) {
    std::array<std::vector<Box>, 3> shell;
    for (int axis = 0; axis < 3; ++axis) {
      shell[axis] = difference(region_of(part).velocity[axis], inner_of(part).velocity[axis]);
    }
    commands.velocity(shell);
  });
  start(device, v);
  release(device, p, 0);
  overlapped(device, v, [&](int threads) {
    parts_of(device, [&](Commands& commands, const Part& part) {
      commands.wrap_velocity(region_of(part));
      commands.inner_pressure(inner_of(part), threads);
    });
  });
  parts_of(device, [&](Commands& commands, const Part& part) {
    commands.pressure(difference(region_of(part).pressure, inner_of(part).pressure));
    commands.inject({region_of(part).pressure});
    commands.observe();
  });
}

template <class Driver>
void Recorder<Driver>::exchange_alone() {
  const bool merged = context_.plan.exchange == ExchangeKind::merged;
  const Link link = connect(merged ? ExchangePhase::merged : ExchangePhase::split_p);
  if (link.exchange == nullptr) return;
  for (int device = 0; device < devices(); ++device) {
    start(device, link);
    receive(device, link);
  }
}

/// Records by `record` with the driver that the context's devices need.
template <class T, class Record>
std::unique_ptr<Block> recorded(const ScheduleContext<T>& context, Record&& record) {
  if (context.gpu != nullptr) {
    auto block = std::make_unique<Block>(Program(context.gpu->gpus));
    record(Recorder<OnGpus<T>>(context, *block));
    return block;
  }
  auto block = std::make_unique<Block>(Program(context.teams));
  record(Recorder<OnTeams<T>>(context, *block));
  return block;
}

}  // namespace

template <class T>
std::unique_ptr<Block> record_block(const ScheduleContext<T>& context, int sub_steps) {
  const bool merged = context.plan.exchange == ExchangeKind::merged;
  return recorded(context, [&](auto recorder) { merged ? recorder.merged(sub_steps) : recorder.split(); });
}

template <class T>
std::unique_ptr<Block> record_exchange(const ScheduleContext<T>& context) {
  return recorded(context, [](auto recorder) { recorder.exchange_alone(); });
}

template std::unique_ptr<Block> record_block<float>(const ScheduleContext<float>&, int);
template std::unique_ptr<Block> record_block<double>(const ScheduleContext<double>&, int);
template std::unique_ptr<Block> record_exchange<float>(const ScheduleContext<float>&);
template std::unique_ptr<Block> record_exchange<double>(const ScheduleContext<double>&);

}  // namespace halotune
