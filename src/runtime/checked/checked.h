/* SPDX-License-Identifier: MIT
 *
 * Internals of the checked backend. One launch runs at a time, on the thread that launches it. */
#pragma once

#include "../backend.h"

#include <limits.h>

#pragma GCC visibility push(default)
#include "../../abi/checked.h"
#pragma GCC visibility pop

/* ---- memory.c ---- */

/* Reserves zeroed memory; what is never touched takes none. Returns NULL if there is none. */
void *amp__checked_map(size_t size_bytes);
void amp__checked_unmap(void *memory, size_t size_bytes);
/* The device's functions for memory. */
amp_status amp__checked_alloc(void *device, size_t size_bytes, void **memory);
void amp__checked_free(void *device, void *memory);
void *amp__checked_address(void *device, struct amp__at at);
amp_status amp__checked_copy_in(void *device, void *queue, struct amp__at to, const void *host, size_t size_bytes);
amp_status amp__checked_copy_out(void *device, void *queue, void *host, struct amp__at from, size_t size_bytes);
amp_status amp__checked_copy_across(void *device, void *queue, struct amp__at to, struct amp__at from,
                                    size_t size_bytes);
void amp__checked_discard(void *device, struct amp__at at, size_t size_bytes);
size_t amp__checked_compare(void *device, struct amp__at at, const void *host, size_t size_bytes);
/* For the child of a fork. */
void amp__checked_renew(void);
/* Lets accesses to the bytes be recorded in this launch, even if they are the user's own memory. Returns false without
 * memory. */
bool amp__checked_watch(unsigned char *base, size_t size_bytes);
/* Ends that for the user's memory. */
void amp__checked_unwatch(void);
/* Fills in where accesses to the object, whose bytes are known, are recorded. */
void amp__checked_find(int granule_shift, struct amp__check_object *object);

/* ---- objects.c ---- */

/* Sets how many elements apart neighbours lie along each dimension of an object. */
void amp__object_pitches(const struct amp__check_object *object, long long pitch[AMP_MAX_RANK]);
/* Fills in the objects of the launch, and saves what it may write. Returns false without memory, which is reported. */
bool amp__objects_begin(void);
/* Ends what that began: what the launch has written is kept, or is as before again. */
void amp__objects_end(bool is_kept);

/* Forgets what tile_static variables have, when a tile begins. */
void amp__objects_begin_tile(void);
/* Looks which tile_static variables are written as a whole: what is read of them needs no check. */
void amp__objects_close_defined(void);

/* ---- fiber.c ---- */

/* A stack on which a thread of a kernel runs until it yields. */
struct amp__fiber {
    char *stack;
    size_t stack_bytes;
    size_t
        unused_bytes; /* at its end, a multiple of 16: stacks that begin apart fall into different lines of a cache */
    void *at;         /* where it goes on */
};

/* Gives the fiber a stack of at least so many bytes. Returns false without memory. */
bool amp__fiber_init(struct amp__fiber *fiber, size_t stack_bytes);
void amp__fiber_fini(struct amp__fiber *fiber);
/* Makes the fiber call `work`, which never returns, when it is next resumed. */
void amp__fiber_restart(struct amp__fiber *fiber, void (*work)(void));

#if defined(__x86_64__)

extern void *amp__fiber_resumer; /* the stack of who resumed the current fiber */

/* Saves the stack, and goes on where `to` was saved. The system's functions for this also change the signals that are
 * blocked, which takes a hundred times as long. It is inlined because processors predict where a function returns to:
 * the place from which it was called, not the other stack's. */
static inline __attribute__((always_inline)) void amp__fiber_switch(void **from, void *to)
{
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n" /* below it, functions may keep variables */
                     "pushq %%rbp\n"
                     "leaq 1f(%%rip), %%rax\n"
                     "pushq %%rax\n"
                     "movq %%rsp, (%%rdi)\n"
                     "movq %%rsi, %%rsp\n"
                     "popq %%rax\n"
                     "jmpq *%%rax\n"
                     "1:\n"
                     "popq %%rbp\n"
                     "leaq 128(%%rsp), %%rsp\n"
                     : "+D"(from), "+S"(to)
                     :
                     : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
                       "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
                       "xmm13", "xmm14", "xmm15", "memory", "cc");
}

