#pragma once

namespace halotune {

/// Where a call stands in the source, as a default argument of what is called. What std::source_location is, which
/// clang 14 (fuzzers, clang-tidy) does not have with this standard library.
class SourcePlace {
 public:
  static constexpr SourcePlace current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) noexcept {
    return {file, line};
  }
  constexpr const char* file_name() const noexcept { return file_; }
  constexpr int line() const noexcept { return line_; }

 private:
  constexpr SourcePlace(const char* file, int line) noexcept : file_(file), line_(line) {}
  const char* file_;
  int line_;
};

}  // namespace halotune
