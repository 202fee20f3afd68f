# Everything required is packaged by Debian 12 and Ubuntu 24.04; ./setup installs it.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(nlohmann_json 3.9 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
add_library(halotune::hwloc ALIAS PkgConfig::hwloc)

# HDF5: the C library only, serial.
pkg_check_modules(hdf5 REQUIRED IMPORTED_TARGET hdf5-serial)
add_library(halotune::hdf5 ALIAS PkgConfig::hdf5)

# SQLiteCpp: Debian's package carries a CMake configuration that names its own
# static or shared target; some releases need SQLite found first.
find_package(SQLite3 REQUIRED)
find_package(SQLiteCpp REQUIRED)
