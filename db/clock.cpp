#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>

#include <fmt/format.h>

#include "db/store.hpp"

namespace halotune {

std::string utc_now() {
  // Within a process times only go up, whatever the system clock does, so that rows keep the order they were made in.
  static std::atomic<std::int64_t> last_us{0};
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  std::int64_t now_us = std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count();
  std::int64_t previous = last_us.load();
  do {
    if (now_us <= previous) now_us = previous + 1;
  } while (!last_us.compare_exchange_weak(previous, now_us));
  const std::time_t seconds = now_us / 1'000'000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec, now_us % 1'000'000);
}

}  // namespace halotune
