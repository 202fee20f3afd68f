#include "tests/fuzz/properties.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace halotune::fuzz {

void require(bool holds, std::string_view property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(property.size()), property.data());
  std::abort();
}

void require_explained(const ConfigError& error) {
  require(!error.faults().empty(), "a refusal names its faults");
  require(std::all_of(error.faults().begin(), error.faults().end(),
                      [](const Fault& fault) { return !fault.problem.empty(); }),
          "each fault says what is wrong");
}

void require_explained(const std::exception& error) {
  require(*error.what() != '\0', "an error says what is wrong");
}

void require_stable_hash(const Json& json) {
  const std::string text = canonical_text(json);
  const Json again = accepted_again("canonical text is JSON", [&] { return parse_json(text, "canonical text"); });
  require(canonical_text(again) == text, "canonical text is canonical");
  require(content_hash(again) == content_hash(json), "equal values have equal hashes");
}

}  // namespace halotune::fuzz
