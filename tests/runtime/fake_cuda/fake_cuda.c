/* SPDX-License-Identifier: MIT */
#include "fake_cuda.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { MAX_DEVICES = 32, MAX_KERNELS = 16, MAX_FUNCTIONS = 64, PAGE = 4096, ALIGN = 256, ABORTED_BYTES = 256 };

/* Makes a host address one that no x86-64 or AArch64 program can use; 0 when kernels are the host's own code. */
static CUdeviceptr far_away = (CUdeviceptr)1 << 56;
#define FAR_AWAY far_away

/* The library that loads and runs compiled kernels. */
static void *(*device_load)(const void *object);
static void (*device_launch)(void *function, const void *args, const int *box, const int grid[3], const int size[3],
                             bool has_turns);

struct CUctx_st {
    int device;
    int n_retained;
    CUresult lost; /* what every call returns from now on */
    size_t used_bytes;
};

struct memory {
    char *base; /* of the pages */
    size_t size_bytes, mapped_bytes;
    char *first;
    CUcontext context;
    bool is_pinned;
    struct memory *next;
};

enum kind { COPY_IN, COPY_OUT, COPY_ACROSS, COPY_PEER, FILL, RUN, RECORD };

struct work {
    enum kind kind;
    char *to;
    const char *from;
    size_t size_bytes;
    unsigned char value;
    const struct fake_cuda_kernel *kernel;
    CUmodule module;
    int box[6];
    CUevent event;
    uint64_t number; /* the number of a recording */
    struct work *next;
    _Alignas(16) char args[]; /* of a kernel */
};

struct CUstream_st {
    CUcontext context;
    int number;
    struct work *first, *last;
    CUstream next;
};

struct CUevent_st {
    CUcontext context;
    CUstream stream;         /* on which it was last recorded, until that is done */
    uint64_t recorded, done; /* how often it was recorded, and how many of these are done */
    bool has_time;
    struct timespec time; /* of the last one that is done */
    CUevent next;
};

struct CUfunc_st {
    const struct fake_cuda_kernel *kernel; /* NULL: it is compiled */
    void *address;
    CUmodule module;
    CUfunction next;
};

struct CUmod_st {
    CUcontext context;
    char *text;
    void *loaded;  /* handle of compiled kernels; NULL: they are the test's */
    char *aborted; /* the variable amp__aborted; NULL if the text has none */
    CUfunction functions;
    CUmodule next;
};

struct fake_cuda_machine fake_cuda;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local CUcontext current;
static struct CUctx_st contexts[MAX_DEVICES];
static struct memory *memories;
static CUstream streams;
static CUevent events;
static CUmodule modules;
static int n_streams; /* so far */
static bool is_initialised;
static CUmodule running; /* a kernel of it */
static struct fake_cuda_kernel kernels[MAX_KERNELS];
static int n_kernels;
static char misuse[512], done[4096], returned[4096];
static struct {
    const char *name;
    int n_calls;
} calls[MAX_FUNCTIONS];
static struct {
    const char *function;
    int n;
    CUresult result;
    bool has_failed;
} failure;

/* ---- the test's side ---- */

static void machine_init(void)
{
    fake_cuda = (struct fake_cuda_machine){.n_devices = 2,
                                           .version = 12040,
                                           .capability = 90,
                                           .n_processors = 4,
                                           .has_peers = true,
                                           .memory_bytes = (size_t)1 << 30};
}

__attribute__((constructor)) static void begin(void)
{
    machine_init();
    const char *name = getenv("FAKE_CUDA_KERNELS"), *bytes = getenv("FAKE_CUDA_MEMORY");
    if (!name)
        return;
    if (bytes)
        fake_cuda.memory_bytes = strtoul(bytes, NULL, 10);
    void *library = dlopen(name, RTLD_LAZY);
    *(void **)&device_load = library ? dlsym(library, "device_load") : NULL;
    *(void **)&device_launch = library ? dlsym(library, "device_launch") : NULL;
    if (!device_load || !device_launch) {
        fprintf(stderr, "fake_cuda: FAKE_CUDA_KERNELS: %s\n", dlerror());
        abort();
    }
    far_away = 0;
}

/* Makes a program with compiled kernels fail at its end if there was a misuse. */
__attribute__((destructor)) static void end(void)
{
    if (device_load && misuse[0]) {
        fprintf(stderr, "fake_cuda: %s\n", misuse);
        _Exit(98);
    }
}

