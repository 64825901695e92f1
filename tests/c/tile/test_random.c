/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs over random layouts, against the reference: whatever combination of forms,
 * levels, registers and walks the executor chooses, the result must be the program's meaning. */
#include "../support.h"
#include "launch.h"

static const jg_dtype dtypes[] = {
    JG_DTYPE_BOOL,    JG_DTYPE_INT8,    JG_DTYPE_INT32,     JG_DTYPE_INT64,      JG_DTYPE_UINT8,
    JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT64, JG_DTYPE_COMPLEX64, JG_DTYPE_COMPLEX128, JG_DTYPE_FLOAT16};

static uint64_t seed;

static int64_t below(int64_t limit)
{
    return (int64_t)(random_bits(&seed) % (uint64_t)limit);
}

/* Instructions whose results are exact, so that the comparison can be. */
static const program_op exact[] = {
    PROGRAM_COPY,      PROGRAM_NEGATE,    PROGRAM_ABS,   PROGRAM_REAL,     PROGRAM_IMAG,
    PROGRAM_CONJUGATE, PROGRAM_NOT,       PROGRAM_ADD,   PROGRAM_SUBTRACT, PROGRAM_MULTIPLY,
    PROGRAM_MAXIMUM,   PROGRAM_MINIMUM,   PROGRAM_AND,   PROGRAM_XOR,      PROGRAM_LESS,
    PROGRAM_EQUAL,     PROGRAM_NOT_EQUAL, PROGRAM_SELECT};

static bool is_accepted(launch *l)
{
    if (tile_executor.accepts(&l->program))
        return true;
    l->program.ninsts -= 1;
    return false;
}

/* The size of a complex number is a root of a sum of rounded squares. */
static bool is_exact(const launch *l, program_op op, int x)
{
    return op != PROGRAM_ABS || !dtype_is_complex(program_type_of(&l->program, x));
}

/* A value of the type among the first count, itself if there is no other. */
static int alike(const launch *l, int x, int count)
{
    for (int tries = 0; tries < 20; ++tries) {
        int other = (int)below(count);
        if (program_type_of(&l->program, other) == program_type_of(&l->program, x))
            return other;
    }
    return x;
}

static int any_bool(launch *l, int count)
{
    int x = (int)below(count);
    if (program_type_of(&l->program, x) != JG_DTYPE_BOOL)
        x = cast_of(l, x, JG_DTYPE_BOOL);
    return x;
}

static void grow(launch *l, int ninsts)
{
    while (l->program.ninsts < ninsts) {
        int count = l->program.ninsts, x = (int)below(count);
        if (below(5) == 0) {
            cast_of(l, x, dtypes[below(JG_COUNT_OF(dtypes))]);
            continue;
        }
        program_op op = exact[below(JG_COUNT_OF(exact))];
        if (!is_exact(l, op, x))
            continue;
        int mask = op == PROGRAM_SELECT ? any_bool(l, count) : x;
        apply_to(l, op, mask, op == PROGRAM_SELECT ? x : alike(l, x, count), alike(l, x, count));
        (void)is_accepted(l);
    }
}

static void grow_sources(launch *l)
{
    int nloads = 1 + (int)below(3), nscalars = (int)below(3);
    program_init(&l->program);
    for (int i = 0; i < nloads; ++i)
        load_of(l, dtypes[below(JG_COUNT_OF(dtypes))]);
    for (int i = 0; i < nscalars; ++i)
        scalar_of(l, dtypes[below(JG_COUNT_OF(dtypes))]);
    if (below(4) == 0)
        index_of(l);
}

/* Row-major strides over the loops in a random order, with gaps and turned round now and then. */
static void random_strides(int ndim, const int64_t *extents, bool broadcasts, int64_t *strides)
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

static void random_space(launch *l, int ndim, int nreduced, const int64_t *extents)
{
    int64_t strides[PROGRAM_MAX_BUFFERS * 4] = {0};
    for (int b = 0; b < l->program.nbuffers; ++b) {
        bool writes = l->program.buffers[b].role == PROGRAM_ROLE_WRITE;
        random_strides(writes ? ndim - nreduced : ndim, extents, !writes, strides + b * ndim);
    }
    launch_space(l, ndim, nreduced, extents, strides);
}

static void random_extents(int ndim, int64_t *extents)
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

static void maps_agree(void **state)
{
    (void)state;
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

static bool add_reduction(launch *l)
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

static void grow_after_reduction(launch *l)
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

/* On small whole numbers, whose sums are exact in any order. */
static void reductions_agree(void **state)
{
    (void)state;
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
        bool is_sum = l.program.insts[reduction_of(&l.program)].op == PROGRAM_REDUCE_ADD;
        for (int d = 0; d < ndim && !is_sum; ++d) /* the largest of nothing is refused earlier */
            extents[d] = extents[d] ? extents[d] : 1;
        random_space(&l, ndim, nreduced, extents);
        launch_check(&l, seed, true, 0);
        launch_free(&l);
    }
}

/* A value from among all, often one of the latest, cast to float64 so that any two go together. */
static int any_number(launch *l)
{
    int count = l->program.ninsts, first = below(2) == 0 && count > 4 ? count - 4 : 0;
    int x = first + (int)below(count - first);
    while (l->program.insts[x].op == PROGRAM_STORE)
        x -= 1;
    return cast_of(l, x, JG_DTYPE_FLOAT64);
}

/* Values for the row and for its elements, made of each other in any order. */
static void grow_rows(launch *l)
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

static void random_row_space(launch *l, int ndim, int nreduced, const int64_t *extents)
{
    int64_t strides[PROGRAM_MAX_BUFFERS * 4] = {0};
    for (int b = 0; b < l->program.nbuffers; ++b) {
        bool per_row = l->program.buffers[b].per_row;
        bool writes = l->program.buffers[b].role == PROGRAM_ROLE_WRITE;
        random_strides(per_row ? ndim - nreduced : ndim, extents, !writes, strides + b * ndim);
    }
    launch_space(l, ndim, nreduced, extents, strides);
}

/* Sums of sums grow beyond what float64 holds exactly only with many steps over long rows. */
static void programs_of_several_passes_agree(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_agree),
        cmocka_unit_test(reductions_agree),
        cmocka_unit_test(programs_of_several_passes_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
