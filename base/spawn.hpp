#pragma once
#include <sys/types.h>

#include "base/process.hpp"

namespace halotune {

/// Owns a file descriptor; -1 is none.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  int get() const noexcept { return fd_; }
  bool open() const noexcept { return fd_ >= 0; }
  void reset() noexcept;

 private:
  int fd_ = -1;
};

/// A started program and the parent's ends of its pipes, which do not block and are not inherited.
struct Spawned {
  pid_t pid = -1;
  FileDescriptor input;   ///< writes to its stdin
  FileDescriptor output;  ///< reads its stdout
  FileDescriptor errors;  ///< reads its stderr
  pid_t guard = -1;       ///< a child too; -1: there is none
  FileDescriptor life;    ///< once no process has it open any more, the guard kills the group
};

/// Starts the program in a process group of its own whose id is its pid, and a guard beside it. Returns once
/// exec has succeeded. The caller reaps both. @throws DeviceError with the failing step and its reason.
Spawned spawn(const ProcessSpec& spec);

}  // namespace halotune
