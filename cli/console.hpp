#pragma once
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/json.hpp"

namespace halotune {

/// Whoever read stdout has closed it: an orderly end without complaint. Exit code 141, as after SIGPIPE.
class ReaderGone : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The answer, and nothing else, goes to stdout. @throws ReaderGone; DeviceError when it cannot be written.
void print_answer(const std::string& text);
/// A JSON document, indented, with a newline at its end.
void print_document(const Json& document);

/// Makes sure that no file is ever opened in the place of a closed stdin, stdout or stderr, where answers and messages
/// would overwrite it. Writing to a closed stream still fails. Call first.
void keep_standard_streams();

/// Everything else goes to stderr, one line a message, control characters made visible; call set_up_messages() once
/// before.
void set_up_messages();
void note(const std::string& text);
void warn(const std::string& text);
void complain(const std::string& text);

/// Terminals get colours unless NO_COLOR is set to something.
bool stdout_takes_colour();

/// How far something is, on stderr: a bar that is redrawn on a terminal, else a line at most every two seconds, and one
/// at the end if there was any before. What ends sooner shows nothing. The bar disappears with the object.
class Progress {
 public:
  explicit Progress(std::string title);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` in [0, 1], or nothing when the end is unknown.
  void update(std::optional<double> fraction, const std::string& text);

 private:
  std::string title_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace halotune
