# Checks of the sources, as targets and, where they are quick, as tests:
#   check_includes  every include follows the layers
#   check_headers   every header compiles alone
#   check_format    clang-format 14 would change nothing; `format` makes it so
#   tidy            clang-tidy 14 over every source; needs the compile commands of this folder (CI takes a share)
find_package(Python3 COMPONENTS Interpreter)
set(folders base solver probes db tuner server cli)

function(halotune_check name)
  add_custom_target(${name} COMMAND ${ARGN} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} VERBATIM)
  if(HALOTUNE_BUILD_TESTS)
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS check)
  endif()
endfunction()

if(Python3_FOUND)
  halotune_check(check_includes ${Python3_EXECUTABLE} cmake/check_includes.py .)
  halotune_check(check_includes_test ${Python3_EXECUTABLE} cmake/check_includes_test.py)
endif()

# Each header becomes a source that includes nothing else, twice, so that a missing guard shows too.
set(header_globs ${folders})
if(HALOTUNE_BUILD_TESTS)
  list(APPEND header_globs tests)
endif()
list(TRANSFORM header_globs REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1/*.hpp")
file(GLOB_RECURSE headers RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${header_globs})
set(header_sources "")
foreach(header ${headers})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${header}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
  list(APPEND header_sources ${source})
endforeach()
add_library(check_headers OBJECT EXCLUDE_FROM_ALL ${header_sources})
target_link_libraries(check_headers PRIVATE halotune_cli)
if(HALOTUNE_BUILD_TESTS)
  target_link_libraries(check_headers PRIVATE Catch2::Catch2)
  target_compile_definitions(check_headers PRIVATE HALOTUNE_SOURCE_DIR="" HALOTUNE_PROGRAM="")
endif()
target_compile_options(check_headers PRIVATE -O0 -g0)
target_compile_definitions(check_headers PRIVATE HALOTUNE_ISA_NAMESPACE=isa_baseline HALOTUNE_ISA_baseline=1)
if(HALOTUNE_BUILD_TESTS AND NOT HALOTUNE_SANITIZE)
  add_test(NAME check_headers COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target check_headers)
  set_tests_properties(check_headers PROPERTIES LABELS check RUN_SERIAL ON TIMEOUT 900)
endif()

# Other releases of clang-format lay the same code out differently, so only 14 counts.
find_program(HALOTUNE_CLANG_FORMAT NAMES clang-format-14 clang-format)
set(format_version "")
if(HALOTUNE_CLANG_FORMAT)
  execute_process(COMMAND ${HALOTUNE_CLANG_FORMAT} --version OUTPUT_VARIABLE format_version ERROR_QUIET)
endif()
if(format_version MATCHES "version 14\\.")
  halotune_check(check_format ${CMAKE_COMMAND} -DCLANG_FORMAT=${HALOTUNE_CLANG_FORMAT} -DMODE=check
                              -P cmake/clang_format.cmake)
  add_custom_target(format COMMAND ${CMAKE_COMMAND} -DCLANG_FORMAT=${HALOTUNE_CLANG_FORMAT} -DMODE=write
                                   -P cmake/clang_format.cmake
                    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} VERBATIM)
endif()

find_program(HALOTUNE_CLANG_TIDY NAMES clang-tidy-14)
if(HALOTUNE_CLANG_TIDY AND Python3_FOUND)
  add_custom_target(tidy COMMAND ${Python3_EXECUTABLE} cmake/tidy.py --build ${CMAKE_BINARY_DIR}
                    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} USES_TERMINAL VERBATIM)
endif()
