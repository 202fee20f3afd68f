#pragma once
#include <string_view>

/// One function per loader: reads `bytes` as that loader would, and ends the program when a property does not hold
/// (properties.hpp). Any bytes are allowed; nothing is kept from one call to the next.
namespace halotune::fuzz {

/// A Problem file. Accepted ones keep their value and key through JSON, and have finite derived figures.
void problem(std::string_view bytes);
/// A Plan file. Accepted ones keep their value and key through JSON, and are feasible or not without failing.
void plan(std::string_view bytes);
/// A Machine file. Accepted ones keep their text through JSON; the model answers with finite times or not at all.
void machine(std::string_view bytes);
/// An exported text, as `db import` takes it. Accepted ones come back byte for byte from a fresh store's export. The
/// schema "current" in the first line means the version of this build.
void import_json(std::string_view bytes);
/// A SQLite file, as `db import` takes it: the bytes of one or, when they are none, SQL that changes a sound store.
void import_db(std::string_view bytes);
/// Values of command-line flags, one "--flag value" a line: --grid, --set, --steps, --restrict and the flags of a Plan.
void option_values(std::string_view bytes);

}  // namespace halotune::fuzz
