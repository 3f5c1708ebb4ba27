// SPDX-License-Identifier: MIT
// main ends with pthread_exit after launches. As in any C program, the process ends with status 0 when the last of the
// program's threads has ended and all work is done, its atexit functions are called, and until then signals end it.
// RUN: %ampcc -O2 %s -o %t && %t | FileCheck %s
// RUN: %ampcc -O2 -fPIC -shared -DLIBRARY %s -o %t.so && %clang -I %build/include -DLOADS %s -o %t.host
// RUN: %t.host %t.so | FileCheck --check-prefix=LOADED %s
#include <amp.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int launch(int is_async, void (*callback)(amp_status status, void *user));

#ifndef LOADS
enum { N = 1 << 18 };
static int data[N];

static void increment(amp_index1 idx, int n, int x[n]) restrict(amp)
{
    x[idx[0]]++;
}

/* Large enough for all threads of the pool. */
int launch(int is_async, void (*callback)(amp_status status, void *user))
{
    amp_array_view *x = amp_array_view1(N, data);
    amp_future *future = is_async ? amp_parallel_for_each_async(amp_extent1(N), increment, x) : NULL;
    amp_status status = is_async ? AMP_OK : amp_parallel_for_each(amp_extent1(N), increment, x);
    if (callback)
        amp_future_then(future, callback, NULL);
    amp_future_release(future);
    amp_array_view_release(x);
    return status == AMP_OK && amp_error_status() == AMP_OK ? data[N - 1] : -1;
}
#endif

#ifndef LIBRARY
static pthread_t main_thread;

static void say(const char *text)
{
    printf("%s", text);
    fflush(stdout);
}

static void at_end(void)
{
    say(" atexit");
}

static void start(void *(*run)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_detach(thread);
}

static void end_main(void)
{
    pthread_exit(NULL);
}

static void pause_for(int milliseconds)
{
    usleep((unsigned)milliseconds * 1000);
}

#ifdef LOADS
static int (*load(void))(int, void (*)(amp_status, void *))
{
    static void *library;
    library = library ? library : dlopen(getenv("LIBRARY"), RTLD_NOW);
    void *function = library ? dlsym(library, "launch") : NULL;
    return function ? (int (*)(int, void (*)(amp_status, void *)))function : NULL;
}

static void *launch_loaded(void *context)
{
    pause_for(100);
    printf(" %d", load()(0, NULL));
    printf(" %d", load()(0, NULL));
    return context;
}

static void main_loads(void)
{
    printf(" %d", load()(0, NULL));
    end_main();
}

static void other_loads(void)
{
    start(launch_loaded);
    end_main();
}

static void other_loads_first(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, launch_loaded, NULL);
    pthread_join(thread, NULL);
    end_main();
}

#define SCENARIOS(_) _(main_loads, 0) _(other_loads, 0) _(other_loads_first, 0)
// LOADED: main_loads: 1 atexit, exit 0
// LOADED-NEXT: other_loads: 1 2 atexit, exit 0
// LOADED-NEXT: other_loads_first: 1 2 atexit, exit 0
#else
static void *sleep_long(void *context)
{
    pause_for(300);
    say(" slept");
    return context;
}

static void *join_main(void *context)
{
    pthread_join(main_thread, NULL);
    say(" joined");
    return context;
}

static void note(amp_status status, void *user)
{
    (void)user;
    pause_for(100);
    say(status == AMP_OK ? " called" : " failed");
}

static void launch_again(amp_status status, void *user)
{
    note(status, user);
    launch(1, note);
}

static void hang(amp_status status, void *user)
{
    (void)status, (void)user;
    say(" hangs");
    for (;;)
        pause();
}

static void *launch_late(void *context)
{
    for (int i = 0; i < 3; i++) {
        pause_for(150); /* the library's threads may have ended since */
        launch(0, NULL);
    }
    launch(1, note);
    return context;
}

static void *hang_late(void *context)
{
    pause_for(150);
    launch(1, hang);
    return context;
}

/* Nothing but the threads' last act can end such a process. */
static void block_all(void)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static void synchronous(void)
{
    launch(0, NULL);
    end_main();
}

static void asynchronous(void)
{
    launch(1, note);
    end_main();
}

static void blocking(void)
{
    block_all();
    launch(1, note);
    end_main();
}

static void chain(void)
{
    launch(1, launch_again);
    end_main();
}

static void other_sleeps(void)
{
    launch(0, NULL);
    start(sleep_long);
    end_main();
}

static void other_joins(void)
{
    launch(1, note);
    start(join_main);
    end_main();
}

static void other_launches(void)
{
    start(launch_late);
    end_main();
}

