/* SPDX-License-Identifier: MIT
 *
 * Manages temporary files and child processes. Neither outlives ampcc: the handler of a signal that ends it ends the
 * children, removes the temporary folder and the unfinished output, and then lets the signal take effect. The signal
 * may come in the middle of malloc, so the handler only makes system calls. No handler sees SIGKILL; then the kernel
 * signals the child. */
#include "driver/driver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <llvm-c/Core.h>
#include <setjmp.h>
#include <signal.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- temporary files: one folder, removed on every exit ---- */

static int n_temporaries;
static char folder[4096];
static const char *unfinished; /* the unfinished output; NULL: none */

/* Removes everything in the folder: clang may put files beside ours. */
static void remove_temporaries(void)
{
    alignas(struct dirent64) char entries[4096];
    const struct dirent64 *entry;
    int fd = folder[0] ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    for (ssize_t size; fd >= 0 && (size = getdents64(fd, entries, sizeof entries)) > 0;)
        for (ssize_t at = 0; at < size; at += entry->d_reclen) {
            entry = (const struct dirent64 *)(entries + at);
            unlinkat(fd, entry->d_name, 0);
        }
    if (fd >= 0)
        close(fd);
    if (folder[0])
        rmdir(folder);
    folder[0] = 0;
}

/* Keeps what the user may not write, even if its folder would let us remove it, as clang does. */
static void remove_output(void)
{
    struct stat about;
    if (unfinished && !lstat(unfinished, &about) && S_ISREG(about.st_mode) && !access(unfinished, W_OK))
        unlink(unfinished);
    unfinished = NULL;
}

void driver_begin_output(const char *path)
{
    unfinished = strcmp(path, "-") ? path : NULL;
}

void driver_end_output(bool is_good)
{
    if (!is_good)
        remove_output();
    unfinished = NULL;
}

static void make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    if (!parent || !*parent)
        parent = "/tmp";
    if (strchr(parent, ';')) {
        diag_command("clang takes no ';' in the names of temporary files; set TMPDIR to a folder other than '%s'",
                     parent);
        exit(EXIT_USER_ERROR);
    }
    char here[PATH_MAX] = ""; /* clang would mistake a name that begins with '-' for an option */
    bool is_relative = parent[0] != '/' && getcwd(here, sizeof here);
    snprintf(folder, sizeof folder, "%s%s%s/ampcc-XXXXXX", here, is_relative ? "/" : "", parent);
    if (!mkdtemp(folder)) {
        diag_command("cannot make a temporary folder in '%s': %s", parent, strerror(errno));
        folder[0] = 0;
        exit(EXIT_USER_ERROR);
    }
}

const char *driver_temporary(const char *suffix)
{
    if (!folder[0])
        make_folder();
    return arena_printf("%s/%d%s", folder, n_temporaries++, suffix);
}

void driver_write(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    size_t written = file ? fwrite(bytes, 1, size, file) : 0;
    if (!file || fclose(file) || written != size) {
        diag_command("cannot write '%s': %s", path, strerror(errno));
        exit(EXIT_USER_ERROR);
    }
}

/* ---- signals ---- */

/* The signals that end a process and that somebody may send. */
static const int interrupts[] = {SIGHUP,  SIGINT,  SIGQUIT,   SIGTERM, SIGPIPE, SIGALRM,
                                 SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ};
static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { N_INTERRUPTS = sizeof interrupts / sizeof *interrupts, N_CRASHES = sizeof crashes / sizeof *crashes };

static volatile pid_t child;   /* 0: none runs */
static char children_list[64]; /* the kernel's list of our children */

/* Children that the process had before it became ampcc, for example those of a shell that used exec: ampcc must not end
 * them. */
enum { MOST_INHERITED = 256 };
static pid_t inherited[MOST_INHERITED];
static int n_inherited;

static bool is_inherited(pid_t pid)
{
    for (int i = 0; i < n_inherited; i++)
        if (inherited[i] == pid)
            return true;
    return false;
}

