#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs in the bare system that packages.sh makes, as its root: installs the packages beside this file, uses and removes
# them. What they depend on must be enough, so nothing that is only recommended is installed.
set -eu
here=$(dirname "$(realpath "$0")") examples=/usr/share/doc/libamp-dev/examples
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
cd "$here"

apt() { apt-get -qq -y "$@" >"$here/log" 2>&1 || { cat "$here/log"; exit 1; }; }
files() { # all but what apt downloads
    find / -xdev '(' -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /var/cache/apt ')' -prune \
        -o -print | sort
}

files >before
apt install --no-install-recommends "$here"/*.deb
echo "installed: $(dpkg-query -W -f '${Package} ${Version}, ' ampcc 'libamp*')"
dpkg-query -W -f '${Package} ${Version}\n' | grep -E 'clang|llvm|libomp|binutils '

for file in bin/ampcc bin/amp include/amp.h lib/x86_64-linux-gnu/libamp.so share/man/man1/ampcc.1.gz \
            share/man/man1/amp.1.gz share/man/man3/libamp.3.gz share/doc/libamp-dev/html/index.html \
            lib/x86_64-linux-gnu/libamp/libamp-openmpi.so lib/x86_64-linux-gnu/libamp/libamp-mpich.so; do
    [ -s "/usr/$file" ] || { echo "not installed: /usr/$file"; exit 1; }
done
amp info | grep '^cpu '
sh projects.sh /usr "$(echo /usr/lib/llvm-*/bin/clang)"
ampcc -O2 "$examples/matmul.c" -o matmul -lm
./matmul -M 200 -N 100 -W 300
ampcc -O2 "$examples/cpp/mxm.cpp" -o mxm
./mxm

# A compiled program needs libamp0 alone.
apt purge --autoremove ampcc libamp-dev libamp-doc libamp-openmpi libamp-mpich
[ ! -e /usr/bin/ampcc ] && ! ls /usr/lib/llvm-* 2>/dev/null || { echo "the compiler is still there"; exit 1; }
./matmul -M 200 -N 100 -W 300 >/dev/null
echo "without the compiler: ok"
apt purge --autoremove libamp0
! ./matmul >/dev/null 2>&1 || { echo "the library is still there"; exit 1; }

files >after
diff before after || { echo "this is left, or gone"; exit 1; }
! dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' ampcc 'libamp*' 2>/dev/null | grep . || exit 1
echo "removed: nothing is left"
