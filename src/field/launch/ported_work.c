/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a launch on a device: its reply to the caller, and launches that continue when their
 * call has returned.
 *
 * A launch may continue if it holds all its memory: that of fields, of joggle's arrays, and of
 * tensors of other libraries. The works of a device (memory/works.c) order the launch with all
 * other work of joggle, and the streams of those libraries are made to wait for it. A tensor is
 * released soon after the launch has run, because its library cannot reuse the memory before. A
 * call that gives results, or prints, waits for its launch. It stops waiting when it is
 * interrupted, and when the failure of an earlier launch is raised to it: then the launch
 * continues. If no thread waits for a launch any more, its failure is raised by the next wait. */
#include "field/field.h"
#include "field/launch/ported.h"
#include "stream/stream.h"
#include <string.h>

static uint32_t word_at(const char *head, int place)
{
    uint32_t word;
    memcpy(&word, head + place, sizeof word);
    return word;
}

/* used: words of the ring, which begins at the place */
static jg_status print_ring(const jg_buffer *memory, uint32_t place, uint32_t used,
                            field_host *host)
{
    if (used == 0)
        return JG_OK;
    uint64_t *ring = base_alloc((size_t)used * sizeof *ring);
    if (ring == NULL)
        return base_nomem((size_t)used * sizeof *ring, "what a kernel prints");
    jg_status status = buffer_read(memory, place, (size_t)used * sizeof *ring, ring);
    for (uint32_t at = 0; at < used && status == JG_OK;) {
        uint32_t position = (uint32_t)ring[at];
        host->host.print(&host->host, position, ring + at + 1);
        at += 1 + kernel_inst_at(host->program, position)->noperands;
    }
    base_free(ring);
    return status;
}

jg_status ported_read_outcome(const jg_kernel *kernel, const kernel_printed *text,
                              const jg_buffer *memory, const char *head)
{
    field_host host;
    if (!text->has_head)
        return JG_OK;
    field_host_init(&host, &kernel->program);
    JG_TRY(print_ring(memory, text->ring, word_at(head, KERNEL_MEMORY_USED), &host));
    if (word_at(head, KERNEL_MEMORY_FAILED) != 0)
        host.host.fail(&host.host, word_at(head, KERNEL_MEMORY_POSITION),
                       (const uint64_t *)(const void *)(head + KERNEL_MEMORY_HEAD));
    if (atomic_load_explicit(&host.host.failed, memory_order_acquire) != 0)
        return error_raise(&host.error);
    if (word_at(head, KERNEL_MEMORY_LOST) != 0)
        return base_fail(
            JG_ERR_VALUE,
            "[%s] print: got more words in one call than the device has room for, allowed "
            "are %d; the kernel has run to its end",
            jg_kernel_name(kernel), (int)KERNEL_RING_WORDS);
    return JG_OK;
}

/* Whether the launch has ended, and whether its caller has left. The second of the two sees what
 * the first has done, and keeps a failure that the caller would not get otherwise. */
enum { REPLY_PENDING, REPLY_TOLD, REPLY_ABANDONED };

/* The reply to a caller that waits. The caller and the work have a reference each. */
typedef struct ported_reply {
    atomic_int refs, state;
    jg_error failure; /* its status is JG_OK where nothing has failed */
    uint64_t results[];
} ported_reply;

typedef struct ported_work {
    memory_work work; /* first member */
    jg_kernel *kernel;
    const kernel_printed *text; /* the kernel's */
    jg_buffer *memory;
    ported_reply *reply; /* NULL where no thread waits */
    uint32_t head_nbytes, nheld;
    jg_buffer *held[]; /* and behind them the head, on the host */
} ported_work;

static char *head_of(ported_work *work)
{
    return (char *)(work->held + work->nheld);
}

static void drop_reply(ported_reply *reply)
{
    if (reply != NULL && atomic_fetch_sub_explicit(&reply->refs, 1, memory_order_acq_rel) == 1)
        base_free(reply);
}

/* Lets go of all but the block. */
static void clear(ported_work *work)
{
    for (uint32_t i = 0; i < work->nheld; ++i)
        buffer_release(work->held[i]);
    buffer_release(work->memory);
    drop_reply(work->reply);
    jg_kernel_release(work->kernel);
}