/* Returns one of our children that is not inherited; 0 if there is none. */
static pid_t find_child(void)
{
    char digits[16 * (MOST_INHERITED + 1)];
    int fd = open(children_list, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return child;
    ssize_t size = read(fd, digits, sizeof digits);
    close(fd);
    pid_t pid = 0;
    for (ssize_t i = 0; i < size; i++)
        if (digits[i] >= '0' && digits[i] <= '9')
            pid = 10 * pid + (digits[i] - '0');
        else if (pid > 0 && !is_inherited(pid))
            return pid;
        else
            pid = 0;
    return 0;
}

static void note_inherited(void)
{
    for (pid_t pid; n_inherited < MOST_INHERITED && (pid = find_child()) > 0;)
        inherited[n_inherited++] = pid;
}

/* Ends clang, which then removes what it was writing, and the linker, which ampcc inherits from it. */
static void end_children(void)
{
    static const struct timespec pause = {.tv_nsec = 2000000};
    enum { PATIENCE = 1000 };
    for (pid_t pid; (pid = find_child()) > 0;) {
        kill(pid, SIGTERM);
        int i = 0;
        while (waitpid(pid, NULL, WNOHANG) == 0 && i++ < PATIENCE)
            nanosleep(&pause, NULL);
        if (i > PATIENCE) {
            kill(pid, SIGKILL);
            waitpid(pid, NULL, 0);
        }
        child = 0;
    }
}

static void clean_up(void)
{
    end_children();
    remove_temporaries();
    remove_output();
}

static void on_interrupt(int number)
{
    clean_up();
    signal(number, SIG_DFL);
    raise(number); /* it is delivered when this function returns */
}

/* Where a crash leads; NULL: to our end. */
static sigjmp_buf *refuge;

/* A crash is a defect of ampcc: this says where. */
static void on_crash(int number)
{
    (void)number;
    if (refuge)
        siglongjmp(*refuge, 1);
    static const char before[] = "ampcc: defect in pass '", after[] = "': crashed. Please report it with the source.\n";
    const char *pass = diag_pass();
    ssize_t written = write(STDERR_FILENO, before, sizeof before - 1);
    written += write(STDERR_FILENO, pass ? pass : "none", pass ? strlen(pass) : 4);
    written += write(STDERR_FILENO, after, sizeof after - 1);
    (void)written;
    clean_up();
    _exit(EXIT_DEFECT);
}

bool driver_survive(void (*work)(void *what), void *what)
{
    sigjmp_buf here;
    bool is_alive = sigsetjmp(here, 1) == 0;
    if (is_alive) {
        refuge = &here;
        work(what);
    }
    refuge = NULL;
    return is_alive;
}

static void on_llvm_error(const char *reason)
{
    diag_defect(NULL, "LLVM gave up: %s", reason);
}

/* Syntax trees are as deep as the source nests, and a sum nests once for each of its terms. The room for a deeper stack
 * is there: Linux keeps 128 MiB free below it. */
static void deepen_stack(void)
{
    static const rlim_t wanted = 100 << 20;
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_STACK, &limit);
}

/* Lets this process and its children keep a processor for up to 100 ms at a time, if Linux can do that (6.12). There
 * are often more of them than processors, and when they take turns every few milliseconds, as is usual, each finds its
 * data gone from the caches. */
static void take_long_turns(void)
{
    struct sched_attr how;
    if (syscall(SYS_sched_getattr, 0, &how, sizeof how, 0) || how.sched_policy != SCHED_NORMAL)
        return;
    how.sched_runtime = 100 * 1000 * 1000;
    syscall(SYS_sched_setattr, 0, &how, 0);
}

/* Lets child processes take memory in large steps and, where Linux allows it, in large pages: a tenth of clang's time
 * goes into one small page after another. */
static void enlarge_pages(void)
{
    setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=4194304", false);
}

