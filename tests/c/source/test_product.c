/* SPDX-License-Identifier: Apache-2.0 */
/* Products of float32 matrices against sums in float64, with edges that no tile ends at, transposed
 * operands and batches, in both shapes of work. */
#include "opencl.h"
#include <math.h>

typedef struct matrices {
    device_product product;
    float *left, *right, *out;
    size_t counts[3];
} matrices;

static float *filled(size_t count, uint64_t *state)
{
    float *numbers = malloc((count + 1) * sizeof *numbers);
    for (size_t i = 0; i < count; ++i)
        numbers[i] = (float)random_between(state, -1000, 1000) / 512.0f;
    return numbers;
}

/* Row-major, or, transposed, column-major. */
static void set_strides(int64_t *strides, int64_t rows, int64_t columns, bool transposed)
{
    strides[0] = rows * columns * 4;
    strides[1] = transposed ? 4 : columns * 4;
    strides[2] = transposed ? rows * 4 : 4;
}

static matrices make(int64_t batch, int64_t rows, int64_t columns, int64_t inner, bool transposed)
{
    uint64_t state = (uint64_t)(rows * 31 + columns * 7 + inner);
    matrices m = {.product = {.batch = batch, .rows = rows, .columns = columns, .inner = inner}};
    m.product.dtype = JG_DTYPE_FLOAT32;
    set_strides(m.product.left, rows, inner, transposed);
    set_strides(m.product.right, inner, columns, transposed);
    set_strides(m.product.out, rows, columns, false);
    m.counts[0] = (size_t)(batch * rows * inner);
    m.counts[1] = (size_t)(batch * inner * columns);
    m.counts[2] = (size_t)(batch * rows * columns);
    m.left = filled(m.counts[0], &state);
    m.right = filled(m.counts[1], &state);
    m.out = filled(m.counts[2], &state);
    return m;
}

static double wanted(const matrices *m, int64_t batch, int64_t row, int64_t column, double *size)
{
    const device_product *p = &m->product;
    double sum = 0;
    *size = 0;
    for (int64_t k = 0; k < p->inner; ++k) {
        double x = m->left[(batch * p->left[0] + row * p->left[1] + k * p->left[2]) / 4];
        double y = m->right[(batch * p->right[0] + k * p->right[1] + column * p->right[2]) / 4];
        sum += x * y;
        *size += fabs(x * y);
    }
    return sum;
}

static void compare(const matrices *m)
{
    const device_product *p = &m->product;
    for (int64_t i = 0; i < p->batch * p->rows * p->columns; ++i) {
        int64_t column = i % p->columns, row = i / p->columns % p->rows;
        double size, sum = wanted(m, i / p->columns / p->rows, row, column, &size);
        if (fabs((double)m->out[i] - sum) > size * 0x1p-24 * (double)(p->inner + 1))
            fail_msg("element %ld: got %g, wanted %g", (long)i, (double)m->out[i], sum);
    }
}

static void run(matrices *m, const device_facts *facts, int *nsteps)
{
    device_work work = {.kind = DEVICE_WORK_PRODUCT, .product = &m->product};
    float *hosts[] = {m->left, m->right, m->out};
    void *buffers[3], *scratch;
    int64_t offsets[3] = {4, 0, 8};
    device_unit *unit;
    device_launch *started;
    assert_ok(source_printer.print(facts, 1, &work, &unit));
    assert_true(source_printer.fits(unit, 0, &work));
    assert_ok(source_printer.arrange(unit, 0, &work, true, &started));
    void *program = opencl_build(unit);
    opencl_code code = opencl_code_of(program, &unit->entries[0]);
    for (int b = 0; b < 3; ++b) {
        buffers[b] = opencl_buffer(m->counts[b] * 4 + 16);
        opencl_write(buffers[b], (size_t)offsets[b], hosts[b], m->counts[b] * 4);
    }
    device_launch_bind(started, &unit->entries[0], offsets, NULL);
    scratch = opencl_buffer(started->scratch_nbytes + 16);
    opencl_start(&code, started, buffers, scratch);
    opencl_read(buffers[2], 8, m->out, m->counts[2] * 4);
    for (int b = 0; b < 3; ++b)
        opencl.driver.release_buffer(buffers[b]);
    opencl.driver.release_buffer(scratch);
    *nsteps = started->nsteps;
    base_free(started);
    opencl_discard(&code);
    opencl.driver.release_program(program);
    source_printer.release(unit);
}

static void check(device_shape shape, int group_limit)
{
    static const int64_t sizes[][4] = {{1, 1, 1, 1},    {1, 7, 17, 5},   {2, 49, 65, 129},
                                       {1, 96, 128, 0}, {3, 50, 3, 260}, {2, 3, 70, 900},
                                       {1, 1, 9, 2100}};
    device_facts facts = opencl.facts;
    facts.shape = (uint8_t)shape;
    facts.group_limit = group_limit;
    facts.compute_units = 16;
    for (size_t i = 0; i < JG_COUNT_OF(sizes); ++i) {
        matrices m = make(sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3], i % 2 == 1);
        int nsteps;
        run(&m, &facts, &nsteps);
        if (shape == DEVICE_GROUP) /* the terms of thin ones are cut into pieces */
            assert_int_equal(nsteps, sizes[i][3] >= 900 ? 2 : 1);
        compare(&m);
        free(m.left);
        free(m.right);
        free(m.out);
    }
}

TEST(a_product_in_vectors_is_right)
{
    check(DEVICE_LANES, 1);
}

TEST(a_product_by_groups_is_right)
{
    check(DEVICE_GROUP, 64);
}

TEST(a_product_needs_memory_of_a_group)
{
    device_facts facts = opencl.facts;
    device_product product = {
        .batch = 1, .rows = 4, .columns = 4, .inner = 4, .dtype = JG_DTYPE_FLOAT32};
    device_work work = {.kind = DEVICE_WORK_PRODUCT, .product = &product};
    device_unit *unit;
    facts.local_nbytes = 1024;
    assert_fails_saying(JG_ERR_UNSUPPORTED, "1024", source_printer.print(&facts, 1, &work, &unit));
}

BEFORE_ALL(opencl_open)
