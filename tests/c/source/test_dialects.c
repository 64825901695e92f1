/* SPDX-License-Identifier: Apache-2.0 */
/* Texts in CUDA, HIP and Metal go through a compiler, where there is one: HIP through clang, Metal
 * through clang as C++ with a stand-in for its library (metal_stdlib), CUDA through NVRTC, where
 * its wheel is (nvrtc.py). The texts are of every instruction and cast, of rows in all forms, and a
 * product. */
#include "compilers.h"

#include "../tile/launch.h"
#include "source/source.h"
#include <sys/wait.h>

static launch l;

enum { WORKS = 700 };

static device_work works[WORKS];
static int nworks;

static const device_facts gpu = {
    .shape = DEVICE_GROUP,
    .f64 = true,
    .exact_division = true,
    .lane_width = 32,
    .group_limit = 1024,
    .compute_units = 100,
    .max_buffers = 31,
    .local_nbytes = 32 << 10,
    .argument_nbytes = 4096,
};

/* Keeps the launch's program over rows of length elements, if the device takes it. */
static void keep(const device_facts *facts, int64_t rows, int64_t length, bool across)
{
    int64_t extents[] = {rows, length}, strides[PROGRAM_MAX_BUFFERS * 2] = {0};
    device_refusal refusal;
    for (int b = 0; b < l.program.nbuffers; ++b) {
        bool per_row = l.program.buffers[b].per_row;
        strides[2 * b] = per_row || across ? 1 : length;
        strides[2 * b + 1] = per_row ? 0 : across ? rows : 1;
    }
    launch_space(&l, 2, l.program.reduces, extents, strides);
    device_work work = {.program = &l.program, .space = l.space};
    if (!source_printer.takes(facts, &work, &refusal)) {
        free(l.space);
        return;
    }
    jg_program *own = malloc(sizeof *own);
    memcpy(own, &l.program, sizeof *own);
    assert_true(nworks < WORKS);
    works[nworks++] = (device_work){.program = own, .space = l.space};
}

static void keep_instructions(const device_facts *facts)
{
    for (int op = PROGRAM_COPY; op < PROGRAM_REDUCE_ADD; ++op) {
        for (int type = 0; type < JG_DTYPE_COUNT; ++type) {
            int arity = program_inst_rows[op].arity, operands[3] = {0};
            if (!dtype_rows[type].computable)
                continue;
            program_init(&l.program);
            for (int i = 0; i < arity; ++i)
                operands[i] =
                    load_of(&l, op == PROGRAM_SELECT && i == 0 ? JG_DTYPE_BOOL : (jg_dtype)type);
            store_of(&l, apply_to(&l, (program_op)op, operands[0], operands[1], operands[2]));
            keep(facts, 40, 70, false);
        }
    }
}

static void keep_rows(const device_facts *facts, jg_dtype dtype)
{
    for (int op = PROGRAM_REDUCE_ADD; op <= PROGRAM_REDUCE_MINIMUM; ++op) {
        for (int form = 0; form < 4; ++form) {
            program_init(&l.program);
            int x = load_of(&l, dtype), total = apply_to(&l, (program_op)op, x, 0, 0);
            store_of(&l, apply_to(&l, PROGRAM_ADD, x, total, 0));
            store_of(&l, total);
            keep(facts, form < 2 ? 5000 : 1, form < 2 ? 100 : 1000000, form % 2 == 1);
        }
    }
}

/* Other works than programs are static. */
static void free_work(int i)
{
    if (works[i].kind != DEVICE_WORK_PROGRAM)
        return;
    free((void *)(uintptr_t)works[i].program);
    free((void *)(uintptr_t)works[i].space);
}

/* Of the works every `step`th, from `first` on, is kept. */
static void thin_out(int first, int step)
{
    int kept = 0;
    for (int i = 0; i < nworks; ++i)
        if (i % step == first)
            works[kept++] = works[i];
        else
            free_work(i);
    nworks = kept;
}

/* Which part of the works the next text has. */
static int part_first, part_step = 1;

