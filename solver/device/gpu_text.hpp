#pragma once
#include <cstdarg>
#include <cstdio>
#include <string>

namespace halotune {

/// printf into a string of at most 1023 characters: the GPU compiler does not get through the formatting library.
[[gnu::format(printf, 1, 2)]] inline std::string print_text(const char* format, ...) {
  char text[1024];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  return text;
}

}  // namespace halotune
