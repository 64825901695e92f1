/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that only add to some arrays, on several threads: one thread adds to the arrays themselves,
 * each other one to arrays of its own, which are added to them when the loop has ended. So no two
 * threads wait for each other's cache lines, and none pays for atomics, which take longer than the
 * additions.
 *
 * A copy is what a chunk runs on: the frame and the arguments with the addresses changed, and
 * zeros. Copies are lent to chunks, so there are at most as many as threads that took part. */
#include "field/kernel.h"
#include <string.h>

enum {
    MAX_NBYTES = 8 << 20, /* of a copy: beyond the caches, adding it up is as slow as atomics */
    ALIGNMENT = 64,       /* a cache line, so that no two threads write the same */
    WORK_PER_BYTE = 2     /* operations per byte from which a copy pays */
};

/* One block: this, the frame, the arguments, the table of addresses, the arrays. For the arrays
 * themselves there is only a frame, that of the launch. */
typedef struct sum_copy {
    struct sum_copy *next, *unlent; /* on the list of all copies, and on the list of copies that no
                                       chunk uses */
    char *frame;
    char *arrays; /* one after the other, each at a multiple of ALIGNMENT */
} sum_copy;

typedef struct sum_job {
    kernel_host *host;
    const kernel_loop *loop;
    const kernel_arguments *arguments;
    void *frame;
    size_t narrays, nbytes[8];  /* of the launch; of each of the loop's sums */
    size_t frame_nbytes, total; /* of the loop's frame; of the arrays of a copy, rounded up */
    pthread_mutex_t lock;       /* of the two lists */
    pthread_cond_t given_back;
    sum_copy first; /* of the arrays themselves; on the list of unlent ones alone */
    sum_copy *copies, *unlent;
} sum_job;

/* The arguments follow the frame, and the table of addresses follows them. A frame begins with the
 * address of the arguments (program/executor.h), which becomes that of the copy's. */
static void redirect(const sum_job *job, sum_copy *copy)
{
    kernel_arguments *arguments =
        (kernel_arguments *)(void *)(copy->frame + size_whole_lines(job->frame_nbytes));
    void **addresses = (void **)(void *)(arguments + 1);
    char *array = copy->arrays;
    memcpy(copy->frame, job->frame, job->frame_nbytes);
    memcpy(copy->frame, &arguments, sizeof arguments);
    memcpy(addresses, job->arguments->addresses, job->narrays * sizeof *addresses);
    for (int64_t s = 0; s < job->loop->nsums; ++s) {
        addresses[job->loop->sums[s].array] = array;
        array += size_whole_lines(job->nbytes[s]);
    }
    *arguments = *job->arguments;
    arguments->addresses = addresses;
}

static sum_copy *make_copy(sum_job *job)
{
    size_t frame = size_whole_lines(job->frame_nbytes) + sizeof(kernel_arguments) +
                   job->narrays * sizeof(void *),
           head = size_whole_lines(sizeof(sum_copy));
    char *block = base_alloc_zeroed(head + size_whole_lines(frame) + job->total + ALIGNMENT);
    if (block == NULL)
        return NULL;
    sum_copy *copy = (sum_copy *)(void *)block;
    copy->frame = (char *)size_whole_lines((size_t)block + head);
    copy->arrays = copy->frame + size_whole_lines(frame);
    redirect(job, copy);
    return copy;
}

static sum_copy *take_unlent(sum_job *job)
{
    sum_copy *copy = job->unlent;
    if (copy != NULL)
        job->unlent = copy->unlent;
    return copy;
}

static void keep_copy(sum_job *job, sum_copy *copy)
{
    pthread_mutex_lock(&job->lock);
    copy->next = job->copies;
    job->copies = copy;
    pthread_mutex_unlock(&job->lock);
}

/* A chunk returns its copy when it is done. */
static sum_copy *wait_for_copy(sum_job *job)
{
    sum_copy *copy;
    pthread_mutex_lock(&job->lock);
    while ((copy = take_unlent(job)) == NULL)
        pthread_cond_wait(&job->given_back, &job->lock);
    pthread_mutex_unlock(&job->lock);
    return copy;
}