static void both_launch(void)
{
    start(launch_late);
    launch(0, NULL);
    launch(1, note);
    end_main();
}

static void terminated(void)
{
    launch(1, hang);
    end_main();
}

static void other_is_terminated(void)
{
    launch(1, note);
    start(hang_late);
    end_main();
}

static void in_child(void)
{
    launch(0, NULL);
    if (fork() == 0) {
        launch(0, NULL);
        end_main();
    }
    int status = -1;
    wait(&status);
    printf(" %d", status);
}

/* Only when the main thread is gone: its pthread_exit loads a library, and a fork in the midst of that would leave the
 * child with a dynamic linker that can load nothing. */
static void *launch_in_child(void *context)
{
    pthread_join(main_thread, NULL);
    if (fork() == 0) {
        launch(0, NULL);
        pthread_exit(NULL);
    }
    int status = -1;
    wait(&status);
    printf(" %d", status);
    return context;
}

static void in_child_of_other(void)
{
    launch(0, NULL);
    start(launch_in_child);
    end_main();
}

static void launch_at_end(void)
{
    launch(0, NULL);
    launch(1, NULL);
    say(" launched");
}

/* The last thread, which calls the function, may be one of the library's, and the launches make new ones. */
static void launches_at_end(void)
{
    setenv("AMP_NUM_THREADS", "12", 1);
    atexit(launch_at_end);
    launch(0, NULL);
    launch(1, NULL);
    end_main();
}

static void end_late(void)
{
    pause_for(300); /* by then the library's threads have had nothing to do for a while */
    say(" late");
}

static void ends_late(void)
{
    atexit(end_late);
    launches_at_end();
}

#define SCENARIOS(_)                                                                                                   \
    _(synchronous, 0) _(asynchronous, 0) _(blocking, 0) _(chain, 0) _(other_sleeps, 0) _(other_joins, 0)               \
        _(other_launches, 0) _(both_launch, 0) _(terminated, 1) _(other_is_terminated, 1) _(in_child, 0)               \
            _(in_child_of_other, 0) _(launches_at_end, 0) _(launches_at_end, 0) _(launches_at_end, 0)                \
            _(ends_late, 0) _(ends_late, 0) _(ends_late, 0)
// CHECK: synchronous: atexit, exit 0
// CHECK-NEXT: asynchronous: called atexit, exit 0
// CHECK-NEXT: blocking: called atexit, exit 0
// CHECK-NEXT: chain: called called atexit, exit 0
// CHECK-NEXT: other_sleeps: slept atexit, exit 0
// CHECK-NEXT: other_joins: called joined atexit, exit 0
// CHECK-NEXT: other_launches: called atexit, exit 0
// CHECK-NEXT: both_launch: called called atexit, exit 0
// CHECK-NEXT: terminated: hangs, signal 15
// CHECK-NEXT: other_is_terminated: called hangs, signal 15
// CHECK-NEXT: in_child: atexit 0 atexit, exit 0
// CHECK-NEXT: in_child_of_other: atexit 0 atexit, exit 0
// CHECK-NEXT: launches_at_end: launched atexit, exit 0
// CHECK-NEXT: launches_at_end: launched atexit, exit 0
// CHECK-NEXT: launches_at_end: launched atexit, exit 0
// CHECK-NEXT: ends_late: launched late atexit, exit 0
// CHECK-NEXT: ends_late: launched late atexit, exit 0
// CHECK-NEXT: ends_late: launched late atexit, exit 0
#endif

static const struct {
    const char *name;
    void (*run)(void);
    int is_terminated;
} scenarios[] = {
#define SCENARIO(name, is_terminated) {#name, name, is_terminated},
    SCENARIOS(SCENARIO)};

/* Runs the program again, for one scenario. SIGTERM comes after a second, SIGKILL after ten. */
static void run(const char *program, int i)
{
    char number[12];
    snprintf(number, sizeof number, "%d", i);
    printf("%s:", scenarios[i].name);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("SCENARIO", number, 1);
        execl(program, program, (char *)NULL);
        _exit(127);
    }
    int status = 0, waited = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 && waited < 10000) {
        pause_for(10);
        waited += 10;
        if (waited == 1000 && scenarios[i].is_terminated)
            kill(child, SIGTERM);
    }
    if (ended == 0) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    printf(WIFEXITED(status) ? ", exit %d\n" : ", signal %d\n",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

int main(int argc, char **argv)
{
    if (argc > 1)
        setenv("LIBRARY", argv[1], 1);
    const char *scenario = getenv("SCENARIO");
    if (scenario) {
        atexit(at_end);
        main_thread = pthread_self();
        scenarios[atoi(scenario)].run();
        return 0;
    }
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        run(argv[0], (int)i);
    return 0;
}
#endif
