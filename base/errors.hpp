#pragma once
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace halotune {

/// One thing wrong with an input, in the form "problem (why) suggestion".
struct Fault {
  std::string path;        ///< JSON path of the value, e.g. "/faces/xlo"; empty when it has none
  std::string problem;     ///< what is wrong
  std::string why;         ///< the fact or number that makes it wrong; may be empty
  std::string suggestion;  ///< a way out; may be empty
};

/// "path: problem (why) suggestion" as one line, leaving out empty pieces. Control characters, which could come from a
/// hostile file, are shown as \xNN, and very long pieces are cut.
std::string to_string(const Fault& fault);

/// Lists of a document stop being read after so many faults; the last fault then says that there are more.
inline constexpr std::size_t most_faults = 1000;

/// Adds the fault; at the limit one that says that there are more. @returns whether reading should go on.
bool add_fault(std::vector<Fault>& faults, Fault fault);

/// Bad usage or configuration. Carries every fault found, never only the first. Exit code 2.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::vector<Fault> faults);
  explicit ConfigError(Fault fault);
  const std::vector<Fault>& faults() const noexcept { return faults_; }

 private:
  std::vector<Fault> faults_;
};

/// A check failed or nothing is feasible. Exit code 1.
class CheckError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A device, memory or operating-system call failed. Exit code 3.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Memory of a device or of the host that could not be had: what was wanted does not fit, and something smaller may.
/// Exit code 3; a trial that ends so is infeasible.
class MemoryError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// The store could not be opened, read or written. Exit code 3.
class DbError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace halotune
