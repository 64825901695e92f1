/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs over random layouts, against the reference: whatever combination of forms,
 * levels, registers and walks the executor chooses, the result must be the program's meaning. */
#include "../support.h"
#include "random_programs.h"

TEST(random_maps_agree)
{
    seed = 42;
    for (int round = 0; round < 1500; ++round) {
        static launch l;
        int64_t extents[4];
        int ndim = 1 + (int)below(4), nstores = 1 + (int)below(2);
        grow_sources(&l);
        grow(&l, l.program.ninsts + (int)below(12));
        int count = l.program.ninsts;
        for (int i = 0; i < nstores; ++i)
            store_of(&l, count - 1 - (int)below(count < 4 ? count : 4));
        random_extents(ndim, extents);
        random_space(&l, ndim, 0, extents);
        launch_check(&l, seed, false, 0);
        launch_free(&l);
    }
}

/* On small whole numbers, whose sums are exact in any order. */
TEST(random_reductions_agree)
{
    seed = 4711;
    for (int round = 0; round < 2500; ++round) {
        static launch l;
        int64_t extents[4];
        int ndim = 1 + (int)below(4), nreduced = (int)below(ndim + 1);
        grow_sources(&l);
        if (below(2) == 0)
            apply_to(&l, PROGRAM_ADD, 0, 0, 0);
        else if (below(2) == 0)
            cast_of(&l, 0, JG_DTYPE_FLOAT32);
        if (!add_reduction(&l))
            continue;
        grow_after_reduction(&l);
        random_extents(ndim, extents);
        bool is_sum = l.program.insts[source_reduction_of(&l.program)].op == PROGRAM_REDUCE_ADD;
        for (int d = 0; d < ndim && !is_sum; ++d) /* the largest of nothing is refused earlier */
            extents[d] = extents[d] ? extents[d] : 1;
        random_space(&l, ndim, nreduced, extents);
        launch_check(&l, seed, true, 0);
        launch_free(&l);
    }
}

/* Sums of sums grow beyond what float64 holds exactly only with many steps over long rows. */
TEST(programs_of_several_passes_agree)
{
    seed = 271828;
    for (int round = 0; round < 2500; ++round) {
        static launch l;
        int64_t extents[4];
        int ndim = 1 + (int)below(4), nreduced = (int)below(ndim + 1);
        grow_rows(&l);
        random_extents(ndim, extents);
        for (int d = 0; d < ndim; ++d)
            extents[d] = extents[d] ? extents[d] : 1;
        random_row_space(&l, ndim, nreduced, extents);
        launch_check(&l, seed, true, 64);
        launch_free(&l);
    }
}