static void drop_work(CUstream stream)
{
    for (struct work *w = stream->first, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    stream->first = stream->last = NULL;
}

static void drop_module(CUmodule module)
{
    for (CUfunction f = module->functions, next; f; f = next) {
        next = f->next;
        free(f);
    }
    free(module->text);
    free(module);
}

void fake_cuda_reset(void)
{
    pthread_mutex_lock(&lock);
    machine_init();
    while (memories) {
        struct memory *m = memories;
        memories = m->next;
        if (m->base)
            munmap(m->base, m->mapped_bytes);
        free(m);
    }
    while (streams) {
        CUstream s = streams;
        streams = s->next;
        drop_work(s);
        free(s);
    }
    while (events) {
        CUevent e = events;
        events = e->next;
        free(e);
    }
    while (modules) {
        CUmodule m = modules;
        modules = m->next;
        drop_module(m);
    }
    memset(contexts, 0, sizeof contexts);
    for (int i = 0; i < MAX_DEVICES; i++)
        contexts[i].device = i;
    memset(calls, 0, sizeof calls);
    memset(&failure, 0, sizeof failure);
    misuse[0] = done[0] = 0;
    n_streams = n_kernels = 0;
    is_initialised = false;
    current = NULL;
    pthread_mutex_unlock(&lock);
}

int fake_cuda_calls(const char *function)
{
    int n = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_FUNCTIONS && calls[i].name; i++)
        if (!strcmp(calls[i].name, function))
            n = calls[i].n_calls;
    pthread_mutex_unlock(&lock);
    return n;
}

bool fake_cuda_has_queues(void)
{
    int n = 0;
    pthread_mutex_lock(&lock);
    for (CUstream s = streams; s; s = s->next)
        n++;
    for (int i = 0; i < MAX_DEVICES; i++)
        n -= contexts[i].n_retained > 0;
    pthread_mutex_unlock(&lock);
    return n > 0;
}

const char *fake_cuda_objects(void)
{
    int n_contexts = 0, n_streams_left = 0, n_events = 0, n_modules = 0, n_memories[2] = {0, 0};
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_DEVICES; i++)
        n_contexts += contexts[i].n_retained;
    for (CUstream s = streams; s; s = s->next)
        n_streams_left++;
    for (CUevent e = events; e; e = e->next)
        n_events++;
    for (CUmodule m = modules; m; m = m->next)
        n_modules++;
    for (struct memory *m = memories; m; m = m->next)
        n_memories[m->is_pinned]++;
    snprintf(returned, sizeof returned, "contexts: %d, streams: %d, events: %d, modules: %d, memory: %d, pinned: %d",
             n_contexts, n_streams_left, n_events, n_modules, n_memories[0], n_memories[1]);
    bool is_none = !n_contexts && !streams && !events && !modules && !memories;
    pthread_mutex_unlock(&lock);
    return is_none ? NULL : returned;
}

const char *fake_cuda_misuse(void)
{
    pthread_mutex_lock(&lock);
    bool is_none = misuse[0] == 0;
    pthread_mutex_unlock(&lock);
    return is_none ? NULL : misuse;
}

void fake_cuda_fail(const char *function, int n, CUresult result)
{
    pthread_mutex_lock(&lock);
    failure.function = function;
    failure.n = n;
    failure.result = result;
    failure.has_failed = false;
    pthread_mutex_unlock(&lock);
}

bool fake_cuda_has_failed(void)
{
    pthread_mutex_lock(&lock);
    bool has_failed = failure.has_failed;
    pthread_mutex_unlock(&lock);
    return has_failed;
}

void fake_cuda_add(const struct fake_cuda_kernel *kernel)
{
    kernels[n_kernels++] = *kernel;
}

void *fake_cuda_host(const void *device_memory)
{
    return (void *)((uintptr_t)device_memory - FAR_AWAY);
}

const char *fake_cuda_done(void)
{
    pthread_mutex_lock(&lock);
    memcpy(returned, done, sizeof done);
    done[0] = 0;
    pthread_mutex_unlock(&lock);
    return returned;
}

void fake_cuda_abort(const char *text)
{
    int *is_aborted = (int *)(void *)running->aborted;
    if (*is_aborted == 0)
        snprintf(running->aborted + sizeof *is_aborted, ABORTED_BYTES - sizeof *is_aborted, "%s", text);
    *is_aborted = 1;
}

/* ---- the driver's side: each call holds the lock ---- */

__attribute__((format(printf, 2, 3))) static CUresult wrong(CUresult result, const char *format, ...)
{
    if (misuse[0] == 0) {
        va_list args;
        va_start(args, format);
        vsnprintf(misuse, sizeof misuse, format, args);
        va_end(args);
    }
    return result;
}

static bool loses_context(CUresult result)
{
    return result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_LAUNCH_FAILED ||
           result == CUDA_ERROR_ECC_UNCORRECTABLE;
}

