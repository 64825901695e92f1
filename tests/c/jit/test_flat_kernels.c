/* SPDX-License-Identifier: Apache-2.0 */
/* Flat programs as kernels: every dtype, instruction, cast and reduction gives what the tiles give,
 * and what has no spelling is named by the question. */
#include "../support.h"
#include "jit/jit.h"
#include "kernel/cut.h"
#include "kernel/flat.h"

#include "../tile/random_programs.h"

static launch l;

/* One thread, all indices. */
static void run_all(kernel_host *host, int64_t count, const kernel_loop *loop, void *frame)
{
    (void)host;
    loop->body(frame, 0, count);
}

/* As kernel/flat.h says: arrays by their buffers; scalars, then offsets. */
static void run_kernel(const kernel_program *kernel, const launch *x)
{
    kernel_host host = {.parallel = run_all};
    void *arrays[PROGRAM_MAX_BUFFERS];
    uint64_t values[2 * PROGRAM_MAX_SCALARS + PROGRAM_MAX_BUFFERS] = {0};
    int narrays = 0, nvalues = 0;
    for (int s = 0; s < x->program.nscalars; ++s) {
        jg_dtype dtype = (jg_dtype)x->program.scalars[s];
        size_t parts = dtype_is_complex(dtype) ? 2 : 1, nbytes = dtype_itemsize(dtype) / parts;
        for (size_t i = 0; i < parts; ++i)
            memcpy(&values[nvalues++], (const char *)&x->scalars[s] + i * nbytes, nbytes);
    }
    for (int b = 0; b < x->program.nbuffers; ++b) {
        if (x->program.buffers[b].role == PROGRAM_ROLE_INDEX)
            values[nvalues++] = (uint64_t)(uintptr_t)x->copy_addresses[b];
        else
            arrays[narrays++] = x->copy_addresses[b];
    }
    kernel_arguments arguments = {.addresses = arrays, .scalars = values};
    kernel_code *code;
    must(jit_compiler.compile(kernel, COMPILE_EXACT, &code));
    jit_compiler.entry(code)(&arguments, &host);
    jit_compiler.release(code);
}

/* Into the copies. */
static void launch_kernel(launch *x)
{
    kernel_program kernel;
    kernel_fault fault;
    must(program_verify(&x->program));
    if (!kernel_takes_program(&x->program, x->space, &fault)) {
        print_launch(x);
        fail_msg("%s", fault.message);
    }
    must(kernel_of_program(&x->program, x->space, &kernel));
    must(kernel_cut(&kernel));
    run_kernel(&kernel, x);
    kernel_clear(&kernel);
}

static void check(launch *x, bool whole_numbers, double ulps)
{
    launch_alloc(x, seed, whole_numbers);
    launch_tile(x, false);
    launch_kernel(x);
    launch_compare(x, ulps);
    launch_free(x);
}

/* One loop, elements side by side, of so many. */
static void line(launch *x, int64_t count, int nreduced)
{
    int64_t strides[PROGRAM_MAX_BUFFERS];
    for (int b = 0; b < x->program.nbuffers; ++b)
        strides[b] = !x->program.buffers[b].per_row;
    launch_space(x, 1, nreduced, &count, strides);
}

static const jg_dtype computed[] = {
    JG_DTYPE_BOOL,     JG_DTYPE_INT8,    JG_DTYPE_INT16,   JG_DTYPE_INT32,     JG_DTYPE_INT64,
    JG_DTYPE_UINT8,    JG_DTYPE_UINT16,  JG_DTYPE_UINT32,  JG_DTYPE_UINT64,    JG_DTYPE_FLOAT16,
    JG_DTYPE_BFLOAT16, JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT64, JG_DTYPE_COMPLEX64, JG_DTYPE_COMPLEX128};

static const jg_dtype stored[] = {
    JG_DTYPE_COMPLEX32,          JG_DTYPE_FLOAT8_E3M4,     JG_DTYPE_FLOAT8_E4M3,
    JG_DTYPE_FLOAT8_E4M3B11FNUZ, JG_DTYPE_FLOAT8_E4M3FN,   JG_DTYPE_FLOAT8_E4M3FNUZ,
    JG_DTYPE_FLOAT8_E5M2,        JG_DTYPE_FLOAT8_E5M2FNUZ, JG_DTYPE_FLOAT8_E8M0FNU};

