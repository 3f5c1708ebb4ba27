#!/bin/sh
# SPDX-License-Identifier: MIT
# on-host.sh AMPCC CLANG OUT FILE.c [options]: compiles FILE.c to the program OUT, and what ampcc makes of its kernels for
# GPUs to OUT.so, as code of this machine; preloaded, that runs them in the place of those for processors: host_device.c.
# Same IR as goes to the GPU's code generator, with its registers, barriers and address spaces taken out.
set -e
here=$(dirname "$0") ampcc=$1 clang=$2 out=$3 file=$4
shift 4
set -- -O2 -D_GNU_SOURCE -ffp-contract=off --amp-cpu=baseline "$@" "$file"
"$ampcc" "$@" -lm -o "$out"
"$ampcc" "$@" --amp-stop-after=optimise --amp-dump-after=optimise | sed \
    -e '1,/^; ---- sm_75/d' \
    -e '/^target /d' \
    -e 's/^attributes \(#[0-9]*\) = .*/attributes \1 = { nounwind }/' \
    -e 's/ addrspace([0-9])//g; s/addrspacecast/bitcast/g' \
    -e 's/ptx_kernel //; s/dso_local //; s/byval([^)]*) //g; s/syncscope("device") //; s/range(i32 0, [0-9]*) //' \
    -e 's/@llvm.nvvm.read.ptx.sreg.\([a-z]*\).\([xyz]\)/@device_\1_\2/g' \
    -e 's/@llvm.nvvm.\([a-z0-9]*\).approx.ftz.f\(32\)*(/@device_\1(/g' \
    -e 's/@llvm.nvvm.fma.rm.f(/@device_fma_down(/g' \
    -e 's/@llvm.nvvm.barrier[.a-z0]*(/@device_barrier(/; s/@llvm.nvvm.membar.cta/@device_fence/' \
    -e 's/call void asm sideeffect "exit;"[^(]*(/call void @device_exit(/' \
    -e 's/@vprintf/@device_printf/' >"$out.ll"
grep -q '@device_exit' "$out.ll" && echo 'declare void @device_exit()' >>"$out.ll"
"$clang" -O1 -w -fPIC -shared -x ir "$out.ll" -x c -I "$here/../../../src" "$here/host_device.c" -o "$out.so" -lm -ldl
