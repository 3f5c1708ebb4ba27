/* SPDX-License-Identifier: MIT */
#include "backend.h"

const struct amp__backend *const amp__backends[] = {
    &amp__cuda_backend,  &amp__cpu_backend,  &amp__null_backend, &amp__checked_backend,
    &amp__place_backend, &amp__rank_backend, &amp__all_backend,  NULL};