/* x op x' op x'' of three loads; taken out again where the tiles do not have it, or kernels do
 * not. */
static bool add_instruction(program_op op, jg_dtype type)
{
    jg_program before = l.program;
    kernel_fault fault;
    int first = op == PROGRAM_SELECT ? cast_of(&l, 0, JG_DTYPE_BOOL) : 0;
    int x = apply_to(&l, op, first, 1, 2);
    store_of(&l, x);
    static const program_op logarithms[] = {
        PROGRAM_LOG,  PROGRAM_LOG2,  PROGRAM_LOG10, PROGRAM_LOG1P, PROGRAM_ASIN,  PROGRAM_ACOS,
        PROGRAM_ATAN, PROGRAM_ASINH, PROGRAM_ACOSH, PROGRAM_ATANH, PROGRAM_POWER, PROGRAM_EXP2};
    program_space space = {.ndim = 0};
    bool tiled = tile_executor.accepts(&l.program);
    bool taken = kernel_takes_program(&l.program, &space, &fault);
    if (tiled && !taken) {
        bool known = false;
        for (size_t i = 0; i < JG_COUNT_OF(logarithms); ++i)
            known |= op == logarithms[i];
        if (!known || !dtype_is_complex(type))
            fail_msg("%s of %s: %s", program_inst_rows[op].name, dtype_rows[type].name,
                     fault.message);
    }
    if (!tiled || !taken)
        l.program = before;
    return tiled && taken;
}

static void begin_instructions(jg_dtype type)
{
    program_init(&l.program);
    for (int i = 0; i < 3; ++i)
        load_of(&l, type);
}

/* Infinities, zeros and NaNs meet in the parts of a complex number. */
static void fill_parts(int buffer, jg_dtype type)
{
    size_t itemsize = dtype_itemsize(type), count = l.nbytes[buffer] / itemsize;
    for (size_t i = 0; i < count; ++i) {
        value x = {0, sample_real(&seed), sample_real(&seed)};
        store_value(l.memory[buffer] + i * itemsize, x, type);
    }
    memcpy(l.copies[buffer], l.memory[buffer], l.nbytes[buffer]);
}

TEST(every_instruction_of_every_dtype_has_the_bits_of_tiles)
{
    for (size_t d = 0; d < JG_COUNT_OF(computed); ++d) {
        int count = 0;
        begin_instructions(computed[d]);
        for (program_op op = PROGRAM_COPY; op <= PROGRAM_SELECT; ++op) {
            count += add_instruction(op, computed[d]);
            if (l.program.nbuffers < PROGRAM_MAX_BUFFERS - 1 && op < PROGRAM_SELECT)
                continue;
            line(&l, 2003, 0);
            seed = 17 + d;
            launch_alloc(&l, seed, false);
            for (int i = 0; i < 3 && dtype_is_complex(computed[d]); ++i)
                fill_parts(i, computed[d]);
            launch_tile(&l, false);
            launch_kernel(&l);
            launch_compare(&l, 0);
            launch_free(&l);
            begin_instructions(computed[d]);
        }
        if (count < 3) /* halves are computed in float32 */
            fail_msg("%s: %d instructions", dtype_rows[computed[d]].name, count);
    }
}

TEST(every_cast_has_the_bits_of_tiles)
{
    for (size_t from = 0; from < JG_COUNT_OF(computed) + JG_COUNT_OF(stored); ++from) {
        size_t c = JG_COUNT_OF(computed);
        jg_dtype type = from < c ? computed[from] : stored[from - c];
        program_init(&l.program);
        int x = load_of(&l, type);
        for (size_t to = 0; to < c + JG_COUNT_OF(stored); ++to) {
            jg_dtype target = to < c ? computed[to] : stored[to - c];
            jg_program before = l.program;
            if (target != type)
                store_of(&l, cast_of(&l, x, target));
            if (!tile_executor.accepts(&l.program)) /* plan casts through float64 then */
                l.program = before;
        }
        store_of(&l, apply_to(&l, PROGRAM_COPY, x, 0, 0));
        line(&l, 509, 0);
        seed = 3 + from;
        launch_alloc(&l, seed, false);
        if (from >= c)
            for (size_t i = 0; i < l.nbytes[0]; ++i)
                l.memory[0][i] = (char)(from > c ? i : random_bits(&seed));
        memcpy(l.copies[0], l.memory[0], l.nbytes[0]);
        launch_tile(&l, false);
        launch_kernel(&l);
        launch_compare(&l, 0);
        launch_free(&l);
    }
}

