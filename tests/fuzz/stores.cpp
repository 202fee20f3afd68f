#include "tests/fuzz/stores.hpp"

#include <memory>
#include <sstream>

#include "tests/fuzz/properties.hpp"
#include "tuner/row_faults.hpp"

namespace halotune::fuzz {
namespace {

std::string export_text(const Store& store) {
  std::ostringstream out;
  export_rows(store, out);
  return out.str();
}

void require_sound(const Store& store) {
  for (const std::string& finding : store.check()) {
    const bool dangling = finding.find(" rows of ") != std::string::npos && finding.ends_with(" lacks");
    require(dangling, "an import leaves a sound store: " + finding);
  }
}

/// What the program's own check of an import reads out of the rows; none of it may end otherwise than in findings.
void read_deeply(const Store& store) {
  static_cast<void>(store.check(imported_row_faults));
}

void require_survives_export(const std::string& exported) {
  Store copy(":memory:");
  accepted_again("an export can be imported", [&] {
    std::istringstream in(exported);
    ImportLimits limits;
    limits.allow_missing = true;
    return import_rows(copy, in, "export", limits);
  });
  require(export_text(copy) == exported, "an export comes back byte for byte");
}

}  // namespace

void require_sound_import(const std::function<ImportReport(Store&)>& import) {
  static const std::string nothing = export_text(Store(":memory:"));
  // Making a store takes longer than refusing an input: one serves until an input was accepted.
  static std::unique_ptr<Store> store;
  if (!store) store = std::make_unique<Store>(":memory:");
  if (!accepted([&] { return import(*store); })) {
    require(export_text(*store) == nothing, "a refused import leaves the store as it was");
    return;
  }
  const std::string exported = export_text(*store);
  require_sound(*store);
  read_deeply(*store);
  require_survives_export(exported);
  for (const auto& [table, count] : import(*store)) require(count.added == 0, "importing again adds nothing");
  require(export_text(*store) == exported, "importing again changes nothing");
  store.reset();
}

}  // namespace halotune::fuzz
