#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles with ampcc and with clang, each in a folder of its own, and prints the names of the files that they leave:
# once if both leave the same, with the difference otherwise.
#
# usage: same-files.sh AMPCC CLANG WORD...      ROOT and BUILD are the source and the build tree
ampcc="$1 --amp-gpu=none --amp-cpu=baseline"
clang="$2 -Qunused-arguments -I$ROOT/include -L$BUILD/lib -lamp"
shift 2

leave() { # FOLDER COMPILER WORD...
    rm -rf "$1" && mkdir -p "$1/dir" "$1/src"
    for scale in a b; do
        sed "s/SCALE/$scale/; s/\<a(void)/main(void)/" "$ROOT/tests/driver/Inputs/scale.c" > "$1/$scale.c"
    done
    echo 'int plain;' > "$1/p.c"
    cp "$1/a.c" "$1/src"
    cp "$ROOT/tests/driver/Inputs/scale.h" "$1"
    cp "$ROOT/tests/driver/Inputs/scale.h" "$1/src"
    (
        cd "$1" && find . -type f | sort > ../before
        shift
        "$@" || echo "$1 fails"
        find . -type f | sort | comm -13 ../before - |
            sed 's/-[0-9a-f]\{6\}\.json/-SOME.json/; s/c\.[^.]*\.json/c.SOME.json/'
    )
}

leave clang $clang "$@" > clang.files
leave ampcc $ampcc "$@" > ampcc.files
diff clang.files ampcc.files && tr '\n' ' ' < ampcc.files && echo
