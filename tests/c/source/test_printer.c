/* SPDX-License-Identifier: Apache-2.0 */
/* What the printer promises beside right results: the same text every time, one text for every
 * extent, refusals that name the instruction, blocks in memory where arguments are few, and no leak
 * without memory. */
#include "device_launch.h"

static launch l;

static const device_facts gpu = {
    .dialect = DEVICE_CUDA,
    .shape = DEVICE_GROUP,
    .f64 = true,
    .exact_division = true,
    .lane_width = 32,
    .group_limit = 1024,
    .compute_units = 132,
    .max_buffers = 64,
    .local_nbytes = 48 << 10,
    .argument_nbytes = 4096,
};

static void set_line(int64_t n, int64_t step)
{
    int64_t strides[PROGRAM_MAX_BUFFERS];
    for (int i = 0; i < PROGRAM_MAX_BUFFERS; ++i)
        strides[i] = step;
    launch_space(&l, 1, 0, &n, strides);
}

static void build_tanh(jg_dtype dtype)
{
    program_init(&l.program);
    int x = load_of(&l, dtype), s = scalar_of(&l, dtype);
    store_of(&l, apply_to(&l, PROGRAM_TANH, apply_to(&l, PROGRAM_ADD, x, s, 0), 0, 0));
}

static device_unit *printed(const device_facts *facts)
{
    device_unit *unit;
    device_work work = {.program = &l.program, .space = l.space};
    assert_ok(source_printer.print(facts, 1, &work, &unit));
    return unit;
}

TEST(the_same_work_gives_the_same_text)
{
    for (int dialect = 0; dialect < DEVICE_DIALECT_COUNT; ++dialect) {
        device_facts facts = gpu;
        facts.dialect = (uint8_t)dialect;
        build_tanh(JG_DTYPE_FLOAT32);
        set_line(5000, 1);
        device_unit *one = printed(&facts);
        free(l.space);
        set_line(70, 1);
        device_unit *other = printed(&facts);
        free(l.space);
        assert_string_equal(one->text, other->text);
        assert_string_equal(one->flags, other->flags);
        assert_int_equal(strlen(one->text), one->nbytes);
        source_printer.release(one);
        source_printer.release(other);
    }
}

TEST(a_text_fits_other_extents_and_not_other_strides)
{
    device_work work = {.program = &l.program};
    build_tanh(JG_DTYPE_FLOAT32);
    set_line(5000, 1);
    device_unit *unit = printed(&gpu);
    free(l.space);
    set_line(123457, 1);
    work.space = l.space;
    assert_true(source_printer.fits(unit, 0, &work));
    free(l.space);
    set_line(5000, 3);
    work.space = l.space;
    assert_false(source_printer.fits(unit, 0, &work));
    free(l.space);
    source_printer.release(unit);
}

/* Eight tiles of columns are too few: the 4000 terms are cut for as many groups as all processors
 * have at once, if each has enough, and another kernel adds the parts up. */
static void check_pieces(const device_facts *facts, const device_unit *unit,
                         const device_work *work)
{
    const device_product *p = work->product;
    device_launch *started;
    int64_t items = facts->tensor_cores ? 128 : 256;
    int64_t most = facts->compute_units * 512 / items / 8;
    assert_true(source_printer.fits(unit, 0, work));
    assert_ok(source_printer.arrange(unit, 0, work, true, &started));
    int64_t pieces = started->steps[0].groups / 8;
    assert_int_equal(started->nsteps, 2);
    assert_true(pieces > 1 && pieces <= most && pieces <= p->inner / 256);
    assert_int_equal(started->steps[0].items, items);
    assert_int_equal(started->steps[1].groups, ceil_div(p->rows * p->columns, 256));
    assert_int_equal(started->scratch_nbytes, pieces * p->rows * p->columns * 4);
    base_free(started);
}

/* A product's text, and of a product in which the right matrix lies by columns. */
TEST(with_tensor_cores_a_text_fits_matrices_that_lie_so)
{
    device_product by_rows = {.batch = 1,
                              .rows = 300,
                              .columns = 500,
                              .inner = 64,
                              .left = {0, 128, 2},
                              .right = {0, 1000, 2},
                              .out = {0, 1000, 2},
                              .dtype = JG_DTYPE_BFLOAT16};
    device_product by_columns = by_rows, larger = by_rows;
    device_product in_pieces = by_rows, widening = by_rows;
    by_columns.right[1] = 2;
    by_columns.right[2] = 128;
    larger.rows = 9000;
    in_pieces.rows = 4;
    in_pieces.inner = 4000;
    widening.widens = true;
    device_work works[] = {{.kind = DEVICE_WORK_PRODUCT, .product = &by_rows},
                           {.kind = DEVICE_WORK_PRODUCT, .product = &by_columns},
                           {.kind = DEVICE_WORK_PRODUCT, .product = &larger},
                           {.kind = DEVICE_WORK_PRODUCT, .product = &in_pieces},
                           {.kind = DEVICE_WORK_PRODUCT, .product = &widening}};
    for (int cores = 0; cores < 2; ++cores) {
        device_facts facts = gpu;
        device_unit *unit;
        device_launch *started;
        facts.tensor_cores = cores == 1;
        assert_ok(source_printer.print(&facts, 1, works, &unit));
        assert_true((strstr(unit->text, "k0_mma(") != NULL) == facts.tensor_cores);
        assert_string_equal(source_printer.way(&facts, works), cores ? " by tensor cores" : "");
        assert_true(source_printer.fits(unit, 0, &works[2]));
        assert_true(source_printer.fits(unit, 0, &works[1]) == !facts.tensor_cores);
        /* Small tiles, 5 by 8, where large ones are too few; large ones, 71 by 4. */
        assert_ok(source_printer.arrange(unit, 0, works, true, &started));
        assert_int_equal(started->steps[0].kernel, cores);
        assert_int_equal(started->steps[0].groups, 5 * 8);
        base_free(started);
        assert_ok(source_printer.arrange(unit, 0, &works[2], true, &started));
        assert_int_equal(started->steps[0].kernel, 0);
        assert_int_equal(started->steps[0].groups, cores ? 71 * 4 : 141 * 8);
        assert_int_equal(started->nsteps, 1);
        base_free(started);
        check_pieces(&facts, unit, &works[3]);
        assert_false(source_printer.fits(unit, 0, &works[4]));
        source_printer.release(unit);
    }
}

