/* SPDX-License-Identifier: Apache-2.0 */
/* How a buffer lies under the loops of a nest, told by strides and extents: whether it moves
 * with them, and whether a tile of it is one run of memory. */
#include "tile/prepare/prepare.h"

/* The nest has at least one loop. */
bool tile_nest_is_dense(const tile_draft *draft, const tile_nest *nest, int buffer)
{
    int64_t expected = tile_itemsize_of(draft, buffer);
    if (nest->grid)
        return false;
    int last = nest->first + nest->ndim - 1;
    for (int d = last; d >= (nest->linear ? nest->first : last); --d) {
        if (draft->space->extents[d] != 1 && tile_stride_at(draft, buffer, d) != expected)
            return false;
        expected *= draft->space->extents[d];
    }
    return true;
}

/* A buffer counts as moved by an empty loop, whatever its strides: it must not be read at all. */
static bool moves_in(const tile_draft *draft, int buffer, int first, int last)
{
    for (int d = first; d < last; ++d) {
        int64_t extent = draft->space->extents[d];
        if ((tile_stride_at(draft, buffer, d) != 0 && extent != 1) ||
            (extent == 0 && !draft->program->buffers[buffer].per_row))
            return true;
    }
    return false;
}

bool tile_nest_moves_in_tile(const tile_draft *draft, int buffer)
{
    const tile_nest *nest = &draft->code->nest;
    int last = nest->first + nest->ndim, across = draft->code->across;
    if (nest->grid && moves_in(draft, buffer, across, across + 1))
        return true;
    return moves_in(draft, buffer, nest->linear ? nest->first : last - 1, last);
}

bool tile_nest_moves(const tile_draft *draft, int buffer)
{
    return moves_in(draft, buffer, 0, draft->space->ndim);
}

int64_t tile_nest_count(const tile_draft *draft)
{
    return tile_extent_product(draft->space->extents, 0, draft->space->ndim);
}
