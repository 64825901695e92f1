/* SPDX-License-Identifier: Apache-2.0 */
/* The table of groups, and what makes them. MPI's calls that make groups wait for other processes,
 * so the lock is not held meanwhile; groups are made by one thread at a time. */
#include "distributed/mpi.h"
#include <stdlib.h>
#include <string.h>

enum { THREAD_SERIALIZED = 2, THREAD_MULTIPLE = 3 }; /* levels of MPI, the same in both ABIs */

static mpi_group groups[DISTRIBUTED_MAX_GROUPS]; /* 0 is there once it has a size */
static int ngroups = 1;                          /* under the lock */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

mpi_group *mpi_group_at(int64_t number)
{
    return number >= 0 && number < ngroups && groups[number].size > 0 ? &groups[number] : NULL;
}

static const char *const backends[] = {"any", "mpi", "ring", "jaccl", "nccl"};
enum { KNOWN_HERE = 2 }; /* of these, the first ones */

static jg_status check_backend(const char *backend, bool *here)
{
    for (size_t i = 0; i < JG_COUNT_OF(backends); ++i)
        if (strcmp(backend, backends[i]) == 0) {
            *here = i < KNOWN_HERE;
            return JG_OK;
        }
    return jg_fail(JG_ERR_VALUE, "backend: got \"%s\", allowed are any, mpi, ring, jaccl and nccl",
                   backend);
}

jg_status jg_distributed_is_available(const char *backend, bool *out)
{
    bool here = false;
    JG_TRY(check_backend(backend, &here));
    *out = here && mpi_exists();
    return JG_OK;
}

/* At exit. Other threads may still poll: they find the library broken. */
static void leave(void)
{
    int is = 0;
    bool whole = mpi_finish_sends();
    pthread_mutex_lock(&mpi_lock);
    if (whole && mpi_check() == JG_OK) {
        (void)mpi_break("the process ends");
        if (mpi.finalized(&is) == 0 && !is)
            mpi.finalize();
    }
    pthread_mutex_unlock(&mpi_lock);
}

/* Without the lock. */
static jg_status start_library(void)
{
    int is = 0, level = 0;
    int error = mpi.initialized(&is);
    if (error == 0 && is) {
        error = mpi.query_thread(&level);
    } else if (error == 0) {
        error = mpi.init_thread(NULL, NULL, THREAD_MULTIPLE, &level);
        if (error == 0)
            atexit(leave);
    }
    if (error != 0)
        return mpi_fail("MPI_Init_thread", error);
    if (level < THREAD_SERIALIZED)
        return jg_fail(JG_ERR_LIBRARY,
                       "MPI was initialized with thread level %d, needed is %d, "
                       "MPI_THREAD_SERIALIZED, or more",
                       level, THREAD_SERIALIZED);
    return JG_OK;
}

/* Takes a communicator of our own into the table, at a number that has no group. */
static jg_status add_group(mpi_handle comm, int64_t number, int64_t *out)
{
    mpi_group made = {.comm = comm};
    int error = mpi.comm_set_errhandler(comm, mpi.errors_return);
    if (error == 0)
        error = mpi.comm_rank(comm, &made.rank);
    if (error == 0)
        error = mpi.comm_size(comm, &made.size);
    if (error != 0)
        return mpi_fail("MPI_Comm_size", error);
    pthread_mutex_lock(&mpi_lock);
    groups[number] = made;
    ngroups = number < ngroups ? ngroups : (int)number + 1;
    pthread_mutex_unlock(&mpi_lock);
    *out = number;
    return JG_OK;
}

/* gives: *number, of the next group */
static jg_status next_number(int64_t *number)
{
    pthread_mutex_lock(&mpi_lock);
    *number = ngroups;
    jg_status status = mpi_check();
    pthread_mutex_unlock(&mpi_lock);
    if (status == JG_OK && *number == DISTRIBUTED_MAX_GROUPS)
        status = jg_fail(JG_ERR_UNSUPPORTED, "group: there are %d, allowed are no more",
                         DISTRIBUTED_MAX_GROUPS);
    return status;
}

static jg_status duplicate(mpi_handle comm, int64_t number, int64_t *out)
{
    mpi_handle own = 0;
    int error = mpi.comm_dup(comm, &own);
    return error == 0 ? add_group(own, number, out) : mpi_fail("MPI_Comm_dup", error);
}

static jg_status open_library(bool *found)
{
    pthread_mutex_lock(&mpi_lock);
    jg_status status = mpi_open(found);
    pthread_mutex_unlock(&mpi_lock);
    return status == JG_OK && *found ? start_library() : status;
}

static void hold_over_forks(void)
{
    fork_hold(&mpi_lock);
}

static void lock_making(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, hold_over_forks);
    pthread_mutex_lock(&making);
}

/* A library other than the launcher's takes each process for the only one: mpi4py may have opened
 * one. */
