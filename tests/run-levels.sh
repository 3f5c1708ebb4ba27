#!/bin/sh
# SPDX-License-Identifier: MIT
# run-levels.sh PROGRAM [ARGUMENT...] runs a program at each ISA level that this machine has, with one thread and with
# the default number; cut into parts for AMP_PARTS places, and for ranks of the MPI that AMP_MPI names, of which
# AMP_RANKS lists how many, three without it; and on each GPU that AMP_GPUS names (paths of accelerators). Lit sets
# these to what exists. On GPUs the program runs under the command AMP_GPU_COMMAND, if set, such as compute-sanitizer.
# Exit status and output must be the same each time, and the output is printed once. Without arguments it lists the
# levels. AMP_LEVELS=native runs the program's code for this processor instead, which is all that it has.

levels=baseline
if [ "$(uname -m)" = x86_64 ]; then
    has() { for flag; do grep -qw -m1 "$flag" /proc/cpuinfo || return 1; done; }
    levels=x86-64-v2
    has avx2 bmi1 bmi2 f16c fma abm movbe && levels="$levels x86-64-v3"
    has avx2 fma avx512f avx512bw avx512cd avx512dq avx512vl && levels="$levels x86-64-v4"
fi
[ $# -gt 0 ] || { echo "$levels"; exit; }

output=$(mktemp) first=$(mktemp) expected=
trap 'rm -f "$output" "$first"' EXIT
once() { # SETTING PROGRAM...: runs it and compares
    setting=$1
    shift
    env $setting "$@" >"$output" 2>&1
    status=$?
    if [ -z "$expected" ]; then
        expected=$status first_setting=$setting
        cp "$output" "$first"
        cat "$output"
    elif [ $status != "$expected" ] || ! cmp -s "$first" "$output"; then
        {
            echo "$first_setting $*: exit status $expected"
            echo "$setting $*: exit status $status, with the output"
            cat "$output"
        } >&2
        exit 99
    fi
}
for level in ${AMP_LEVELS:-$levels}; do
    for threads in 1 ""; do
        case $level in baseline | native) isa= ;; *) isa="AMP_ISA=$level " ;; esac
        once "AMP_DEFAULT_ACCELERATOR=cpu $isa${threads:+AMP_NUM_THREADS=$threads}" "$@"
    done
done
[ -z "$AMP_PARTS" ] || once "AMP_DEFAULT_ACCELERATOR=all AMP_PLACES=$AMP_PARTS" "$@"
for n in ${AMP_MPI:+${AMP_RANKS:-3}}; do
    once "AMP_DEFAULT_ACCELERATOR=all" "$(dirname "$0")/run-ranks.sh" "$AMP_MPI" "$n" "$@"
done
for gpu in $AMP_GPUS; do
    once "AMP_DEFAULT_ACCELERATOR=$gpu" $AMP_GPU_COMMAND "$@"
done
exit $expected
