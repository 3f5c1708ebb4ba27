#!/bin/sh
# SPDX-License-Identifier: MIT
# assemble.sh FOLDER AMPCC FILE...: compiles each file for a GPU and has ptxas assemble it. Outputs go to FOLDER.
set -e
folder=$1 ampcc=$2
shift 2
mkdir -p "$folder"
for source; do
    "$ampcc" -O2 -D_GNU_SOURCE --amp-cpu=baseline --amp-gpu=sm_75 --amp-stop-after=assemble \
        --amp-dump-after=assemble "$source" | sed '1,/^; ---- sm_75/d' >"$folder/ptx"
    [ -s "$folder/ptx" ] || continue # no kernels
    echo "$source: $(grep -c '^.visible .entry' "$folder/ptx") kernels"
    ptxas -arch=sm_75 "$folder/ptx" -o "$folder/cubin"
done