/* Reads what the kernel left in the launch's memory, which the device has written to its end. */
static jg_status hear_end(ported_work *work)
{
    char *head = head_of(work);
    if (!work->text->has_head && work->reply == NULL)
        return JG_OK;
    JG_TRY(buffer_read(work->memory, 0, work->head_nbytes, head));
    JG_TRY(ported_read_outcome(work->kernel, work->text, work->memory, head));
    if (work->reply != NULL)
        memcpy(work->reply->results, head + work->text->results,
               work->kernel->program.nresults * sizeof(uint64_t));
    return JG_OK;
}

/* gives: false where the other side was first */
static bool settle_reply(ported_reply *reply, int state)
{
    return atomic_exchange_explicit(&reply->state, state, memory_order_acq_rel) == REPLY_PENDING;
}

/* gives: whether a caller will hear of the launch's end */
static bool tell(ported_reply *reply, const jg_error *failure)
{
    if (reply == NULL)
        return false;
    reply->failure = *failure;
    return settle_reply(reply, REPLY_TOLD);
}

static jg_status end(memory_work *opaque, jg_status status)
{
    ported_work *work = (ported_work *)(void *)opaque;
    jg_error failure = {.status = JG_OK};
    if (status == JG_OK)
        status = hear_end(work);
    if (status != JG_OK)
        error_capture(&failure, status);
    bool told = tell(work->reply, &failure);
    clear(work);
    return status != JG_OK && !told ? error_raise(&failure) : JG_OK;
}

static bool is_empty(const ported_launch *p, uint32_t array)
{
    return p->launch.low[array] == p->launch.high[array];
}

/* Whether another library may know the memory, and write it, beside joggle's streams. */
static bool is_known_outside(const jg_buffer *buffer)
{
    unsigned flags = atomic_load_explicit(&buffer->flags, memory_order_relaxed);
    return flags & (BUFFER_FOREIGN | BUFFER_EXPORTED);
}

/* One array's memory, +1. NULL where it has no owner, or some stream that is not known may have to
 * come after the launch. */
static jg_buffer *hold(const ported_launch *p, uint32_t array)
{
    const jg_kernel_loan *loan = p->loans != NULL ? &p->loans[array] : NULL;
    if (p->is_host[array])
        return NULL;
    if (loan == NULL || loan->owner == NULL)
        return field_find_buffer(p->device, p->handles[array]);
    jg_buffer *buffer = node_root(loan->owner)->buffer;
    bool waits = loan->stream == JG_STREAM_UNKNOWN && is_known_outside(buffer);
    return waits ? NULL : buffer_retain(buffer);
}

/* The buffers of the launch's arrays, without those that are empty. gives: false where some array
 * cannot be held */
static bool hold_all(const ported_launch *p, ported_work *work)
{
    for (uint32_t a = 0; a < p->kernel->program.narrays; ++a) {
        jg_buffer *buffer = is_empty(p, a) ? NULL : hold(p, a);
        if (buffer != NULL)
            work->held[work->nheld++] = buffer;
        else if (!is_empty(p, a))
            return false;
    }
    return true;
}

static bool holds_foreign(const ported_work *work)
{
    for (uint32_t i = 0; i < work->nheld; ++i)
        if (buffer_is_foreign(work->held[i]))
            return true;
    return false;
}

/* Adds the reply that the caller of a kernel with results, or of one that prints, waits for. */
static jg_status add_reply(const ported_launch *p, ported_work *work)
{
    size_t nbytes = sizeof(ported_reply) + p->kernel->program.nresults * sizeof(uint64_t);
    if (p->kernel->program.nresults == 0 && !p->text->prints)
        return JG_OK;
    work->reply = base_alloc_zeroed(nbytes);
    if (work->reply == NULL)
        return base_nomem(nbytes, "a launch");
    atomic_init(&work->reply->refs, 1);
    atomic_init(&work->reply->state, REPLY_PENDING);
    return JG_OK;
}

static void drop_work(ported_work *work)
{
    clear(work);
    base_free(work);
}