void driver_set_up_process(void)
{
    static char crash_stack[1 << 16]; /* for crashes by stack overflow */
    struct sigaction action = {.sa_handler = on_interrupt}, old;
    deepen_stack();
    take_long_turns();
    enlarge_pages();
    sigaltstack(&(stack_t){.ss_sp = crash_stack, .ss_size = sizeof crash_stack}, NULL);
    sigfillset(&action.sa_mask);
    for (int i = 0; i < N_INTERRUPTS; i++)
        if (!sigaction(interrupts[i], NULL, &old) && old.sa_handler != SIG_IGN) /* as nohup does */
            sigaction(interrupts[i], &action, NULL);
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK;
    for (int i = 0; i < N_CRASHES; i++)
        sigaction(crashes[i], &action, NULL);
    LLVMInstallFatalErrorHandler(on_llvm_error);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* clang's linker becomes our child when clang dies */
    snprintf(children_list, sizeof children_list, "/proc/self/task/%d/children", (int)getpid());
    note_inherited();
    atexit(clean_up);
}

/* ---- child processes ---- */

/* The files for a program's standard streams; NULL: those of ampcc. */
struct streams {
    const char *input, *output, *errors;
    bool joins_errors; /* errors go where the output goes */
};

static bool redirect(const char *path, int flags, int to)
{
    int fd = path ? open(path, flags | O_CLOEXEC, 0600) : to;
    return fd >= 0 && (fd == to || dup2(fd, to) == to);
}

/* Called in a child: lets signals end it, and also the end of its parent. */
static void follow(pid_t parent)
{
    struct sigaction action;
    for (int i = 0; i < N_INTERRUPTS; i++)
        if (!sigaction(interrupts[i], NULL, &action) && action.sa_handler != SIG_IGN)
            signal(interrupts[i], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_USER_ERROR);
}

/* Becomes the program, in the memory of a parent that is suspended until then: only system calls are allowed here. */
static void become(const struct words *line, struct streams streams, pid_t parent, const sigset_t *mask)
{
    enum { WRITES = O_WRONLY | O_CREAT | O_TRUNC };
    follow(parent);
    if (redirect(streams.input, O_RDONLY, STDIN_FILENO) && redirect(streams.output, WRITES, STDOUT_FILENO) &&
        redirect(streams.errors, WRITES, STDERR_FILENO) &&
        (!streams.joins_errors || dup2(STDOUT_FILENO, STDERR_FILENO) >= 0)) {
        sigprocmask(SIG_SETMASK, mask, NULL);
        execvp(line->items[0], (char *const *)line->items);
    }
}

/* Waits for a child and returns its exit status. */
static int end_child(pid_t pid)
{
    sigset_t all, mask;
    siginfo_t ended;
    int status;
    while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) < 0)
        if (errno != EINTR)
            return EXIT_USER_ERROR;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    waitpid(pid, &status, 0);
    child = child == pid ? 0 : child;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Starts a program. Returns an error number, or 0. */
static int begin_program(const struct words *line, struct streams streams)
{
    static volatile int error; /* the child writes it */
    sigset_t all, mask;
    pid_t parent = getpid();
    sigfillset(&all);
    signal(SIGCHLD, SIG_DFL); /* if a parent left it ignored, the status would be lost */
    fflush(stdout);
    error = 0;
    sigprocmask(SIG_SETMASK, &all, &mask); /* so that `child` is set before a handler looks for it */
    pid_t pid = vfork();
    if (pid == 0) {
        become(line, streams, parent, &mask);
        error = errno;
        _exit(EXIT_USER_ERROR);
    }
    if (pid < 0)
        error = errno;
    else
        child = pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (error && pid > 0)
        end_child(pid);
    return error;
}

/* Runs a program to its end. Returns an error number, or 0 and the program's exit status. */
static int run_program(const struct words *line, struct streams streams, int *status)
{
    int error = begin_program(line, streams);
    *status = error ? 0 : end_child(child);
    return error;
}