TEST(a_text_holds_what_its_kernels_reach_and_no_more)
{
    build_tanh(JG_DTYPE_FLOAT32);
    set_line(5000, 1);
    device_unit *unit = printed(&gpu);
    assert_non_null(strstr(unit->text, "float vector_tanh_f32("));
    assert_null(strstr(unit->text, "vector_erf"));
    assert_null(strstr(unit->text, "vector_tanh_f64"));
    assert_true(unit->nbytes < 10000);
    source_printer.release(unit);
    free(l.space);
}

TEST(a_launch_covers_every_element_once_without_a_bound)
{
    for (int64_t n = 1; n < 5000; n += 613) {
        device_launch *started;
        int64_t covered = 0;
        build_tanh(JG_DTYPE_FLOAT32);
        set_line(n, 1);
        device_unit *unit = printed(&gpu);
        device_work work = {.program = &l.program, .space = l.space};
        assert_ok(source_printer.arrange(unit, 0, &work, true, &started));
        for (int i = 0; i < started->nsteps; ++i) {
            const device_step *step = &started->steps[i];
            bool wide = strstr(unit->entries[0].kernels[step->kernel].name, "wide") != NULL;
            assert_int_equal(step->words[0], covered);
            covered += step->groups * step->items * (wide ? 4 : 1);
        }
        assert_int_equal(covered, n);
        base_free(started);
        source_printer.release(unit);
        free(l.space);
    }
}

TEST(what_a_device_lacks_is_refused_by_name)
{
    device_facts facts = gpu;
    device_unit *unit;
    device_refusal refusal;
    facts.dialect = DEVICE_METAL;
    facts.f64 = false;
    build_tanh(JG_DTYPE_FLOAT64);
    set_line(10, 1);
    device_work work = {.program = &l.program, .space = l.space};
    assert_false(source_printer.takes(&facts, &work, &refusal));
    assert_non_null(strstr(refusal.message, "float64"));
    assert_int_equal(refusal.position, 0);
    assert_fails_saying(JG_ERR_UNSUPPORTED, "float64",
                        source_printer.print(&facts, 1, &work, &unit));
    free(l.space);
    program_init(&l.program);
    int x = load_of(&l, JG_DTYPE_FLOAT32);
    store_of(&l, apply_to(&l, PROGRAM_ATAN2, x, x, 0));
    set_line(10, 1);
    work.space = l.space;
    assert_fails_saying(JG_ERR_UNSUPPORTED, "atan2", source_printer.print(&facts, 1, &work, &unit));
    facts.max_buffers = 3;
    assert_fails_saying(JG_ERR_UNSUPPORTED, "4 buffers",
                        source_printer.print(&facts, 1, &work, &unit));
    free(l.space);
}

TEST(a_large_block_goes_through_memory)
{
    device_facts facts = facts_of(DEVICE_GROUP);
    facts.argument_nbytes = 64;
    build_tanh(JG_DTYPE_FLOAT32);
    set_line(1000, 1);
    device_unit *unit = printed(&facts);
    const device_kernel *kernel = &unit->entries[0].kernels[0];
    assert_int_equal(kernel->arguments[kernel->narguments - 1].kind, DEVICE_ARGUMENT_MEMORY);
    source_printer.release(unit);
    launch_compare_device(&l, &facts, 3, false, 0);
    free(l.space);
}

/* 64-bit indices where the space or a buffer's reach is large, narrow ones elsewhere. */
TEST(wide_indices_are_printed_where_they_are_needed)
{
    build_tanh(JG_DTYPE_FLOAT32);
    set_line(1000, 1);
    device_unit *unit = printed(&gpu);
    assert_non_null(strstr(unit->text, "const int32_t number"));
    source_printer.release(unit);
    free(l.space);
    set_line((int64_t)1 << 33, 1);
    unit = printed(&gpu);
    assert_non_null(strstr(unit->text, "const int64_t number"));
    source_printer.release(unit);
    free(l.space);
}

TEST(printing_without_memory_is_an_error_and_leaks_nothing)
{
    device_unit *unit = NULL;
    build_tanh(JG_DTYPE_FLOAT32);
    set_line(1000, 1);
    device_work work = {.program = &l.program, .space = l.space};
    int64_t blocks = base_live_blocks();
    jg_status status = JG_ERR_NOMEM;
    for (int nth = 1; status != JG_OK; ++nth) {
        base_fail_nth(nth);
        status = source_printer.print(&gpu, 1, &work, &unit);
        base_fail_nth(0);
        assert_true(status == JG_OK || status == JG_ERR_NOMEM);
        assert_true(nth < 200);
        if (status != JG_OK)
            assert_int_equal(base_live_blocks(), blocks);
    }
    source_printer.release(unit);
    assert_int_equal(base_live_blocks(), blocks);
    free(l.space);
}

BEFORE_ALL(opencl_open)
