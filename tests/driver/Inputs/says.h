/* SPDX-License-Identifier: MIT */
void seldom(void) __attribute__((warning("slow")));
void never(void) __attribute__((error("gone")));
void use(char *bytes);
#define TWICE(call) call, call

static inline void from_header(int x)
{
    if (x)
        seldom();
}