/* Whole numbers, whose sums and few products are exact in any order. The tiles do not reduce
 * halves: the reference does. */
TEST(every_reduction_of_every_dtype_gives_what_tiles_give)
{
    int count = 0;
    for (size_t d = 0; d < JG_COUNT_OF(computed); ++d)
        for (program_op op = PROGRAM_REDUCE_ADD; op <= PROGRAM_REDUCE_MINIMUM; ++op) {
            bool extreme = op == PROGRAM_REDUCE_MAXIMUM || op == PROGRAM_REDUCE_MINIMUM;
            int64_t extents[] = {5, 7};
            if (extreme && dtype_is_complex(computed[d]))
                continue;
            program_init(&l.program);
            int x = load_of(&l, computed[d]);
            store_of(&l, apply_to(&l, op, x, 0, 0));
            int64_t strides[] = {7, 1, 1, 0};
            launch_space(&l, 2, 1, extents, strides);
            launch_alloc(&l, 5 + d, true);
            if (tile_executor.accepts(&l.program))
                launch_tile(&l, false);
            else
                reference_run(&l.program, l.space, l.addresses, l.scalars);
            launch_kernel(&l);
            launch_compare(&l, 0);
            launch_free(&l);
            count += 1;
        }
    assert_int_equal(count, 4 * 15 - 4);
}

TEST(random_maps_have_the_bits_of_tiles)
{
    seed = 42;
    for (int round = 0; round < 60; ++round) {
        int64_t extents[4];
        int ndim = 1 + (int)below(4), nstores = 1 + (int)below(2);
        grow_sources(&l);
        grow(&l, l.program.ninsts + (int)below(12));
        int count = l.program.ninsts;
        for (int i = 0; i < nstores; ++i)
            store_of(&l, count - 1 - (int)below(count < 4 ? count : 4));
        random_extents(ndim, extents);
        random_space(&l, ndim, 0, extents);
        check(&l, false, 0);
    }
}

TEST(random_reductions_give_what_tiles_give)
{
    seed = 4711;
    for (int round = 0; round < 120; ++round) {
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
        random_space(&l, ndim, nreduced, extents);
        check(&l, true, 0);
    }
}

/* As in a softmax: rows are passed over several times. */
TEST(random_programs_of_several_passes_give_what_tiles_give)
{
    seed = 271828;
    for (int round = 0; round < 80; ++round) {
        int64_t extents[4];
        int ndim = 1 + (int)below(4), nreduced = (int)below(ndim + 1);
        grow_rows(&l);
        random_extents(ndim, extents);
        for (int d = 0; d < ndim; ++d)
            extents[d] = extents[d] ? extents[d] : 1;
        random_row_space(&l, ndim, nreduced, extents);
        check(&l, true, 64);
    }
}

/* The bound of pairwise summation, in runs of 16 and then pairs. */
TEST(sums_are_as_exact_as_pairwise_summation)
{
    enum { N = 30001 };
    for (int variant = 0; variant < 4; ++variant) {
        bool single = variant & 1, parts = variant & 2;
        jg_dtype type = parts    ? single ? JG_DTYPE_COMPLEX64 : JG_DTYPE_COMPLEX128
                        : single ? JG_DTYPE_FLOAT32
                                 : JG_DTYPE_FLOAT64;
        program_init(&l.program);
        int x = load_of(&l, type);
        store_of(&l, apply_to(&l, PROGRAM_REDUCE_ADD, x, 0, 0));
        line(&l, N, 1);
        launch_alloc(&l, 1, false);
        long double sum = 0, size = 0;
        seed = 5;
        for (int64_t i = 0; i < N; ++i) {
            value number = {0, random_real(&seed, 1) + 0.9, 0};
            char *at = l.copies[0] + (size_t)i * dtype_itemsize(type);
            store_value(at, number, type);
            number = load_value(at, type);
            sum += (long double)number.re;
            size += fabsl((long double)number.re);
        }
        launch_kernel(&l);
        value got = load_value(l.copies[1], type);
        double error = (double)(fabsl((long double)got.re - sum) / size);
        assert_true(error <= (16 + log2(N)) * (single ? 0x1p-24 : 0x1p-53));
        launch_free(&l);
    }
}

