/* SPDX-License-Identifier: MIT
 *
 * amp doctor: tries what a user of ampcc and libamp would do, and says what works, what is missing, and how to install
 * it. A project of `ampcc --new`, in a temporary folder, is compiled, linked, and run on each accelerator. */
#include "tools.h"

#include <amp.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what was found ---- */

enum state { WORKS, MISSING, FAILED }; /* MISSING is only what is optional */
static const char *const state_names[] = {"ok", "missing", "failed"};

enum { PATH_SIZE = 4096, NAME = 32, TEXT = 1024 };

struct check {
    char name[NAME], text[TEXT], remedy[TEXT]; /* the remedy may be "" */
    enum state state;
};
enum { MAX_CHECKS = 96 };
static struct check checks[MAX_CHECKS];
static int n_checks;

/* Adds what was found. If there is too much, the last place is used again. */
__attribute__((format(printf, 3, 4))) static struct check *add(const char *name, enum state state, const char *format,
                                                               ...)
{
    struct check *check = &checks[n_checks < MAX_CHECKS ? n_checks++ : MAX_CHECKS - 1];
    va_list args;
    va_start(args, format);
    *check = (struct check){.state = state};
    snprintf(check->name, sizeof check->name, "%s", name);
    vsnprintf(check->text, sizeof check->text, format, args);
    va_end(args);
    return check;
}

__attribute__((format(printf, 2, 3))) static void advise(struct check *check, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(check->remedy, sizeof check->remedy, format, args);
    va_end(args);
}

/* Advises to install packages, which have Debian's names. */
static void advise_packages(struct check *check, const char *packages)
{
    bool is_debian = access("/usr/bin/apt-get", X_OK) == 0;
    advise(check, "%s%s", is_debian ? "apt install " : "install what Debian calls ", packages);
}

/* Advises on a failure of the clang that ampcc calls. */
static void advise_clang(struct check *check, const char *packages)
{
    const char *clang = getenv("AMPCC_CLANG");
    if (clang && *clang)
        advise(check, "unset AMPCC_CLANG");
    else
        advise_packages(check, packages);
}

static void advise_build(struct check *check)
{
    advise(check, "make install, in the sources of AMP for C");
}

/* ---- running programs ---- */

static char folder[PATH_SIZE];         /* temporary */
static volatile sig_atomic_t ended_by; /* the signal that ended us; 0: none */
static char output[1 << 14];           /* what the last program printed */

static void note_end(int number)
{
    ended_by = number;
}

/* Reads to the end of the file, or until a signal ends us. What does not fit is dropped. */
static void read_output(int file)
{
    char rest[1024];
    size_t size = 0;
    while (!ended_by) {
        bool has_room = size + 1 < sizeof output;
        ssize_t n = read(file, has_room ? output + size : rest, has_room ? sizeof output - 1 - size : sizeof rest);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        size += n > 0 && has_room ? (size_t)n : 0;
    }
    output[size] = 0;
}

/* Runs a program. Leaves what it prints in `output`. Returns whether its exit status is 0. */
static bool run(const char *const *line)
{
    extern char **environ;
    int ends[2], status = -1;
    pid_t pid = 0;
    posix_spawn_file_actions_t actions;
    output[0] = 0;
    if (ended_by || pipe2(ends, O_CLOEXEC))
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    int error = posix_spawn(&pid, line[0], &actions, NULL, (char *const *)line, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error)
        snprintf(output, sizeof output, "%s: %s", line[0], strerror(error));
    else
        read_output(ends[0]);
    close(ends[0]);
    if (!error && ended_by)
        kill(pid, SIGTERM);
    while (!error && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!error && WIFSIGNALED(status) && !*output)
        snprintf(output, sizeof output, "%s: %s", line[0], strsignal(WTERMSIG(status)));
    return !error && status == 0;
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

/* Returns the path of a file in the temporary folder. It is freed when the process ends. */
static const char *temporary(const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? name : path;
}

static const char *first_line(void)
{
    output[strcspn(output, "\n")] = 0;
    return output;
}

/* Returns the line of the output that says most about a failure. */
static const char *failure(void)
{
    static const char log[] = "amp: ";
    const char *first = NULL;
    for (char *rest = output, *line; (line = strsep(&rest, "\n"));) {
        if (strstr(line, "error") || strstr(line, "cannot"))
            return line;
        if (!first && *line && strncmp(line, log, strlen(log)) != 0)
            first = line;
    }
    return first ? first : "it failed, and did not say why";
}

/* Finds a program along the PATH. */
static bool find_program(const char *name, char file[PATH_SIZE])
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        snprintf(file, PATH_SIZE, "%.*s/%s", (int)length, at, name);
        if (length && !access(file, X_OK))
            return true;
        at += length;
    }
    return false;
}

