#!/usr/bin/env bash
# One command from a fresh checkout to an answer: sets up, builds, tunes the quickstart problem on this
# machine's CPU and runs it with the Plan that was recommended.
#
#   cmake/quickstart.sh [PROBLEM.json]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
problem=${1:-configs/problems/quickstart.json}

bash cmake/setup.sh --build
cmake --preset release
cmake --build --preset release
build/release/halotune tune "$problem"
build/release/halotune run "$problem"
