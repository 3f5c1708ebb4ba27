#!/bin/sh
# SPDX-License-Identifier: MIT
# assemble.sh FOLDER AMPCC FILE...: compiles each file for GPUs and has ptxas assemble that; what is made goes to FOLDER.
set -e
folder=$1 ampcc=$2
shift 2
mkdir -p "$folder"
for source; do
    "$ampcc" -O2 -D_GNU_SOURCE --amp-cpu=baseline --amp-gpu=sm_75,sm_90 --amp-stop-after=assemble \
        --amp-dump-after=assemble "$source" >"$folder/dump"
    for gpu in sm_75 sm_90; do
        sed -n "/^; ---- $gpu/,\$p" "$folder/dump" | sed "1d; /^; ----/,\$d" >"$folder/$gpu.ptx"
        [ -s "$folder/$gpu.ptx" ] || continue # no kernels
        echo "$source for $gpu: $(grep -c '^.visible .entry' "$folder/$gpu.ptx") kernels"
        ptxas -arch=$gpu "$folder/$gpu.ptx" -o "$folder/cubin"
    done
done