/* ---- the compiler ---- */

static char ampcc[PATH_SIZE];

static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* Finds ampcc beside this program, or on the PATH. */
static bool find_compiler(void)
{
    ssize_t n = readlink("/proc/self/exe", ampcc, sizeof ampcc - sizeof "cc");
    ampcc[n > 0 ? n : 0] = 0;
    char *name = strrchr(ampcc, '/');
    if (name)
        strcpy(name, "/ampcc");
    if (name && !access(ampcc, X_OK))
        return true;
    return find_program("ampcc", ampcc);
}

static int major_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    return at ? atoi(at + strlen(word)) : 0;
}

/* Whether ampcc starts, which needs libclang. Sets `llvm` to the version that it was built with. */
static bool check_compiler(int *llvm)
{
    static const char word[] = "libclang: ";
    char on_path[PATH_SIZE];
    if (!find_compiler()) {
        advise_build(add("ampcc", FAILED, "not found beside this program, nor on the PATH"));
        return false;
    }
    if (!RUN(ampcc, "--amp-version")) {
        advise_packages(add("ampcc", FAILED, "%s", failure()), "libclang1-" AMP_LLVM_VERSION);
        return false;
    }
    const char *libclang = strstr(output, word);
    *llvm = major_after(output, "LLVM ");
    struct check *check = add("ampcc", WORKS, "%s, %s", first_line(), ampcc);
    if (!find_program("ampcc", on_path) || !is_same_file(on_path, ampcc))
        advise(check, "export PATH=\"%.*s:$PATH\"", (int)(strrchr(ampcc, '/') - ampcc), ampcc);
    if (libclang)
        add("libclang", WORKS, "%.*s", (int)strcspn(libclang + strlen(word), "\n"), libclang + strlen(word));
    return true;
}

static bool check_clang(int llvm)
{
    static const char package[] = "clang-" AMP_LLVM_VERSION;
    if (!RUN(ampcc, "--version")) {
        advise_clang(add("clang", FAILED, "%s", failure()), package);
        return false;
    }
    if (major_after(output, "version ") != llvm) {
        advise_clang(add("clang", FAILED, "%s, but ampcc needs version %d", first_line(), llvm), package);
        return false;
    }
    add("clang", WORKS, "%s", first_line());
    return true;
}

/* Makes a program with a kernel. */
static bool check_compiling(void)
{
    const char *main_object = temporary("main.o"), *kernel_object = temporary("kernels.o");
    if (!RUN(ampcc, "--new", temporary("try"))) {
        advise_build(add("compiling", FAILED, "%s", failure()));
        return false;
    }
    if (!RUN(ampcc, "-O2", "-c", temporary("try/main.c"), "-o", main_object) ||
        !RUN(ampcc, "-O2", "-c", temporary("try/kernels.c"), "-o", kernel_object)) {
        advise_clang(add("compiling", FAILED, "%s", failure()), "clang-" AMP_LLVM_VERSION " libc6-dev");
        return false;
    }
    add("compiling", WORKS, "a program with a kernel");
    if (!RUN(ampcc, main_object, kernel_object, "-o", temporary("program"))) {
        advise_clang(add("linking", FAILED, "%s", failure()), "binutils gcc libc6-dev");
        return false;
    }
    add("linking", WORKS, "the program");
    return true;
}

