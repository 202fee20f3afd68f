#include "cli/console.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "base/errors.hpp"
#include "cli/printable.hpp"

namespace halotune {
namespace {

bool is_terminal(int descriptor) {
  const char* term = std::getenv("TERM");
  return isatty(descriptor) == 1 && term != nullptr && std::strcmp(term, "dumb") != 0;
}

bool colour_refused() {
  const char* no_color = std::getenv("NO_COLOR");
  return no_color != nullptr && *no_color != '\0';
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

std::string bar(double fraction) {
  constexpr int cells = 24;
  const int full = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * cells));
  return fmt::format("[{}{}] {:3.0f} %", std::string(static_cast<std::size_t>(full), '#'),
                     std::string(static_cast<std::size_t>(cells - full), '.'), 100 * std::clamp(fraction, 0.0, 1.0));
}

std::chrono::milliseconds interval(bool terminal) {
  return std::chrono::milliseconds(terminal ? 100 : 2000);
}

}  // namespace

void print_answer(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    if (errno == EPIPE) throw ReaderGone("nobody reads stdout any more");
    throw DeviceError(fmt::format("the answer could not be written to stdout ({})", std::strerror(errno)));
  }
}

void print_document(const Json& document) {
  print_answer(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void keep_standard_streams() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    // The lowest free descriptor is the one that open() gives; it can be read (as empty), not written.
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF && open("/dev/null", O_RDONLY) != descriptor) return;
  }
}

void set_up_messages() {
  const bool colour = is_terminal(STDERR_FILENO) && !colour_refused();
  auto logger = spdlog::stderr_color_st("halotune", colour ? spdlog::color_mode::always : spdlog::color_mode::never);
  logger->set_pattern("halotune: %^%v%$");
  spdlog::set_default_logger(std::move(logger));
}

void note(const std::string& text) {
  spdlog::info("{}", printable(text));
}
void warn(const std::string& text) {
  spdlog::warn("{}", printable(text));
}
void complain(const std::string& text) {
  spdlog::error("{}", printable(text));
}

bool stdout_takes_colour() {
  return is_terminal(STDOUT_FILENO) && !colour_refused();
}

Progress::Progress(std::string title)
    : title_(std::move(title)),
      terminal_(is_terminal(STDERR_FILENO)),
      next_(std::chrono::steady_clock::now() + interval(terminal_)) {}

Progress::~Progress() {
  if (drawn_ && terminal_) std::fputs("\r\033[K", stderr);
}

void Progress::update(std::optional<double> fraction, const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  const bool end = drawn_ && fraction && *fraction >= 1;
  if (now < next_ && !end) return;
  next_ = now + interval(terminal_);
  drawn_ = true;
  if (!terminal_) {
    const std::string share = fraction ? fmt::format(" {:.0f} %", 100 * std::clamp(*fraction, 0.0, 1.0)) : "";
    std::fprintf(stderr, "%s:%s %s\n", title_.c_str(), share.c_str(), text.c_str());
    return;
  }
  std::string line = fmt::format("{} {} {}", title_, fraction ? bar(*fraction) : "", text);
  line.resize(std::min(line.size(), terminal_width() - 1));
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

}  // namespace halotune
