/* SPDX-License-Identifier: MIT */
#include "ast.h"
#include "driver.h"

bool check(struct unit *unit)
{
    return diag_count() == unit->driver->n_errors_before;
}
