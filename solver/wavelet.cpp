#include <cmath>
#include <numbers>

#include "solver/problem.hpp"

namespace halotune {
namespace {

double ricker(const Source::Ricker& wavelet, double time_s) {
  const double a = std::numbers::pi * wavelet.frequency_hz * (time_s - wavelet.delay_s);
  // From here on exp() is zero, and zero times infinity would be no number.
  if (!(a * a < 750)) return 0;
  return (1 - 2 * a * a) * std::exp(-a * a);
}

double interpolated(const Source::Samples& samples, double time_s) {
  const double place = time_s / samples.interval_s;
  const auto last = static_cast<double>(samples.values.size()) - 1;
  if (!(place >= 0) || place > last) return 0;
  const double below = std::floor(place);
  const auto index = static_cast<std::size_t>(below);
  if (index + 1 == samples.values.size()) return samples.values[index];
  const double weight = place - below;
  return (1 - weight) * samples.values[index] + weight * samples.values[index + 1];
}

}  // namespace

double Source::value_at(double time_s) const {
  if (const auto* pulse = std::get_if<Ricker>(&wavelet)) return ricker(*pulse, time_s);
  return interpolated(std::get<Samples>(wavelet), time_s);
}

double Source::end_s() const {
  if (const auto* pulse = std::get_if<Ricker>(&wavelet)) {
    // |1 - 2a^2| exp(-a^2) stays below 1e-12 from a^2 = 32 on.
    return pulse->delay_s + std::sqrt(32.0) / (std::numbers::pi * pulse->frequency_hz);
  }
  const auto& samples = std::get<Samples>(wavelet);
  return samples.values.empty() ? 0 : static_cast<double>(samples.values.size() - 1) * samples.interval_s;
}

}  // namespace halotune