TEST(infinite_sums_stay_infinite_and_a_nan_reaches_the_result)
{
    const double rows[3][4] = {{1, (double)INFINITY, 2, 3},
                               {(double)INFINITY, 1, -(double)INFINITY, 0},
                               {1, (double)NAN, 2, 3}};
    for (int r = 0; r < 3; ++r)
        for (program_op op = PROGRAM_REDUCE_ADD; op <= PROGRAM_REDUCE_MINIMUM; ++op) {
            if (r < 2 && op != PROGRAM_REDUCE_ADD)
                continue;
            program_init(&l.program);
            int x = load_of(&l, JG_DTYPE_FLOAT64);
            store_of(&l, apply_to(&l, op, x, 0, 0));
            line(&l, 4, 1);
            launch_alloc(&l, 1, false);
            memcpy(l.copies[0], rows[r], sizeof rows[r]);
            launch_kernel(&l);
            double got = *(double *)(void *)l.copies[1];
            assert_true(r == 0 ? got == (double)INFINITY : isnan(got));
            launch_free(&l);
        }
}

/* An operand that lies where the results go is loaded before they are stored. */
TEST(results_may_lie_over_their_operands)
{
    program_init(&l.program);
    int x = load_of(&l, JG_DTYPE_FLOAT64);
    int most = apply_to(&l, PROGRAM_REDUCE_MAXIMUM, x, 0, 0);
    int shifted = apply_to(&l, PROGRAM_SUBTRACT, x, most, 0);
    int sum = apply_to(&l, PROGRAM_REDUCE_ADD, shifted, 0, 0);
    store_of(&l, apply_to(&l, PROGRAM_DIVIDE, shifted, sum, 0));
    const int64_t extents[] = {4, 9}, strides[] = {9, 1, 9, 1};
    launch_space(&l, 2, 1, extents, strides);
    launch_alloc(&l, 3, true);
    launch_tile(&l, false);
    l.copy_addresses[1] = l.copy_addresses[0];
    launch_kernel(&l);
    assert_memory_equal(l.copies[0], l.memory[1], 36 * sizeof(double));
    launch_free(&l);
}

TEST(loops_beyond_those_of_a_parallel_loop_run_inside_it)
{
    int64_t extents[12], strides[24];
    program_init(&l.program);
    int x = load_of(&l, JG_DTYPE_COMPLEX64);
    store_of(&l, apply_to(&l, PROGRAM_MULTIPLY, x, x, 0));
    for (int d = 11, step = 1; d >= 0; --d, step *= 2) {
        extents[d] = 2;
        strides[d] = d % 2 ? step : -step;
        strides[12 + d] = step;
    }
    launch_space(&l, 12, 0, extents, strides);
    check(&l, false, 0);
}

static void assert_refused(const char *words)
{
    kernel_fault fault;
    kernel_program kernel;
    assert_false(kernel_takes_program(&l.program, l.space, &fault));
    assert_int_equal(fault.status, JG_ERR_UNSUPPORTED);
    assert_non_null(strstr(fault.message, words));
    assert_fails_saying(JG_ERR_UNSUPPORTED, words, kernel_of_program(&l.program, l.space, &kernel));
    free(l.space);
}

TEST(what_has_no_spelling_is_named_by_the_question)
{
    program_init(&l.program);
    store_of(&l, apply_to(&l, PROGRAM_LOG, load_of(&l, JG_DTYPE_COMPLEX64), 0, 0));
    line(&l, 4, 0);
    assert_refused("log of complex64 is not spelled");
    program_init(&l.program);
    store_of(&l, cast_of(&l, load_of(&l, JG_DTYPE_FLOAT128), JG_DTYPE_FLOAT64));
    line(&l, 4, 0);
    assert_refused("no elements of float128");
    program_init(&l.program);
    store_of(&l, load_of(&l, JG_DTYPE_FLOAT32));
    const int64_t extents[] = {3, 4}, strides[] = {4, 1, 0, 1};
    launch_space(&l, 2, 0, extents, strides);
    assert_refused("several turns of a loop write one element");
    int64_t many[17], steps[34] = {0};
    for (int d = 0; d < 17; ++d)
        many[d] = 1;
    launch_space(&l, 17, 0, many, steps);
    assert_refused("17 loops");
}