static device_unit *print_all(const device_facts *facts)
{
    static const jg_dtype dtypes[] = {JG_DTYPE_BOOL,      JG_DTYPE_INT16,   JG_DTYPE_UINT64,
                                      JG_DTYPE_FLOAT32,   JG_DTYPE_FLOAT64, JG_DTYPE_COMPLEX64,
                                      JG_DTYPE_COMPLEX128};
    static const device_product products[] = {
        {.dtype = JG_DTYPE_FLOAT32},
        {.dtype = JG_DTYPE_FLOAT16, .ndim = 3, .widens = true},
        {.dtype = JG_DTYPE_BFLOAT16, .ndim = 1, .kind = DEVICE_GATHERED},
        {.dtype = JG_DTYPE_COMPLEX64, .ndim = 2, .kind = DEVICE_SEGMENTED},
        {.dtype = JG_DTYPE_INT8}};
    static const device_convolution convolutions[] = {{.dtype = JG_DTYPE_FLOAT32},
                                                      {.dtype = JG_DTYPE_FLOAT16, .flip = true}};
    static const device_fourier transforms[] = {
        {.from = JG_DTYPE_COMPLEX64, .to = JG_DTYPE_COMPLEX64, .ndim = 2},
        {.from = JG_DTYPE_FLOAT32, .to = JG_DTYPE_COMPLEX64, .ndim = 1},
        {.from = JG_DTYPE_COMPLEX64,
         .to = JG_DTYPE_FLOAT32,
         .ndim = 1,
         .half = true,
         .chirps = true}};
    static const device_scatter scatter = {.dtype = JG_DTYPE_FLOAT16,
                                           .op = PROGRAM_ADD,
                                           .ndim = 3,
                                           .narrays = 2,
                                           .array_dtypes = {JG_DTYPE_INT64, JG_DTYPE_UINT8},
                                           .varies = true};
    static const device_cumulative scan = {.from = JG_DTYPE_FLOAT16,
                                           .to = JG_DTYPE_FLOAT32,
                                           .op = PROGRAM_ADD,
                                           .ndim = 2,
                                           .initial = true};
    static const device_sort sorts[] = {{.dtype = JG_DTYPE_FLOAT16, .ndim = 2, .is_narrow = true},
                                        {.dtype = JG_DTYPE_COMPLEX64, .ndim = 1, .indices = true},
                                        {.dtype = JG_DTYPE_COMPLEX128, .ndim = 1}};
    static const device_search search = {.dtype = JG_DTYPE_FLOAT32, .ndim = 2, .right = true};
    device_unit *unit;
    nworks = 0;
    keep_instructions(facts);
    for (size_t i = 0; i < JG_COUNT_OF(dtypes); ++i)
        keep_rows(facts, dtypes[i]);
    assert_true(nworks >= (facts->f64 ? 400 : 250));
    thin_out(part_first, part_step);
    for (size_t i = 0; i < JG_COUNT_OF(products); ++i)
        works[nworks++] = (device_work){.kind = DEVICE_WORK_PRODUCT, .product = &products[i]};
    for (size_t i = 0; i < JG_COUNT_OF(convolutions); ++i)
        works[nworks++] =
            (device_work){.kind = DEVICE_WORK_CONVOLUTION, .convolution = &convolutions[i]};
    for (size_t i = 0; i < JG_COUNT_OF(transforms); ++i)
        works[nworks++] = (device_work){.kind = DEVICE_WORK_FOURIER, .fourier = &transforms[i]};
    works[nworks++] = (device_work){.kind = DEVICE_WORK_SCATTER, .scatter = &scatter};
    works[nworks++] = (device_work){.kind = DEVICE_WORK_CUMULATIVE, .cumulative = &scan};
    for (size_t i = 0; i < JG_COUNT_OF(sorts); ++i)
        works[nworks++] = (device_work){.kind = DEVICE_WORK_SORT, .sort = &sorts[i]};
    works[nworks++] = (device_work){.kind = DEVICE_WORK_SEARCH, .search = &search};
    assert_ok(source_printer.print(facts, nworks, works, &unit));
    return unit;
}

static int compile(const device_facts *facts, const char *tool, const char *format)
{
    need_tool(tool);
    device_unit *unit = print_all(facts);
    int status = compile_unit(unit, format);
    source_printer.release(unit);
    for (int i = 0; i + 1 < nworks; ++i)
        free_work(i);
    return status;
}

/* Compilers take minutes for all works: a plain run gives one of so many to each architecture, and
 * make test-all gives all. */
static int compile_part(const device_facts *facts, const char *tool, const char *format, int first,
                        int step)
{
    bool all = getenv("TESTS_IN_FULL") != NULL;
    part_first = all ? 0 : first;
    part_step = all ? 1 : step;
    int status = compile(facts, tool, format);
    part_first = 0;
    part_step = 1;
    return status;
}

