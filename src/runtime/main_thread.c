/* SPDX-License-Identifier: MIT
 *
 * The end of the main thread by pthread_exit. The C library ends the process with its last thread, and the threads that
 * libamp keeps for later work must not prevent that. So once the main thread has ended, threads of the library that
 * have had nothing to do for a while end, too, and are made again when there is work. The same happens if the end of
 * the main thread cannot be noticed, because another thread loaded the library.
 *
 * When the process ends, they stay: a launch of an atexit function makes new ones, the last of which would end the
 * process a second time, while its first end still calls such functions.
 *
 * The main thread takes the process's signals until submitted work is done. After that the queues' threads take them,
 * because they may be the last ones. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* gettid */
#endif
#include "backend.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_key_t key; /* whose destructor is called when the main thread ends */
static bool has_key;
static atomic_bool is_alive; /* the main thread, and its end will be noticed; or the process already ends */
static atomic_bool has_ended;
static sigset_t signals; /* that the main thread had blocked at its end */

static void end_process(void)
{
    atomic_store(&is_alive, true);
}

static void end_main(void *value)
{
    (void)value;
    atexit(end_process); /* called before all functions that are there so far */
    amp__queue_drain();
    pthread_sigmask(SIG_SETMASK, NULL, &signals);
    atomic_store(&has_ended, true);
    atomic_store(&is_alive, false);
    amp__queue_rouse();
    for (const struct amp__backend *const *b = amp__backends; *b; b++)
        if ((*b)->main_ended)
            (*b)->main_ended();
}

void amp__main_watch(void)
{
    if (has_key && !atomic_load(&is_alive) && !atomic_load(&has_ended) && gettid() == getpid())
        atomic_store(&is_alive, pthread_setspecific(key, &key) == 0);
}

bool amp__main_is_alive(void)
{
    return atomic_load(&is_alive);
}

void amp__main_follow(void)
{
    if (atomic_load(&has_ended))
        pthread_sigmask(SIG_SETMASK, &signals, NULL);
}

void amp__main_renew(void)
{
    atomic_store(&has_ended, false);
    atomic_store(&is_alive, false);
    amp__main_watch();
}

__attribute__((constructor)) static void begin(void)
{
    has_key = pthread_key_create(&key, end_main) == 0;
    amp__main_watch();
    if (!amp__main_is_alive())
        atexit(end_process);
}

__attribute__((destructor)) static void end(void)
{
    if (has_key)
        pthread_key_delete(key);
    has_key = false;
}
