/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -fPIC -DNAME=one -DFACTOR=3 -c %s -o %t1.o
 * RUN: %ampcc -O2 -fPIC -DNAME=two -DFACTOR=5 -c %s -o %t2.o
 * RUN: rm -f %t.a && ar rcs %t.a %t1.o %t2.o
 * RUN: %ampcc -shared -Wl,--whole-archive %t.a -Wl,--no-whole-archive -o %t1.so
 * RUN: %ampcc -O2 -fPIC -shared -DNAME=one -DFACTOR=7 %s -o %t2.so
 * RUN: %ampcc -O2 %s %t.a -o %t && %run %t %t1.so %t2.so
 *
 * Kernels, helpers and tile memory of equal names in several files: two in a static library, the same two in a shared
 * library, and others in a second shared one. Both are opened, called, closed and opened again in changing order. */
#include <amp.h>
#include <stdio.h>

#ifdef NAME
#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
enum { S = 12 };

static const int factors[] = {FACTOR, FACTOR * 10};

static int scaled(int x) restrict(amp)
{
    return x * factors[x & 1];
}

static void kernel(amp_tiled_index1(S) t, int N, int x[N]) restrict(amp)
{
    tile_static int part[S];
    part[t.local[0]] = scaled(x[t.global[0]]);
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = part[S - 1 - t.local[0]];
}

/* Not static: in each object its own, by its name. */
void JOIN(outer_, NAME)(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] += FACTOR;
}

int JOIN(check_, NAME)(void);
int JOIN(check_, NAME)(void)
{
    int x[5 * S];
    for (int i = 0; i < 5 * S; i++)
        x[i] = i;
    amp_array_view *view = amp_array_view1(5 * S, x);
    amp_parallel_for_each(amp_extent1(5 * S), kernel, view);
    amp_parallel_for_each(amp_extent1(5 * S), JOIN(outer_, NAME), view);
    amp_synchronize(view);
    amp_array_view_release(view);
    for (int i = 0; i < 5 * S; i++) {
        int from = i / S * S + S - 1 - i % S, want = from * (from & 1 ? FACTOR * 10 : FACTOR) + FACTOR;
        if (amp_error_status() != AMP_OK || x[i] != want) {
            fprintf(stderr, "factor %d, x[%d] is %d, expected %d; %s\n", FACTOR, i, x[i], want, amp_error_text());
            return 1;
        }
    }
    return 0;
}
#else
#include <dlfcn.h>

int check_one(void);
int check_two(void);

/* Calls `name` of the library. */
static int call(void *library, const char *name)
{
    int (*check)(void) = library ? (int (*)(void))dlsym(library, name) : NULL;
    if (!check) {
        fprintf(stderr, "%s: %s\n", name, dlerror());
        return 1;
    }
    return check();
}

int main(int n, char **names)
{
    int failed = n != 3 || check_one() || check_two();
    for (int round = 0; round < 6 && !failed; round++) {
        void *first = dlopen(names[1 + round % 2], RTLD_NOW | RTLD_LOCAL);
        void *second = dlopen(names[2 - round % 2], RTLD_NOW | RTLD_LOCAL);
        failed = call(first, "check_one") || call(second, "check_one") || check_one() || check_two();
        failed = failed || call(round % 2 ? second : first, "check_two");
        if (round % 3 && first)
            dlclose(first);
        failed = failed || call(second, "check_one") || check_two();
        if (second)
            dlclose(second);
        if (round % 3 == 0 && first)
            failed = failed || call(first, "check_one") || dlclose(first) != 0;
    }
    return failed;
}
#endif
