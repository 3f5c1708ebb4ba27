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

static void *resumer; /* the stack of who resumed the current fiber */

/* Saves the registers that a function preserves, and goes on where `to` was saved. The system's functions for this also
 * change the signals that are blocked, which takes a hundred times as long. */
void amp__fiber_switch(void **from, void *to) __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".hidden amp__fiber_switch\n"
        ".globl amp__fiber_switch\n"
        ".type amp__fiber_switch, @function\n"
        "amp__fiber_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size amp__fiber_switch, . - amp__fiber_switch\n");

void amp__fiber_restart(struct amp__fiber *fiber, void (*work)(void))
{
    enum { SAVED = 6 };
    void **top = (void **)(void *)(fiber->stack + fiber->stack_bytes) - 1; /* as after a call */
    *top = NULL;                                                           /* `work` has no caller */
    *--top = (void *)(uintptr_t)work;
    for (int i = 0; i < SAVED; i++)
        *--top = NULL;
    fiber->at = top;
}

void amp__fiber_resume(struct amp__fiber *fiber)
{
    amp__fiber_switch(&resumer, fiber->at);
}

void amp__fiber_yield(struct amp__fiber *fiber)
{
    amp__fiber_switch(&fiber->at, resumer);
}

#else

static ucontext_t resumer;

void amp__fiber_restart(struct amp__fiber *fiber, void (*work)(void))
{
    ucontext_t *context = fiber->at = fiber->stack;
    getcontext(context);
    context->uc_stack.ss_sp = fiber->stack + sizeof *context;
    context->uc_stack.ss_size = fiber->stack_bytes - sizeof *context;
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
