#!/bin/sh
# SPDX-License-Identifier: MIT
# dist.sh FOLDER: writes the last commit as FOLDER/amp-VERSION.tar.gz, the same bytes each time, and prints that name.
set -eu
mkdir -p "$1"
folder=$(realpath "$1")
cd "$(dirname "$(realpath "$0")")/.."
[ -e .git ] || { echo "dist.sh: no git repository here, and a tarball is made of its last commit" >&2; exit 1; }
[ -z "$(git status --porcelain)" ] || echo "dist.sh: what is not committed is not in the tarball" >&2

name=amp-$(git show HEAD:include/amp.h | sed -n 's/^#define AMP_VERSION_[A-Z]* *//p' | paste -sd .)
git -c tar.umask=0022 archive --prefix="$name/" -o "$folder/$name.tar" HEAD
gzip -n9f "$folder/$name.tar"
echo "$folder/$name.tar.gz"
