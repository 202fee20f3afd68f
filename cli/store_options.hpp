#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "db/store.hpp"

namespace halotune {

/// --db FILE
class StoreOptions {
 public:
  void add_to(CLI::App& app);
  std::filesystem::path file() const;
  /// @throws DbError
  Store open() const;

 private:
  std::string file_;
};

}  // namespace halotune
