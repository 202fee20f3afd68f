#!/usr/bin/env bash
# The whole exactness table, spread over processes:
#
#   every.sh SHARDS OUTPUT [TEST_SOLVER]
#   every.sh --pack FOLDER                  test_solver of build/dev, its libraries and this script, to go elsewhere
#
# Each of SHARDS processes runs its part of `test_solver "[every]"` on cores of its own (the allowed ones, divided
# evenly), because the threads of a team spin for each other. TEST_SOLVER defaults to the file beside this script, else
# to that of build/dev. Writes OUTPUT/every-summary.txt and one log per shard; exits with 1 when a shard fails.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ "${1:-}" == --pack && $# -eq 2 ]]; then
  mkdir -p "$2"
  cp "$here/every.sh" "$here/../build/dev/tests/test_solver" "$2/"
  bash "$here/gather_libraries.sh" "$2/lib" "$2/test_solver"
  strip --strip-all "$2/test_solver"
  exit 0
fi
[[ $# -ge 2 && "$1" =~ ^[1-9][0-9]*$ ]] || { sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2; }
shards=$1 output=$2
program=${3:-$here/test_solver}
[[ -x "$program" ]] || program=$here/../build/dev/tests/test_solver
mkdir -p "$output"
if [[ -d "$here/lib" ]]; then export LD_LIBRARY_PATH=$here/lib; fi

# Allowed cores one a line, from "0-3,8".
mapfile -t cores < <(awk '/^Cpus_allowed_list:/ { n = split($2, range, ",")
  for (i = 1; i <= n; i++) { split(range[i], end, "-"); if (end[2] == "") end[2] = end[1]
    for (core = end[1]; core <= end[2]; core++) print core } }' /proc/self/status)
((shards <= 32)) || { echo "every: the table has 32 slices, $shards shards would leave some empty" >&2; exit 2; }

# Cores of a shard: its even share, or one in turn when there are fewer cores than shards.
cores_of() {
  local first=$(($1 * ${#cores[@]} / shards)) last=$((($1 + 1) * ${#cores[@]} / shards))
  ((last > first)) || last=$((first + 1))
  local IFS=,
  echo "${cores[*]:first:last-first}"
}

run_shard() {
  local started=$SECONDS code=0
  taskset -c "$(cores_of "$1")" "$program" "[every]" --shard-count "$shards" --shard-index "$1" \
    --durations yes >"$output/shard-$1.log" 2>&1 || code=$?
  printf '%5s %9s %6s  %s  cores %s\n' "$1" "$((SECONDS - started))" "$code" \
    "$(tail -n 2 "$output/shard-$1.log" | head -n 1)" "$(cores_of "$1")" >"$output/shard-$1.txt"
}

started=$SECONDS
for ((shard = 0; shard < shards; shard++)); do run_shard "$shard" & done
wait
{
  echo "$(date -u +%FT%TZ): exactness, every Plan; $shards shards on ${#cores[@]} cores, $((SECONDS - started)) s"
  printf '%5s %9s %6s  %s\n' shard seconds exit outcome
  for ((shard = 0; shard < shards; shard++)); do cat "$output/shard-$shard.txt"; done
} | tee "$output/every-summary.txt"
! awk 'NR > 2 && $3 != 0 { failed = 1 } END { exit !failed }' "$output/every-summary.txt"
