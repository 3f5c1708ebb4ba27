#!/bin/sh
# SPDX-License-Identifier: MIT
# run-programs.sh AMPCC CLANG DRIVER FOLDER FILE.c...: runs each program with code that its kernels have for a GPU that
# is the host (--amp-gpu=host, host_device.c): in place of its code for the cpu, and on cuda:0, by the runtime's
# backend, on the stand-in for NVIDIA's driver that lies in the folder DRIVER. Both must print the same lines. The
# variable OPTIONS has more options for AMPCC.
set -e
here=$(dirname "$0") ampcc=$1 clang=$2 driver=$3 folder=$4
shift 4
mkdir -p "$folder"
device=$folder/host_device.so
"$clang" -O1 -fPIC -shared -I "$here/../../../src" "$here/host_device.c" -o "$device" -lm -ldl
for file; do
    name=$(basename "${file%.*}")
    program=$folder/$name
    "$ampcc" -O2 -D_GNU_SOURCE -ffp-contract=off --amp-cpu=baseline --amp-gpu=host $OPTIONS "$file" -lm -o "$program"
    LD_PRELOAD="$device" AMP_DEFAULT_ACCELERATOR=cpu AMP_NUM_THREADS=1 "$program" >"$program.out" || {
        echo "$name fails"
        exit 1
    }
    LD_PRELOAD="$device" LD_LIBRARY_PATH="$driver" FAKE_CUDA_KERNELS="$device" AMP_DEFAULT_ACCELERATOR=cuda:0 \
        "$program" >"$program.gpu" || {
        echo "$name fails on cuda:0: exit status $?"
        exit 1
    }
    sort "$program.out" >"$program.expected"
    sort "$program.gpu" | diff "$program.expected" - || {
        echo "$name prints other lines on cuda:0"
        exit 1
    }
    echo "$name runs"
done
