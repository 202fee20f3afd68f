#pragma once
#include <string>

namespace halotune {

/// The present second, ISO 8601, UTC.
std::string now_text();

}  // namespace halotune
