#include "db/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace halotune {
namespace fs = std::filesystem;
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }

 private:
  int number_;
};

DbError failure_of(const fs::path& file, int why) {
  return DbError(fmt::format("cannot write {} ({}) name another file", file.string(), std::strerror(why)));
}

void write_all(int descriptor, std::string_view contents, const fs::path& file) {
  while (!contents.empty()) {
    const ssize_t written = write(descriptor, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw failure_of(file, written < 0 ? errno : ENOSPC);
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  if (fsync(descriptor) != 0) throw failure_of(file, errno);
}

/// Writes it all and gives it the name `part`; on failure `part` does not exist.
void write_part(const fs::path& part, const fs::path& file, std::string_view contents) {
  constexpr mode_t mode = 0666;  // less the umask
  const fs::path folder = part.parent_path();
  const Descriptor nameless(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
  if (nameless.open()) {
    write_all(nameless.number(), contents, file);
    const std::string source = fmt::format("/proc/self/fd/{}", nameless.number());
    if (linkat(AT_FDCWD, source.c_str(), AT_FDCWD, part.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
  }
  const Descriptor named(::open(part.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode));
  if (!named.open()) throw failure_of(file, errno);
  try {
    write_all(named.number(), contents, file);
  } catch (...) {
    unlink(part.c_str());
    throw;
  }
}

}  // namespace

void make_durable(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open() || fsync(file.number()) != 0) throw failure_of(path, errno);
}

void write_whole_file(const fs::path& file, std::string_view contents) {
  const fs::path target = fs::absolute(file);
  const fs::path part = fmt::format("{}.{}.part", target.string(), getpid());
  unlink(part.c_str());  // of an earlier process with our number
  write_part(part, file, contents);
  if (std::rename(part.c_str(), target.c_str()) != 0) {
    const int why = errno;
    unlink(part.c_str());
    throw failure_of(file, why);
  }
  make_durable(target.parent_path());
}

}  // namespace halotune
