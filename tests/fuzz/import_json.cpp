#include <sstream>

#include "db/exchange.hpp"
#include "db/schema.hpp"
#include "tests/fuzz/loaders.hpp"
#include "tests/fuzz/properties.hpp"
#include "tests/fuzz/stores.hpp"

namespace halotune::fuzz {
namespace {

/// Inputs are kept for longer than a schema version lasts: "current" stands for it in the first line.
std::string with_schema(std::string_view bytes) {
  constexpr std::string_view placeholder = R"("schema":"current")";
  std::string text(bytes);
  const std::size_t at = text.find(placeholder);
  if (at < text.find('\n')) text.replace(at, placeholder.size(), "\"schema\":" + std::to_string(schema_version()));
  return text;
}

}  // namespace

void import_json(std::string_view bytes) {
  const std::string text = with_schema(bytes);
  require_sound_import([&](Store& store) {
    std::istringstream in(text);
    return import_rows(store, in, "import", import_limits);
  });
}

}  // namespace halotune::fuzz
