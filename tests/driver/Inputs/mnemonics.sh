#!/bin/sh
# SPDX-License-Identifier: MIT
# mnemonics.sh OBJECT: the operations of scale's code at each level, without what fills gaps.
for level in 2 3 4; do
    objdump -d --no-show-raw-insn --disassemble=scale.x86-64-v$level "$1"
done | awk '$1 ~ /:$/ && $2 !~ /nop|data16|cs|xchg|int3/ { print $2 }'
