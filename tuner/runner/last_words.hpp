#pragma once
#include <thread>

#include "base/json.hpp"
#include "solver/device/whereabouts.hpp"

namespace halotune {

/// While it lives, a thread waits for the end of a request's `deadline_s`; shortly before it, it says on stderr what
/// the devices are at, for whoever kills this process then. Silent when the request ends in time, has no deadline or
/// nobody reports.
class LastWords {
 public:
  LastWords(const Json& request, const Whereabouts* whereabouts);
  ~LastWords() = default;
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  std::jthread watcher_;
};

}  // namespace halotune
