#include <sstream>

#include "db/exchange.hpp"
#include "tests/fuzz/loaders.hpp"
#include "tests/fuzz/properties.hpp"
#include "tests/fuzz/stores.hpp"

namespace halotune::fuzz {
namespace {

/// The version that an export of this build names in its first line.
const std::string& exported_schema() {
  static const std::string text = [] {
    std::ostringstream out;
    export_rows(Store(":memory:"), out);
    return Json::parse(out.str())["schema"].dump();
  }();
  return text;
}

/// Inputs are kept for longer than a version lasts: "current" stands for it in the first line.
std::string with_schema(std::string_view bytes) {
  constexpr std::string_view placeholder = R"("schema":"current")";
  std::string text(bytes);
  const std::size_t at = text.find(placeholder);
  if (at < text.find('\n')) text.replace(at, placeholder.size(), "\"schema\":" + exported_schema());
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
