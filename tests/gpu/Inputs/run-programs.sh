#!/bin/sh
# SPDX-License-Identifier: MIT
# run-programs.sh AMPCC CLANG FOLDER FILE.c...: runs each program with its GPU code on the host: on-host.sh.
set -e
here=$(dirname "$0") ampcc=$1 clang=$2 folder=$3
shift 3
mkdir -p "$folder"
for file; do
    name=$(basename "$file" .c)
    "$here/on-host.sh" "$ampcc" "$clang" "$folder/$name" "$file"
    LD_PRELOAD="$folder/$name.so" AMP_NUM_THREADS=1 "$folder/$name" >"$folder/$name.out" || { echo "$name fails"; exit 1; }
    echo "$name runs"
done
