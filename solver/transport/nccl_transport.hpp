#pragma once
#include "solver/transport/transport.hpp"

namespace halotune {

/// The transport `nccl`; stateless. Parts that share a GPU cannot use it: connect() is a DeviceError then.
const Transport& nccl_transport();

/// The same without that restriction: parts that share a GPU send to themselves. It costs more than copies would and is
/// no choice of Plans, but lets one GPU show that the exchange is right.
const Transport& nccl_loop_back_transport();

}  // namespace halotune
