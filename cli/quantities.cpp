#include "cli/quantities.hpp"

#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace halotune {
namespace {

struct Scale {
  double factor;
  const char* unit;
};

Scale time_scale(double seconds) {
  if (seconds >= 1) return {1, "s"};
  if (seconds >= 1e-3) return {1e3, "ms"};
  if (seconds >= 1e-6) return {1e6, "us"};
  return {1e9, "ns"};
}

/// Three significant digits without an exponent where that stays readable.
std::string digits(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 1e6 || size < 1e-4) return fmt::format("{:.3g}", value);
  if (size >= 100) return fmt::format("{:.0f}", value);
  if (size >= 10) return fmt::format("{:.1f}", value);
  if (size >= 1) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

}  // namespace

std::string time_text(std::optional<double> seconds) {
  if (!seconds || !std::isfinite(*seconds)) return "-";
  const Scale scale = time_scale(*seconds);
  return digits(*seconds * scale.factor) + " " + scale.unit;
}

std::string interval_text(const std::optional<Interval>& seconds) {
  if (!seconds) return "-";
  const Scale scale = time_scale(seconds->median);
  if (!std::isfinite(seconds->low) || !std::isfinite(seconds->high)) return time_text(seconds->median);
  return fmt::format("{} {} [{}, {}]", digits(seconds->median * scale.factor), scale.unit,
                     digits(seconds->low * scale.factor), digits(seconds->high * scale.factor));
}

std::string interval_text(const std::optional<Interval>& seconds, std::optional<std::int64_t> n) {
  const std::string text = interval_text(seconds);
  const bool bounds = text.ends_with(']');
  return bounds && n && !has_level(*n) ? fmt::format("{} (range of {})", text, *n) : text;
}

std::string bytes_text(std::int64_t bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  return fmt::format("{} {}", unit == 0 ? std::to_string(bytes) : digits(value), units[unit]);
}

std::string bandwidth_text(double bytes_per_s) {
  return digits(bytes_per_s / 1e9) + " GB/s";
}

std::string number_text(std::optional<double> value) {
  return value && std::isfinite(*value) ? digits(*value) : "-";
}

std::string percent_text(std::optional<double> fraction) {
  return fraction && std::isfinite(*fraction) ? fmt::format("{:.1f} %", 100 * *fraction) : "-";
}

std::string size_text(const std::array<std::int64_t, 3>& size) {
  return fmt::format("{}x{}x{}", size[0], size[1], size[2]);
}

std::optional<std::int64_t> parse_whole(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::array<std::int64_t, 3>> parse_size(const std::string& text) {
  std::array<std::int64_t, 3> size{};
  std::size_t start = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const auto end = axis < 2 ? text.find('x', start) : text.size();
    if (end == std::string::npos) return std::nullopt;
    const auto value = parse_whole(text.substr(start, end - start));
    if (!value) return std::nullopt;
    size[axis] = *value;
    start = end + 1;
  }
  return size;
}

}  // namespace halotune
