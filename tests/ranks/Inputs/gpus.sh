#!/bin/sh
# SPDX-License-Identifier: MIT
# gpus.sh DRIVER DEVICE WAY PROGRAM [ARGUMENT...] runs a rank's program, compiled with --amp-gpu=host, on the stand-in
# for NVIDIA's driver in the folder DRIVER, which runs kernels by the library DEVICE (tests/gpu/Inputs/host_device.c).
# WAY: `all`; `mixed`: rank 1 computes on the processor; `direct`: as if MPI reached the memory of GPUs, which is the
# host's here; `little`: the GPU of rank 1 has little memory.
driver=$1 device=$2 way=$3
shift 3
export LD_PRELOAD="$LD_PRELOAD $device" LD_LIBRARY_PATH="$driver" FAKE_CUDA_KERNELS="$device"
case $way${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in
    direct*) export AMP_TEST_MESSAGES=gpu ;;
    mixed1) export AMP_PLACES=cpu ;;
    little1) export FAKE_CUDA_MEMORY=9000 ;;
esac
exec "$@"
