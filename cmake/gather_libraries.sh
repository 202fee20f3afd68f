#!/usr/bin/env bash
# gather_libraries.sh FOLDER PROGRAM...: copies the shared libraries of the programs, apart from the C library's own, into
# FOLDER, so that they run on another Linux whose C library is no older.
set -euo pipefail
folder=$1
shift
mkdir -p "$folder"
ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
  grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|ld-linux[^/]*)\.so' | xargs -I{} cp -L {} "$folder/"
strip --strip-unneeded "$folder"/*
