# Everything required is packaged by Debian 12 and Ubuntu 24.04; cmake/setup.sh installs it.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(nlohmann_json 3.9 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
add_library(halotune::hwloc ALIAS PkgConfig::hwloc)

# HDF5: the C library only. The serial build goes first, because plain "hdf5" may be a parallel one
# that needs an MPI compiler.
pkg_search_module(hdf5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
add_library(halotune::hdf5 ALIAS PkgConfig::hdf5)

# SQLiteCpp's configuration names one target, static or shared; some releases need SQLite found first.
find_package(SQLite3 REQUIRED)
find_package(SQLiteCpp REQUIRED)

if(HALOTUNE_BUILD_TESTS)
  find_package(Catch2 3 REQUIRED)
endif()
