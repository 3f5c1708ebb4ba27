/* SPDX-License-Identifier: MIT
 *
 * --amp-report: what became of each kernel on each target, in the words of somebody who writes C. */
#pragma once

#include "widen.h"

/* How `lanes` laid a kernel out for a target. */
struct layout {
    const struct kernel *kernel;
    int image;
    const struct widener *body;  /* as far as widen_access and widen_work need it */
    const struct widener *inner; /* of the body away from the borders; NULL: there is none */
    const struct shapes *truth;  /* with threads side by side, also where the body has one lane */
    int n_blocks;                /* that a tile takes */
    const char *why_scalar;      /* of a body with one lane */
};

/* Notes what is to be said of a kernel. The entry must still exist. */
void describe_kernel(struct unit *unit, const struct layout *layout);

struct text;

/* Adds "key": "value" as JSON; null for NULL. */
void describe_string(struct text *to, const char *key, const char *value);
