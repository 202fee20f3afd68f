#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "db/store.hpp"

namespace halotune {

/// --db FILE
class StoreOptions {
 public:
  void add_to(CLI::App& app);
  std::filesystem::path file() const;
  /// The file of a store that is there, whether it can be opened or not. @throws ConfigError when it is not
  std::filesystem::path existing_file() const;
  /// @throws DbError
  Store open() const;
  /// A store that is there. @throws ConfigError when it is not; DbError
  Store open_existing() const;
  /// For looking only: without a file an empty store that is never written. @throws DbError
  Store open_to_read() const;
  /// {"--db", FILE} when it was given.
  std::vector<std::string> arguments() const;

 private:
  std::string file_;
};

}  // namespace halotune
