option(HALOTUNE_BUILD_TESTS "Build the test programs (needs Catch2 3)" ON)
option(HALOTUNE_LONG_TESTS "Let ctest run the tests tagged [long] too" OFF)
option(HALOTUNE_WERROR "Treat warnings as errors" OFF)
option(HALOTUNE_PCH "Precompile the JSON and command-line libraries: builds faster, hides forgotten includes" OFF)
option(HALOTUNE_FUZZ "Build the coverage-guided fuzzers of tests/fuzz (needs clang)" OFF)
set(HALOTUNE_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Every layer is built the same way; contraction is off everywhere so that a
# cell's result never depends on which code path computed it.
add_library(halotune_flags INTERFACE)
target_compile_options(halotune_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion
                                                -ffp-contract=off -fno-fast-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlapping copies in std::string where there are none (GCC bug 105651).
  target_compile_options(halotune_flags INTERFACE -Wno-restrict)
endif()
if(HALOTUNE_WERROR)
  target_compile_options(halotune_flags INTERFACE -Werror)
endif()
if(HALOTUNE_FUZZ)
  # Coverage counters everywhere, and every check that there is: a fuzzer runs many times on one build.
  target_compile_options(halotune_flags INTERFACE -fsanitize=fuzzer-no-link,float-cast-overflow)
  target_link_options(halotune_flags INTERFACE -fsanitize=float-cast-overflow -Wl,--as-needed)
  target_compile_definitions(halotune_flags INTERFACE _GLIBCXX_ASSERTIONS)
elseif(HALOTUNE_SANITIZE MATCHES "address")
  # These checks add a fifth to the build and little to what the address sanitizer sees by itself.
  set(without -fno-sanitize=null,object-size,vptr)
endif()
if(HALOTUNE_SANITIZE)
  target_compile_options(halotune_flags INTERFACE -fsanitize=${HALOTUNE_SANITIZE} ${without} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(halotune_flags INTERFACE -fsanitize=${HALOTUNE_SANITIZE})
endif()
