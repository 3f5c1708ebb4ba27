#!/bin/sh
# SPDX-License-Identifier: MIT
# dist.sh LLVM-VERSION: `make dist` writes the same bytes each time, in a folder of the version's name, and CMake can
# configure what is in the tarball, here for another folder of libraries.
set -eu
llvm=$1 root=$(dirname "$0")/../..
git -C "$root" rev-parse --verify -q HEAD >/dev/null || { echo "no git repository: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tarball=$("$root/packaging/dist.sh" "$work/first")
sleep 1 # a time in the tarball would be another one
again=$(umask 077 && TZ=Asia/Tokyo "$root/packaging/dist.sh" "$work/second")
cmp "$tarball" "$again"

name=$(basename "$tarball" .tar.gz)
! tar -tf "$tarball" | grep -v "^$name/" || { echo "not in the folder $name"; exit 1; }
tar -xf "$tarball" -C "$work"
cmake -G Ninja -S "$work/$name" -B "$work/build" -DAMP_LLVM_VERSION="$llvm" -DBUILD_TESTING=OFF \
    -DCMAKE_INSTALL_LIBDIR=lib64 >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
grep -qx "CMAKE_PROJECT_VERSION:STATIC=${name#amp-}" "$work/build/CMakeCache.txt" ||
    { echo "$name is not named after the version"; exit 1; }
grep -q '{CMAKE_INSTALL_PREFIX}/lib64"' "$work/build/cmake_install.cmake" || { echo "no library for lib64"; exit 1; }
echo "$name: ok"
