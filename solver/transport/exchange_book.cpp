#include "solver/transport/exchange_book.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace halotune {
namespace {

bool contains(const std::vector<int>& list, int device) {
  return std::find(list.begin(), list.end(), device) != list.end();
}

void add_once(std::vector<int>& list, int device) {
  if (!contains(list, device)) list.push_back(device);
}

void check(const Message& message, int devices) {
  for (const int device : {message.from_device, message.to_device}) {
    if (device < 0 || device >= devices) {
      throw std::logic_error(fmt::format("a message names device {} of {}", device, devices));
    }
  }
  for (const auto& [from, to] : message.transfers) {
    if (from.row_bytes != to.row_bytes || from.rows != to.rows || from.planes != to.planes) {
      throw std::logic_error("source and destination of a transfer differ in shape");
    }
  }
}

}  // namespace

std::vector<ExchangePeers> peers_of(const std::vector<Message>& messages, int devices,
                                    bool (*reads_cells)(const Message&)) {
  std::vector<ExchangePeers> peers(static_cast<std::size_t>(devices));
  for (const Message& message : messages) {
    check(message, devices);
    if (message.bytes() == 0) continue;
    ExchangePeers& from = peers[static_cast<std::size_t>(message.from_device)];
    from.sends = true;
    add_once(reads_cells(message) ? from.cell_readers : from.buffer_readers, message.to_device);
    add_once(peers[static_cast<std::size_t>(message.to_device)].senders, message.from_device);
  }
  return peers;
}

ExchangeBook::ExchangeBook(Program& program, std::vector<ExchangePeers> peers)
    : peers_(std::move(peers)), recorded_(peers_.size()) {
  for (std::size_t i = 0; i < peers_.size(); ++i) taken_.push_back(program.create_event());
}

std::size_t ExchangeBook::index(int device) const {
  if (device < 0 || static_cast<std::size_t>(device) >= peers_.size()) {
    throw std::logic_error(fmt::format("device {} is not in this exchange of {}", device, peers_.size()));
  }
  return static_cast<std::size_t>(device);
}

void ExchangeBook::once(int device, bool Verbs::*verb, const char* name) {
  if (std::exchange(recorded_[index(device)].*verb, true)) {
    throw std::logic_error(fmt::format("{}() of device {} is recorded already", name, device));
  }
}

void ExchangeBook::start(int device) {
  once(device, &Verbs::start, "start");
}

void ExchangeBook::finish(int device) {
  if (contains(peers(device).senders, device) && !recorded_[index(device)].start) {
    throw std::logic_error("finish() before start() of a device that sends to itself would wait for ever");
  }
  once(device, &Verbs::finish, "finish");
}

void ExchangeBook::wait_for_buffers(Program& program, int device) const {
  for (const int reader : peers(device).buffer_readers) program.wait(device, taken(reader), 1);
}

void ExchangeBook::wait_for_cells(Program& program, int device, int lag) const {
  for (const int reader : peers(device).cell_readers) {
    if (reader == device && lag == 0 && !recorded_[index(device)].finish) {
      throw std::logic_error("release() before finish() of a device that sends to itself would wait for ever");
    }
    program.wait(device, taken(reader), lag);
  }
}

void ExchangeBook::check_started(int device, int lag) const {
  if (lag == 0 && !recorded_[index(device)].start) throw std::logic_error("release() with lag 0 before start()");
}

}  // namespace halotune
