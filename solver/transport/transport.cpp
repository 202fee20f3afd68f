#include "solver/transport/transport.hpp"

#include <array>

#include "base/errors.hpp"
#include "solver/transport/gpu_exchange.hpp"
#include "solver/transport/handshake.hpp"
#include "solver/transport/nccl_transport.hpp"

namespace halotune {
namespace {

std::array<const Transport*, 6> built_transports() {
  return {&shared_transport(),    &staged_transport(),      &host_staged_transport(),
          &peer_copy_transport(), &peer_direct_transport(), &nccl_transport()};
}

// Names of the vocabulary that a Plan may carry but that are not built yet.
constexpr std::array<std::string_view, 2> not_built{"mpi_host", "mpi_device"};

}  // namespace

const Transport& transport(std::string_view name) {
  for (const Transport* one : built_transports()) {
    if (one->name() == name) return *one;
  }
  const std::string suggestion =
      "use \"shared\" or \"staged\" on CPU devices, \"host_staged\", \"peer_copy\", \"peer_direct\" or \"nccl\" on "
      "GPUs";
  for (const auto known : not_built) {
    if (known == name) {
      throw ConfigError(Fault{"/transport", "transport \"" + std::string(name) + "\" is not built",
                              "it comes with a later version", suggestion});
    }
  }
  throw ConfigError(Fault{"/transport", "unknown transport \"" + std::string(name) + "\"", "", suggestion});
}

std::vector<std::string> transport_names(DeviceKind kind) {
  std::vector<std::string> names;
  for (const Transport* one : built_transports()) {
    if (one->serves() == kind) names.emplace_back(one->name());
  }
  return names;
}

std::string default_transport(DeviceKind kind) {
  return kind == DeviceKind::gpu ? "peer_copy" : "shared";
}

std::vector<std::int64_t> forecast_buffer_bytes(std::string_view name, const std::vector<Message>& messages,
                                                int devices) {
  return transport(name).forecast(messages, devices);
}

}  // namespace halotune
