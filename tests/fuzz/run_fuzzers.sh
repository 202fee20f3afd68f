#!/usr/bin/env bash
# fuzz.sh SECONDS PROCESSES OUTPUT [LOADER...]: PROCESSES of each fuzzer beside this file at once, for SECONDS.
# OUTPUT/summary.txt    executions, edges covered, processor seconds and crashes of each loader
# OUTPUT/corpus.tar.gz  corpus/LOADER/*: all that covers something, merged and minimised
# OUTPUT/crashes.tar.gz crashes/LOADER/*: inputs that made a loader fail, take too long or too much memory
# Exits with 1 when there are any. A fuzzer that finds one starts again until the time is over.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ $# -ge 3 ]] || { sed -n '2,6s/^# //p' "$0"; exit 2; }
seconds=$1 processes=$2
mkdir -p "$3"
output=$(cd "$3" && pwd)
shift 3
loaders=("$@")
if [[ ${#loaders[@]} -eq 0 ]]; then
  for program in "$here"/fuzz_*; do loaders+=("$(basename "$program" | sed s/^fuzz_//)"); done
fi
work=$output/work
rm -rf "$work"
longest_input=16384 longest_s=20 most_mb=2048
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

# clang 14's shadow memory does not fit every address layout of newer kernels: a fixed one, where that is allowed.
fixed_layout=()
if setarch "$(uname -m)" -R true 2>/dev/null; then fixed_layout=(setarch "$(uname -m)" -R); fi
# Looking for leaks needs ptrace, which some containers refuse.
leaks=1
if ! "${fixed_layout[@]}" "$here/fuzz_${loaders[0]}" -runs=10 >/dev/null 2>&1; then leaks=0; fi
export ASAN_OPTIONS=detect_leaks=$leaks

# One process of one loader, again and again until its time is over.
fuzz() {
  local loader=$1 number=$2 round=0 left
  local folder=$work/$loader/$number
  mkdir -p "$folder/corpus" "$output/crashes/$loader"
  local end=$((SECONDS + seconds))
  while left=$((end - SECONDS)) && ((left > 0)); do
    round=$((round + 1))
    "${fixed_layout[@]}" "$here/fuzz_$loader" -max_total_time="$left" -timeout=$longest_s -rss_limit_mb=$most_mb \
      -max_len=$longest_input -seed=$((number * 1000 + round)) -use_value_profile=$((number % 2)) \
      -print_final_stats=1 -detect_leaks=$leaks -dict="$here/dictionaries/$loader.dict" -artifact_prefix="$output/crashes/$loader/" \
      "$folder/corpus" "$here/corpus/$loader" >"$folder/log.$round" 2>&1 || sleep 1
  done
}

for loader in "${loaders[@]}"; do
  for ((number = 1; number <= processes; number++)); do
    (
      fuzz "$loader" "$number"
      times >"$work/$loader/$number/times"
    ) &
  done
done
wait

# "3m12.345s" as seconds.
as_seconds() {
  awk '{ for (i = 1; i <= NF; i++) { split($i, part, "m"); sub("s", "", part[2]); sum += part[1] * 60 + part[2] } }
       END { printf "%.0f", sum }'
}

sum_of() {
  cat "$work/$1"/*/log.* | awk -v key="stat::$2:" '$1 == key { sum += $2 } END { printf "%.0f", sum }'
}

most_edges() {
  grep -hoE 'cov: [0-9]+' "$work/$1"/*/log.* | awk '$2 > most { most = $2 } END { print most + 0 }'
}

status=0
{
  echo "$(date -u +%FT%TZ): $seconds s, $processes processes of each loader, $(nproc) cores"
  printf '%-14s %14s %8s %8s %12s %8s\n' loader executions edges inputs cpu_seconds crashes
  for loader in "${loaders[@]}"; do
    merged=$output/corpus/$loader
    rm -rf "$merged"
    mkdir -p "$merged"
    "${fixed_layout[@]}" "$here/fuzz_$loader" -merge=1 -timeout=$longest_s -rss_limit_mb=$most_mb -max_len=$longest_input "$merged" \
      "$here/corpus/$loader" "$work/$loader"/*/corpus >"$work/$loader/merge.log" 2>&1 || true
    crashes=$(find "$output/crashes/$loader" -type f | wc -l)
    ((crashes == 0)) || status=1
    printf '%-14s %14s %8s %8s %12s %8s\n' "$loader" "$(sum_of "$loader" number_of_executed_units)" \
      "$(most_edges "$loader")" "$(find "$merged" -type f | wc -l)" \
      "$(tail -q -n 1 "$work/$loader"/*/times | as_seconds)" "$crashes"
  done
} >"$output/summary.txt"
tar -C "$output" -czf "$output/corpus.tar.gz" corpus
tar -C "$output" -czf "$output/crashes.tar.gz" crashes
tail -n 20 "$work"/*/*/log.* >"$output/log_ends.txt"
cat "$output/summary.txt"
exit $status
