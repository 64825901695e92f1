/* SPDX-License-Identifier: Apache-2.0 */
/* The table of groups, and what makes them. */
#include "distributed/mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mpi_group first;
static base_vec later; /* mpi_group *, of those from number 1 on; under the lock, as the next */
static int64_t ngroups = 1; /* with the first; `later` may have one more, which is being made */

static mpi_group *later_at(int64_t number)
{
    return ((mpi_group **)(void *)later.data)[number - 1];
}

mpi_group *mpi_group_at(int64_t number)
{
    if (number < 0 || number >= ngroups)
        return NULL;
    mpi_group *group = number == 0 ? &first : later_at(number);
    return group->size > 0 ? group : NULL;
}

static const char *const backends[] = {"any", "mpi", "ring", "jaccl", "nccl"};
enum { KNOWN_HERE = 2 }; /* of these, the first ones */

static jg_status check_backend(const char *name, const char *backend, bool *here)
{
    for (size_t i = 0; i < JG_COUNT_OF(backends); ++i)
        if (strcmp(backend, backends[i]) == 0) {
            *here = i < KNOWN_HERE;
            return JG_OK;
        }
    return base_fail(JG_ERR_VALUE,
                     "[%s] backend: got \"%s\", allowed are any, mpi, ring, jaccl and nccl", name,
                     backend);
}

jg_status jg_distributed_is_available(const char *backend, bool *out)
{
    bool here = false;
    JG_TRY(check_backend("distributed_is_available", backend, &here));
    *out = here && mpi_exists();
    return JG_OK;
}

static int finish(mpi_task *task)
{
    int is = 0, error = mpi.finalized(&is);
    (void)task;
    return error == 0 && !is ? mpi.finalize() : error;
}

/* At exit. Other threads may still poll: they find the library broken. */
static void leave(void)
{
    mpi_task task = {.call = finish, .function = "MPI_Finalize"};
    pthread_mutex_lock(&mpi_lock);
    bool talks = mpi_check() == JG_OK;
    pthread_mutex_unlock(&mpi_lock);
    bool whole = mpi_finish_sends();
    pthread_mutex_lock(&mpi_lock);
    if (talks && !whole)
        fputs("joggle: this process ends, and others have not received what it sent\n", stderr);
    if (whole && mpi_check() == JG_OK) {
        (void)mpi_break("the process ends");
        if (mpi_make_at_exit(&task) != JG_OK)
            fputs("joggle: this process ends, and others have not left their groups\n", stderr);
    }
    pthread_mutex_unlock(&mpi_lock);
}

#ifdef __GLIBC__
/* A process that ends with a status other than 0 has failed and takes no leave, so that the
 * launcher ends those that wait for it. */
static void leave_with(int status, void *unused)
{
    (void)unused;
    if (status != 0)
        jg_distributed_abandon();
    leave();
}

static void leave_at_exit(void)
{
    (void)on_exit(leave_with, NULL);
}
#else
static void leave_at_exit(void)
{
    atexit(leave);
}
#endif

/* level: -1 if the library was initialized by other code, and gives that */
static int initialize(mpi_task *task)
{
    int is = 0, error = mpi.initialized(&is);
    if (error != 0)
        return error;
    if (is)
        return mpi.query_thread(&task->level);
    task->initialized = true;
    error = mpi.init_thread(NULL, NULL, MPI_MULTIPLE, &task->level);
    /* MPICH takes errors of requests for those of this communicator, and ends the process. */
    return error == 0 ? mpi.comm_set_errhandler(mpi.world, mpi.errors_return) : error;
}

static int duplicate(mpi_task *task)
{
    return mpi.comm_dup(task->comm, &task->made);
}

static int split(mpi_task *task)
{
    return mpi.comm_split(task->comm, task->color, task->key, &task->made);
}

