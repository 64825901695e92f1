/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of the room's own, by messages between two processes: what libraries do without blocking
 * takes them twice as long as what they do while they block, which has no timeout. In each round a
 * process exchanges what it has added up so far with one other, and adds that. After log2 of the
 * size rounds each has the whole sum, added up in the same order, so of the same bits: adding two
 * numbers does not depend on which comes first.
 *
 * Two processes do so for arrays of any size, block by block: one block is on the way while another
 * one, which is still in the cache, is added. */
#include "distributed/mpi.h"

enum {
    BLOCK_NBYTES = 256 << 10,
    SMALL_NBYTES = 32 << 10 /* what more than two processes exchange as a whole */
};

bool mpi_sum_fits(const mpi_group *group, int64_t nbytes)
{
    int size = group->size;
    return size == 2 || (size > 2 && (size & (size - 1)) == 0 && nbytes <= SMALL_NBYTES);
}

/* Whether the numbers of other processes need separate memory, because the result holds the numbers
 * that are sent. */
static bool needs_scratch(const mpi_sum *sum, int round)
{
    return round > 0 || sum->from == sum->to;
}

static char *scratch_of(const mpi_sum *sum, const mpi_block *block)
{
    return sum->scratch + (block - sum->blocks) * sum->most * sum->nbytes;
}

static int exchange(mpi_sum *sum, mpi_block *block)
{
    int64_t at = block->first * sum->nbytes;
    int peer = sum->group->rank ^ (1 << block->round);
    const char *own = block->round > 0 ? sum->to : sum->from;
    char *others = needs_scratch(sum, block->round) ? scratch_of(sum, block) : sum->to + at;
    block->receives = block->sends = true;
    block->in = block->out = 0;
    mpi_handle comm = sum->group->comm;
    int error = mpi.irecv(others, block->count, sum->type, peer, MPI_TAG_SUM, comm, &block->in);
    if (error == 0)
        error = mpi.isend(own + at, block->count, sum->type, peer, MPI_TAG_SUM, comm, &block->out);
    return error;
}

/* The next block instead of one that is done, if there is one. */
static int begin_block(mpi_sum *sum, mpi_block *block)
{
    int64_t left = sum->count - sum->begun;
    *block = (mpi_block){.first = sum->begun, .count = (int)(int64_min(left, sum->most))};
    sum->begun += block->count;
    return block->count > 0 ? exchange(sum, block) : 0;
}

jg_status mpi_sum_prepare(mpi_sum *sum, int64_t piece)
{
    int64_t total = sum->count * sum->nbytes;
    int64_t most = (total <= MPI_BLOCKS * mpi.eager ? mpi.eager : BLOCK_NBYTES) / sum->nbytes;
    sum->most = int64_min(piece, most);
    if (sum->count < sum->most)
        sum->most = sum->count;
    if (!needs_scratch(sum, sum->group->size > 2))
        return JG_OK;
    size_t nbytes = (size_t)(MPI_BLOCKS * sum->most * sum->nbytes);
    sum->scratch = base_alloc(nbytes);
    return sum->scratch != NULL ? JG_OK : base_nomem(nbytes, "a message");
}

int mpi_sum_begin(mpi_sum *sum)
{
    int error = 0;
    for (int i = 0; error == 0 && i < MPI_BLOCKS; ++i)
        error = begin_block(sum, &sum->blocks[i]);
    return error;
}

/* To send more is an error of MPI's, to send less is none. */
static jg_status check_received(const mpi_sum *sum, const mpi_block *block,
                                const mpi_status *status)
{
    int count = 0, error = mpi.get_count(status, sum->type, &count);
    if (error != 0)
        return mpi_fail("MPI_Get_count", error);
    if (count == block->count)
        return JG_OK;
    return base_fail(JG_ERR_LIBRARY,
                     "process %d has sent %d elements, allowed are %d, as many as are added up",
                     sum->group->rank ^ (1 << block->round), count, block->count);
}

static jg_status test_receiving(const mpi_sum *sum, mpi_block *block)
{
    mpi_status status;
    int done = 0, error = mpi.test(&block->in, &done, &status);
    if (error != 0)
        return mpi_fail("MPI_Test", error);
    block->receives = !done;
    return done ? check_received(sum, block, &status) : JG_OK;
}

static jg_status test_sending(mpi_block *block)
{
    int done = 0, error = mpi.test(&block->out, &done, mpi.status_ignore);
    block->sends = !done;
    return error == 0 ? JG_OK : mpi_fail("MPI_Test", error);
}

/* gives: *arrived, whether both halves of the exchange have */
static jg_status test(const mpi_sum *sum, mpi_block *block, bool *arrived)
{
    *arrived = false;
    if (block->receives)
        JG_TRY(test_receiving(sum, block));
    if (!block->receives && block->sends)
        JG_TRY(test_sending(block));
    *arrived = !block->receives && !block->sends;
    return JG_OK;
}

/* gives: MPI's error */
static int add(mpi_sum *sum, mpi_block *block)
{
    int64_t at = block->first * sum->nbytes;
    const char *addend = needs_scratch(sum, block->round) ? scratch_of(sum, block) : sum->from + at;
    int error = mpi.reduce_local(addend, sum->to + at, block->count, sum->type, sum->operation);
    if (error != 0)
        return error;
    block->round += 1;
    if (1 << block->round < sum->group->size)
        return exchange(sum, block);
    sum->done += block->count;
    sum->oldest = (sum->oldest + 1) % MPI_BLOCKS;
    return begin_block(sum, block);
}

jg_status mpi_sum_poll(mpi_sum *sum, bool *moved)
{
    mpi_block *block = &sum->blocks[sum->oldest];
    JG_TRY(test(sum, block, moved));
    int error = *moved ? add(sum, block) : 0;
    return error == 0 ? JG_OK : mpi_fail("MPI", error);
}
