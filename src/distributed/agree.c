/* SPDX-License-Identifier: Apache-2.0 */
/* The agreement of a group's processes on the number of the next message of all, after one that was
 * skipped here because its input had failed. Where it has failed in all processes, each sends its
 * number to each other one, and they go on if it is the same. Where it has not, the others wait for
 * that message, and this process for their numbers, so that none takes one message for another. */
#include "distributed/mpi.h"

struct mpi_agreement {
    const mpi_group *group;
    int64_t own;
    mpi_handle *requests; /* two for each process, which lie behind `met`; none for this one */
    int done;             /* of these, the first ones */
    int64_t met[];        /* by rank */
};

static bool is_own(const mpi_agreement *agreement, int request)
{
    return request / 2 == agreement->group->rank;
}

jg_status mpi_agree_new(const mpi_group *group, mpi_agreement **out)
{
    size_t size = (size_t)group->size;
    size_t nbytes = sizeof **out + size * (sizeof(int64_t) + 2 * sizeof(mpi_handle));
    mpi_agreement *made = base_alloc_zeroed(nbytes);
    if (made == NULL)
        return base_nomem(nbytes, "a message");
    made->group = group;
    made->own = group->number;
    made->requests = (mpi_handle *)(void *)(made->met + size);
    *out = made;
    return JG_OK;
}

void mpi_agree_free(mpi_agreement *agreement)
{
    base_free(agreement);
}

int mpi_agree_begin(mpi_agreement *agreement)
{
    enum { NBYTES = sizeof(int64_t) };
    mpi_handle comm = agreement->group->comm, *requests = agreement->requests;
    int error = 0;
    for (int i = 0; error == 0 && i < agreement->group->size; ++i) {
        if (is_own(agreement, 2 * i))
            continue;
        error = mpi.irecv(&agreement->met[i], NBYTES, mpi.byte, i, MPI_TAG_AGREE, comm,
                          &requests[2 * i]);
        if (error == 0)
            error = mpi.isend(&agreement->own, NBYTES, mpi.byte, i, MPI_TAG_AGREE, comm,
                              &requests[2 * i + 1]);
    }
    return error;
}

static jg_status compare(const mpi_agreement *agreement)
{
    for (int i = 0; i < agreement->group->size; ++i)
        if (i != agreement->group->rank && agreement->met[i] != agreement->own)
            return base_fail(JG_ERR_LIBRARY,
                             "it is message %lld of the group here and %lld in process %d, as the "
                             "inputs of different ones have failed; make the same calls in all",
                             (long long)agreement->own, (long long)agreement->met[i], i);
    return JG_OK;
}

jg_status mpi_agree_poll(mpi_agreement *agreement, bool *agreed)
{
    const int count = 2 * agreement->group->size;
    *agreed = false;
    for (; agreement->done < count; ++agreement->done) {
        int done = 0;
        if (is_own(agreement, agreement->done))
            continue;
        int error = mpi.test(&agreement->requests[agreement->done], &done, mpi.status_ignore);
        if (error != 0)
            return mpi_fail("MPI_Test", error);
        if (!done)
            return JG_OK;
    }
    *agreed = true;
    return compare(agreement);
}
