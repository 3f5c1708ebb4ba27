/* SPDX-License-Identifier: MIT */
#include "bench.h"
#include <amp.h>

const char *bench_note(void)
{
    if (amp_error_status() != AMP_OK)
        die(amp_error_text());
    return amp_accelerator_info(amp_accelerator_default())->description;
}
