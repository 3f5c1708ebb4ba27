#!/bin/sh
# SPDX-License-Identifier: MIT
# packages.sh FOLDER: installs the Debian packages of a folder into a bare Debian of this machine's release, uses them
# there and removes them. It needs mmdebstrap, and a network, or root or subordinate user ids.
set -eu
folder=$1 here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir "$work/test"
cp -r "$here/." "$work/test"
for package in ampcc libamp0 libamp-openmpi libamp-mpich libamp-dev libamp-doc; do
    cp "$folder/${package}_"*.deb "$work/test" || { echo "no package $package in $folder: make deb" >&2; exit 1; }
done

# Packages come from where this machine gets those of Debian and LLVM. What is included here is what projects.sh needs.
sources=$(grep -lrE 'debian|llvm' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null || true)
mmdebstrap --quiet --variant=apt --format=null --dpkgopt=force-unsafe-io --aptopt='APT::Install-Recommends "0"' \
    --include=ca-certificates,cmake,make,ninja-build,pkgconf \
    --customize-hook="copy-in '$work/test' /tmp" --customize-hook='chroot "$1" sh /tmp/test/chroot.sh' \
    "$(. /etc/os-release && echo "$VERSION_CODENAME")" /dev/null $sources
