#include "tuner/session_owner.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <fmt/format.h>

namespace halotune {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Clock ticks between boot and the start of a process (proc(5), stat field 22); empty when there is no such process.
std::string start_of(std::int64_t process) {
  constexpr int fields_after_name = 20;
  const std::string stat = text_of(fmt::format("/proc/{}/stat", process));
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(stat.substr(name_end + 1));
  std::string field;
  for (int i = 0; i < fields_after_name; ++i) fields >> field;
  return field;
}

std::string boot() {
  std::string id = text_of("/proc/sys/kernel/random/boot_id");
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

std::string pid_namespace() {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
}

}  // namespace

Json this_process() {
  return Json{
      {"process", getpid()}, {"started", start_of(getpid())}, {"boot", boot()}, {"pid_namespace", pid_namespace()}};
}

bool is_at_work(const Json& owner) {
  const Json self = this_process();
  if (!owner.is_object() || owner == self) return false;
  for (const char* where : {"boot", "pid_namespace"}) {
    if (owner.value(where, Json()) != self[where]) return false;
  }
  const Json process = owner.value("process", Json());
  const std::string started = process.is_number_integer() ? start_of(process.get<std::int64_t>()) : std::string();
  return !started.empty() && owner.value("started", Json()) == started;
}

}  // namespace halotune
