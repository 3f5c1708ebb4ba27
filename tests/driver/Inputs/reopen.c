/* SPDX-License-Identifier: MIT
 * reopen LIBRARY [TIMES] */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int n, char **args)
{
    int times = n > 2 ? atoi(args[2]) : 2;
    for (int i = 0; i < times && n > 1; i++) {
        void *library = dlopen(args[1], RTLD_NOW);
        int (*one)(void) = library ? (int (*)(void))dlsym(library, "one") : NULL;
        if (!one || one())
            return 1;
        if (dlclose(library))
            return 1;
        puts("closed");
        fflush(stdout);
    }
    return 0;
}
