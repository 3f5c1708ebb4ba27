#!/bin/sh
# SPDX-License-Identifier: MIT
# deb.sh LLVM-VERSION FOLDER: empties FOLDER, makes Debian packages of the last commit there, and has lintian check
# them. Their maintainer is whom Debian's DEBFULLNAME and DEBEMAIL name, by default the author of that commit.
set -eu
llvm=$1 here=$(dirname "$(realpath "$0")")
rm -rf "$2"
tarball=$("$here/dist.sh" "$2")
folder=$(dirname "$tarball") source=${tarball%.tar.gz}
version=${source##*/amp-}

tar -xf "$tarball" -C "$folder"
mv "$tarball" "$folder/ampcc_$version.orig.tar.gz"
cd "$source"
cp -r packaging/debian debian
author() { git -C "$here" log -1 --format="$1"; }
maintainer="${DEBFULLNAME:-$(author %an)} <${DEBEMAIL:-$(author %ae)}>"
sed -i "s/{llvm}/$llvm/g; s|{maintainer}|$maintainer|" debian/control debian/rules

grep -q "^## $version\b" CHANGELOG.md || { echo "CHANGELOG.md has no section about $version" >&2; exit 1; }
cat >debian/changelog <<END
ampcc ($version-0amp1) $(. /etc/os-release && echo "$VERSION_CODENAME"); urgency=medium

  * Packages of version $version, made by its own project.

 -- $maintainer  $(author %cD)
END

dpkg-buildpackage -us -uc
lintian --allow-root --fail-on error,warning "$folder"/*.changes
echo "lintian: no errors, no warnings"
ls "$folder"/*.deb
