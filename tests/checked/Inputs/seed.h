/* What the programs of this folder share: launches that must fail with a message, which FileCheck reads. */
#pragma once

#include <amp.h>
#include <stdio.h>

/* Prints the status and text of the launch that `call` makes. */
#define MISTAKE(call)                                                                                                  \
    do {                                                                                                               \
        amp_status status_ = (call);                                                                                   \
        printf("%s %s\n", amp_status_name(status_), amp_error_text());                                                 \
        amp_error_clear();                                                                                             \
    } while (0)

/* Prints what was found in code of the host. */
static inline void found(void)
{
    printf("%s %s\n", amp_status_name(amp_error_status()), amp_error_text());
    amp_error_clear();
}
