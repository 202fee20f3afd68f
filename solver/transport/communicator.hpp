#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace halotune {

/// The ranks of a run. One process is a communicator of size one; MPI adds others.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::string host() const = 0;
  virtual void barrier() = 0;
  virtual std::uint64_t sum(std::uint64_t value) = 0;  ///< wraps modulo 2^64
  virtual double sum(double value) = 0;
  virtual double max(double value) = 0;
  virtual bool any(bool value) = 0;
  /// Gathers rank by rank to rank 0 (empty elsewhere).
  virtual std::string gather(std::string_view bytes) = 0;
};

std::unique_ptr<Communicator> one_process();

}  // namespace halotune