/* Runs the fiber until it yields. */
static inline __attribute__((always_inline)) void amp__fiber_resume(struct amp__fiber *fiber)
{
    amp__fiber_switch(&amp__fiber_resumer, fiber->at);
}

/* Goes back to who resumed the fiber. */
static inline __attribute__((always_inline)) void amp__fiber_yield(struct amp__fiber *fiber)
{
    amp__fiber_switch(&fiber->at, amp__fiber_resumer);
}

#else

void amp__fiber_resume(struct amp__fiber *fiber);
void amp__fiber_yield(struct amp__fiber *fiber);

#endif

/* ---- run.c ---- */

/* A thread of the kernel. */
struct amp__place {
    int place[3], tile[3]; /* slowest first */
};

/* Who reports what is found: a launch, or the host's code. */
struct amp__reporter {
    const struct amp__kernel *kernel;
    unsigned long number; /* no other has it */
};

/* The launch that runs now. */
struct amp__running {
    const struct amp__launch *launch;
    const struct amp__check_kernel *kernel;
    const void *args;
    int box[6];
    struct amp__place at;  /* of the thread; in a tile `place` is not kept, see amp__here */
    bool is_over;          /* no more threads are to run */
    long long first_stamp; /* of the box */
    struct amp__reporter reporter;
    int cancellation; /* as it was before the launch */
    long long begin_ns, limit_ns;
    char aborted[512]; /* the text of amp_abort */
    bool is_aborted;
    amp_status status;  /* of what keeps the launch from running */
    const char *helper; /* whose arithmetic is reported next; NULL: the kernel's own */
};
extern struct amp__running amp__running;

/* Returns the thread that runs now. */
const struct amp__place *amp__here(void);
/* Whether a recorded access to the object is of this tile, and a fence and an atomic operation order it before what
 * this thread does now. */
bool amp__is_observed(const struct amp__check_object *object, amp__check_word word);
/* Ends the thread that runs now. */
_Noreturn void amp__check_leave(void);
/* Finds the thread that has a stamp of this launch. Returns false if it is not known any more. */
bool amp__place_of(long long stamp, struct amp__place *at);

/* ---- access.c ---- */

/* Reports a mistake of the host's code. A launch may run meanwhile. */
void amp__report_host(const struct amp__reporter *host, const struct amp__host_mistake *mistake);

/* ---- report.c ---- */

enum { AMP__THREAD_TEXT = 8 * 12 + 2 };

#define AMP__UNKNOWN LLONG_MIN

/* What is known about a mistake besides its place. */
struct amp__finding {
    const char *kind;
    const struct amp__reporter *host; /* who reports it if no thread of a kernel makes it; NULL: the launch */
    const char *remedy;               /* what mends it */
    const char *variable;             /* NULL: none */
    int n_subscripts, n_extents;
    long long subscripts[AMP_MAX_RANK];
    long long extents[AMP_MAX_RANK];     /* or AMP__UNKNOWN */
    int other_line;                      /* of the other thread that takes part; 0: there is none */
    char other_thread[AMP__THREAD_TEXT]; /* empty: it is not known */
};

/* Begins and ends the reports of a launch, or of the host. The end fails if there is any. All functions for reports may
 * be called by several threads at once. */
struct amp__reporter amp__reports_begin(const struct amp__kernel *kernel);
amp_status amp__reports_end(const struct amp__reporter *reporter);
/* For the child of a fork. */
void amp__reports_renew(void);
/* Reports a mistake of the thread that runs now at a site, unless the same kind was already reported for the line and
 * kernel. The text is followed by the remedy. */
void amp__report(const struct amp__check_site *site, const struct amp__finding *finding, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));
/* Writes "(3, 5)": the index of a thread in the domain. */
char *amp__thread_text(const struct amp__place *at, char text[AMP__THREAD_TEXT]);