static jg_status start_library(void)
{
    mpi_task task = {.call = initialize, .function = "MPI_Init_thread"};
    JG_TRY(mpi_make(&task, "init"));
    if (task.initialized)
        leave_at_exit();
    if (task.level < MPI_SERIALIZED)
        return base_fail(
            JG_ERR_LIBRARY,
            "[distributed_init] MPI was initialized with thread level %d, needed is %d, "
            "MPI_THREAD_SERIALIZED, or more",
            task.level, MPI_SERIALIZED);
    pthread_mutex_lock(&mpi_lock);
    mpi.level = task.level;
    pthread_mutex_unlock(&mpi_lock);
    return JG_OK;
}

static jg_status measure(mpi_handle comm, int *rank, int *size)
{
    int error = mpi.comm_set_errhandler(comm, mpi.errors_return);
    if (error == 0)
        error = mpi.comm_rank(comm, rank);
    if (error == 0)
        error = mpi.comm_size(comm, size);
    return error == 0 ? JG_OK : mpi_fail("MPI_Comm_size", error);
}

/* Makes a communicator of our own, which is the group's. */
static jg_status join_group(mpi_task *task, const char *who, mpi_group *made)
{
    int size = 0;
    JG_TRY(mpi_make(task, who));
    pthread_mutex_lock(&mpi_lock);
    made->comm = task->made;
    jg_status status = measure(made->comm, &made->rank, &size);
    if (status != JG_OK) {
        (void)mpi.comm_free(&made->comm);
        made->comm = 0;
    } else {
        made->size = size;
    }
    pthread_mutex_unlock(&mpi_lock);
    return status;
}

/* Memory for the next group of the table, before other processes are waited for: they make the
 * group in any case. */
static jg_status prepare_locked(mpi_group **out)
{
    JG_TRY(mpi_check());
    if (later.nbytes / sizeof *out < (size_t)ngroups) {
        mpi_group *made = base_alloc_zeroed(sizeof *made);
        if (made == NULL)
            return base_nomem(sizeof *made, "a group");
        jg_status status = vec_append(&later, &made, sizeof made);
        if (status != JG_OK) {
            base_free(made);
            return status;
        }
    }
    *out = later_at(ngroups);
    return JG_OK;
}

/* Takes a new group into the table. gives: *out, its number */
static jg_status add_group(mpi_task *task, const char *who, int64_t *out)
{
    mpi_group *made = NULL;
    pthread_mutex_lock(&mpi_lock);
    jg_status status = prepare_locked(&made);
    pthread_mutex_unlock(&mpi_lock);
    if (status != JG_OK)
        return status;
    JG_TRY(join_group(task, who, made));
    pthread_mutex_lock(&mpi_lock);
    *out = ngroups++;
    pthread_mutex_unlock(&mpi_lock);
    return JG_OK;
}

static jg_status add_duplicate(mpi_handle comm, bool is_first, int64_t *out)
{
    mpi_task task = {.call = duplicate, .function = "MPI_Comm_dup", .comm = comm};
    *out = 0;
    jg_status status = is_first ? join_group(&task, "init", &first) : add_group(&task, "init", out);
    if (status != JG_OK)
        jg_error_rename("distributed_init");
    return status;
}

static jg_status open_library(bool *found)
{
    pthread_mutex_lock(&mpi_lock);
    jg_status status = mpi_open(found);
    pthread_mutex_unlock(&mpi_lock);
    return status == JG_OK && *found ? start_library() : status;
}

/* A library other than the launcher's takes each process for the only one: mpi4py may have opened
 * one. */
static jg_status check_size(void)
{
    const char *text = getenv("OMPI_COMM_WORLD_SIZE");
    text = text != NULL ? text : getenv("PMI_SIZE");
    long started = text != NULL ? strtol(text, NULL, 10) : 0;
    int size = 0;
    pthread_mutex_lock(&mpi_lock);
    int error = mpi.comm_size(mpi.world, &size);
    pthread_mutex_unlock(&mpi_lock);
    if (error != 0)
        return mpi_fail("MPI_Comm_size", error);
    if (started < 1 || started == size)
        return JG_OK;
    return base_fail(JG_ERR_LIBRARY,
                     "the launcher has started %ld processes, and the MPI library of "
                     "this one knows %d; use the launcher's library",
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
        return add_duplicate(mpi.world, true, out);
    }
    first.comm = 0;
    first.size = 1;
    *out = 0;
    return JG_OK;
}

