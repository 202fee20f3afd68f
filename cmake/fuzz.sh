#!/usr/bin/env bash
# Builds the fuzzers (preset fuzz: clang 14 with its sanitizers) and runs each for a while from the kept inputs.
#
#   cmake/fuzz.sh SECONDS PROCESSES OUTPUT [LOADER...]   PROCESSES at once of each loader (default: all loaders)
#   cmake/fuzz.sh --keep OUTPUT                          takes what OUTPUT found into tests/fuzz/corpus, minimised
#   cmake/fuzz.sh --pack FOLDER                          fuzzers, libraries, inputs and the runner, to go elsewhere
#
# Exits with 1 when an input made a loader fail; OUTPUT/summary.txt counts, OUTPUT/crashes.tar.gz holds the inputs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/fuzz
loaders=(problem plan machine import_json import_db option_values)

build_fuzzers() {
  cmake --preset fuzz -DHALOTUNE_GPU=none >/dev/null
  cmake --build --preset fuzz
}

# The runner needs one folder: fuzz_NAME beside corpus/NAME and dictionaries/NAME.dict.
gather() {
  mkdir -p "$1/corpus" "$1/dictionaries"
  cp tests/fuzz/run_fuzzers.sh "$1/fuzz.sh"
  cp tests/fuzz/dictionaries/*.dict "$1/dictionaries/"
  local loader
  for loader in "${loaders[@]}"; do
    cp "$build/tests/fuzz/fuzz_$loader" "$1/"
    cp -r "tests/fuzz/corpus/$loader" "$1/corpus/"
  done
}

case "${1:-}" in
  --pack)
    build_fuzzers
    gather "$2"
    bash cmake/gather_libraries.sh "$2/lib" "$2"/fuzz_*
    strip --strip-all "$2"/fuzz_*
    ;;
  --keep)
    build_fuzzers
    gather build/fuzz/run
    unpacked=$(mktemp -d)
    trap 'rm -rf "$unpacked"' EXIT
    tar -xzf "$2/corpus.tar.gz" -C "$unpacked"
    for loader in "${loaders[@]}"; do
      # The smallest inputs only: they run in every test of the suite. Crashes of old stay whatever they cover.
      find "$unpacked/corpus/$loader" -type f -size +8k -delete
      kept=$(mktemp -d -p "$unpacked")
      "$build/run/fuzz_$loader" -merge=1 -max_len=8192 "$kept" "tests/fuzz/corpus/$loader" \
        "$unpacked/corpus/$loader" 2>/dev/null
      find "tests/fuzz/corpus/$loader" -type f ! -name '*.*' -delete
      cp "$kept"/* "tests/fuzz/corpus/$loader/"
    done
    du -sh tests/fuzz/corpus
    ;;
  "" | -*)
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
  *)
    build_fuzzers
    gather build/fuzz/run
    bash build/fuzz/run/fuzz.sh "$@"
    ;;
esac
