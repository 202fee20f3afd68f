#include "solver/transport/transport.hpp"

#include <array>

#include "base/errors.hpp"
#include "solver/transport/handshake.hpp"

namespace halotune {
namespace {

std::array<const Transport*, 2> built_transports() {
  return {&shared_transport(), &staged_transport()};
}

// Names of the vocabulary that a Plan may carry but that need a GPU or several ranks.
constexpr std::array<std::string_view, 6> not_built{"host_staged", "peer_copy", "peer_direct",
                                                    "nccl",        "mpi_host",  "mpi_device"};

}  // namespace

const Transport& transport(std::string_view name) {
  for (const Transport* one : built_transports()) {
    if (one->name() == name) return *one;
  }
  const std::string suggestion = "use \"shared\" or \"staged\"";
  for (const auto known : not_built) {
    if (known == name) {
      throw ConfigError(Fault{"/transport", "transport \"" + std::string(name) + "\" is not built",
                              "this build has CPU devices of one process only", suggestion});
    }
  }
  throw ConfigError(Fault{"/transport", "unknown transport \"" + std::string(name) + "\"", "", suggestion});
}

std::vector<std::string> transport_names() {
  std::vector<std::string> names;
  for (const Transport* one : built_transports()) names.emplace_back(one->name());
  return names;
}

std::vector<std::int64_t> forecast_buffer_bytes(std::string_view name, const std::vector<Message>& messages,
                                                int devices) {
  return transport(name).forecast(messages, devices);
}

}  // namespace halotune
