#pragma once
#include <optional>
#include <string_view>

#include "base/errors.hpp"
#include "base/json.hpp"

namespace halotune::fuzz {

/// Ends the program with `property` on stderr when it does not hold.
void require(bool holds, std::string_view property);

/// A refusal says something, and a ConfigError names its faults.
void require_explained(const ConfigError& error);
void require_explained(const std::exception& error);

/// What `load` gives, or nothing when it refuses by one of the program's errors. Any other exception escapes, which
/// ends the program.
template <class Load>
auto accepted(Load&& load) -> std::optional<decltype(load())> {
  try {
    return load();
  } catch (const ConfigError& error) {
    require_explained(error);
  } catch (const DbError& error) {
    require_explained(error);
  } catch (const DeviceError& error) {
    require_explained(error);
  }
  return std::nullopt;
}

/// accepted(), ending the program when it refuses: for what has been accepted before.
template <class Load>
auto accepted_again(std::string_view property, Load&& load) {
  auto value = accepted(load);
  require(value.has_value(), property);
  return *std::move(value);
}

/// The canonical text of `json` reads back to the same canonical text and hash.
void require_stable_hash(const Json& json);

}  // namespace halotune::fuzz
