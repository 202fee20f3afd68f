#include "solver/transport/flawed_exchange.hpp"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "solver/transport/move_list.hpp"

namespace halotune {
namespace {

constexpr std::byte wrong_byte{0x3f};  // 0.75 as float32, 4.8e-4 as float64: nothing that stands out
constexpr std::byte nan_byte{0xff};

using Memory = std::deque<std::vector<std::byte>>;

ByteBox fresh_box(Memory& memory, const ByteBox& like, std::byte value) {
  memory.emplace_back(static_cast<std::size_t>(like.bytes()), value);
  return contiguous_box(memory.back().data(), like);
}

void replace_first_transfer(std::vector<Message>& messages, const PairFlaw& pair, Memory& memory, std::byte value) {
  for (Message& message : messages) {
    if (message.from_device != pair.from_device || message.to_device != pair.to_device) continue;
    if (message.transfers.empty()) continue;
    Transfer& first = message.transfers.front();
    first.from = fresh_box(memory, first.from, value);
    return;
  }
}

void repeat_transfers(std::vector<Message>& messages, const PairFlaw& pair, Memory& memory) {
  for (Message& message : messages) {
    if (message.from_device != pair.from_device || message.to_device != pair.to_device) continue;
    const std::vector<Transfer> once = message.transfers;
    for (std::int64_t more = 1; more < pair.flaw.factor; ++more) {
      for (const Transfer& transfer : once) {
        message.transfers.push_back({transfer.from, fresh_box(memory, transfer.to, std::byte{0})});
      }
    }
  }
}

class FlawedExchange final : public Exchange {
 public:
  FlawedExchange(std::unique_ptr<Exchange> inner, std::vector<PairFlaw> flaws, Memory memory)
      : memory_(std::move(memory)), inner_(std::move(inner)), flaws_(std::move(flaws)) {}

  void start(Program& program, int device) override {
    for (const PairFlaw& pair : flaws_) {
      const bool strikes = pair.flaw.kind == Flaw::Kind::fails || pair.flaw.kind == Flaw::Kind::hangs;
      if (!strikes || pair.from_device != device) continue;
      std::string label = fmt::format("halo cpu:{} to cpu:{}", program.team(pair.from_device).device().index,
                                      program.team(pair.to_device).device().index);
      program.launch(device, std::move(label),
                     [flaw = pair.flaw](TeamMember member) { flawed(flaw, member.thread == 0, [] {}); });
    }
    inner_->start(program, device);
  }
  void finish(Program& program, int device) override { inner_->finish(program, device); }
  void release(Program& program, int device, int lag) override { inner_->release(program, device, lag); }
  void finish_in_background(Program& program, int device) override { inner_->finish_in_background(program, device); }
  std::int64_t buffer_bytes(int device) const override { return inner_->buffer_bytes(device); }

 private:
  Memory memory_;
  std::unique_ptr<Exchange> inner_;
  std::vector<PairFlaw> flaws_;
};

}  // namespace

std::unique_ptr<Exchange> connect_flawed(const Transport& transport, Program& program, std::vector<Message> messages,
                                         const std::vector<PairFlaw>& flaws) {
  Memory memory;
  for (const PairFlaw& pair : flaws) {
    if (pair.flaw.kind == Flaw::Kind::wrong) replace_first_transfer(messages, pair, memory, wrong_byte);
    if (pair.flaw.kind == Flaw::Kind::nan) replace_first_transfer(messages, pair, memory, nan_byte);
    if (pair.flaw.kind == Flaw::Kind::slow) repeat_transfers(messages, pair, memory);
  }
  auto inner = transport.connect(program, std::move(messages));
  return std::make_unique<FlawedExchange>(std::move(inner), flaws, std::move(memory));
}

}  // namespace halotune
