// replay_corpus LOADER PATH...: each file, and each file of a folder, through one loader. Ends as a fuzzer would when a
// property does not hold; says then which file it was.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/fuzz/loaders.hpp"

namespace {

namespace fs = std::filesystem;
using Loader = void (*)(std::string_view);

const std::map<std::string, Loader> loaders{
    {"problem", halotune::fuzz::problem},     {"plan", halotune::fuzz::plan},
    {"machine", halotune::fuzz::machine},     {"import_json", halotune::fuzz::import_json},
    {"import_db", halotune::fuzz::import_db}, {"option_values", halotune::fuzz::option_values},
};

std::vector<fs::path> files_of(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) std::fprintf(stderr, "cannot read %s\n", file.c_str());
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

int main(int argc, char** argv) {
  const auto loader = loaders.find(argc > 1 ? argv[1] : "");
  if (loader == loaders.end() || argc < 3) {
    std::fprintf(stderr, "usage: replay_corpus LOADER PATH... (LOADER as a folder of tests/fuzz/corpus)\n");
    return 2;
  }
  std::size_t replayed = 0;
  for (int i = 2; i < argc; ++i) {
    for (const fs::path& file : files_of(argv[i])) {
      std::printf("%s\n", file.c_str());
      std::fflush(stdout);
      loader->second(contents(file));
      ++replayed;
    }
  }
  std::printf("%zu inputs\n", replayed);
  return replayed > 0 ? 0 : 1;
}
