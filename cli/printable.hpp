#pragma once
#include <string>
#include <string_view>

namespace halotune {

/// Text of unknown origin (an imported row, a file, a worker's last words) for a terminal: control characters, which
/// could move the cursor or rename the window, become visible (ESC is \x1b). UTF-8 is kept; bytes that are no UTF-8 are
/// made visible likewise. Of control characters only those of `kept` stay.
std::string printable(std::string_view text, std::string_view kept = "\n\t");

}  // namespace halotune
