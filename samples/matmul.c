/* SPDX-License-Identifier: MIT
 *
 * Matrix multiplication at any size, measured: C[M][N] = A[M][W] * B[W][N] by a serial loop, by a kernel with one
 * thread per element, and by a tiled kernel; each result is verified. `matmul --help` lists the options. On four ranks,
 * of which one reports: AMP_DEFAULT_ACCELERATOR=all mpirun -n 4 ./matmul -k simple */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, also with -std=c11 */

#include "mxm_kernels.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TS = 16 }; /* the tile's size */

/* ---- the multiplication, three times, for elements of type T ---- */

#define MULTIPLY(T)                                                                                                    \
    static void mxm_serial_##T(int M, int N, int W, const void *a_data, const void *b_data, void *c_data)              \
    {                                                                                                                  \
        const T(*a)[W] = a_data, (*b)[N] = b_data;                                                                     \
        T(*c)[N] = c_data;                                                                                             \
        for (int row = 0; row < M; row++)                                                                              \
            for (int col = 0; col < N; col++) {                                                                        \
                T sum = 0;                                                                                             \
                for (int k = 0; k < W; k++)                                                                            \
                    sum += a[row][k] * b[k][col];                                                                      \
                c[row][col] = sum;                                                                                     \
            }                                                                                                          \
    }                                                                                                                  \
                                                                                                                       \
    MXM_SIMPLE(mxm_simple_##T, T)                                                                                      \
    MXM_TILED(mxm_tiled_##T, T, TS)                                                                                    \
                                                                                                                       \
    static void set_##T(void *matrix, size_t i, int value, int divisor)                                                \
    {                                                                                                                  \
        ((T *)matrix)[i] = (T)value / (T)divisor;                                                                      \
    }                                                                                                                  \
                                                                                                                       \
    static double get_##T(const void *matrix, size_t i)                                                                \
    {                                                                                                                  \
        return (double)((const T *)matrix)[i];                                                                         \
    }

MULTIPLY(int)
MULTIPLY(float)
MULTIPLY(double)

struct type {
    const char *name;
    amp_type type;
    size_t size;
    double epsilon; /* relative error of one operation */
    const char *unit;
    void (*serial)(int M, int N, int W, const void *a, const void *b, void *c);
    amp_kernel simple, tiled;
    void (*set)(void *matrix, size_t i, int value, int divisor);
    double (*get)(const void *matrix, size_t i);
};

#define TYPE(T, amp_type, epsilon, unit)                                                                               \
    {                                                                                                                  \
#T, amp_type, sizeof(T), epsilon, unit, mxm_serial_##T, (amp_kernel)mxm_simple_##T, (amp_kernel)mxm_tiled_##T,         \
            set_##T, get_##T                                                                                           \
    }

static const struct type types[] = {
    TYPE(int, AMP_TYPE_I32, 0, "Gop/s"),
    TYPE(float, AMP_TYPE_F32, 0x1p-23, "GFLOP/s"),
    TYPE(double, AMP_TYPE_F64, 0x1p-52, "GFLOP/s"),
};

enum { SERIAL, SIMPLE, TILED, N_KERNELS };
static const char *const kernel_names[N_KERNELS] = {"serial", "simple", "tiled"};

/* ---- options and results ---- */

struct options {
    int M, N, W;
    const struct type *type;
    bool selected[N_KERNELS];
    int repeat;
    const char *accelerator;
    bool json, ramp, print;
};

struct result {
    int runs;
    double best, median; /* seconds */
    bool verified;
};

static bool progress_shown;

static void show_progress(const char *format, ...)
{
    if (!isatty(STDERR_FILENO) || amp_rank() != 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    fputs("\r\033[K", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    progress_shown = true;
}

static void clear_progress(void)
{
    if (progress_shown)
        fputs("\r\033[K", stderr);
    progress_shown = false;
}

static _Noreturn void fail(const char *format, ...)
{
    clear_progress();
    va_list arguments;
    va_start(arguments, format);
    fputs("matmul: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs("\n", stderr);
    va_end(arguments);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- matrices ---- */

static void *new_matrix(const char *name, int rows, int cols, const struct type *type)
{
    size_t bytes = 0;
    void *matrix = NULL;
    if (!__builtin_mul_overflow((size_t)rows * (size_t)cols, type->size, &bytes))
        matrix = calloc(bytes, 1);
    if (!matrix)
        fail("no memory for %s, %d x %d elements of type %s", name, rows, cols, type->name);
    return matrix;
}

/* Fails now, with the total, where the matrices would exhaust the machine's memory. */
static void check_memory(const struct options *o)
{
    double elements = (double)o->M * o->W + (double)o->W * o->N + (double)o->M * o->N * (o->selected[SERIAL] ? 2 : 1);
    double needed = elements * (double)o->type->size;
    double present = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (needed > present)
        fail("%d x %d by %d x %d needs %.1f GiB of memory, and this machine has %.1f GiB", o->M, o->W, o->W, o->N,
             needed / 0x1p30, present / 0x1p30);
}

/* Random values from -8 to 8, so that no sum of int products overflows; with --ramp 1, 2, 3, ... */
static void fill(const struct options *o, void *matrix, size_t n, uint64_t state)
{
    bool whole = o->type->type == AMP_TYPE_I32;
    for (size_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        int random = (int)(state >> 40); /* 24 bits */
        if (o->ramp)
            o->type->set(matrix, i, (int)(i % 100) + 1, 1);
        else if (whole)
            o->type->set(matrix, i, random % 17 - 8, 1);
        else
            o->type->set(matrix, i, random - (1 << 23), 1 << 20);
    }
}

/* A copy of `from` with zeros after its rows and columns, or the part of it that fits. */
static void copy_matrix(const struct type *type, int to_rows, int to_cols, void *to, int from_rows, int from_cols,
                        const void *from)
{
    size_t cols = (size_t)(to_cols < from_cols ? to_cols : from_cols);
    for (int row = 0; row < to_rows && row < from_rows; row++)
        memcpy((char *)to + (size_t)row * (size_t)to_cols * type->size,
               (const char *)from + (size_t)row * (size_t)from_cols * type->size, cols * type->size);
}

/* ---- running and verifying ---- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarise(struct result *result, int runs, double *seconds)
{
    qsort(seconds, (size_t)runs, sizeof *seconds, compare_doubles);
    result->runs = runs;
    result->best = seconds[0];
    result->median = (seconds[(runs - 1) / 2] + seconds[runs / 2]) / 2;
}

/* Runs a kernel on views of the matrices; a run ends when C is up to date in the host's memory. */
static void run_kernel(const struct options *o, amp_accelerator_view *on, int kernel, amp_extent c_extent, int W,
                       const void *a_data, const void *b_data, void *c_data, struct result *result)
{
    const struct type *type = o->type;
    int M = c_extent.dim[0], N = c_extent.dim[1];
    amp_auto_array_view *a = amp_array_view_create(amp_extent2(M, W), a_data, type->type, type->size, true);
    amp_auto_array_view *b = amp_array_view_create(amp_extent2(W, N), b_data, type->type, type->size, true);
    amp_auto_array_view *c = amp_array_view_create(c_extent, c_data, type->type, type->size, false);
    double *seconds = calloc((size_t)o->repeat, sizeof *seconds);
    if (!seconds)
        fail("no memory for %d repetitions", o->repeat);
    for (int i = 0; i < o->repeat; i++) {
        show_progress("%s: run %d of %d", kernel_names[kernel], i + 1, o->repeat);
        double start = now();
        amp_discard_data(c);
        amp_parallel_for_each_on(on, c_extent, kernel == TILED ? type->tiled : type->simple, a, b, c);
        if (amp_synchronize(c) != AMP_OK || amp_error_status() != AMP_OK)
            fail("%s", amp_error_text());
        seconds[i] = now() - start;
    }
    summarise(result, o->repeat, seconds);
    free(seconds);
}

/* The tiled kernel needs extents that the tile divides: other extents are padded with zeros, which do not change the
 * sums. */
static void run_tiled(const struct options *o, amp_accelerator_view *on, const void *a, const void *b, void *c,
                      struct result *result)
{
    const struct type *type = o->type;
    amp_extent tile = amp_extent2(TS, TS);
    amp_extent a_padded = amp_extent_pad(amp_extent2(o->M, o->W), tile);
    amp_extent c_padded = amp_extent_pad(amp_extent2(o->M, o->N), tile);
    int M = c_padded.dim[0], N = c_padded.dim[1], W = a_padded.dim[1];
    if (M == o->M && N == o->N && W == o->W) {
        run_kernel(o, on, TILED, c_padded, W, a, b, c, result);
        return;
    }
    void *a_copy = new_matrix("padded A", M, W, type);
    void *b_copy = new_matrix("padded B", W, N, type);
    void *c_copy = new_matrix("padded C", M, N, type);
    copy_matrix(type, M, W, a_copy, o->M, o->W, a);
    copy_matrix(type, W, N, b_copy, o->W, o->N, b);
    run_kernel(o, on, TILED, c_padded, W, a_copy, b_copy, c_copy, result);
    copy_matrix(type, o->M, o->N, c, M, N, c_copy);
    free(c_copy);
    free(b_copy);
    free(a_copy);
}

/* Whether up to 16 rows of C, including the first and the last, agree with sums in double precision; every element, if
 * there is a serial result to compare with. */
static bool verify(const struct options *o, const char *kernel, const void *a, const void *b, const void *c,
                   const void *serial)
{
    const struct type *type = o->type;
    size_t N = (size_t)o->N, W = (size_t)o->W;
    /* Each of the W additions is off by at most epsilon of a partial sum, and those of random products of up to 64 stay
     * well below 64 W: one wrong product causes a larger error than this. */
    double tolerance = type->epsilon * (double)o->W;
    int n_rows = serial || o->M < 16 ? o->M : 16;
    double *expected = calloc(N, sizeof *expected);
    if (!expected)
        fail("no memory to verify a row of %d elements", o->N);
    bool good = true;
    for (int i = 0; i < n_rows && good; i++) {
        size_t row = n_rows == 1 ? 0 : (size_t)((int64_t)i * (o->M - 1) / (n_rows - 1));
        if (serial) {
            for (size_t col = 0; col < N; col++)
                expected[col] = type->get(serial, row * N + col);
        } else {
            memset(expected, 0, N * sizeof *expected);
            for (size_t k = 0; k < W; k++) {
                double factor = type->get(a, row * W + k);
                for (size_t col = 0; col < N; col++)
                    expected[col] += factor * type->get(b, k * N + col);
            }
        }
        for (size_t col = 0; col < N && good; col++) {
            double value = type->get(c, row * N + col);
            good = fabs(value - expected[col]) <= tolerance * (64 + fabs(expected[col]));
            if (!good) {
                clear_progress();
                fprintf(stderr, "matmul: %s: C[%zu][%zu] is %.9g, expected %.9g\n", kernel, row, col, value,
                        expected[col]);
            }
        }
    }
    free(expected);
    return good;
}

/* ---- reports ---- */

static void print_json_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        if ((unsigned char)*text < ' ')
            printf("\\u%04x", *text);
        else
            putchar(*text);
    }
    putchar('"');
}

static void report_json(const struct options *o, const amp_accelerator_properties *info, const struct result *results)
{
    double operations = 2.0 * o->M * o->N * o->W;
    printf("{\n  \"accelerator\": {\"path\": ");
    print_json_string(info->path);
    printf(", \"description\": ");
    print_json_string(info->description);
    printf(", \"isa\": ");
    print_json_string(info->isa ? info->isa : "");
    printf(", \"threads\": %d},\n  \"type\": \"%s\", \"M\": %d, \"N\": %d, \"W\": %d, \"tile\": %d,\n  \"kernels\": [",
           info->n_threads, o->type->name, o->M, o->N, o->W, TS);
    const char *separator = "\n";
    for (int kernel = 0; kernel < N_KERNELS; kernel++) {
        const struct result *r = &results[kernel];
        if (!o->selected[kernel])
            continue;
        printf(
            "%s    {\"name\": \"%s\", \"runs\": %d, \"best_s\": %.9g, \"median_s\": %.9g, \"giga_ops_per_s\": %.6g, ",
            separator, kernel_names[kernel], r->runs, r->best, r->median, operations / r->best / 1e9);
        if (o->selected[SERIAL])
            printf("\"speedup\": %.6g, ", results[SERIAL].best / r->best);
        printf("\"verified\": %s}", r->verified ? "true" : "false");
        separator = ",\n";
    }
    printf("\n  ]\n}\n");
}

static void report(const struct options *o, const struct result *results)
{
    double operations = 2.0 * o->M * o->N * o->W;
    printf("kernel   runs          best        median  %8s  speed-up  verified\n", o->type->unit);
    for (int kernel = 0; kernel < N_KERNELS; kernel++) {
        const struct result *r = &results[kernel];
        if (!o->selected[kernel])
            continue;
        char speedup[32] = "-";
        if (o->selected[SERIAL])
            snprintf(speedup, sizeof speedup, "%.1f", results[SERIAL].best / r->best);
        printf("%-8s %4d %9.4g ms  %9.4g ms  %8.4g  %8s  %8s\n", kernel_names[kernel], r->runs, 1e3 * r->best,
               1e3 * r->median, operations / r->best / 1e9, speedup, r->verified ? "yes" : "NO");
    }
}

static void print_product(const struct options *o, const void *c)
{
    for (int row = 0; row < o->M; row++) {
        for (int col = 0; col < o->N; col++)
            printf("%g ", o->type->get(c, (size_t)row * (size_t)o->N + (size_t)col));
        printf("\n");
    }
}

/* ---- options ---- */

static void help(void)
{
    puts("usage: matmul [OPTION...]\n"
         "Multiplies an M x W by a W x N matrix, measures and verifies.\n"
         "\n"
         "  -M, -N, -W SIZE            sizes, each 1024 if not given\n"
         "  -t, --type TYPE            int, float (default) or double\n"
         "  -k, --kernel KERNEL        serial, simple, tiled or all (default)\n"
         "  -r, --repeat COUNT         runs of each kernel (default 5); the serial one runs once\n"
         "  -a, --accelerator PATH     where the kernels run; if not given, the default accelerator\n"
         "  -j, --json                 report in JSON\n"
         "      --ramp                 multiply matrices of 1, 2, 3, ... (over 100: from 1 again), not random ones\n"
         "  -p, --print                print the product, too\n"
         "  -h, --help                 this text\n"
         "\n"
         "Times are of a launch with the result in the host's memory; speed-up and GFLOP/s are of the best time.\n"
         "Exit status: 0 if every result was verified.");
}

static int parse_count(const char *name, const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end)
        fail("%s: '%s' is not a number", name, text);
    if (errno == ERANGE || value > INT_MAX - TS)
        fail("%s: %s is too large; at most %d", name, text, INT_MAX - TS);
    if (value < 1)
        fail("%s: must be positive, and %s is not", name, text);
    return (int)value;
}

static struct options parse(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"type", required_argument, NULL, 't'},
        {"kernel", required_argument, NULL, 'k'},
        {"repeat", required_argument, NULL, 'r'},
        {"accelerator", required_argument, NULL, 'a'},
        {"json", no_argument, NULL, 'j'},
        {"ramp", no_argument, NULL, 'R'},
        {"print", no_argument, NULL, 'p'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct options o = {.M = 1024, .N = 1024, .W = 1024, .type = &types[1], .repeat = 5, .accelerator = "default"};
    const char *kernel = "all";
    for (int c; (c = getopt_long(argc, argv, "M:N:W:t:k:r:a:jph", long_options, NULL)) != -1;) {
        switch (c) {
        case 'M':
            o.M = parse_count("-M", optarg);
            break;
        case 'N':
            o.N = parse_count("-N", optarg);
            break;
        case 'W':
            o.W = parse_count("-W", optarg);
            break;
        case 't':
            o.type = NULL;
            for (size_t i = 0; i < sizeof types / sizeof *types; i++)
                if (strcmp(optarg, types[i].name) == 0)
                    o.type = &types[i];
            if (!o.type)
                fail("--type: there is no '%s'; one of int, float, double", optarg);
            break;
        case 'k':
            kernel = optarg;
            break;
        case 'r':
            o.repeat = parse_count("--repeat", optarg);
            break;
        case 'a':
            o.accelerator = optarg;
            break;
        case 'j':
            o.json = true;
            break;
        case 'R':
            o.ramp = true;
            break;
        case 'p':
            o.print = true;
            break;
        case 'h':
            help();
            exit(0);
        default:
            fputs("matmul --help lists the options\n", stderr);
            exit(1);
        }
    }
    if (optind < argc)
        fail("'%s' is not an option; matmul --help lists them", argv[optind]);
    bool known = false;
    for (int i = 0; i < N_KERNELS; i++) {
        o.selected[i] = strcmp(kernel, "all") == 0 || strcmp(kernel, kernel_names[i]) == 0;
        known |= o.selected[i];
    }
    if (!known)
        fail("--kernel: there is no '%s'; one of serial, simple, tiled, all", kernel);
    if (o.ramp && o.type->type == AMP_TYPE_I32 && o.W > INT_MAX / (100 * 100))
        fail("-W: with --ramp, sums of %d products overflow int", o.W);
    if (o.json && o.print)
        fail("--print and --json: the product is no part of the report");
    return o;
}

int main(int argc, char **argv)
{
    struct options o = parse(argc, argv);
    amp_accelerator *accelerator = amp_accelerator_find(o.accelerator);
    if (!accelerator)
        fail("%s", amp_error_last_text());
    const amp_accelerator_properties *info = amp_accelerator_info(accelerator);
    amp_accelerator_view *on = amp_accelerator_default_view(accelerator);

    check_memory(&o);
    void *a = new_matrix("A", o.M, o.W, o.type);
    void *b = new_matrix("B", o.W, o.N, o.type);
    void *c = new_matrix("C", o.M, o.N, o.type);
    void *serial = o.selected[SERIAL] ? new_matrix("C", o.M, o.N, o.type) : NULL;
    fill(&o, a, (size_t)o.M * (size_t)o.W, 1);
    fill(&o, b, (size_t)o.W * (size_t)o.N, 2);

    if (!o.json && amp_rank() == 0) {
        printf("accelerator  %s: %s\n", info->path, info->description);
        printf("product      C[%d][%d] = A[%d][%d] * B[%d][%d], %s\n\n", o.M, o.N, o.M, o.W, o.W, o.N, o.type->name);
        fflush(stdout);
    }
    struct result results[N_KERNELS] = {{0}};
    bool verified = true;
    for (int kernel = 0; kernel < N_KERNELS; kernel++) {
        struct result *result = &results[kernel];
        if (!o.selected[kernel])
            continue;
        memset(c, 0xff, (size_t)o.M * (size_t)o.N * o.type->size); /* each kernel must write all of it */
        if (kernel == SERIAL) {
            show_progress("serial");
            double start = now();
            o.type->serial(o.M, o.N, o.W, a, b, serial);
            double seconds = now() - start;
            summarise(result, 1, &seconds);
        } else if (kernel == SIMPLE) {
            run_kernel(&o, on, SIMPLE, amp_extent2(o.M, o.N), o.W, a, b, c, result);
        } else {
            run_tiled(&o, on, a, b, c, result);
        }
        show_progress("%s: verifying", kernel_names[kernel]);
        result->verified = kernel == SERIAL ? verify(&o, "serial", a, b, serial, NULL)
                                            : verify(&o, kernel_names[kernel], a, b, c, serial);
        verified &= result->verified;
        clear_progress();
    }
    if (o.json && amp_rank() == 0)
        report_json(&o, info, results);
    else if (amp_rank() == 0)
        report(&o, results);
    if (o.print && amp_rank() == 0)
        print_product(&o, o.selected[SIMPLE] || o.selected[TILED] ? c : serial);
    free(serial);
    free(c);
    free(b);
    free(a);
    return verified ? 0 : 1;
}
