/* SPDX-License-Identifier: MIT
 *
 * An accelerator that looks for mistakes: it runs the code that ampcc --amp-check makes, on memory of its own, and a
 * launch in which it finds something fails and changes nothing. */
#include "checked.h"

#include "../cpu/cpu.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY_ALIGN = 4096, SECONDS = 30, LONGEST = 1000000000 };

static pthread_mutex_t one_launch = PTHREAD_MUTEX_INITIALIZER, one_host = PTHREAD_MUTEX_INITIALIZER;

static int count(void)
{
    return 1;
}

static amp_status open_checked(int i, void **device, amp_accelerator_properties *properties)
{
    (void)i;
    *device = NULL;
    *properties = (amp_accelerator_properties){
        .path = "checked",
        .description = "checked: finds mistakes in kernels that were compiled with --amp-check",
        .version = 1 << 16,
        .n_threads = 1,
        .isa = "checked",
        .is_debug = true,
        .is_emulated = true,
        .supports_double_precision = true,
        .supports_limited_double_precision = true,
        .default_cpu_access_type = AMP_ACCESS_NONE,
    };
    return AMP_OK;
}

static const struct amp__image *find_image(const struct amp__kernel *kernel)
{
    for (const struct amp__image *image = kernel->images; image && image->backend; image++)
        if (!strcmp(image->backend, "checked"))
            return image;
    return NULL;
}

static bool has_code(void *device, const struct amp__kernel *kernel)
{
    (void)device;
    return find_image(kernel);
}

static long long limit_ns(void)
{
    const char *text = getenv("AMP_CHECK_TIMEOUT");
    double seconds = text ? atof(text) : 0;
    if (!(seconds > 0))
        seconds = SECONDS;
    return (long long)((seconds < LONGEST ? seconds : LONGEST) * 1e9);
}

static void begin(const struct amp__launch *launch)
{
    int cancellation = amp__cancellation_hold();
    pthread_mutex_lock(&one_launch);
    amp__running = (struct amp__running){.reporter = amp__reports_begin(launch->kernel),
                                         .cancellation = cancellation,
                                         .launch = launch,
                                         .begin_ns = amp__now_ns(),
                                         .limit_ns = limit_ns()};
}

static amp_status status_of(const struct amp__launch *launch)
{
    const struct amp__running *r = &amp__running;
    amp_status status = r->status == AMP_OK ? amp__reports_end(&r->reporter) : r->status;
    if (status == AMP_OK && r->is_aborted)
        status = amp__kernel_fail(launch->kernel, AMP_ERROR_ABORTED, "amp_abort: %s", r->aborted);
    return status;
}

static void end(bool is_kept)
{
    int cancellation = amp__running.cancellation;
    amp__objects_end(is_kept);
    pthread_mutex_unlock(&one_launch);
    amp__cancellation_resume(cancellation);
}

/* The lock is held from a launch's first box to its last. */
static amp_status launch(void *device, void *queue, struct amp__launch *launch)
{
    (void)device, (void)queue;
    const struct amp__image *image = find_image(launch->kernel);
    if (!image)
        return amp__kernel_fail(launch->kernel, AMP_ERROR_NO_KERNEL,
                                "it has no code with checks; compile it with ampcc --amp-check");
    launch->isa = "checked";
    launch->lanes = 1;
    launch->n_threads = 1;
    if (launch->is_first)
        begin(launch);
    image->run(launch->args, launch->box);
    amp_status status = status_of(launch);
    if (status != AMP_OK || launch->is_last)
        end(status == AMP_OK);
    return status;
}

static amp_status report_host(void *device, const struct amp__host_mistake *mistake)
{
    (void)device;
    struct amp__kernel kernel = {.name = mistake->kernel};
    int cancellation = amp__cancellation_hold();
    pthread_mutex_lock(&one_host); /* another thread's report of the same mistake would take the place of this one */
    struct amp__reporter host = amp__reports_begin(&kernel);
    amp__report_host(&host, mistake);
    amp_status status = amp__reports_end(&host);
    pthread_mutex_unlock(&one_host);
    amp__cancellation_resume(cancellation);
    return status;
}

static void renew(void)
{
    pthread_mutex_init(&one_launch, NULL);
    pthread_mutex_init(&one_host, NULL);
    amp__reports_renew();
    amp__checked_renew();
}

const struct amp__backend amp__checked_backend = {
    .name = "checked",
    .count = count,
    .open = open_checked,
    .has_code = has_code,
    .finds_mistakes = true,
    .memory_align = MEMORY_ALIGN,
    .alloc = amp__checked_alloc,
    .free = amp__checked_free,
    .address = amp__checked_address,
    .copy_in = amp__checked_copy_in,
    .copy_out = amp__checked_copy_out,
    .copy_across = amp__checked_copy_across,
    .discard = amp__checked_discard,
    .compare = amp__checked_compare,
    .report_host = report_host,
    .launch = launch,
    .renew = renew,
};
