#!/bin/sh
# SPDX-License-Identifier: MIT
# describe.sh LIBRARY FILE: writes what programs that are linked with libamp rely on: symbols, functions, types of
# amp.h.
set -eu
here=$(dirname "$(realpath "$0")")
root=$(dirname "$(dirname "$here")")
abidw --headers-dir "$root/include" --drop-private-types --suppressions "$here/internal.abignore" \
    --no-show-locs --no-parameter-names --no-elf-needed --no-corpus-path --no-comp-dir-path --out-file "$2" "$1"
sed -i "s|path='$root/|path='|" "$2"