static jg_status check_size(void)
{
    const char *text = getenv("OMPI_COMM_WORLD_SIZE");
    text = text != NULL ? text : getenv("PMI_SIZE");
    long started = text != NULL ? strtol(text, NULL, 10) : 0;
    int size = 0, error = mpi.comm_size(mpi.world, &size);
    if (error != 0)
        return mpi_fail("MPI_Comm_size", error);
    if (started < 1 || started == size)
        return JG_OK;
    return jg_fail(JG_ERR_LIBRARY,
                   "the launcher has started %ld processes, and the MPI library of "
                   "this one knows %d: it is not the launcher's",
                   started, size);
}

/* Group 0, which is made by the first call. */
static jg_status make_first(bool here, int64_t *out)
{
    bool found = false;
    if (here)
        JG_TRY(open_library(&found));
    if (found) {
        JG_TRY(check_size());
        return duplicate(mpi.world, 0, out);
    }
    pthread_mutex_lock(&mpi_lock);
    groups[0] = (mpi_group){.size = 1};
    pthread_mutex_unlock(&mpi_lock);
    *out = 0;
    return JG_OK;
}

/* Why there is nobody to talk to. */
static jg_status fail_alone(const char *backend, bool here)
{
    if (!here)
        return jg_fail(JG_ERR_LIBRARY, "backend: got %s, which joggle has not; allowed is mpi",
                       backend);
    return jg_fail(JG_ERR_LIBRARY, "strict: no MPI launcher has started this process, so it is "
                                   "alone in its group; start it by mpirun");
}

jg_status jg_distributed_init(bool strict, const char *backend, int64_t *group)
{
    bool here = false;
    jg_status status = JG_OK;
    JG_TRY(check_backend(backend, &here));
    if (!here && (strict || mpi_is_started()))
        return fail_alone(backend, here);
    lock_making();
    if (groups[0].size == 0)
        status = make_first(here, group);
    else
        *group = 0;
    if (status == JG_OK && strict && groups[0].comm == 0)
        status = fail_alone(backend, here);
    pthread_mutex_unlock(&making);
    return status;
}

jg_status jg_distributed_adopt(uintptr_t comm, int64_t *group)
{
    bool found;
    int64_t number;
    lock_making();
    jg_status status = open_library(&found);
    if (status == JG_OK && !found)
        status = jg_fail(JG_ERR_LIBRARY, "comm: no MPI library is initialized in this process");
    if (status == JG_OK)
        status = next_number(&number);
    if (status == JG_OK)
        status = duplicate(comm, number, group);
    pthread_mutex_unlock(&making);
    return status;
}

static jg_status find_group(int64_t number, mpi_group *out)
{
    pthread_mutex_lock(&mpi_lock);
    const mpi_group *found = mpi_group_at(number);
    int count = ngroups;
    if (found != NULL)
        *out = *found;
    pthread_mutex_unlock(&mpi_lock);
    if (found == NULL)
        return jg_fail(JG_ERR_VALUE, "group: got %lld, allowed are 0 to %d", (long long)number,
                       count - 1);
    return JG_OK;
}

jg_status distributed_group(int64_t group, int64_t *rank, int64_t *size)
{
    mpi_group found;
    JG_TRY(find_group(group, &found));
    *rank = found.rank;
    *size = found.size;
    return JG_OK;
}

jg_status jg_distributed_rank(int64_t group, int64_t *rank, int64_t *size)
{
    return distributed_group(group, rank, size);
}

static jg_status split(const mpi_group *group, int color, int key, int64_t *out)
{
    mpi_handle own = 0;
    int64_t number;
    JG_TRY(next_number(&number));
    int error = mpi.comm_split(group->comm, color, key < 0 ? group->rank : key, &own);
    return error == 0 ? add_group(own, number, out) : mpi_fail("MPI_Comm_split", error);
}

jg_status jg_distributed_split(int64_t group, int color, int key, int64_t *out)
{
    mpi_group found;
    JG_TRY(find_group(group, &found));
    if (color < 0)
        return jg_fail(JG_ERR_VALUE, "color: got %d, allowed are 0 and more", color);
    if (found.comm == 0)
        return jg_fail(JG_ERR_LIBRARY, "this process is alone in its group, which cannot be split");
    lock_making();
    jg_status status = split(&found, color, key, out);
    pthread_mutex_unlock(&making);
    return status;
}

void jg_distributed_abandon(void)
{
    pthread_mutex_lock(&mpi_lock);
    if (mpi.open)
        (void)mpi_break("the process has given up");
    pthread_mutex_unlock(&mpi_lock);
}

bool distributed_adds(jg_dtype dtype)
{
    static const bool adds[JG_DTYPE_COUNT] = {
#define MPI_TYPE(NAME, symbol, number) [JG_DTYPE_##NAME] = true,
#include "distributed/api.def"
#undef MPI_TYPE
    };
    return adds[dtype];
}
