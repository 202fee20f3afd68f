#pragma once
#include <ctime>
#include <string>
#include <string_view>

namespace halotune {

/// "YYYY-MM-DDThh:mm:ss" of a moment, in UTC: sorts before every time of a row within that second.
std::string utc_second(std::time_t moment);

/// "YYYY-MM-DD", a day that the calendar has.
bool is_utc_day(std::string_view text);

/// "YYYY-MM-DDThh:mm:ss", a day and a time that exist; what follows (a fraction, Z) is not looked at.
bool is_utc_second(std::string_view text);

/// A time as rows have it: is_utc_second(), then at most nine digits of a fraction after a point, then Z.
bool is_utc_time(std::string_view text);

}  // namespace halotune
