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

}  // namespace halotune
