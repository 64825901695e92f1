/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of a group that were skipped. An evaluation that fails leaves out messages that are
 * not to blame, which the caller may ask for again, in their order: then nothing has happened. Any
 * other message that is begun takes their place. */
#include "distributed/mpi.h"
#include <string.h>

static bool has(const mpi_skips *skips, uint64_t order)
{
    for (int i = 0; i < skips->count; ++i)
        if (skips->orders[i] == order)
            return true;
    return false;
}

void mpi_skips_add(mpi_skips *skips, uint64_t order)
{
    if (has(skips, order))
        return;
    if (order == 0 || skips->count == MPI_SKIPS)
        skips->lost += 1;
    else
        skips->orders[skips->count++] = order;
}

int64_t mpi_skips_end(mpi_skips *skips, uint64_t order)
{
    const bool again = has(skips, order);
    int64_t lost = skips->lost;
    int kept = 0;
    for (int i = 0; i < skips->count; ++i)
        if (again && skips->orders[i] > order)
            skips->orders[kept++] = skips->orders[i];
        else
            lost += skips->orders[i] != order;
    skips->count = kept;
    skips->lost = 0;
    return lost;
}