/* Counts a call. Returns the result with which it must fail, if any. A real driver waits in system calls, where a
 * thread can be cancelled. */
static CUresult begin_call(const char *function, bool needs_context)
{
    pthread_testcancel();
    pthread_mutex_lock(&lock);
    int i = 0;
    while (calls[i].name && strcmp(calls[i].name, function) != 0)
        i++;
    calls[i].name = function;
    calls[i].n_calls++;
    if (failure.function && !strcmp(failure.function, function) && failure.n > 0 && --failure.n == 0) {
        failure.has_failed = true;
        if (current && loses_context(failure.result))
            current->lost = failure.result;
        return failure.result;
    }
    if (!needs_context)
        return CUDA_SUCCESS;
    if (!current)
        return wrong(CUDA_ERROR_INVALID_CONTEXT, "%s: no context is current", function);
    if (current->n_retained == 0)
        return wrong(CUDA_ERROR_CONTEXT_IS_DESTROYED, "%s: the current context was released", function);
    return current->lost;
}

static CUresult end_call(CUresult result)
{
    pthread_mutex_unlock(&lock);
    return result;
}

/* Begins a function's body: on failure it returns. */
#define BEGIN(needs_context)                                                                                           \
    CUresult result = begin_call(__func__, needs_context);                                                             \
    if (result != CUDA_SUCCESS)                                                                                        \
    return end_call(result)
#define END(value) return end_call(value)
#define REQUIRE(condition, result, ...)                                                                                \
    if (!(condition))                                                                                                  \
    return end_call(wrong(result, __VA_ARGS__))

/* The allocation that has all of the bytes; NULL if there is none. */
static struct memory *memory_with(const char *first, size_t size_bytes, bool is_pinned)
{
    struct memory *m = memories;
    while (m && !(m->is_pinned == is_pinned && first >= m->first && first + size_bytes <= m->first + m->size_bytes))
        m = m->next;
    return m;
}

static char *near_address(CUdeviceptr memory)
{
    return (char *)(uintptr_t)(memory - FAR_AWAY);
}

static bool is_stream(CUstream stream)
{
    CUstream s = streams;
    while (s && s != stream)
        s = s->next;
    return s;
}

static bool is_event(CUevent event)
{
    CUevent e = events;
    while (e && e != event)
        e = e->next;
    return e;
}

static void note_done(const struct work *work, CUstream stream)
{
    static const char *const names[] = {"in", "out", "across", "peer", "fill"};
    size_t length = strlen(done);
    if (work->kind != RECORD)
        snprintf(done + length, sizeof done - length, "%s%s %d", length ? ", " : "",
                 work->kind == RUN ? work->kernel->name : names[work->kind], stream->number);
}

static void do_first(CUstream stream)
{
    struct work *work = stream->first;
    stream->first = work->next;
    if (!stream->first)
        stream->last = NULL;
    switch (work->kind) {
    case FILL:
        memset(work->to, work->value, work->size_bytes);
        break;
    case RUN:
        running = work->module;
        work->kernel->run(work->args, work->box);
        break;
    case RECORD:
        work->event->done = work->number;
        clock_gettime(CLOCK_MONOTONIC, &work->event->time);
        break;
    default:
        memcpy(work->to, work->from, work->size_bytes);
    }
    note_done(work, stream);
    free(work);
}

/* Does all work of a stream; after a loss, drops it. */
static void drain(CUstream stream)
{
    if (stream->context->lost)
        drop_work(stream);
    while (stream->first)
        do_first(stream);
}

static void put(CUstream stream, const struct work *work, const void *args, size_t args_bytes)
{
    struct work *copy = aligned_alloc(16, (sizeof *copy + args_bytes + 15) / 16 * 16);
    *copy = *work;
    copy->next = NULL;
    if (args_bytes)
        memcpy(copy->args, args, args_bytes);
    *(stream->last ? &stream->last->next : &stream->first) = copy;
    stream->last = copy;
    if (fake_cuda.is_eager)
        drain(stream);
}

/* Whether work that is still to be done uses an allocation. A kernel uses what its arguments point to. */
static bool is_in_use(const struct memory *m)
{
    const char *end = m->first + m->size_bytes;
    for (CUstream s = streams; s; s = s->next)
        for (struct work *w = s->context->lost ? NULL : s->first; w; w = w->next) {
            if ((w->to && w->to < end && w->to + w->size_bytes > m->first) ||
                (w->from && w->from < end && w->from + w->size_bytes > m->first))
                return true;
            for (size_t i = 0; w->kind == RUN && i + 8 <= w->kernel->args_bytes; i += 8) {
                CUdeviceptr pointer;
                memcpy(&pointer, w->args + i, 8);
                if (near_address(pointer) >= m->first && near_address(pointer) < end)
                    return true;
            }
        }
    return false;
}

