/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 -S --amp-cpu=x86-64-v2 --amp-gpu=none %s -o - | FileCheck %s --check-prefix=V2 \
 * RUN:   --implicit-check-not=__trunc --implicit-check-not=__extend --implicit-check-not=cvtph2ps --implicit-check-not=cvtps2ph
 * RUN: %ampcc -O2 -S --amp-cpu=x86-64-v3 --amp-gpu=none %s -o - | FileCheck %s --check-prefixes=CONVERTS,V3 \
 * RUN:   --implicit-check-not=__trunc --implicit-check-not=__extend
 * RUN: %ampcc -O2 -S --amp-cpu=x86-64-v4 --amp-gpu=none %s -o - | FileCheck %s --check-prefixes=CONVERTS,V4 \
 * RUN:   --implicit-check-not=__trunc --implicit-check-not=__extend
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v2,x86-64-v3,x86-64-v4,sapphirerapids --amp-gpu=none -c %s --amp-dump-after=optimise \
 * RUN:   --amp-stop-after=optimise | FileCheck %s --check-prefix=IR \
 * RUN:   --implicit-check-not="{{(fadd|fsub|fmul|fdiv|fcmp|load|store|phi|select).* (half|bfloat)}}"
 * RUN: %ampcc -O2 --amp-gpu=sm_75,sm_90 -c %s --amp-dump-after=assemble --amp-stop-after=assemble \
 * RUN:   | FileCheck %s --check-prefix=PTX --implicit-check-not=.bf16
 *
 * Small floating-point types are computed with in vectors, and by instructions where there are some: no function is
 * called for a conversion, no lane goes alone, and what a loop does not change is converted in front of it. Processors'
 * instructions for bfloat, which take subnormal numbers for zero, are not used. */
#include <amp.h>

// V2: "in_half.x86-64-v
// V2: mulps
// V2: addps
// CONVERTS: "in_half.x86-64-v
// V3: vcvtph2ps {{.*}}(%{{.*}}), %ymm
// V3: vcvtph2ps {{.*}}(%{{.*}}), %ymm
// V3: vcvtps2ph $4, %ymm{{[0-9]+}}, {{.*}}(%
// V4: vcvtph2ps {{.*}}(%{{.*}}), %zmm
// V4: vcvtph2ps {{.*}}(%{{.*}}), %zmm
// V4: vcvtps2ph $4, %zmm{{[0-9]+}}, {{.*}}(%
// IR: ---- x86-64-v2
// IR: define {{.*}}@amp__run_0_0(
// PTX: .entry in_half_kernel(
// PTX: cvt.f32.f16
// PTX: cvt.rn.f16.f32
void in_half(amp_index1 idx, int N, _Float16 f, const _Float16 a[N], const _Float16 b[N], _Float16 out[N]) restrict(amp)
{
    int i = idx[0];
    out[i] = a[i] * b[i] + f;
}

// V2: "in_bfloat.x86-64-v
// V2: mulps
// V2: addps
// CONVERTS: "in_bfloat.x86-64-v
// V3: {{vfmadd.*ymm}}
// V3-NOT: vcvtneps2bf16
// V4: {{vfmadd.*zmm}}
// V4-NOT: vcvtneps2bf16
// IR: define {{.*}}@amp__run_1_0(
// PTX: .entry in_bfloat_kernel(
void in_bfloat(amp_index1 idx, int N, __bf16 f, const __bf16 a[N], const __bf16 b[N], __bf16 out[N]) restrict(amp)
{
    int i = idx[0];
    out[i] = a[i] * b[i] + f;
}

// A double is not rounded to nearest in float on its way.
// V2: "from_double.x86-64-v
// V2: cvtpd2ps
// V2: cvtps2pd
// CONVERTS: "from_double.x86-64-v
// CONVERTS: vcvtpd2ps
// CONVERTS: vcvtps2pd
// CONVERTS: vcvtps2ph
// IR: define {{.*}}@amp__run_2_0(
// IR: fpext <{{.*}} x float> {{.*}} to <{{.*}} x double>
// PTX: .entry from_double_kernel(
// PTX: cvt.rn.f16.f64
void from_double(amp_index1 idx, int N, const double x[N], _Float16 h[N], __bf16 b[N]) restrict(amp)
{
    h[idx[0]] = (_Float16)x[idx[0]];
    b[idx[0]] = (__bf16)x[idx[0]];
}

// GPUs add and compare halves themselves.
// IR: define {{.*}}@amp__run_3_0(
// PTX: .entry own_kernel(
// PTX-DAG: add.rn.f16
// PTX-DAG: setp.{{[a-z]*}}.f16
void own(amp_index1 idx, int N, const _Float16 x[N], _Float16 h[N]) restrict(amp)
{
    _Float16 most = x[idx[0]];
    for (int k = 0; k < N; k++)
        if (x[k] > most)
            most = most + x[k];
    h[idx[0]] = most;
}
