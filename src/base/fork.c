/* SPDX-License-Identifier: Apache-2.0 */
/* Locks over a fork: a child has only the thread that forked, so a lock that another thread held
 * would stay locked forever. The locks named here are held while the process forks, and none is
 * added meanwhile, so that the locks that were taken are the ones that are released.
 *
 * A thread that holds one of these locks takes no other lock. Hooks that hold other locks are
 * installed after these, and so run before them. */
#include "base/base.h"

enum { MAX_LOCKS = 16 };

static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER; /* before the others; of what follows */
static pthread_mutex_t *locks[MAX_LOCKS];
static int nlocks;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The order of the locks does not matter, as no thread holds two. */
static void before_fork(void)
{
    pthread_mutex_lock(&adding);
    for (int i = 0; i < nlocks; ++i)
        pthread_mutex_lock(locks[i]);
}

static void after_fork(void)
{
    for (int i = 0; i < nlocks; ++i)
        pthread_mutex_unlock(locks[i]);
    pthread_mutex_unlock(&adding);
}

static void install_hooks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

void fork_hold(pthread_mutex_t *lock)
{
    int index = 0;
    pthread_once(&once, install_hooks);
    pthread_mutex_lock(&adding);
    while (index < nlocks && locks[index] != lock)
        ++index;
    if (index == MAX_LOCKS)
        __builtin_trap(); /* a lock that is not held would hang the child of a fork */
    if (index == nlocks)
        locks[nlocks++] = lock;
    pthread_mutex_unlock(&adding);
}
