#!/usr/bin/env bash
# One command from a fresh checkout to test results: sets up, builds with warnings as errors, runs part
# of the suite under the address and undefined-behaviour sanitizers, then the whole suite, which
# includes the include, header and format checks. Exits with 1 when any of them fails.
#
#   cmake/test.sh             everything
#   cmake/test.sh --quick     without the sanitizers
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 3
jobs=$(nproc)
status=0

step() {
  echo
  echo "== $1 (${SECONDS} s)"
}

step "set up"
bash cmake/setup.sh || exit 3

step "build"
cmake --preset dev -DHALOTUNE_WERROR=ON || exit 1
cmake --build --preset dev -- -k 0 || exit 1

if [[ "${1:-}" != --quick ]]; then
  step "build with sanitizers"
  cmake --preset asan-ubsan -DHALOTUNE_WERROR=OFF || exit 1
  cmake --build --preset asan-ubsan -- -k 0 || exit 1

  step "tests under the sanitizers"
  # Every test of the layers that own memory, processes and files; every fourth of the solver and the probes,
  # whose tables repeat the same code over many Plans. Not the physics checks, which only take long, nor tuner
  # and cli, whose searches have wall-clock budgets that sanitized kernels overrun.
  cd build/asan-ubsan || exit 3
  export UBSAN_OPTIONS=print_stacktrace=1
  ctest -j "$jobs" --output-on-failure -L '^(base|device|transport|db)$' --no-tests=error || status=1
  ctest -j "$jobs" --output-on-failure -L '^(solver|probes)$' -E ' verify: ' \
    -I ,,4 --no-tests=error || status=1
  cd ../..
fi

step "checks of the sources"
cmake --build --preset dev --target check_headers || status=1

step "tests"
ctest --test-dir build/dev -j "$jobs" --output-on-failure --no-tests=error || status=1
exit $status
