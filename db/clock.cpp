#include "db/clock.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <ctime>

#include <fmt/format.h>

#include "db/store.hpp"

namespace halotune {
namespace {

constexpr std::size_t day_size = 10;
constexpr std::size_t second_size = 19;
constexpr std::size_t most_fraction_digits = 9;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Digits where `pattern` has 0, otherwise its characters.
bool matches(std::string_view text, std::string_view pattern) {
  return text.size() >= pattern.size() && std::equal(pattern.begin(), pattern.end(), text.begin(),
                                                     [](char p, char c) { return p == '0' ? is_digit(c) : p == c; });
}

int number_at(std::string_view text, std::size_t start, std::size_t count) {
  int number = 0;
  for (const char c : text.substr(start, count)) number = number * 10 + (c - '0');
  return number;
}

bool starts_with_day(std::string_view text) {
  if (!matches(text, "0000-00-00")) return false;
  const std::chrono::year_month_day day{std::chrono::year(number_at(text, 0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number_at(text, 5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number_at(text, 8, 2)))};
  return day.ok();
}

}  // namespace

std::string utc_second(std::time_t moment) {
  std::tm utc{};
  gmtime_r(&moment, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  return text;
}

bool is_utc_day(std::string_view text) {
  return text.size() == day_size && starts_with_day(text);
}

bool is_utc_second(std::string_view text) {
  return starts_with_day(text) && matches(text.substr(day_size), "T00:00:00") && number_at(text, 11, 2) < 24 &&
         number_at(text, 14, 2) < 60 && number_at(text, 17, 2) < 60;
}

bool is_utc_time(std::string_view text) {
  if (!is_utc_second(text) || text.back() != 'Z') return false;
  const std::string_view fraction = text.substr(second_size, text.size() - second_size - 1);
  return fraction.empty() ||
         (fraction.front() == '.' && fraction.size() >= 2 && fraction.size() <= 1 + most_fraction_digits &&
          std::all_of(fraction.begin() + 1, fraction.end(), is_digit));
}

std::string utc_now() {
  // Within a process times only go up, whatever the system clock does, so that rows keep the order they were made in.
  static std::atomic<std::int64_t> last_us{0};
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  std::int64_t now_us = std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count();
  std::int64_t previous = last_us.load();
  do {
    if (now_us <= previous) now_us = previous + 1;
  } while (!last_us.compare_exchange_weak(previous, now_us));
  constexpr std::int64_t second_us = 1'000'000;
  return fmt::format("{}.{:06}Z", utc_second(now_us / second_us), now_us % second_us);
}

}  // namespace halotune
