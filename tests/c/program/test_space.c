/* SPDX-License-Identifier: Apache-2.0 */
/* What program_space_simplify makes of loops. Strides are given in bytes, buffer by buffer. */
#include "../support.h"
#include "program/program.h"

enum { MOST = 16 };

typedef union space_memory {
    program_space space;
    int64_t room[JG_MAX_NDIM + 3 + MOST];
} space_memory;

static space_memory memory;
static jg_program program; /* one written buffer, then reads */

static program_space *make(int ndim, int nreduced, int nbuffers, const int64_t *extents,
                           const int64_t *strides)
{
    int buffer;
    program_init(&program);
    program.reduces = nreduced > 0;
    for (int b = 0; b < nbuffers; ++b)
        assert_ok(program_add_buffer(&program, b == 0 ? PROGRAM_ROLE_WRITE : PROGRAM_ROLE_READ,
                                     JG_DTYPE_FLOAT32, &buffer));
    memory.space.ndim = ndim;
    memory.space.nreduced = nreduced;
    memory.space.nbuffers = nbuffers;
    memcpy(memory.space.extents, extents, (size_t)ndim * sizeof *extents);
    memcpy(memory.space.strides, strides, (size_t)(ndim * nbuffers) * sizeof *strides);
    return &memory.space;
}

static void check(const program_space *space, int ndim, int nreduced, const int64_t *extents,
                  const int64_t *strides)
{
    assert_int_equal(space->ndim, ndim);
    assert_int_equal(space->nreduced, nreduced);
    for (int d = 0; d < ndim; ++d)
        assert_int_equal(space->extents[d], extents[d]);
    for (int i = 0; i < ndim * space->nbuffers; ++i)
        assert_int_equal(space->strides[i], strides[i]);
}

#define LIST(...) ((const int64_t[]){__VA_ARGS__})

TEST(dense_loops_become_one)
{
    program_space *space = make(3, 0, 2, LIST(2, 3, 4), LIST(48, 16, 4, 48, 16, 4));
    assert_ok(program_space_simplify(space, &program));
    check(space, 1, 0, LIST(24), LIST(4, 4));
}

TEST(a_broadcast_keeps_loops_apart)
{
    program_space *space = make(2, 0, 2, LIST(3, 4), LIST(16, 4, 0, 4));
    assert_ok(program_space_simplify(space, &program));
    check(space, 2, 0, LIST(3, 4), LIST(16, 4, 0, 4));
}

TEST(loops_of_one_step_go)
{
    program_space *space = make(3, 0, 2, LIST(1, 5, 1), LIST(99, 4, 7, 1, 8, 3));
    assert_ok(program_space_simplify(space, &program));
    check(space, 1, 0, LIST(5), LIST(4, 8));
}

TEST(the_last_loop_stays)
{
    program_space *space = make(2, 0, 1, LIST(1, 1), LIST(8, 4));
    assert_ok(program_space_simplify(space, &program));
    check(space, 1, 0, LIST(1), LIST(8));
}

TEST(the_written_buffer_decides_the_order)
{
    program_space *space = make(2, 0, 2, LIST(3, 4), LIST(4, 12, 16, 4));
    assert_ok(program_space_simplify(space, &program));
    check(space, 2, 0, LIST(4, 3), LIST(12, 4, 4, 16));
}

TEST(reduced_loops_stay_inside_and_follow_the_reads)
{
    /* kept a, reduced b and c; the read is dense over c, b from inside out. */
    program_space *space = make(3, 2, 2, LIST(5, 3, 4), LIST(4, 0, 0, 4, 20, 60));
    assert_ok(program_space_simplify(space, &program));
    check(space, 2, 1, LIST(5, 12), LIST(4, 0, 4, 20));
}

TEST(kept_and_reduced_loops_never_merge)
{
    program_space *space = make(2, 1, 2, LIST(3, 4), LIST(0, 0, 16, 4));
    assert_ok(program_space_simplify(space, &program));
    check(space, 2, 1, LIST(3, 4), LIST(0, 0, 16, 4));
}

TEST(empty_loops_stay_empty)
{
    program_space *space = make(2, 0, 1, LIST(0, 4), LIST(16, 4));
    assert_ok(program_space_simplify(space, &program));
    check(space, 1, 0, LIST(0), LIST(4));
}

TEST(negative_strides_merge_like_positive_ones)
{
    program_space *space = make(2, 0, 2, LIST(3, 4), LIST(16, 4, -16, -4));
    assert_ok(program_space_simplify(space, &program));
    check(space, 1, 0, LIST(12), LIST(4, -4));
}
