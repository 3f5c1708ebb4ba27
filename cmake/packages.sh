#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the Debian packages of a list that are missing: packages.sh LLVM-VERSION LIST [--optional]
# Returns quickly if none is missing, and continues with a note if it cannot install.
set -u
llvm=$1 list=$2 optional=${3-}

command -v dpkg-query >/dev/null || exit 0 # not Debian: cmake will say what is missing

installed() { dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }
available() { apt-cache show "$1" >/dev/null 2>&1; }

missing=$(sed "s/#.*//; s/{llvm}/$llvm/g" "$list" | while read -r line; do
    have=
    for name in $line; do
        [ "$name" = "|" ] || ! installed "$name" || have=yes
    done
    [ -z "$line" ] || [ -n "$have" ] || echo "$line" | tr -d ' '
done)
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then sudo=
elif command -v sudo >/dev/null; then sudo=sudo
else
    echo "not installed, and there is neither root nor sudo to install it:" $missing >&2
    exit 0
fi

echo "installing:" $missing
$sudo apt-get -qq update </dev/null
names=
for choice in $missing; do
    for name in $(echo "$choice" | tr '|' ' '); do
        available "$name" && { names="$names $name"; continue 2; }
    done
    echo "no package $choice in the lists of this machine" >&2
    [ -n "$optional" ] || exit 1
done
[ -z "$names" ] ||
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $names </dev/null