static void check_openmp(void)
{
    const char *program = temporary("with-openmp");
    if (RUN(ampcc, "-fopenmp", temporary("main.o"), temporary("kernels.o"), "-o", program) && RUN(program))
        add("OpenMP", WORKS, "programs with -fopenmp link and run");
    else
        advise_packages(add("OpenMP", MISSING, "%s", failure()), "libomp-" AMP_LLVM_VERSION "-dev");
}

/* ---- accelerators ---- */

/* Runs the program on an accelerator. */
static bool check_running(const char *path)
{
    setenv("AMP_DEFAULT_ACCELERATOR", path, 1);
    bool is_right = RUN(temporary("program")) && strstr(output, "\n1000000 of 1000000 elements are right");
    const char *log = strstr(output, "amp: saxpy"), *code = log ? strstr(log, ": ") : NULL;
    for (const char *next; code && (next = strstr(code + 1, ": ")) && next < log + strcspn(log, "\n");)
        code = next;
    is_right = is_right && code;
    if (is_right)
        add(path, WORKS, "the program ran, with right results: %.*s", (int)strcspn(code + 2, "\n"), code + 2);
    else
        add(path, FAILED, "the program did not run with right results: %s", failure());
    return is_right;
}

/* Whether the machine has a display controller or accelerator of NVIDIA, as far as Linux says. */
static bool has_nvidia_device(void)
{
    glob_t found;
    bool has = false;
    if (glob("/sys/bus/pci/devices/*/vendor", 0, NULL, &found))
        return false;
    for (size_t i = 0; i < found.gl_pathc && !has; i++) {
        char vendor[16] = "";
        FILE *file = fopen(found.gl_pathv[i], "r");
        has = file && fgets(vendor, sizeof vendor, file) && !strncmp(vendor, "0x10de", 6);
        if (file)
            fclose(file);
    }
    globfree(&found);
    return has;
}

static void check_accelerators(bool has_program)
{
    for (int i = 0; i < amp_accelerator_count(); i++) {
        const amp_accelerator_properties *p = amp_accelerator_info(amp_accelerator_get(i));
        if (!strcmp(p->path, "cpu") || p->is_emulated)
            continue;
        if (has_program)
            check_running(p->path);
        else
            add(p->path, WORKS, "%s", p->description);
    }
}

/* Adds the drivers and devices that cannot be used; a line says "PATH: REASON". */
static void check_missing(void)
{
    static const char cuda[] = "cuda";
    const char *colon;
    for (const char *line = amp_accelerator_missing(); (colon = strstr(line, ": ")); line += strspn(line, "\n")) {
        int length = (int)strcspn(line, "\n"), name = (int)(colon - line);
        char path[NAME];
        snprintf(path, sizeof path, "%.*s", name, line);
        bool is_cuda = !strncmp(path, cuda, strlen(cuda)), is_there = is_cuda && has_nvidia_device();
        struct check *check = add(path, MISSING, "%.*s%s", length - name - 2, line + name + 2,
                                  is_cuda && !is_there ? "; no NVIDIA device" : "");
        if (is_there)
            advise_packages(check, "nvidia-driver # from the component non-free");
        line += length;
    }
}

/* ---- everything else ---- */

static void check_processor(void)
{
    const amp_accelerator_properties *cpu = amp_accelerator_info(amp_accelerator_find("cpu"));
    const char *isa = getenv("AMP_ISA"), *threads = getenv("AMP_NUM_THREADS");
    long n_online = sysconf(_SC_NPROCESSORS_ONLN);
    add("processor", WORKS, "%s%s%s", cpu->description, isa && *isa ? "; AMP_ISA=" : "", isa ? isa : "");
    bool is_set = threads && *threads;
    add("threads", WORKS, "%d for %ld processors%s%s", cpu->n_threads, n_online, is_set ? "; AMP_NUM_THREADS=" : "",
        is_set                      ? threads
        : cpu->n_threads < n_online ? "; this process may not use all of them"
                                    : "");
}

