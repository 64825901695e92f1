/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that transforms work in. A few blocks are kept: fresh memory costs a page fault for every
 * 4 KiB. A block begins with its size. */
#include "fft/plans.h"

/* HEAD: bytes before what is given out, for its size, and so that it stays aligned. MAX_NBYTES:
 * larger blocks are freed at once. */
enum { KEPT = 8, HEAD = 64, MAX_NBYTES = 4 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t hooked = PTHREAD_ONCE_INIT;
static void *kept[KEPT];

static void install_hooks(void)
{
    fork_hold(&lock);
}

static size_t *size_of(void *block)
{
    return block;
}

/* A kept block that is large enough, or NULL. */
static void *find(size_t nbytes)
{
    void *found = NULL;
    pthread_once(&hooked, install_hooks);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KEPT && found == NULL; ++i)
        if (kept[i] != NULL && *size_of(kept[i]) >= nbytes) {
            found = kept[i];
            kept[i] = NULL;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

void *fft_work_take(size_t nbytes)
{
    void *block = find(nbytes);
    if (block == NULL) {
        block = base_alloc_aligned(HEAD, nbytes + HEAD);
        if (block == NULL)
            return NULL;
        *size_of(block) = nbytes;
    }
    return (char *)block + HEAD;
}

/* Replaces a smaller block if no slot is free. */
void fft_work_give(void *work)
{
    void *block = work == NULL ? NULL : (char *)work - HEAD;
    if (block == NULL)
        return;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KEPT && block != NULL && *size_of(block) <= MAX_NBYTES; ++i)
        if (kept[i] == NULL || *size_of(kept[i]) < *size_of(block)) {
            void *other = kept[i];
            kept[i] = block;
            block = other;
        }
    pthread_mutex_unlock(&lock);
    base_free(block);
}

void fft_work_drop(void)
{
    for (int i = 0; i < KEPT; ++i)
        base_free(find(0));
}