static struct memory *allocate(size_t size_bytes, bool is_pinned)
{
    size_t padded = (size_bytes + ALIGN - 1) / ALIGN * ALIGN, pages = (padded + PAGE - 1) / PAGE * PAGE;
    struct memory *m = calloc(1, sizeof *m);
    m->mapped_bytes = pages + 2 * PAGE;
    m->base = mmap(NULL, m->mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    mprotect(m->base + PAGE, pages, PROT_READ | PROT_WRITE);
    m->first = m->base + PAGE + pages - padded;
    m->size_bytes = size_bytes;
    m->context = current;
    m->is_pinned = is_pinned;
    if (!is_pinned)
        current->used_bytes += size_bytes;
    memset(m->first, 0xA5, size_bytes < PAGE ? size_bytes : PAGE);
    m->next = memories;
    memories = m;
    return m;
}

static CUresult release(char *first, bool is_pinned, const char *function)
{
    struct memory **link = &memories;
    while (*link && ((*link)->first != first || (*link)->is_pinned != is_pinned))
        link = &(*link)->next;
    struct memory *m = *link;
    if (!m)
        return wrong(CUDA_ERROR_INVALID_VALUE, "%s: %p was not allocated", function, (void *)first);
    if (m->context != current)
        return wrong(CUDA_ERROR_INVALID_VALUE, "%s: another context's memory", function);
    if (is_in_use(m))
        wrong(CUDA_SUCCESS, "%s: work on a stream still uses the memory", function);
    *link = m->next;
    if (!is_pinned)
        m->context->used_bytes -= m->size_bytes;
    if (m->base)
        munmap(m->base, m->mapped_bytes);
    free(m);
    return CUDA_SUCCESS;
}

/* ---- the functions ---- */

#define PROTOTYPE(name, symbol, parameters) CUresult symbol parameters;
AMP__CUDA_FUNCTIONS(PROTOTYPE)

CUresult cuInit(unsigned flags)
{
    BEGIN(false);
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "cuInit: flags");
    is_initialised = true;
    END(fake_cuda.n_devices ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE);
}

CUresult cuDriverGetVersion(int *version)
{
    BEGIN(false);
    *version = fake_cuda.version;
    END(CUDA_SUCCESS);
}