/* Why there is no other process to talk to. */
static jg_status fail_alone(const char *backend, bool here)
{
    if (!here)
        return base_fail(JG_ERR_LIBRARY,
                         "[distributed_init] backend: got %s, which joggle has not; allowed is mpi",
                         backend);
    return base_fail(JG_ERR_LIBRARY, "[distributed_init] strict: got True, and no MPI launcher has "
                                     "started this process, so it is "
                                     "alone in its group; start it by mpirun");
}

jg_status jg_distributed_init(bool strict, const char *backend, int64_t *group)
{
    bool here = false;
    jg_status status = JG_OK;
    JG_TRY(check_backend("distributed_init", backend, &here));
    if (!here && (strict || mpi_is_started()))
        return fail_alone(backend, here);
    JG_TRY(mpi_making_begin("distributed_init"));
    if (first.size == 0)
        status = make_first(here, group);
    else
        *group = 0;
    if (status == JG_OK && strict && first.comm == 0)
        status = fail_alone(backend, here);
    mpi_making_end();
    return status;
}

jg_status jg_distributed_adopt(uintptr_t comm, int64_t *group)
{
    bool found;
    JG_TRY(mpi_making_begin("distributed_init"));
    jg_status status = open_library(&found);
    if (status == JG_OK && !found)
        status = base_fail(JG_ERR_LIBRARY, "[distributed_init] comm: no MPI library is initialized "
                                           "in this process; call MPI_Init first");
    if (status == JG_OK)
        status = add_duplicate(comm, false, group);
    mpi_making_end();
    return status;
}

static jg_status find_group(int64_t number, const mpi_group **out)
{
    pthread_mutex_lock(&mpi_lock);
    *out = mpi_group_at(number);
    int64_t count = ngroups;
    pthread_mutex_unlock(&mpi_lock);
    if (*out != NULL)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "group: got %lld, allowed are 0 to %lld", (long long)number,
                     (long long)count - 1);
}

jg_status distributed_group(int64_t group, int64_t *rank, int64_t *size)
{
    const mpi_group *found;
    JG_TRY(find_group(group, &found));
    *rank = found->rank;
    *size = found->size;
    return JG_OK;
}

jg_status jg_distributed_rank(int64_t group, int64_t *rank, int64_t *size)
{
    return distributed_group(group, rank, size);
}

static jg_status split_group(const mpi_group *group, int color, int key, int64_t *out)
{
    char who[MPI_WHO];
    mpi_task task = {.call = split,
                     .function = "MPI_Comm_split",
                     .comm = group->comm,
                     .color = color,
                     .key = key < 0 ? group->rank : key};
    snprintf(who, sizeof who, "split in process %d of %d", group->rank, group->size);
    jg_status status = add_group(&task, who, out);
    if (status != JG_OK)
        jg_error_rename("distributed_split");
    return status;
}

jg_status jg_distributed_split(int64_t group, int color, int key, int64_t *out)
{
    const mpi_group *found;
    JG_TRY(find_group(group, &found));
    if (color < 0)
        return base_fail(JG_ERR_VALUE, "[distributed_split] color: got %d, allowed are 0 and more",
                         color);
    if (found->comm == 0)
        return base_fail(JG_ERR_LIBRARY,
                         "[distributed_split] group: has %d process, allowed are 2 and more",
                         found->size);
    JG_TRY(mpi_making_begin("distributed_split"));
    jg_status status = split_group(found, color, key, out);
    mpi_making_end();
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
