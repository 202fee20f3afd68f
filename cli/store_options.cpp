#include "cli/store_options.hpp"

namespace halotune {

void StoreOptions::add_to(CLI::App& app) {
  app.add_option("--db", file_, "Store (default: halotune/halotune.db in the XDG state folder)")->type_name("FILE");
}

std::filesystem::path StoreOptions::file() const {
  return file_.empty() ? Store::default_path() : std::filesystem::path(file_);
}

Store StoreOptions::open() const {
  return Store(file());
}

std::filesystem::path StoreOptions::existing_file() const {
  std::error_code unreachable;  // is the store's to report
  if (!std::filesystem::exists(file(), unreachable) && !unreachable) {
    throw ConfigError(Fault{"--db", "there is no store", file().string(), "name another file or run halotune tune"});
  }
  return file();
}

Store StoreOptions::open_existing() const {
  return Store(existing_file());
}

Store StoreOptions::open_to_read() const {
  std::error_code unreachable;
  return std::filesystem::exists(file(), unreachable) || unreachable ? open() : Store(":memory:");
}

std::vector<std::string> StoreOptions::arguments() const {
  return file_.empty() ? std::vector<std::string>{} : std::vector<std::string>{"--db", file_};
}

}  // namespace halotune
