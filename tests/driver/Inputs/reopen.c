/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdio.h>

int main(int n, char **args)
{
    for (int i = 0; i < 2 && n > 1; i++) {
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
