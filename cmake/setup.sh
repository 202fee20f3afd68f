#!/usr/bin/env bash
# Installs everything that building and testing needs, on Debian 12 and Ubuntu 24.04, as root or
# through sudo. Does nothing when nothing is missing.
#
#   cmake/setup.sh            packages to build, run and test
#   cmake/setup.sh --build    packages to build and run
set -euo pipefail

build_packages=(g++ cmake ninja-build pkg-config libsqlite3-dev libsqlitecpp-dev nlohmann-json3-dev libcli11-dev
  libfmt-dev libspdlog-dev libhwloc-dev libhdf5-dev libssl-dev)
test_packages=(catch2 python3 python3-jsonschema clang-format-14 clang-tidy-14)

fail() {
  echo "setup: $1" >&2
  exit 2
}

trap 'echo "setup: line $LINENO failed" >&2' ERR

installed() {
  [[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

# Catch2 2 carries the same package name as 3.
catch2_is_current() {
  installed catch2 && dpkg --compare-versions "$(dpkg-query -W -f '${Version}' catch2)" ge 3
}

missing_packages() {
  local package
  for package in "$@"; do
    if [[ "$package" == catch2 ]]; then
      catch2_is_current || echo "$package"
    else
      installed "$package" || echo "$package"
    fi
  done
}

as_root() {
  if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

# Shows what the command printed only when it fails.
quietly() {
  local log
  log=$(mktemp)
  if ! as_root env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

# The machine's own source entry with the backports suite in place of the release: the same mirror,
# components and keys. Prints nothing when no entry names the release.
backports_entry() {
  local release=$1 file
  for file in /etc/apt/sources.list.d/*.sources; do
    [[ -e "$file" ]] || continue
    awk -v suite="$release" 'BEGIN { RS = ""; ORS = "\n\n" }
      $0 ~ ("(^|\n)Suites:([^\n]*[ \t])?" suite "([ \t][^\n]*)?(\n|$)") && $0 !~ /(^|\n)Enabled:[ \t]*no/ {
        sub(/Suites:[^\n]*/, "Suites: " suite "-backports"); print; exit }' "$file"
  done
}

backports_line() {
  local release=$1
  # The file or the folder may be missing: having found nothing is an answer.
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true; } |
    sed -nE "/^deb[ \t].*[ \t]$release[ \t]/{s/[ \t]$release[ \t]/ $release-backports /p;q}"
}

# Debian 12 has Catch2 3 in its backports only.
enable_backports() {
  local release=$1 entry target
  if grep -rqsE "^[^#]*$release-backports" /etc/apt/sources.list /etc/apt/sources.list.d; then return; fi
  entry=$(backports_entry "$release")
  target=/etc/apt/sources.list.d/halotune-backports.sources
  if [[ -z "$entry" ]]; then
    entry=$(backports_line "$release")
    target=/etc/apt/sources.list.d/halotune-backports.list
  fi
  [[ -n "$entry" ]] || fail "Catch2 3 cannot be installed (no package source names $release) enable $release-backports"
  echo "$entry" | as_root tee "$target" >/dev/null
}

packages=("${build_packages[@]}" "${test_packages[@]}")
if [[ "${1:-}" == --build ]]; then packages=("${build_packages[@]}"); fi

command -v dpkg-query >/dev/null || fail "this system has no dpkg (Debian 12 and Ubuntu 24.04 are known) install: ${packages[*]}"
mapfile -t missing < <(missing_packages "${packages[@]}")
if [[ ${#missing[@]} -eq 0 ]]; then exit 0; fi
if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
  fail "packages are missing (neither root nor sudo here) have them installed: ${missing[*]}"
fi

source /etc/os-release
case "$ID:${VERSION_ID:-}" in
  debian:12 | ubuntu:24.04) ;;
  *) echo "setup: ${PRETTY_NAME:-this system} is untried (Debian 12 and Ubuntu 24.04 are known); going on" >&2 ;;
esac

options=(-qq -o Acquire::Retries=3 -o Dpkg::Use-Pty=0)
selected=("${missing[@]}")
if [[ "$ID:${VERSION_ID:-}" == debian:12 && " ${missing[*]} " == *" catch2 "* ]]; then
  enable_backports "$VERSION_CODENAME"
  selected=()
  for package in "${missing[@]}"; do
    if [[ "$package" == catch2 ]]; then
      selected+=("catch2/$VERSION_CODENAME-backports" "libcatch2-dev/$VERSION_CODENAME-backports")
    else
      selected+=("$package")
    fi
  done
fi

echo "setup: installing ${missing[*]}"
quietly apt-get "${options[@]}" update || echo "setup: the package lists could not all be refreshed; going on" >&2
quietly apt-get "${options[@]}" install -y --no-install-recommends "${selected[@]}" ||
  fail "some packages could not be installed (see above)"
mapfile -t missing < <(missing_packages "${packages[@]}")
[[ ${#missing[@]} -eq 0 ]] || fail "still missing after the installation: ${missing[*]}"