CUresult cuGetErrorName(CUresult number, const char **name)
{
    BEGIN(false);
    *name = NULL;
#define NAME(code, value)                                                                                              \
    if (number == code)                                                                                                \
        *name = #code;
    AMP__CUDA_RESULTS(NAME)
    END(*name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuGetErrorString(CUresult number, const char **text)
{
    BEGIN(false);
    *text = number == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "the fake driver's text";
    END(CUDA_SUCCESS);
}

CUresult cuDeviceGetCount(int *count)
{
    BEGIN(false);
    REQUIRE(is_initialised, CUDA_ERROR_DEINITIALIZED, "cuDeviceGetCount before cuInit");
    *count = fake_cuda.n_devices;
    END(CUDA_SUCCESS);
}

CUresult cuDeviceGet(CUdevice *device, int number)
{
    BEGIN(false);
    REQUIRE(number >= 0 && number < fake_cuda.n_devices, CUDA_ERROR_INVALID_VALUE, "cuDeviceGet: %d", number);
    *device = number;
    END(CUDA_SUCCESS);
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    BEGIN(false);
    snprintf(name, (size_t)size, "Fake GPU %d", device);
    END(CUDA_SUCCESS);
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    BEGIN(false);
    REQUIRE(device >= 0 && device < fake_cuda.n_devices, CUDA_ERROR_INVALID_VALUE, "cuDeviceGetAttribute: device");
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = fake_cuda.n_processors;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
        *value = 2048;
        break;
    case CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT:
        *value = device == 1;
        break;
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
        *value = fake_cuda.is_integrated;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
        *value = fake_cuda.is_prohibited ? CU_COMPUTEMODE_PROHIBITED : 0;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = fake_cuda.capability / 10;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = fake_cuda.capability % 10;
        break;
    default:
        END(wrong(CUDA_ERROR_INVALID_VALUE, "cuDeviceGetAttribute: %d is not known here", attribute));
    }
    END(CUDA_SUCCESS);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    BEGIN(false);
    (void)device;
    *bytes = fake_cuda.memory_bytes;
    END(CUDA_SUCCESS);
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    BEGIN(false);
    REQUIRE(device != peer, CUDA_ERROR_INVALID_VALUE, "cuDeviceCanAccessPeer: the device itself");
    *can = fake_cuda.has_peers;
    END(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    BEGIN(false);
    REQUIRE(device >= 0 && device < fake_cuda.n_devices, CUDA_ERROR_INVALID_VALUE, "cuDevicePrimaryCtxRetain: device");
    *context = &contexts[device];
    contexts[device].n_retained++;
    END(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    CUresult result = begin_call(__func__, false);
    REQUIRE(contexts[device].n_retained > 0, CUDA_ERROR_INVALID_CONTEXT, "cuDevicePrimaryCtxRelease: not retained");
    contexts[device].n_retained--;
    END(result);
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    BEGIN(false);
    *context = current;
    END(CUDA_SUCCESS);
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    BEGIN(false);
    REQUIRE(!context || context->n_retained > 0, CUDA_ERROR_INVALID_CONTEXT, "cuCtxSetCurrent: a released context");
    current = context;
    END(CUDA_SUCCESS);
}

CUresult cuCtxSynchronize(void)
{
    CUresult failed = begin_call(__func__, true);
    for (CUstream s = streams; s; s = s->next)
        if (s->context == current)
            drain(s);
    END(failed);
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    BEGIN(true);
    REQUIRE(peer != current && peer->n_retained > 0 && flags == 0, CUDA_ERROR_INVALID_VALUE, "cuCtxEnablePeerAccess");
    END(CUDA_SUCCESS);
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    BEGIN(true);
    *free_bytes = fake_cuda.memory_bytes - current->used_bytes;
    *total = fake_cuda.memory_bytes;
    END(CUDA_SUCCESS);
}

CUresult cuMemAlloc_v2(CUdeviceptr *memory, size_t bytes)
{
    BEGIN(true);
    REQUIRE(bytes > 0, CUDA_ERROR_INVALID_VALUE, "cuMemAlloc: 0 bytes");
    if (bytes > fake_cuda.memory_bytes - current->used_bytes)
        END(CUDA_ERROR_OUT_OF_MEMORY);
    *memory = (CUdeviceptr)(uintptr_t)allocate(bytes, false)->first + FAR_AWAY;
    END(CUDA_SUCCESS);
}

CUresult cuMemFree_v2(CUdeviceptr memory)
{
    CUresult failed = begin_call(__func__, true), result = release(near_address(memory), false, "cuMemFree");
    END(failed != CUDA_SUCCESS ? failed : result);
}

CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    BEGIN(true);
    (void)flags;
    *memory = allocate(bytes, true)->first;
    END(CUDA_SUCCESS);
}

CUresult cuMemFreeHost(void *memory)
{
    CUresult failed = begin_call(__func__, true), result = release(memory, true, "cuMemFreeHost");
    END(failed != CUDA_SUCCESS ? failed : result);
}

/* Checks a copy's stream and both sides. Returns NULL, or what is wrong. */
static const char *check_copy(CUstream stream, const char *to, bool to_is_pinned, const char *from, bool from_is_pinned,
                              size_t bytes)
{
    if (!is_stream(stream) || stream->context != current)
        return "a stream of another context, or none";
    if (!memory_with(to, bytes, to_is_pinned))
        return to_is_pinned ? "the destination is not pinned" : "the destination is not in device memory";
    if (!memory_with(from, bytes, from_is_pinned))
        return from_is_pinned ? "the source is not pinned" : "the source is not in device memory";
    if (!to_is_pinned && !from_is_pinned)
        return NULL;
    struct memory *on_device = to_is_pinned ? memory_with(from, bytes, false) : memory_with(to, bytes, false);
    return on_device->context == current ? NULL : "memory of another device";
}

static CUresult copy(const char *function, enum kind kind, CUstream stream, char *to, const char *from, size_t bytes)
{
    const char *why = check_copy(stream, to, kind == COPY_OUT, from, kind == COPY_IN, bytes);
    if (why)
        return wrong(CUDA_ERROR_INVALID_VALUE, "%s: %s", function, why);
    put(stream, &(struct work){.kind = kind, .to = to, .from = from, .size_bytes = bytes}, NULL, 0);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    BEGIN(true);
    END(copy("cuMemcpyHtoDAsync", COPY_IN, stream, near_address(to), from, bytes));
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    BEGIN(true);
    END(copy("cuMemcpyDtoHAsync", COPY_OUT, stream, to, near_address(from), bytes));
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    BEGIN(true);
    END(copy("cuMemcpyDtoDAsync", COPY_ACROSS, stream, near_address(to), near_address(from), bytes));
}

/* The allocation of either side that has bytes at an address of the driver's; NULL if there is none. */
static struct memory *memory_at(CUdeviceptr at, size_t bytes)
{
    struct memory *m = memory_with(near_address(at), bytes, false);
    return m ? m : memory_with((char *)(uintptr_t)at, bytes, true);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    BEGIN(true);
    struct memory *a = memory_at(to, bytes), *b = memory_at(from, bytes);
    REQUIRE(a && b, CUDA_ERROR_INVALID_VALUE, "cuMemcpyAsync: memory that the driver does not know");
    enum kind kind = a->is_pinned ? COPY_OUT : b->is_pinned ? COPY_IN : COPY_ACROSS;
    char *to_here = a->is_pinned ? (char *)(uintptr_t)to : near_address(to);
    const char *from_here = b->is_pinned ? (char *)(uintptr_t)from : near_address(from);
    END(copy("cuMemcpyAsync", kind, stream, to_here, from_here, bytes));
}

/* One side of a copy of rows. The host's side may be any memory; the caller must not change it before waiting for the
 * stream. Returns NULL if the driver knows nothing of it. */
static char *find_side(int type, const void *host, CUdeviceptr device, size_t bytes, bool *is_on_device)
{
    struct memory *m = memory_at(device, bytes);
    *is_on_device = type == CU_MEMORYTYPE_DEVICE || (type == CU_MEMORYTYPE_UNIFIED && m && !m->is_pinned);
    if (*is_on_device)
        return m && !m->is_pinned && m->context == current ? near_address(device) : NULL;
    if (type == CU_MEMORYTYPE_UNIFIED)
        return m ? (char *)(uintptr_t)device : NULL;
    return type == CU_MEMORYTYPE_HOST ? (char *)(uintptr_t)host : NULL;
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    BEGIN(true);
    size_t width = copy->WidthInBytes, before_last = copy->Height - 1;
    bool to_device, from_device;
    char *to = find_side(copy->dstMemoryType, copy->dstHost, copy->dstDevice, before_last * copy->dstPitch + width,
                         &to_device);
    const char *from = find_side(copy->srcMemoryType, copy->srcHost, copy->srcDevice,
                                 before_last * copy->srcPitch + width, &from_device);
    REQUIRE(is_stream(stream) && stream->context == current && (to_device || from_device), CUDA_ERROR_INVALID_VALUE,
            "cuMemcpy2DAsync: no side is on the stream's device");
    REQUIRE(to && from && copy->srcPitch >= width && copy->dstPitch >= width && copy->srcPitch <= INT_MAX &&
                copy->dstPitch <= INT_MAX,
            CUDA_ERROR_INVALID_VALUE, "cuMemcpy2DAsync: rows outside of memory of the device");
    enum kind kind = !from_device ? COPY_IN : to_device ? COPY_ACROSS : COPY_OUT;
    for (size_t i = 0; i < copy->Height; i++, to += copy->dstPitch, from += copy->srcPitch)
        put(stream, &(struct work){.kind = kind, .to = to, .from = from, .size_bytes = width}, NULL, 0);
    END(CUDA_SUCCESS);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
                           CUstream stream)
{
    BEGIN(true);
    struct memory *a = memory_with(near_address(to), bytes, false), *b = memory_with(near_address(from), bytes, false);
    REQUIRE(a && b && a->context == to_context && b->context == from_context, CUDA_ERROR_INVALID_VALUE,
            "cuMemcpyPeerAsync: memory of other contexts");
    END(copy("cuMemcpyPeerAsync", COPY_PEER, stream, near_address(to), near_address(from), bytes));
}

CUresult cuMemsetD8Async(CUdeviceptr memory, unsigned char value, size_t n, CUstream stream)
{
    BEGIN(true);
    REQUIRE(is_stream(stream) && stream->context == current && memory_with(near_address(memory), n, false),
            CUDA_ERROR_INVALID_VALUE, "cuMemsetD8Async: a stream or memory of another context");
    put(stream, &(struct work){.kind = FILL, .to = near_address(memory), .value = value, .size_bytes = n}, NULL, 0);
    END(CUDA_SUCCESS);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned n_options, int *options, void **values)
{
    BEGIN(true);
    if (strstr(image, "syntax error")) {
        char *log = NULL;
        size_t size = 0;
        for (unsigned i = 0; i < n_options; i++)
            if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
                log = values[i];
            else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
                size = (size_t)(uintptr_t)values[i];
        if (log)
            snprintf(log, size, "ptxas application ptx input, line 1; fatal : syntax error");
        END(CUDA_ERROR_INVALID_PTX);
    }
    if (strstr(image, ".version 99"))
        END(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    CUmodule new = calloc(1, sizeof *new);
    new->context = current;
    new->text = strdup(image);
    new->loaded = device_load ? device_load(image) : NULL;
    if (new->loaded && dlsym(new->loaded, "amp__aborted")) {
        struct memory *m = calloc(1, sizeof *m);
        *m = (struct memory){.size_bytes = ABORTED_BYTES, .context = current, .next = memories};
        m->first = new->aborted = dlsym(new->loaded, "amp__aborted");
        memories = m;
        current->used_bytes += ABORTED_BYTES;
    } else if (!new->loaded && strstr(image, "amp__aborted")) {
        struct memory *m = allocate(ABORTED_BYTES, false);
        memset(m->first, 0, ABORTED_BYTES);
        new->aborted = m->first;
    }
    new->next = modules;
    *module = modules = new;
    END(CUDA_SUCCESS);
}

CUresult cuModuleUnload(CUmodule module)
{
    CUresult failed = begin_call(__func__, true);
    CUmodule *link = &modules;
    while (*link && *link != module)
        link = &(*link)->next;
    REQUIRE(*link && module->context == current, CUDA_ERROR_INVALID_HANDLE, "cuModuleUnload: no module of the context");
    *link = module->next;
    if (module->aborted)
        release(module->aborted, false, "cuModuleUnload");
    drop_module(module);
    END(failed);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    BEGIN(true);
    REQUIRE(module->context == current, CUDA_ERROR_INVALID_HANDLE, "cuModuleGetFunction: another context");
    int i = 0;
    while (i < n_kernels && strcmp(kernels[i].name, name) != 0)
        i++;
    void *address = module->loaded ? dlsym(module->loaded, name) : NULL;
    if (!address && (i == n_kernels || !strstr(module->text, name)))
        END(CUDA_ERROR_NOT_FOUND);
    CUfunction new = calloc(1, sizeof *new);
    new->kernel = address ? NULL : &kernels[i];
    new->address = address;
    new->module = module;
    new->next = module->functions;
    *function = module->functions = new;
    END(CUDA_SUCCESS);
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *memory, size_t *bytes, CUmodule module, const char *name)
{
    BEGIN(true);
    REQUIRE(module->context == current, CUDA_ERROR_INVALID_HANDLE, "cuModuleGetGlobal: another context");
    REQUIRE(module->aborted && !strcmp(name, "amp__aborted"), CUDA_ERROR_NOT_FOUND, "cuModuleGetGlobal: no such name");
    *memory = (CUdeviceptr)(uintptr_t)module->aborted + FAR_AWAY;
    *bytes = ABORTED_BYTES;
    END(CUDA_SUCCESS);
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function)
{
    BEGIN(true);
    REQUIRE(function->module->context == current, CUDA_ERROR_INVALID_HANDLE, "cuFuncGetAttribute: another context");
    *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
                 ? function->kernel ? function->kernel->max_threads : 1024
             : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS ? 40
                                                       : 2048;
    END(CUDA_SUCCESS);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters,
                        void **extra)
{
    BEGIN(true);
    const struct fake_cuda_kernel *k = function->kernel;
    REQUIRE(is_stream(stream) && stream->context == current && function->module->context == current,
            CUDA_ERROR_INVALID_HANDLE, "cuLaunchKernel: a stream or function of another context");
    REQUIRE(!extra && shared_bytes == 0, CUDA_ERROR_INVALID_VALUE, "cuLaunchKernel: extra or shared memory");
    if (!k) { /* its parameters are not known here, so it cannot be deferred */
        drain(stream);
        device_launch(function->address, parameters[0], parameters[1], (int[]){(int)grid_x, (int)grid_y, (int)grid_z},
                      (int[]){(int)block_x, (int)block_y, (int)block_z}, true);
        END(CUDA_SUCCESS);
    }
    REQUIRE(block_x == (unsigned)k->threads[0] && block_y == (unsigned)k->threads[1] &&
                block_z == (unsigned)k->threads[2],
            CUDA_ERROR_INVALID_VALUE, "cuLaunchKernel: %s in blocks of %ux%ux%u", k->name, block_x, block_y, block_z);
    struct work work = {.kind = RUN, .kernel = k, .module = function->module};
    memcpy(work.box, parameters[1], sizeof work.box);
    unsigned grid[3] = {grid_x, grid_y, grid_z};
    for (int d = 0; d < 3; d++) {
        long long begin = work.box[4 - 2 * d], end = work.box[5 - 2 * d];
        REQUIRE(grid[d] >= 1 && grid[d] <= (d == 0 ? 0x7fffffffu : 65535u), CUDA_ERROR_INVALID_VALUE,
                "cuLaunchKernel: %s: a grid of %ux%ux%u", k->name, grid_x, grid_y, grid_z);
        REQUIRE(grid[d] == (unsigned long long)((end - begin + k->points[d] - 1) / k->points[d]),
                CUDA_ERROR_INVALID_VALUE, "cuLaunchKernel: %s: %u blocks for %lld to %lld", k->name, grid[d], begin,
                end);
    }
    put(stream, &work, parameters[0], k->args_bytes);
    END(CUDA_SUCCESS);
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    BEGIN(true);
    REQUIRE(flags == CU_STREAM_NON_BLOCKING, CUDA_ERROR_INVALID_VALUE, "cuStreamCreate: it waits for the NULL stream");
    CUstream new = calloc(1, sizeof *new);
    new->context = current;
    new->number = n_streams++;
    new->next = streams;
    *stream = streams = new;
    END(CUDA_SUCCESS);
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    CUresult failed = begin_call(__func__, true);
    CUstream *link = &streams;
    while (*link && *link != stream)
        link = &(*link)->next;
    REQUIRE(*link && stream->context == current, CUDA_ERROR_INVALID_HANDLE,
            "cuStreamDestroy: no stream of the context");
    if (stream->first && failed == CUDA_SUCCESS && stream->context->lost == CUDA_SUCCESS)
        wrong(CUDA_SUCCESS, "cuStreamDestroy: there is work on it");
    *link = stream->next;
    drop_work(stream);
    for (CUevent e = events; e; e = e->next)
        if (e->stream == stream)
            e->stream = NULL;
    free(stream);
    END(failed);
}

CUresult cuStreamSynchronize(CUstream stream)
{
    CUresult failed = begin_call(__func__, true);
    REQUIRE(is_stream(stream) && stream->context == current, CUDA_ERROR_INVALID_HANDLE,
            "cuStreamSynchronize: no stream of the context");
    drain(stream);
    END(failed);
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    BEGIN(true);
    REQUIRE(flags == CU_EVENT_DISABLE_TIMING || flags == CU_EVENT_DEFAULT, CUDA_ERROR_INVALID_VALUE,
            "cuEventCreate: the flags are %u", flags);
    CUevent new = calloc(1, sizeof *new);
    new->has_time = flags == CU_EVENT_DEFAULT;
    new->context = current;
    new->next = events;
    *event = events = new;
    END(CUDA_SUCCESS);
}

CUresult cuEventDestroy_v2(CUevent event)
{
    CUresult failed = begin_call(__func__, true);
    CUevent *link = &events;
    while (*link && *link != event)
        link = &(*link)->next;
    REQUIRE(*link && event->context == current, CUDA_ERROR_INVALID_HANDLE, "cuEventDestroy: no event of the context");
    *link = event->next;
    for (CUstream s = streams; s; s = s->next)
        for (struct work *w = s->first; w; w = w->next)
            if (w->event == event && event->context->lost == CUDA_SUCCESS)
                wrong(CUDA_SUCCESS, "cuEventDestroy: it is still to be recorded");
    free(event);
    END(failed);
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    BEGIN(true);
    REQUIRE(is_event(event) && event->context == current && is_stream(stream) && stream->context == current,
            CUDA_ERROR_INVALID_HANDLE, "cuEventRecord: an event or stream of another context");
    event->stream = stream;
    put(stream, &(struct work){.kind = RECORD, .event = event, .number = ++event->recorded}, NULL, 0);
    END(CUDA_SUCCESS);
}

CUresult cuEventQuery(CUevent event)
{
    BEGIN(true);
    REQUIRE(is_event(event) && event->context == current, CUDA_ERROR_INVALID_HANDLE, "cuEventQuery: no event");
    if (event->done == event->recorded || !event->stream)
        END(CUDA_SUCCESS);
    do_first(event->stream); /* time passes */
    END(CUDA_ERROR_NOT_READY);
}

CUresult cuEventSynchronize(CUevent event)
{
    CUresult failed = begin_call(__func__, true);
    REQUIRE(is_event(event) && event->context == current, CUDA_ERROR_INVALID_HANDLE, "cuEventSynchronize: no event");
    while (event->done != event->recorded && event->stream && event->stream->first)
        do_first(event->stream);
    END(failed);
}

CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to)
{
    BEGIN(true);
    REQUIRE(is_event(from) && is_event(to) && from->context == current && to->context == current,
            CUDA_ERROR_INVALID_HANDLE, "cuEventElapsedTime: no event");
    REQUIRE(from->has_time && to->has_time && from->recorded > 0 && to->recorded > 0, CUDA_ERROR_INVALID_HANDLE,
            "cuEventElapsedTime: an event without a time");
    if (from->done != from->recorded || to->done != to->recorded)
        END(CUDA_ERROR_NOT_READY);
    *ms = (float)((double)(to->time.tv_sec - from->time.tv_sec) * 1e3 +
                  (double)(to->time.tv_nsec - from->time.tv_nsec) * 1e-6);
    END(CUDA_SUCCESS);
}
