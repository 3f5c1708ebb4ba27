// SPDX-License-Identifier: MIT
// Launches from threads with small stacks: a kernel whose arrays do not fit is refused, with a message of what it needs
// and what is left, and otherwise runs. On a stack that the program itself has made the runtime cannot know this, and
// the program ends by a signal. In no case is memory written below the stack's guard page.
// RUN: %ampcc -O2 %s -o %t && %run-alone %t | FileCheck %s
// RUN: %ampcc -O0 %s -o %t.plain && %run-alone %t.plain | FileCheck %s
// RUN: %ampcc -O2 -fstack-clash-protection %s -o %t.clash && %run-alone %t.clash | FileCheck %s
// CHECK: right or refused: 18, refused on the largest stack: 0, memory below: untouched
// CHECK-NEXT: own stacks: right or ended by a signal: 4, memory below: untouched
#include <amp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { N = 200, PAGE = 4096, BELOW = 2 << 20, MOST = 4 << 20 };

/* The last element of a thread's array that everyone writes from its end. */
#define KERNEL(name, count)                                                                                            \
    void name(amp_index1 idx, int n, int x[n]) restrict(amp)                                                           \
    {                                                                                                                  \
        int a[count], at = idx[0];                                                                                     \
        for (int i = 0; i < count; i++)                                                                                \
            a[count - 1 - i] = 3 * i + idx[0];                                                                         \
        for (int i = 0; i < 100; i++)                                                                                  \
            at = (a[at % count] + i) % 1000;                                                                           \
        x[idx[0]] = at;                                                                                                \
    }                                                                                                                  \
    static int expect_##name(int index)                                                                                \
    {                                                                                                                  \
        int at = index;                                                                                                \
        for (int i = 0; i < 100; i++)                                                                                  \
            at = (3 * (count - 1 - at % count) + index + i) % 1000;                                                    \
        return at;                                                                                                     \
    }
KERNEL(tiny, 2)
KERNEL(small, 256)
KERNEL(middle, 1000)
KERNEL(large, 3000)

static const struct {
    amp_kernel kernel;
    int (*expect)(int index);
    const char *name;
} kernels[] = {{(amp_kernel)tiny, expect_tiny, "tiny"},
               {(amp_kernel)small, expect_small, "small"},
               {(amp_kernel)middle, expect_middle, "middle"},
               {(amp_kernel)large, expect_large, "large"}};

static amp_status launch(int which, amp_array_view *view)
{
    switch (which) {
    case 0:
        return amp_parallel_for_each(amp_extent1(N), tiny, view);
    case 1:
        return amp_parallel_for_each(amp_extent1(N), small, view);
    case 2:
        return amp_parallel_for_each(amp_extent1(N), middle, view);
    default:
        return amp_parallel_for_each(amp_extent1(N), large, view);
    }
}

/* Runs one kernel; 1: right, 0: refused, as it should be, -1: wrong. */
static int try_kernel(int which)
{
    static const char way_out[] = "launch it from a thread with a larger stack";
    static int x[N];
    int result = 1;
    memset(x, 0, sizeof x);
    amp_array_view *view = amp_array_view1(N, x);
    amp_status status = launch(which, view);
    if (status == AMP_OK)
        status = amp_synchronize(view);
    if (status == AMP_ERROR_OUT_OF_MEMORY) {
        const char *text = amp_error_text();
        result = strncmp(text, kernels[which].name, strlen(kernels[which].name)) == 0 &&
                         strstr(text, "bytes of stack") && strstr(text, way_out)
                     ? 0
                     : -1;
    } else if (status != AMP_OK) {
        result = -1;
    }
    for (int i = 0; i < N && result == 1; i++)
        if (x[i] != kernels[which].expect(i))
            result = -1;
    amp_error_clear();
    amp_array_view_release(view);
    return result;
}

/* Memory for stacks: BELOW bytes that nobody may touch, a guard page, MOST bytes. */
static unsigned char *memory;

static unsigned char *stack_of(size_t size)
{
    return memory + BELOW + PAGE + MOST - size;
}

static void begin_memory(size_t size)
{
    mprotect(memory, BELOW + PAGE + MOST, PROT_READ | PROT_WRITE);
    memset(memory, 0x5a, BELOW + PAGE + MOST - size);
    mprotect(stack_of(size) - PAGE, PAGE, PROT_NONE);
}

static int is_touched(size_t size)
{
    for (unsigned char *at = memory; at < stack_of(size) - PAGE; at++)
        if (*at != 0x5a)
            return 1;
    return 0;
}

static void *run_thread(void *which)
{
    int *w = which;
    *w = try_kernel(*w);
    return NULL;
}

static int run_on_thread(int which, size_t size)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack_of(size), size);
    if (pthread_create(&thread, &attributes, run_thread, &which))
        return -1;
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    return which;
}

static int own_result, own_which;

static void run_context(void)
{
    own_result = try_kernel(own_which);
}

/* Runs on a stack made by makecontext, in a child, which may end by a signal. The child uses no device, because a
 * driver may not survive fork. */
static int run_on_own_stack(int which, size_t size)
{
    pid_t child = fork();
    if (child == 0) {
        static ucontext_t context, back;
        getcontext(&context);
        context.uc_stack.ss_sp = stack_of(size);
        context.uc_stack.ss_size = size;
        context.uc_link = &back;
        own_which = which;
        makecontext(&context, run_context, 0);
        swapcontext(&back, &context);
        _exit(own_result == 1 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

int main(void)
{
    static const size_t sizes[] = {64 << 10, 256 << 10, MOST};
    int touched = 0, good = 0, refused_on_largest = 0;
    memory = mmap(NULL, BELOW + PAGE + MOST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 1;

    /* 1. Own stacks, in children, before this process has an accelerator. */
    int own = 0, own_touched = 0;
    for (int which = 0; which < 4; which++) {
        begin_memory(64 << 10);
        own += run_on_own_stack(which, 64 << 10);
        own_touched |= is_touched(64 << 10);
    }

    /* 2. Threads, each twice: what a thread knows of its stack is its own. */
    for (int s = 0; s < 3; s++)
        for (int again = 0; again < 2; again++)
            for (int which = 1; which < 4; which++) {
                begin_memory(sizes[s]);
                int result = run_on_thread(which, sizes[s]);
                good += result >= 0;
                refused_on_largest += s == 2 && result == 0;
                touched |= is_touched(sizes[s]);
            }
    printf("right or refused: %d, refused on the largest stack: %d, memory below: %s\n", good, refused_on_largest,
           touched ? "touched" : "untouched");
    printf("own stacks: right or ended by a signal: %d, memory below: %s\n", own,
           own_touched ? "touched" : "untouched");
    return 0;
}
