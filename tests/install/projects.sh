#!/bin/sh
# SPDX-License-Identifier: MIT
# projects.sh PREFIX CLANG: builds and runs users' projects against an installation: with CMake (whatever its C compiler
# is), with CMake and ampcc as the C compiler, and with make and pkg-config, which must find amp.pc.
set -eu
amp=$1 clang=$2 here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

expect() { # NAME PROGRAM: runs it and compares its output
    "$2" >"$work/output" || { echo "$1: exit status $?"; cat "$work/output"; exit 1; }
    diff "$here/expected.txt" "$work/output" || { echo "$1: another output than expected.txt"; exit 1; }
    echo "$1: ok"
}

build_with_cmake() { # NAME CMAKE-OPTION...
    name=$1
    shift
    cp -r "$here/cmake" "$work/$name"
    cp "$here/prog.c" "$work/$name"
    (cd "$work/$name" && cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH="$amp" "$@" && cmake --build build) \
        >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    expect "$name" "$work/$name/build/prog"
    # Depfiles work: a second build has nothing to do, one after a change of the header has.
    (cd "$work/$name/build" && ninja -n) | grep -q 'no work to do' || { echo "$name: builds twice"; exit 1; }
    touch "$amp/include/amp.h"
    (cd "$work/$name/build" && ninja -n) | grep -q 'prog.c.o' || { echo "$name: no dependency on amp.h"; exit 1; }
}
build_with_cmake cmake-clang -DCMAKE_C_COMPILER="$clang"
if command -v gcc >/dev/null; then build_with_cmake cmake-gcc -DCMAKE_C_COMPILER=gcc; fi
build_with_cmake cmake-ampcc -DCMAKE_C_COMPILER="$amp/bin/ampcc" -DCMAKE_BUILD_TYPE=Release

mkdir "$work/pkg-config"
cp "$here/prog.c" "$here/pkg-config/Makefile" "$work/pkg-config"
make -C "$work/pkg-config" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
LD_LIBRARY_PATH=$(pkg-config --variable=libdir amp)
export LD_LIBRARY_PATH
expect pkg-config "$work/pkg-config/prog"

# The object links with any linker driver, and with the archive.
static=$(pkg-config --static --libs amp | sed 's/-lamp/-l:libamp.a/')
"$amp/bin/ampcc" -O2 -c "$here/prog.c" -o "$work/prog.o"
"$clang" "$work/prog.o" $static -o "$work/prog-archive"
unset LD_LIBRARY_PATH
expect archive "$work/prog-archive"
