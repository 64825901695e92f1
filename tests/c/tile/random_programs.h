/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs over random spaces, for launches under test. */
#ifndef TILE_RANDOM_PROGRAMS_H
#define TILE_RANDOM_PROGRAMS_H

#include "launch.h"

static const jg_dtype drawn_dtypes[] = {
    JG_DTYPE_BOOL,    JG_DTYPE_INT8,    JG_DTYPE_INT32,     JG_DTYPE_INT64,      JG_DTYPE_UINT8,
    JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT64, JG_DTYPE_COMPLEX64, JG_DTYPE_COMPLEX128, JG_DTYPE_FLOAT16};

static uint64_t seed; /* of all that follows */

static inline int64_t below(int64_t limit)
{
    return (int64_t)(random_bits(&seed) % (uint64_t)limit);
}

/* Instructions whose results are exact, so that the comparison can be. */
static const program_op exact_ops[] = {
    PROGRAM_COPY,      PROGRAM_NEGATE,    PROGRAM_ABS,   PROGRAM_REAL,     PROGRAM_IMAG,
    PROGRAM_CONJUGATE, PROGRAM_NOT,       PROGRAM_ADD,   PROGRAM_SUBTRACT, PROGRAM_MULTIPLY,
    PROGRAM_MAXIMUM,   PROGRAM_MINIMUM,   PROGRAM_AND,   PROGRAM_XOR,      PROGRAM_LESS,
    PROGRAM_EQUAL,     PROGRAM_NOT_EQUAL, PROGRAM_SELECT};

static inline bool is_accepted(launch *l)
{
    if (tile_executor.accepts(&l->program))
        return true;
    l->program.ninsts -= 1;
    return false;
}

/* The size of a complex number is a root of a sum of rounded squares. */
static inline bool is_exact(const launch *l, program_op op, int x)
{
    return op != PROGRAM_ABS || !dtype_is_complex(program_type_of(&l->program, x));
}

/* A value of the type among the first count, itself if there is no other. */
static inline int alike(const launch *l, int x, int count)
{
    for (int tries = 0; tries < 20; ++tries) {
        int other = (int)below(count);
        if (program_type_of(&l->program, other) == program_type_of(&l->program, x))
            return other;
    }
    return x;
}

static inline int any_bool(launch *l, int count)
{
    int x = (int)below(count);
    if (program_type_of(&l->program, x) != JG_DTYPE_BOOL)
        x = cast_of(l, x, JG_DTYPE_BOOL);
    return x;
}

static inline void grow(launch *l, int ninsts)
{
    while (l->program.ninsts < ninsts) {
        int count = l->program.ninsts, x = (int)below(count);
        if (below(5) == 0) {
            cast_of(l, x, drawn_dtypes[below(JG_COUNT_OF(drawn_dtypes))]);
            continue;
        }
        program_op op = exact_ops[below(JG_COUNT_OF(exact_ops))];
        if (!is_exact(l, op, x))
            continue;
        int mask = op == PROGRAM_SELECT ? any_bool(l, count) : x;
        apply_to(l, op, mask, op == PROGRAM_SELECT ? x : alike(l, x, count), alike(l, x, count));
        (void)is_accepted(l);
    }
}

static inline void grow_sources(launch *l)
{
    int nloads = 1 + (int)below(3), nscalars = (int)below(3);
    program_init(&l->program);
    for (int i = 0; i < nloads; ++i)
        load_of(l, drawn_dtypes[below(JG_COUNT_OF(drawn_dtypes))]);
    for (int i = 0; i < nscalars; ++i)
        scalar_of(l, drawn_dtypes[below(JG_COUNT_OF(drawn_dtypes))]);
    if (below(4) == 0)
        index_of(l);
}

/* Row-major strides over the loops in a random order, with gaps and turned round now and then. */
static inline void random_strides(int ndim, const int64_t *extents, bool broadcasts,
                                  int64_t *strides)
{
    int order[4] = {0, 1, 2, 3};
    int64_t step = below(4) == 0 ? 2 : 1;
    for (int d = ndim - 1; d > 0 && below(2) == 0; --d) {
        int other = (int)below(d + 1), swapped = order[d];
        order[d] = order[other];
        order[other] = swapped;
    }
    for (int d = ndim - 1; d >= 0; --d) {
        strides[order[d]] = below(6) == 0 ? -step : step;
        step *= extents[order[d]] > 0 ? extents[order[d]] : 1;
        step += below(6) == 0;
        if (broadcasts && below(4) == 0)
            strides[order[d]] = 0;
    }
}

static inline void random_space(launch *l, int ndim, int nreduced, const int64_t *extents)
{
    int64_t strides[PROGRAM_MAX_BUFFERS * 4] = {0};
    for (int b = 0; b < l->program.nbuffers; ++b) {
        bool writes = l->program.buffers[b].role == PROGRAM_ROLE_WRITE;
        random_strides(writes ? ndim - nreduced : ndim, extents, !writes, strides + b * ndim);
    }
    launch_space(l, ndim, nreduced, extents, strides);
}