/* The second has the first one's text. */
TEST(hip_compiles_for_three_generations)
{
    device_facts facts = gpu;
    facts.dialect = DEVICE_HIP;
    assert_int_equal(compile_part(&facts, "clang-19", HIP "gfx90a", 0, 3), 0);
    assert_int_equal(compile_part(&facts, "clang-19", HIP "gfx942", 1, 3), 0);
    facts.lane_width = 32;
    assert_int_equal(compile_part(&facts, "clang-19", HIP "gfx1100", 2, 3), 0);
}

static void format_nvrtc(const char *architecture, char *out, size_t nbytes)
{
    snprintf(out, nbytes, "python3 %s/tests/c/source/nvrtc.py %s %%2$s %%1$s",
             getenv("JOGGLE_TEST_ROOT"), architecture);
}

/* No kernel spills registers. */
static void check_nvrtc(int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
        print_message("nvidia-cuda-nvrtc is not there: its dialect is not compiled\n");
        skip();
    }
    assert_int_equal(status, 0);
}

static void compile_cuda(const char *architecture, int first)
{
    char format[768];
    device_facts facts = gpu;
    facts.dialect = DEVICE_CUDA;
    format_nvrtc(architecture, format, sizeof format);
    check_nvrtc(compile_part(&facts, "python3", format, first, 6));
}

TEST(cuda_compiles_for_ampere)
{
    compile_cuda("sm_80", 0);
}

TEST(cuda_compiles_for_hopper)
{
    compile_cuda("sm_90", 2);
}

TEST(cuda_compiles_for_blackwell)
{
    compile_cuda("sm_100", 4);
}

/* Halves by tensor cores: matrices that lie along their terms and across them; a convolution. */
static device_work work_of_halves(int which)
{
    static const device_product products[] = {
        {.dtype = JG_DTYPE_FLOAT16, .columns = 9, .left = {0, 18, 2}, .right = {0, 18, 2}},
        {.dtype = JG_DTYPE_BFLOAT16, .columns = 9, .left = {0, 2, 18}, .right = {0, 2, 18}},
        {.dtype = JG_DTYPE_BFLOAT16, .ndim = 1, .kind = DEVICE_GATHERED},
        {.dtype = JG_DTYPE_FLOAT16, .ndim = 2, .kind = DEVICE_SEGMENTED},
        {.dtype = JG_DTYPE_BFLOAT16, .widens = true, .columns = 9, .right = {0, 18, 2}}};
    static const device_convolution convolution = {.dtype = JG_DTYPE_BFLOAT16};
    if (which == (int)JG_COUNT_OF(products))
        return (device_work){.kind = DEVICE_WORK_CONVOLUTION, .convolution = &convolution};
    return (device_work){.kind = DEVICE_WORK_PRODUCT, .product = &products[which]};
}

/* A plain run gives two of the six to each architecture. */
static void compile_halves(const char *architecture, int first)
{
    bool all = getenv("TESTS_IN_FULL") != NULL;
    device_facts facts = gpu;
    enum { ALL = 6 };
    device_work some[ALL];
    device_unit *unit;
    int count = 0;
    char format[768];
    need_tool("python3");
    facts.dialect = DEVICE_CUDA;
    facts.tensor_cores = true;
    facts.local_nbytes = 48 << 10;
    for (int i = 0; i < ALL; ++i)
        if (all || i % 3 == first)
            some[count++] = work_of_halves(i);
    assert_ok(source_printer.print(&facts, count, some, &unit));
    assert_non_null(strstr(unit->text, "k0_mma("));
    format_nvrtc(architecture, format, sizeof format);
    int status = compile_unit(unit, format);
    source_printer.release(unit);
    check_nvrtc(status);
}

TEST(ampere_has_tensor_cores)
{
    compile_halves("sm_80", 0);
}

TEST(hopper_has_tensor_cores)
{
    compile_halves("sm_90", 1);
}

TEST(blackwell_has_tensor_cores)
{
    compile_halves("sm_100", 2);
}

TEST(metal_compiles_with_a_stand_in_for_its_library)
{
    char format[768];
    device_facts facts = gpu;
    facts.dialect = DEVICE_METAL;
    facts.f64 = false;
    snprintf(format, sizeof format,
             "clang-19 -x c++ -std=c++17 -fsyntax-only -Wno-everything -I%s/tests/c/source "
             "-DFLAGS='\"%%s\"' %%s",
             getenv("JOGGLE_TEST_ROOT"));
    assert_int_equal(compile(&facts, "clang-19", format), 0);
}
