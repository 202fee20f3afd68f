#pragma once
#include <memory>
#include <vector>

#include "solver/device/flaw.hpp"
#include "solver/transport/transport.hpp"

namespace halotune {

/// A flaw of the way from one device to another (indices into the Program's devices).
struct PairFlaw {
  int from_device = 0;
  int to_device = 0;
  Flaw flaw;
};

/// Connects by `transport`, whose way between the given pairs misbehaves, whatever transport it is: fails and hangs are
/// commands of the sender in start(); wrong and nan let the pair's first transfer read bytes that are not the sender's;
/// slow lets each byte be copied factor - 1 times more, into memory that nobody reads. For tests.
std::unique_ptr<Exchange> connect_flawed(const Transport& transport, Program& program, std::vector<Message> messages,
                                         const std::vector<PairFlaw>& flaws);

}  // namespace halotune
