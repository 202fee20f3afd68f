#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "db/store.hpp"
#include "probes/probe.hpp"

namespace halotune {

/// What an interrupted probe has measured, in a session row of the store, for the next probe that is asked the same on
/// the same machine within the hour.
class UnfinishedProbe {
 public:
  /// Takes up what is there.
  UnfinishedProbe(Store& store, const ProbeOptions& options);
  const std::vector<ProbeRow>& rows() const { return machine_.rows; }
  /// One more row; the store learns it within some seconds, or with keep().
  void add(const ProbeRow& row);
  void keep();
  /// The probe is complete: nothing is left to take up.
  void close();

 private:
  Store& store_;
  Machine machine_;
  SessionRow session_;
  std::chrono::steady_clock::time_point kept_;
};

}  // namespace halotune