static inline void random_extents(int ndim, int64_t *extents)
{
    static const int64_t choices[] = {1,   2,   3,    5,    16,   17,   40, 64,
                                      130, 300, 1000, 1025, 2100, 5000, 0};
    for (;;) {
        int64_t size = 1;
        for (int d = 0; d < ndim; ++d) {
            extents[d] = choices[below(JG_COUNT_OF(choices) - (below(10) != 0))];
            size *= extents[d] > 0 ? extents[d] : 1;
        }
        if (size <= 12000)
            return;
    }
}

static inline bool add_reduction(launch *l)
{
    int x = l->program.ninsts - 1;
    program_op op = (program_op)(PROGRAM_REDUCE_ADD + (int)below(PROGRAM_REDUCTIONS));
    jg_dtype type = program_type_of(&l->program, x);
    bool wraps = !dtype_is_complex(type) && type != JG_DTYPE_FLOAT32 && type != JG_DTYPE_FLOAT64;
    /* Half precision is not reduced; complex numbers have no order; products of floats are large,
     * and so rounded in an order of their own. */
    if (type == JG_DTYPE_FLOAT16 || (dtype_is_complex(type) && op != PROGRAM_REDUCE_ADD) ||
        (op == PROGRAM_REDUCE_MULTIPLY && !wraps))
        return false;
    apply_to(l, op, x, 0, 0);
    return true;
}

static inline void grow_after_reduction(launch *l)
{
    int x = l->program.ninsts - 1;
    if (below(3) == 0)
        x = apply_to(l, PROGRAM_ADD, x, x, 0);
    if (below(3) == 0) {
        int y = scalar_of(l, program_type_of(&l->program, x));
        store_of(l, apply_to(l, PROGRAM_ADD, x, y, 0));
    }
    if (below(3) == 0)
        x = cast_of(l, x, JG_DTYPE_FLOAT64);
    store_of(l, x);
}

/* A value from among all, often one of the latest, cast to float64 so that any two go together. */
static inline int any_number(launch *l)
{
    int count = l->program.ninsts, first = below(2) == 0 && count > 4 ? count - 4 : 0;
    int x = first + (int)below(count - first);
    while (l->program.insts[x].op == PROGRAM_STORE)
        x -= 1;
    return cast_of(l, x, JG_DTYPE_FLOAT64);
}

/* Values for the row and for its elements, made of each other in any order. */
static inline void grow_rows(launch *l)
{
    static const program_op ops[] = {PROGRAM_ADD, PROGRAM_SUBTRACT, PROGRAM_MAXIMUM,
                                     PROGRAM_MINIMUM};
    static const program_op reductions[] = {PROGRAM_REDUCE_ADD, PROGRAM_REDUCE_MAXIMUM,
                                            PROGRAM_REDUCE_MINIMUM};
    int nloads = 1 + (int)below(3), nsteps = 3 + (int)below(14);
    program_init(&l->program);
    for (int i = 0; i < nloads; ++i)
        load_of(l, below(2) ? JG_DTYPE_FLOAT64 : JG_DTYPE_FLOAT32);
    for (int b = 1; b < l->program.nbuffers; ++b)
        l->program.buffers[b].per_row = below(3) == 0;
    if (below(3) == 0)
        scalar_of(l, JG_DTYPE_FLOAT32);
    apply_to(l, reductions[below(3)], any_number(l), 0, 0);
    for (int i = 0; i < nsteps; ++i) {
        if (below(4) == 0)
            apply_to(l, reductions[below(3)], any_number(l), 0, 0);
        else if (below(8) == 0) /* dear, but exact on whole numbers */
            apply_to(l, PROGRAM_FLOOR, any_number(l), 0, 0);
        else
            apply_to(l, ops[below(JG_COUNT_OF(ops))], any_number(l), any_number(l), 0);
        if (below(4) == 0) /* values of several sizes share registers */
            cast_of(l, any_number(l), JG_DTYPE_FLOAT32);
        if (below(6) == 0)
            store_of(l, any_number(l));
    }
    store_of(l, any_number(l));
}

static inline void random_row_space(launch *l, int ndim, int nreduced, const int64_t *extents)
{
    int64_t strides[PROGRAM_MAX_BUFFERS * 4] = {0};
    for (int b = 0; b < l->program.nbuffers; ++b) {
        bool per_row = l->program.buffers[b].per_row;
        bool writes = l->program.buffers[b].role == PROGRAM_ROLE_WRITE;
        random_strides(per_row ? ndim - nreduced : ndim, extents, !writes, strides + b * ndim);
    }
    launch_space(l, ndim, nreduced, extents, strides);
}

#endif
