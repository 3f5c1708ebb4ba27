#!/bin/sh
# SPDX-License-Identifier: MIT
# run-ranks.sh MPI N PROGRAM [ARGUMENT...] runs a program on N ranks of openmpi or mpich, on the accelerator `all`. Exit
# status and output must be the same on each rank, but only rank 0 need print. The output is printed once. Open MPI's
# layer `ob1` starts in half the time, because it looks for no network, and its tests for messages yield to nobody:
# where libamp waits it gives way itself. Neither MPI looks for devices of OpenCL, whose drivers take memory and may end
# a rank that has little.
mpi=$1 n=$2
shift 2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=0
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export HWLOC_COMPONENTS=-opencl
export AMP_DEFAULT_ACCELERATOR=all AMP_NUM_THREADS=1 OUT="$out"
timeout 200 "mpirun.$mpi" -n "$n" sh -c '
    rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
    "$@" >"$OUT/$rank" 2>&1
    echo $? >"$OUT/status$rank"' sh "$@" >"$out/mpirun" 2>&1 ||
    { status=$?; cat "$out/mpirun" "$out"/[0-9]*; exit $status; }
for rank in $(seq 1 $((n - 1))); do
    { [ ! -s "$out/$rank" ] || cmp "$out/0" "$out/$rank"; } && cmp "$out/status0" "$out/status$rank" ||
        { cat "$out"/[0-9]*; exit 98; }
done
cat "$out/0"
exit "$(cat "$out/status0")"
