# SPDX-License-Identifier: MIT
# test.sh BUILD LLVM-PREFIX: installs into an empty folder, moves it, and builds and runs users' projects against it,
# with CMake (whatever its C compiler is), with CMake and ampcc as the C compiler, and with make and pkg-config.
set -eu
build=$1 clang=$2/bin/clang here=$(dirname "$(realpath "$0")")
unset AMP_ISA AMP_NUM_THREADS AMP_DEFAULT_ACCELERATOR AMP_LOG DESTDIR CC CFLAGS LDFLAGS || true
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >"$work/log" || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/amp"
amp=$work/amp
for file in bin/ampcc bin/amp include/amp.h include/amp_index.h include/amp_math.h lib/libamp.so lib/libamp.a \
            lib/pkgconfig/amp.pc lib/cmake/amp/amp-config.cmake lib/cmake/amp/amp-compile.sh share/amp/new/dot-clangd \
            share/man/man1/ampcc.1 share/man/man1/amp.1 share/man/man3/libamp.3 share/man/man3/amp_copy.3; do
    [ -f "$amp/$file" ] || { echo "not installed: $file"; exit 1; }
done

"$amp/bin/amp" info | grep -q '^cpu ' || { echo "amp info shows no cpu"; exit 1; }

LD_LIBRARY_PATH= "$amp/bin/amp" doctor >"$work/log" || { cat "$work/log"; exit 1; }

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
(cd "$work/pkg-config" && PKG_CONFIG_PATH=$amp/lib/pkgconfig make) >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
LD_LIBRARY_PATH=$amp/lib
export LD_LIBRARY_PATH
expect pkg-config "$work/pkg-config/prog"

# ampcc --new makes a project that builds with make and with CMake.
"$amp/bin/ampcc" --new "$work/project" >"$work/log"
(cd "$work/project" && make && cmake -B build && cmake --build build) >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for program in "$work/project/project" "$work/project/build/project"; do
    "$program" | grep -q '^1000000 of 1000000 elements are right' || { echo "$program: wrong"; exit 1; }
done
echo "project: ok"

# The object links with any linker driver, and with the archive.
static=$(PKG_CONFIG_PATH=$amp/lib/pkgconfig pkg-config --static --libs amp | sed 's/-lamp/-l:libamp.a/')
"$amp/bin/ampcc" -O2 -c "$here/prog.c" -o "$work/prog.o"
"$clang" "$work/prog.o" $static -o "$work/prog-archive"
unset LD_LIBRARY_PATH
expect archive "$work/prog-archive"