/* gives: *out, for submit or drop_work; NULL where the launch may not go on */
static jg_status new_work(ported_launch *p, ported_work **out)
{
    size_t nbytes =
        sizeof(ported_work) + p->kernel->program.narrays * sizeof(jg_buffer *) + p->head_nbytes;
    ported_work *work = base_alloc_zeroed(nbytes);
    if (work == NULL)
        return base_nomem(nbytes, "a launch");
    work->kernel = jg_kernel_retain(p->kernel);
    work->text = p->text;
    work->memory = buffer_retain(p->memory);
    work->head_nbytes = p->head_nbytes;
    bool goes_on = hold_all(p, work);
    jg_status status = goes_on ? add_reply(p, work) : JG_OK;
    *out = NULL;
    if (goes_on && status == JG_OK) {
        *out = work;
        return JG_OK;
    }
    drop_work(work);
    return status;
}

/* The caller leaves for another failure, and the launch's own is left for the next wait. raises:
 * that other failure */
static jg_status abandon(const ported_launch *p, ported_reply *reply, jg_status status)
{
    jg_error other;
    error_capture(&other, status);
    if (!settle_reply(reply, REPLY_ABANDONED) && reply->failure.status != JG_OK)
        memory_works_keep_failure(p->device, &reply->failure);
    return error_raise(&other);
}

static jg_status wait_for_reply(const ported_launch *p, ported_reply *reply)
{
    jg_status status = memory_works_wait(p->device);
    if (status != JG_OK)
        status = abandon(p, reply, status);
    else if (reply->failure.status != JG_OK)
        status = error_raise(&reply->failure);
    if (status == JG_OK)
        memcpy(p->launch.results, reply->results, p->kernel->program.nresults * sizeof(uint64_t));
    return status;
}

/* Makes the streams of lenders of memory wait for the queue's present work. Most arrays of a launch
 * have the same stream. */
static jg_status lead_lenders(const ported_launch *p, void *queue)
{
    int64_t led = JG_STREAM_UNKNOWN;
    for (uint32_t a = 0; p->loans != NULL && a < p->kernel->program.narrays; ++a) {
        const jg_kernel_loan *loan = &p->loans[a];
        if (p->is_host[a] || loan->owner == NULL || loan->stream == JG_STREAM_UNKNOWN ||
            loan->stream == JG_STREAM_UNORDERED || loan->stream == led)
            continue;
        JG_TRY(device_stream_lead(p->device, queue, loan->stream));
        led = loan->stream;
    }
    return JG_OK;
}

/* The work is on the list, and may have ended. What cannot be ordered is waited for. */
static void let_go_in_order(const ported_launch *p, void *queue, uint64_t number, bool lends)
{
    if (lead_lenders(p, queue) != JG_OK)
        memory_works_settle(p->device);
    else if (lends)
        memory_works_end_soon(p->device, number, stream_at(stream_for(p->device->index)));
}

/* takes: work | gives: *reply, for drop_reply; NULL where none comes */
static jg_status submit(ported_work *work, ported_launch *p, void *queue, device_give *give,
                        ported_reply **reply)
{
    bool lends = work->reply == NULL && holds_foreign(work);
    p->goes_on = true;
    work->work = (memory_work){.device = p->device, .queue = queue, .end = end};
    JG_TRY(device_submit(p->device, queue, give, p, &work->work.mark));
    *reply = work->reply;
    if (*reply != NULL)
        atomic_fetch_add_explicit(&(*reply)->refs, 1, memory_order_relaxed);
    let_go_in_order(p, queue, memory_works_add(&work->work), lends);
    return JG_OK;
}

jg_status ported_work_give(ported_launch *p, void *queue, device_give *give, bool *given)
{
    ported_work *work = NULL;
    ported_reply *reply;
    JG_TRY(new_work(p, &work));
    *given = work != NULL;
    if (work == NULL)
        return JG_OK;
    jg_status status = submit(work, p, queue, give, &reply);
    if (status != JG_OK) {
        jg_error failure;
        error_capture(&failure, status);
        drop_work(work);
        return error_raise(&failure);
    }
    if (reply != NULL)
        status = wait_for_reply(p, reply);
    drop_reply(reply);
    return status;
}
