#!/usr/bin/env bash
# One command from a fresh checkout to test results: sets up, builds with warnings as errors, runs the whole suite,
# which includes the include, header and format checks and the kept fuzzing inputs, and the lower layers under
# sanitizers (address and undefined behaviour, then threads). Exits with 1 when any of them fails. docs/testing.md says
# how to repeat a stage.
#
#   cmake/test.sh             everything
#   cmake/test.sh --quick     without the sanitizers
#   cmake/test.sh --wide      seeded samples of the other layers under sanitizers as well; then clang-tidy on an eighth
#
# HALOTUNE_SAMPLE_SEED, a whole number, chooses the samples (default 1).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 3
jobs=$(nproc)
seed=${HALOTUNE_SAMPLE_SEED:-1}
extent=${1:-}
status=0

step() {
  echo
  echo "== $1 (${SECONDS} s)"
}

# build PRESET [targets...]: keeps going, so that one run shows every fault. Sanitized builds show their warnings once
# only, in the ordinary one. Without GPUs, also where there is an nvcc: it would cost minutes in each build.
build() {
  local preset=$1
  shift
  cmake --preset "$preset" -DHALOTUNE_GPU=none -DHALOTUNE_WERROR="$([[ $preset == dev ]] && echo ON || echo OFF)" || exit 1
  cmake --build --preset "$preset" -- -k 0 "$@" || exit 1
}

# sample BUILD LABEL=SHARE...: without checks of the physics, which repeat one loop for minutes.
sample() {
  cmake/sample_tests.py "$1" "$seed" "${@:2}" --exclude ' verify: ' -- -j "$jobs" || status=1
}

# The same for layers that measure: also without what has a budget or deadline of wall-clock time, which sanitized
# kernels overrun, or a limit of memory, which the sanitizers' own exceeds.
hurried='budget|deadline|hang|memory|[Ww]orker|interrupt|crash|misbehaves|wrong state|: tune |exhaustive'
sample_unhurried() {
  cmake/sample_tests.py "$1" "$seed" "${@:2}" --exclude "$hurried" -- -j "$jobs" || status=1
}

address_sanitizer() {
  local targets=(test_base test_device test_transport test_db)
  [[ $extent == --wide ]] && targets=()
  build asan-ubsan "${targets[@]}"
  step "tests under the address and undefined-behaviour sanitizers, seed $seed"
  export UBSAN_OPTIONS=print_stacktrace=1
  sample build/asan-ubsan base=1 device=1 transport=1 db=1
  [[ $extent == --wide ]] || return
  sample build/asan-ubsan fuzz=1 solver=0.25 probes=0.25
  sample_unhurried build/asan-ubsan tuner=0.4 cli=0.3
}

thread_sanitizer() {
  local targets=(test_device test_transport)
  [[ $extent == --wide ]] && targets+=(test_solver test_db test_tuner)
  build tsan "${targets[@]}"
  step "tests under the thread sanitizer, seed $seed"
  export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
  sample build/tsan device=1 transport=1
  [[ $extent == --wide ]] || return
  sample build/tsan solver=0.15 db=0.5
  sample_unhurried build/tsan tuner=0.2
}

step "set up"
bash cmake/setup.sh || exit 3

step "build"
build dev

step "checks of the sources"
cmake --build --preset dev --target check_headers || status=1

step "tests"
ctest --test-dir build/dev -j "$jobs" --output-on-failure --no-tests=error || status=1

if [[ $extent != --quick ]]; then
  step "build with the address and undefined-behaviour sanitizers"
  address_sanitizer
  step "build with the thread sanitizer"
  thread_sanitizer
fi
if [[ $extent == --wide ]]; then
  step "clang-tidy, turn $seed"
  cmake/tidy.py --build build/dev --parts 8 --turn "$seed" || status=1
fi
step "done"
exit $status
