/* SPDX-License-Identifier: Apache-2.0 */
/* Locks over a fork: a child has only the thread that forked, so a lock that another thread held
 * would stay locked for good. The locks named here are held while the process forks.
 *
 * They are leaves: a thread that holds one takes no other. Hooks that hold more are installed after
 * these, and so run before them. */
#include "base/base.h"
#include <stdatomic.h>

enum { MAX_LOCKS = 16 };

static pthread_mutex_t *locks[MAX_LOCKS];
static atomic_int nlocks;
static int nheld; /* during a fork: other threads may add locks meanwhile */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The order of the locks does not matter, as no thread holds two. */
static void before_fork(void)
{
    nheld = atomic_load(&nlocks);
    for (int i = 0; i < nheld; ++i)
        pthread_mutex_lock(locks[i]);
}

static void after_fork(void)
{
    for (int i = 0; i < nheld; ++i)
        pthread_mutex_unlock(locks[i]);
}

static void install_hooks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

void fork_hold(pthread_mutex_t *lock)
{
    static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
    pthread_once(&once, install_hooks);
    pthread_mutex_lock(&adding);
    /* The entry is written before the count that publishes it. */
    int count = atomic_load(&nlocks), known = 0;
    while (known < count && locks[known] != lock)
        ++known;
    if (known == MAX_LOCKS)
        __builtin_trap(); /* a lock that is not held would hang the child of a fork */
    if (known == count) {
        locks[count] = lock;
        atomic_store(&nlocks, count + 1);
    }
    pthread_mutex_unlock(&adding);
}
