/* SPDX-License-Identifier: MIT
 *
 * Threads of a kernel that wait at barriers have stacks of their own, and switching between them is a function call. */
#include "checked.h"

#include <sys/mman.h>
#include <ucontext.h>

bool amp__fiber_init(struct amp__fiber *fiber, size_t stack_bytes)
{
    if (fiber->stack_bytes >= stack_bytes)
        return true;
    amp__fiber_fini(fiber);
    void *stack = mmap(NULL, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
        return false;
    fiber->stack = stack;
    fiber->stack_bytes = stack_bytes;
    return true;
}

void amp__fiber_fini(struct amp__fiber *fiber)
{
    if (fiber->stack)
        munmap(fiber->stack, fiber->stack_bytes);
    *fiber = (struct amp__fiber){0};
}

#if defined(__x86_64__)

void *amp__fiber_resumer;

void amp__fiber_restart(struct amp__fiber *fiber, void (*work)(void))
{
    void **top = (void **)(void *)(fiber->stack + fiber->stack_bytes - fiber->unused_bytes) - 1; /* as after a call */
    *top = NULL; /* `work` has no caller */
    *--top = (void *)(uintptr_t)work;
    fiber->at = top;
}

#else

static ucontext_t resumer;

void amp__fiber_restart(struct amp__fiber *fiber, void (*work)(void))
{
    ucontext_t *context = fiber->at = fiber->stack;
    getcontext(context);
    context->uc_stack.ss_sp = fiber->stack + sizeof *context;
    context->uc_stack.ss_size = fiber->stack_bytes - fiber->unused_bytes - sizeof *context;
    context->uc_link = NULL;
    makecontext(context, work, 0);
}

void amp__fiber_resume(struct amp__fiber *fiber)
{
    swapcontext(&resumer, fiber->at);
}

void amp__fiber_yield(struct amp__fiber *fiber)
{
    swapcontext(fiber->at, &resumer);
}

#endif
