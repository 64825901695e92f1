/* SPDX-License-Identifier: Apache-2.0 */
/* Free lists of one thread each: blocks of one size that come and go often, without lock or
 * heap.
 *
 * A block may be freed on another thread than it was made on; it goes to that thread's list,
 * which is bounded. Lists register themselves with their thread when they first keep a block,
 * and are emptied when it ends. The first word of a kept block is the link to the next. */
#include "base/base.h"
#include <pthread.h>

/* The limit on one list; without it a thread that only frees would keep all the memory that other
 * threads allocate. */
enum { LIMIT = 1024 };

static pthread_key_t key; /* the thread's registered lists, by their `other` links */
static bool has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void empty(base_freelist *list)
{
    while (list->first != NULL) {
        void *block = list->first;
        list->first = *(void **)block;
        base_free(block);
    }
    list->left = 0; /* closed: its thread is ending */
}

static void empty_all(void *lists)
{
    for (base_freelist *list = lists; list != NULL; list = list->other)
        empty(list);
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, empty_all) == 0;
}

/* All of a thread's lists share one key, as a process has few keys. */
static void enlist(base_freelist *list)
{
    pthread_once(&once, make_key);
    if (!has_key)
        return; /* then nothing is kept */
    list->other = pthread_getspecific(key);
    list->enlisted = pthread_setspecific(key, list) == 0;
    list->left = list->enlisted ? LIMIT : 0;
}

void freelist_give_beyond(base_freelist *list, void *block, size_t nbytes)
{
    if (!list->enlisted)
        enlist(list);
    if (list->left > 0)
        freelist_give(list, block, nbytes);
    else
        base_free(block);
}
