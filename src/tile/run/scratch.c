/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that registers lie in: one block per thread, grown on demand and kept, because a heap
 * call would cost more than a small launch. It is thread-local; a key's destructor frees it when
 * the thread ends. If there is no memory, a launch waits for the one reserve and uses that, as a
 * launch cannot report a failure. */
#include "tile/code.h"
#include <pthread.h>

typedef struct scratch_block {
    char *memory;
    size_t nbytes;
} scratch_block;

static _Thread_local scratch_block block;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

static pthread_mutex_t reserve_lock = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(64) char reserve[SCRATCH_LIMIT];

/* Destructors that the thread runs after this one may run tiles as well: they get a new block, for
 * which this is called once more. */
static void free_block(void *memory)
{
    block = (scratch_block){NULL, 0};
    base_free(memory);
}

static void make_key(void)
{
    fork_hold(&reserve_lock);
    has_key = pthread_key_create(&key, free_block) == 0;
}

/* Without a key the block would never be freed, so none is kept. */
static bool grow(size_t nbytes)
{
    /* In steps of 64 KiB, so that growing launches do not each call the heap. */
    nbytes = size_round_up(nbytes, 64 << 10);
    pthread_once(&once, make_key);
    char *memory = has_key ? base_alloc_aligned(64, nbytes) : NULL;
    if (memory == NULL)
        return false;
    if (pthread_setspecific(key, memory) != 0) {
        base_free(memory);
        return false;
    }
    /* The key has the new block already: from here on the thread's end frees that one, and once. */
    base_free(block.memory);
    block = (scratch_block){memory, nbytes};
    return true;
}

char *scratch_take(size_t nbytes)
{
    if (JG_LIKELY(nbytes <= block.nbytes) || grow(nbytes))
        return block.memory;
    pthread_mutex_lock(&reserve_lock);
    return reserve;
}

void scratch_give(char *scratch)
{
    if (JG_UNLIKELY(scratch == reserve))
        pthread_mutex_unlock(&reserve_lock);
}
