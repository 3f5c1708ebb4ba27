/* SPDX-License-Identifier: MIT
 *
 * A device for tests: it has memory of its own and counts what is asked of it, but computes nothing. ampcc makes no
 * code for it; a launch is counted and leaves the memory as it is. A test that wants the effect of a kernel gives its
 * descriptor an image for "null", which then runs over the whole domain on the calling thread. */
#include "../backend.h"
#include "../testing.h"

#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct amp__null_counts counts;
static int until_failure; /* calls until the one that fails, itself included; 0: none fails */
static int n_devices = 1;

struct amp__null_counts amp__test_null_counts(void)
{
    pthread_mutex_lock(&lock);
    struct amp__null_counts now = counts;
    pthread_mutex_unlock(&lock);
    return now;
}

void amp__test_null_reset(void)
{
    pthread_mutex_lock(&lock);
    memset(&counts, 0, sizeof counts);
    until_failure = 0;
    pthread_mutex_unlock(&lock);
}

void amp__test_null_fail(int n)
{
    pthread_mutex_lock(&lock);
    until_failure = n;
    pthread_mutex_unlock(&lock);
}

/* Begins a call: AMP_OK with the lock held, or the failure that a test asked for. */
static amp_status begin(const char *call)
{
    pthread_mutex_lock(&lock);
    if (until_failure == 0 || --until_failure > 0)
        return AMP_OK;
    pthread_mutex_unlock(&lock);
    return amp__fail(AMP_ERROR_DEVICE, "null: %s failed, as a test asked for", call);
}

void amp__test_null_devices(int n)
{
    n_devices = n;
}

static int count(void)
{
    return n_devices;
}

static amp_status open_null(int i, void **device, amp_accelerator_properties *properties)
{
    *device = NULL;
    *properties = (amp_accelerator_properties){
        .path = i == 0 ? "null" : "null:1",
        .description = "null: copies and launches are counted, nothing is computed",
        .version = 1 << 16,
        .n_threads = 1,
        .isa = "none",
        .is_emulated = true,
        .supports_double_precision = true,
        .supports_limited_double_precision = true,
        .default_cpu_access_type = AMP_ACCESS_NONE,
    };
    return AMP_OK;
}

static amp_status alloc(void *device, size_t size_bytes, void **memory)
{
    (void)device;
    amp_status status = begin("an allocation");
    if (status != AMP_OK)
        return status;
    void *new = amp__alloc(size_bytes, 64);
    counts.allocations += new != NULL;
    pthread_mutex_unlock(&lock);
    if (!new)
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "null: no memory for %zu bytes", size_bytes);
    *memory = new;
    return AMP_OK;
}

static void free_memory(void *device, void *memory)
{
    (void)device;
    pthread_mutex_lock(&lock);
    counts.frees++;
    pthread_mutex_unlock(&lock);
    amp__free(memory);
}

static amp_status copy_in(void *device, void *queue, void *memory, const void *host, size_t size_bytes)
{
    (void)device, (void)queue;
    amp_status status = begin("a copy in");
    if (status != AMP_OK)
        return status;
    counts.copies_in++;
    counts.bytes_in += size_bytes;
    pthread_mutex_unlock(&lock);
    memcpy(memory, host, size_bytes);
    return AMP_OK;
}

static amp_status copy_out(void *device, void *queue, void *host, const void *memory, size_t size_bytes)
{
    (void)device, (void)queue;
    amp_status status = begin("a copy out");
    if (status != AMP_OK)
        return status;
    counts.copies_out++;
    counts.bytes_out += size_bytes;
    pthread_mutex_unlock(&lock);
    memcpy(host, memory, size_bytes);
    return AMP_OK;
}

static amp_status copy_across(void *device, void *queue, void *to, const void *from, size_t size_bytes)
{
    (void)device, (void)queue;
    amp_status status = begin("a copy across");
    if (status != AMP_OK)
        return status;
    counts.copies_across++;
    counts.bytes_across += size_bytes;
    pthread_mutex_unlock(&lock);
    memcpy(to, from, size_bytes);
    return AMP_OK;
}

static amp_status launch(void *device, void *queue, struct amp__launch *launch)
{
    (void)device, (void)queue;
    amp_status status = begin("a launch");
    if (status != AMP_OK)
        return status;
    counts.launches++;
    pthread_mutex_unlock(&lock);
    launch->isa = "none";
    launch->lanes = launch->n_threads = 1;
    for (const struct amp__image *image = launch->kernel->images; image && image->backend; image++)
        if (!strcmp(image->backend, "null"))
            image->run(launch->args, (int[]){0, launch->domain[0], 0, launch->domain[1], 0, launch->domain[2]});
    return AMP_OK;
}

const struct amp__backend amp__null_backend = {
    .name = "null",
    .count = count,
    .open = open_null,
    .alloc = alloc,
    .free = free_memory,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy_across = copy_across,
    .launch = launch,
};
