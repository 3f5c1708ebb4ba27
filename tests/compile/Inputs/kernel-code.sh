#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the instructions of an object's kernels, without addresses and what fills gaps.
objdump -d --no-show-raw-insn --no-addresses "$1" |
    awk '/>:$/ { on = /\.(baseline|x86-64-v[0-9])>:$/ } on && !/nop|xchg +%ax,%ax/'