/* The default of programs in this environment, as far as it does not depend on their kernels. */
static void check_default(void)
{
    const amp_accelerator *chosen = amp_accelerator_default();
    if (chosen)
        add("default", WORKS, "programs run kernels on %s", amp_accelerator_info(chosen)->path);
    else
        advise(add("default", FAILED, "%s", amp_error_text()), "unset AMP_DEFAULT_ACCELERATOR");
}

static void check_tools(void)
{
    static const char toolkit[] = "nvidia-cuda-toolkit # from the component non-free";
    static const struct {
        const char *name, *use, *package;
    } tools[] = {{"gdb", "stops in kernels", "gdb"},
                 {"perf", "shows where time goes", "linux-perf"},
                 {"valgrind", "finds wrong accesses of programs", "valgrind"},
                 {"ptxas", "tells ampcc --amp-report the registers that kernels take on GPUs", toolkit},
                 {"compute-sanitizer", "finds wrong accesses of kernels on GPUs", toolkit}};
    char file[PATH_SIZE];
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (find_program(tools[i].name, file))
            add(tools[i].name, WORKS, "%.*s", TEXT - 1, file);
        else
            advise_packages(add(tools[i].name, MISSING, "not on the PATH; it %s", tools[i].use), tools[i].package);
}

/* ---- the report ---- */

static void print_table(bool is_well)
{
    int width = 0;
    for (int i = 0; i < n_checks; i++)
        width = (int)strlen(checks[i].name) > width ? (int)strlen(checks[i].name) : width;
    for (int i = 0; i < n_checks; i++) {
        printf("%-7s  %-*s  %s\n", state_names[checks[i].state], width, checks[i].name, checks[i].text);
        if (*checks[i].remedy)
            printf("%*s%s\n", 7 + 2 + width + 2, "", checks[i].remedy);
    }
    printf("\n%s\n", is_well ? "Kernels can be compiled, and run on cpu."
                             : "Kernels cannot be compiled and run on cpu: something above has failed.");
}

static void print_json(bool is_well)
{
    printf("{\"ok\": %s,\n \"checks\": [", is_well ? "true" : "false");
    for (int i = 0; i < n_checks; i++) {
        printf("%s\n  {\"name\": ", i ? "," : "");
        json_print(checks[i].name, strlen(checks[i].name));
        printf(", \"state\": \"%s\", \"text\": ", state_names[checks[i].state]);
        json_print(checks[i].text, strlen(checks[i].text));
        printf(", \"remedy\": ");
        if (*checks[i].remedy)
            json_print(checks[i].remedy, strlen(checks[i].remedy));
        else
            printf("null");
        printf("}");
    }
    printf("]}\n");
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static bool make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/amp-doctor-XXXXXX", parent && *parent ? parent : "/tmp");
    char *template = strdup(folder);
    bool is_made = template && mkdtemp(template) && realpath(template, folder);
    free(template);
    if (is_made)
        return true;
    advise(add("TMPDIR", FAILED, "cannot make %s: %s", folder, strerror(errno)), "export TMPDIR=/tmp");
    folder[0] = 0;
    return false;
}

/* Does what needs the temporary folder. Returns whether all of it works on `cpu`. */
static bool check_programs(void)
{
    int llvm = 0;
    bool has_program = make_folder() && check_compiler(&llvm) && check_clang(llvm) && check_compiling();
    bool is_well = has_program && check_running("cpu");
    if (is_well)
        check_openmp();
    check_accelerators(has_program);
    check_missing();
    if (folder[0])
        nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return is_well;
}

bool doctor_print(bool is_json)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &(struct sigaction){.sa_handler = note_end}, NULL);
    check_processor();
    check_default();
    setenv("AMP_LOG", "info", 1);
    unsetenv("AMP_PROFILE");
    unsetenv("AMP_TRACE");
    bool is_well = check_programs();
    check_tools();
    if (ended_by) {
        signal(ended_by, SIG_DFL);
        raise(ended_by);
    }
    if (is_json)
        print_json(is_well);
    else
        print_table(is_well);
    return is_well;
}
