#include "solver/transport/communicator.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/errors.hpp"

namespace halotune {
namespace {

class OneProcess final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string host() const override {
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) {
      throw DeviceError(std::string("cannot read the host name (") + std::strerror(errno) + ")");
    }
    return name.data();
  }
  void barrier() override {}
  std::uint64_t sum(std::uint64_t value) override { return value; }
  double sum(double value) override { return value; }
  double max(double value) override { return value; }
  bool any(bool value) override { return value; }
  std::string gather(std::string_view bytes) override { return std::string(bytes); }
};

}  // namespace

std::unique_ptr<Communicator> one_process() {
  return std::make_unique<OneProcess>();
}

}  // namespace halotune
