#pragma once
#include <optional>
#include <string>

#include "base/spawn.hpp"

namespace halotune {

/// That this process works on a session of the store. The claim ends with the object and with the process, however that
/// ends, and leaves nothing behind: it is a name in the kernel (an abstract socket). Processes of one node see each
/// other's claims; a session's request names its node, so others never ask. Containers with networks of their own do
/// not see each other; two of them may then resume the same session, which costs repeated visits and nothing else.
class SessionClaim {
 public:
  /// Nothing when another process (or object) holds it.
  static std::optional<SessionClaim> take(const std::string& session);

 private:
  explicit SessionClaim(FileDescriptor name) : name_(std::move(name)) {}
  FileDescriptor name_;  ///< none where the kernel has no such sockets: everybody gets every claim
};

}  // namespace halotune