/* Without memory for a copy, chunks share those that there are: at least the arrays themselves. */
static sum_copy *borrow(sum_job *job)
{
    pthread_mutex_lock(&job->lock);
    sum_copy *copy = take_unlent(job);
    pthread_mutex_unlock(&job->lock);
    if (copy != NULL)
        return copy;
    copy = make_copy(job);
    if (copy == NULL)
        return wait_for_copy(job);
    keep_copy(job, copy);
    return copy;
}

static void give_back(sum_job *job, sum_copy *copy)
{
    pthread_mutex_lock(&job->lock);
    copy->unlent = job->unlent;
    job->unlent = copy;
    pthread_mutex_unlock(&job->lock);
    pthread_cond_signal(&job->given_back);
}

/* `alone` needs no atomics, as no other thread has the copy. */
static void run_chunk(void *context, int64_t first, int64_t last)
{
    sum_job *job = context;
    sum_copy *copy = borrow(job);
    job->loop->alone(copy->frame, first, last);
    give_back(job, copy);
}

static bool stops(void *context)
{
    kernel_host *host = ((const sum_job *)context)->host;
    return host->ends(host);
}

/* On the caller's thread, after all chunks. The order in which copies are added varies, and with it
 * the last bits of floats, as with atomics. Frees the copies. */
static void merge(sum_job *job)
{
    sum_copy *copy = job->copies;
    while (copy != NULL) {
        sum_copy *next = copy->next;
        const char *array = copy->arrays;
        for (int64_t s = 0; s < job->loop->nsums; ++s) {
            const kernel_sum *sum = &job->loop->sums[s];
            int64_t count = (int64_t)job->nbytes[s] / sum->itemsize;
            if (count > 0)
                sum->merge(job->arguments->addresses[sum->array], array, count);
            array += size_whole_lines(job->nbytes[s]);
        }
        base_free(copy);
        copy = next;
    }
}

/* Whether there are arrays to add to, and their bytes are few compared with the work. Then the
 * caller adds up a copy for each other thread. */
static bool measure(sum_job *job, int64_t work)
{
    int64_t copies = pool_size() - 1;
    if (job->loop->nsums == 0 || job->loop->nsums > (int64_t)JG_COUNT_OF(job->nbytes))
        return false;
    for (int64_t s = 0; s < job->loop->nsums; ++s) {
        const kernel_sum *sum = &job->loop->sums[s];
        int64_t nbytes = sum->itemsize;
        for (int64_t d = 0; d < sum->ndim && nbytes <= MAX_NBYTES; ++d)
            if (__builtin_mul_overflow(nbytes, job->arguments->extents[sum->first_axis + d],
                                       &nbytes))
                return false;
        if (nbytes > MAX_NBYTES)
            return false;
        job->nbytes[s] = (size_t)nbytes;
        job->total += size_whole_lines((size_t)nbytes);
    }
    return job->total <= MAX_NBYTES && (int64_t)job->total * copies * WORK_PER_BYTE <= work;
}

bool sums_run(kernel_host *host, const kernel_loop *loop, const kernel_program *program,
              int64_t count, int64_t grain, int64_t work, void *frame)
{
    sum_job job = {.host = host,
                   .loop = loop,
                   .frame = frame,
                   .narrays = program->narrays,
                   .frame_nbytes = (size_t)loop->frame_nbytes};
    memcpy(&job.arguments, frame, sizeof job.arguments); /* a frame begins with their address */
    if (!measure(&job, work))
        return false;
    pthread_mutex_init(&job.lock, NULL);
    pthread_cond_init(&job.given_back, NULL);
    job.first.frame = frame;
    job.unlent = &job.first;
    int64_t next = 0;
    (void)pool_run_until(count, grain, run_chunk, stops, &job, &next);
    merge(&job);
    pthread_cond_destroy(&job.given_back);
    pthread_mutex_destroy(&job.lock);
    return true;
}
