#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh BUILD LLVM-PREFIX: installs into an empty folder, moves it, and builds and runs users' projects against it.
set -eu
build=$1 clang=$2/bin/clang here=$(dirname "$(realpath "$0")")
unset AMP_ISA AMP_NUM_THREADS AMP_DEFAULT_ACCELERATOR AMP_LOG DESTDIR CC CFLAGS LDFLAGS || true
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >"$work/log" || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/amp"
amp=$work/amp
for file in bin/ampcc bin/amp include/amp.h include/amp_index.h include/amp_math.h include/amp_algorithms.h \
            lib/libamp.so lib/libamp.a lib/pkgconfig/amp.pc lib/cmake/amp/amp-config.cmake \
            lib/cmake/amp/amp-compile.sh share/amp/new/dot-clangd share/man/man1/ampcc.1 share/man/man1/amp.1 \
            share/man/man3/libamp.3 share/man/man3/amp_copy.3; do
    [ -f "$amp/$file" ] || { echo "not installed: $file"; exit 1; }
done

"$amp/bin/amp" info | grep -q '^cpu ' || { echo "amp info shows no cpu"; exit 1; }

LD_LIBRARY_PATH= "$amp/bin/amp" doctor >"$work/log" || { cat "$work/log"; exit 1; }

PKG_CONFIG_PATH=$amp/lib/pkgconfig sh "$here/projects.sh" "$amp" "$clang"

# ampcc --new makes a project that builds with make and with CMake.
"$amp/bin/ampcc" --new "$work/project" >"$work/log"
(cd "$work/project" && make && cmake -B build && cmake --build build) >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for program in "$work/project/project" "$work/project/build/project"; do
    LD_LIBRARY_PATH=$amp/lib "$program" | grep -q '^1000000 of 1000000 elements are right' ||
        { echo "$program: wrong"; exit 1; }
done
echo "project: ok"

# The library without the compiler, as a package of its own: host code needs no more, and kernels are refused in words.
rm "$amp/bin/ampcc"
configure() { # FOLDER LINE: configures a project with find_package(amp) and that line
    mkdir "$work/$1"
    printf 'cmake_minimum_required(VERSION 3.20)\nproject(prog C)\nfind_package(amp REQUIRED)\n%s\n' "$2" \
        >"$work/$1/CMakeLists.txt"
    cp "$here/prog.c" "$work/$1"
    cmake -G Ninja -S "$work/$1" -B "$work/$1/build" -DCMAKE_PREFIX_PATH="$amp" -DCMAKE_C_COMPILER="$clang" \
        >"$work/log" 2>&1
}
configure host 'add_executable(prog prog.c)
target_link_libraries(prog amp::amp)' || { echo "amp::amp needs ampcc"; cat "$work/log"; exit 1; }
configure kernels 'amp_add_executable(prog prog.c)' && { echo "ampcc is not missed"; exit 1; }
tr -s ' \n' ' ' <"$work/log" | grep -q "no $amp/bin/ampcc, which compiles the kernels of prog" ||
    { cat "$work/log"; exit 1; }
echo "library alone: ok"
