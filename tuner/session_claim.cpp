#include "tuner/session_claim.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string_view>

namespace halotune {

std::optional<SessionClaim> SessionClaim::take(const std::string& session) {
  FileDescriptor name(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!name.open()) return SessionClaim(FileDescriptor());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // A leading zero makes the name abstract: it is in no folder.
  const std::string text = (std::string(1, '\0') + "halotune-session-" + session).substr(0, sizeof address.sun_path);
  std::copy(text.begin(), text.end(), address.sun_path);
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + text.size());
  if (bind(name.get(), reinterpret_cast<const sockaddr*>(&address), bytes) == 0) return SessionClaim(std::move(name));
  if (errno == EADDRINUSE) return std::nullopt;
  return SessionClaim(FileDescriptor());
}

}  // namespace halotune
