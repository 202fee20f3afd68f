#include "solver/transport/flawed_exchange.hpp"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "solver/device/gpu_flaw.hpp"
#include "solver/device/gpu_runtime.hpp"
#include "solver/device/memory.hpp"
#include "solver/transport/move_list.hpp"

namespace halotune {
namespace {

constexpr std::byte wrong_byte{0x3f};  // 0.75 as float32, 4.8e-4 as float64: nothing that stands out
constexpr std::byte nan_byte{0xff};

/// Memory beside the fields, on the devices of a program.
class Aside {
 public:
  explicit Aside(const Program& program) : program_(program) {}
  /// A box of the shape of `like` on `device`, full of one byte.
  ByteBox box(const ByteBox& like, int device, std::byte value) {
    if (!program_.on_gpus()) {
      host_.emplace_back(static_cast<std::size_t>(like.bytes()), value);
      return contiguous_box(host_.back().data(), like);
    }
    const Gpu& gpu = program_.gpu(device);
    gpus_.emplace_back(like.bytes(), gpu);
    gpu::fill(gpus_.back().data(), static_cast<int>(value), like.bytes(), gpu.main());
    gpu.synchronise();
    return contiguous_box(gpus_.back().data(), like);
  }

 private:
  const Program& program_;
  std::deque<std::vector<std::byte>> host_;
  std::deque<Buffer> gpus_;
};

bool joins(const PairFlaw& pair, const Message& message) {
  return message.from_device == pair.from_device && message.to_device == pair.to_device;
}

void replace_first_transfer(std::vector<Message>& messages, const PairFlaw& pair, Aside& aside, std::byte value) {
  for (Message& message : messages) {
    if (!joins(pair, message) || message.transfers.empty()) continue;
    Transfer& first = message.transfers.front();
    first.from = aside.box(first.from, pair.from_device, value);
    return;
  }
}

void repeat_transfers(std::vector<Message>& messages, const PairFlaw& pair, Aside& aside) {
  for (Message& message : messages) {
    if (!joins(pair, message)) continue;
    const std::vector<Transfer> once = message.transfers;
    for (std::int64_t more = 1; more < pair.flaw.factor; ++more) {
      for (const Transfer& transfer : once) {
        message.transfers.push_back({transfer.from, aside.box(transfer.to, pair.to_device, std::byte{0})});
      }
    }
  }
}

/// What a device is called in a Plan.
std::string name_of(const Program& program, int device) {
  if (program.on_gpus()) return std::to_string(program.gpu(device).ordinal());
  return fmt::format("cpu:{}", program.team(device).device().index);
}

class FlawedExchange final : public Exchange {
 public:
  FlawedExchange(std::unique_ptr<Exchange> inner, std::vector<PairFlaw> flaws, std::unique_ptr<Aside> aside)
      : aside_(std::move(aside)), inner_(std::move(inner)), flaws_(std::move(flaws)) {}

  void start(Program& program, int device) override {
    for (const PairFlaw& pair : flaws_) {
      const bool strikes = pair.flaw.kind == Flaw::Kind::fails || pair.flaw.kind == Flaw::Kind::hangs;
      if (!strikes || pair.from_device != device) continue;
      strike(program, pair);
    }
    inner_->start(program, device);
  }
  void finish(Program& program, int device) override { inner_->finish(program, device); }
  void release(Program& program, int device, int lag) override { inner_->release(program, device, lag); }
  void finish_in_background(Program& program, int device) override { inner_->finish_in_background(program, device); }
  std::int64_t buffer_bytes(int device) const override { return inner_->buffer_bytes(device); }

 private:
  static void strike(Program& program, const PairFlaw& pair) {
    std::string label =
        fmt::format("halo {} to {}", name_of(program, pair.from_device), name_of(program, pair.to_device));
    if (program.on_gpus()) {
      program.enqueue(pair.from_device, std::move(label),
                      flawed_work(pair.flaw, program.gpu(pair.from_device), [](GpuStream) {}));
      return;
    }
    program.launch(pair.from_device, std::move(label),
                   [flaw = pair.flaw](TeamMember member) { flawed(flaw, member.thread == 0, [] {}); });
  }

  std::unique_ptr<Aside> aside_;
  std::unique_ptr<Exchange> inner_;
  std::vector<PairFlaw> flaws_;
};

}  // namespace

std::unique_ptr<Exchange> connect_flawed(const Transport& transport, Program& program, std::vector<Message> messages,
                                         const std::vector<PairFlaw>& flaws) {
  auto aside = std::make_unique<Aside>(program);
  for (const PairFlaw& pair : flaws) {
    if (pair.flaw.kind == Flaw::Kind::wrong) replace_first_transfer(messages, pair, *aside, wrong_byte);
    if (pair.flaw.kind == Flaw::Kind::nan) replace_first_transfer(messages, pair, *aside, nan_byte);
    if (pair.flaw.kind == Flaw::Kind::slow) repeat_transfers(messages, pair, *aside);
  }
  auto inner = transport.connect(program, std::move(messages));
  return std::make_unique<FlawedExchange>(std::move(inner), flaws, std::move(aside));
}

}  // namespace halotune