/* ---- copies of this process ---- */

/* Forgets all children and files: another process is responsible for them. */
static void disown_everything(void)
{
    folder[0] = 0;
    unfinished = NULL;
    child = 0;
    children_list[0] = 0;
}

pid_t driver_begin_copy(copy_work *work, void *what)
{
    sigset_t all, mask;
    pid_t parent = getpid();
    sigfillset(&all);
    fflush(stdout);
    sigprocmask(SIG_SETMASK, &all, &mask);
    pid_t pid = fork();
    if (pid == 0) {
        disown_everything();
        follow(parent);
        if (!redirect("/dev/null", O_WRONLY, STDOUT_FILENO) || dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
            _exit(EXIT_USER_ERROR);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        _exit(work(what));
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return pid;
}

int driver_end_copy(pid_t copy)
{
    return end_child(copy);
}

/* ---- clang and other tools ---- */

const char *driver_clang_path(void)
{
    const char *clang = getenv("AMPCC_CLANG");
    return clang && *clang ? clang : AMPCC_CLANG;
}

const char *driver_find_program(const char *name)
{
    if (strchr(name, '/'))
        return name;
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        const char *file = arena_printf("%.*s/%s", (int)length, at, name);
        if (!access(file, X_OK))
            return file;
        at += length;
    }
    return NULL;
}

bool driver_is_clang_ours(void)
{
    const char *file = driver_find_program(driver_clang_path());
    return file && is_same_file(file, "/proc/self/exe");
}

/* Returns the arguments as the text of a response file. */
static struct text response_text(const struct words *args)
{
    struct text text = {0};
    for (int i = 0; i < args->n; i++) {
        text_add(&text, "\"");
        for (const char *c = args->items[i]; *c; c++)
            text_add(&text, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        text_add(&text, "\"\n");
    }
    return text;
}

static bool write_all(int file, const struct text *text)
{
    size_t written = 0;
    for (ssize_t n = 1; written < text->size && n > 0; written += n > 0 ? (size_t)n : 0)
        n = write(file, text->chars + written, text->size - written);
    return written == text->size;
}

/* Returns clang's argument for a response file that it inherits. */
static const char *response_name(int file)
{
    return arena_printf("@/proc/self/fd/%d", file);
}

/* Returns a command line for clang. One that may be too long for the system goes into a response file in memory. */
static struct words clang_line(const char *clang, const struct words *args)
{
    enum { MUCH = 1 << 16 };
    struct words line = {0};
    size_t size = 0;
    words_add(&line, clang);
    for (int i = 0; i < args->n; i++)
        size += strlen(args->items[i]) + sizeof(char *) + 1;
    struct text text = size > MUCH ? response_text(args) : (struct text){0};
    int memory = size > MUCH ? memfd_create("response", 0) : -1;
    if (memory >= 0 && write_all(memory, &text))
        words_add(&line, response_name(memory));
    else
        words_add_all(&line, args);
    return line;
}

/* Clangs that have been started and wait for their arguments, each in a response file that is a pipe; the oldest first.
 * Loading clang takes half as long as libclang takes to read a small source, and both happen at the same time. We keep
 * both ends of the pipe, so that writing is safe even if that clang has died. */
static struct reserve {
    pid_t pid;
    int out, in;
    const char *errors; /* the file for what it says; NULL: it prints that */
} reserves[4];
static int n_reserves;

static void start_reserve(const char *errors)
{
    int ends[2];
    if (n_reserves == sizeof reserves / sizeof *reserves || pipe2(ends, O_CLOEXEC))
        return;
    struct words line = {0};
    words_add(&line, AMPCC_CLANG);
    words_add(&line, response_name(ends[0]));
    fcntl(ends[0], F_SETFD, 0);
    if (!begin_program(&line, (struct streams){.errors = errors}))
        reserves[n_reserves++] = (struct reserve){child, ends[0], ends[1], errors};
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
}

void driver_reserve_clang(int n, bool prints)
{
    if (strcmp(driver_clang_path(), AMPCC_CLANG) != 0)
        return;
    for (int i = 0; i < n_reserves; i++)
        n -= !reserves[i].errors == prints;
    for (; n > 0; n--)
        start_reserve(prints ? NULL : driver_temporary(".txt"));
}

/* Returns a file for what a clang will say: that of one in reserve, if there is one. */
static const char *errors_file(void)
{
    for (int i = 0; i < n_reserves; i++)
        if (reserves[i].errors)
            return reserves[i].errors;
    return driver_temporary(".txt");
}

/* Gives a clang in reserve its arguments. Returns false if there is none, or if it cannot take them. */
static bool use_reserve(const char *clang, const struct words *args, struct streams streams)
{
    int i = 0;
    while (i < n_reserves && reserves[i].errors != streams.errors)
        i++;
    if (i == n_reserves || streams.input || strcmp(clang, AMPCC_CLANG) != 0)
        return false;
    struct text text = response_text(args);
    if (text.size > PIPE_BUF || !write_all(reserves[i].in, &text)) /* every pipe holds that much */
        return false;
    close(reserves[i].in);
    close(reserves[i].out);
    child = reserves[i].pid;
    memmove(&reserves[i], &reserves[i + 1], (size_t)(--n_reserves - i) * sizeof *reserves);
    return true;
}

static int begin_clang_at(const char *clang, const struct words *args, struct streams streams)
{
    if (use_reserve(clang, args, streams))
        return 0;
    struct words line = clang_line(clang, args);
    int error = begin_program(&line, streams);
    if (error)
        diag_command("cannot run '%s': %s", clang, strerror(error));
    return error ? EXIT_USER_ERROR : 0;
}

int driver_begin_clang(const struct words *args, const char *input, const char *errors)
{
    return begin_clang_at(driver_clang_path(), args, (struct streams){.input = input, .errors = errors});
}

int driver_end_clang(void)
{
    return end_child(child);
}

bool driver_begin_run(struct clang_run *run, const struct words *args, const char *input)
{
    run->errors = errors_file();
    if (driver_begin_clang(args, input, run->errors))
        return false;
    run->clang = child;
    child = 0; /* the next one that is begun */
    return true;
}

int driver_end_run(const struct clang_run *run)
{
    return end_child(run->clang);
}

void driver_stop_run(const struct clang_run *run)
{
    kill(run->clang, SIGTERM);
    end_child(run->clang);
}

int driver_clang_at(const char *clang, const struct words *args, const char *input)
{
    int status = begin_clang_at(clang, args, (struct streams){.input = input});
    return status ? status : end_child(child);
}

int driver_clang(const struct words *args, const char *input)
{
    return driver_clang_at(driver_clang_path(), args, input);
}

int driver_become_clang(const struct words *args)
{
    struct words line = clang_line(driver_clang_path(), args);
    execvp(line.items[0], (char *const *)line.items);
    diag_command("cannot run '%s': %s", line.items[0], strerror(errno));
    return EXIT_USER_ERROR;
}

const char *driver_ask_clang(const struct words *args)
{
    struct words line = {0};
    struct text text = {0};
    words_add(&line, driver_clang_path());
    words_add(&line, "-###");
    words_add_all(&line, args);
    int memory = memfd_create("answer", 0);
    FILE *file = memory < 0 ? NULL : fdopen(memory, "r");
    if (!file)
        return "";
    driver_tool(&line, arena_printf("/proc/self/fd/%d", memory));
    text_add_file(&text, file);
    fclose(file);
    return text.chars;
}

int driver_tool(const struct words *line, const char *output)
{
    int status;
    return run_program(line, (struct streams){.output = output, .joins_errors = true}, &status) ? -1 : status;
}
