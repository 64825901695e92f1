/* SPDX-License-Identifier: Apache-2.0 */
/* Texts in CUDA, HIP and Metal go through a compiler, where there is one: HIP through clang, Metal
 * through clang as C++ with a stand-in for its library (metal_stdlib), CUDA through nvcc. The texts
 * are of every instruction and cast, of rows in all forms, and a product. */
#include "../support.h"

#include "../tile/launch.h"
#include "source/source.h"
#include <unistd.h>

/* A sanitizer sees the texts printed; the compilers take minutes, and it sees nothing of them. */
#ifdef __SANITIZE_ADDRESS__
#define COMPILES false
#else
#define COMPILES true
#endif

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

static device_unit *print_all(const device_facts *facts)
{
    static const jg_dtype dtypes[] = {JG_DTYPE_BOOL,      JG_DTYPE_INT16,   JG_DTYPE_UINT64,
                                      JG_DTYPE_FLOAT32,   JG_DTYPE_FLOAT64, JG_DTYPE_COMPLEX64,
                                      JG_DTYPE_COMPLEX128};
    static const device_product product = {1, 4, 4, 4, {0, 16, 4}, {0, 16, 4}, {0, 16, 4}};
    device_unit *unit;
    nworks = 0;
    keep_instructions(facts);
    for (size_t i = 0; i < JG_COUNT_OF(dtypes); ++i)
        keep_rows(facts, dtypes[i]);
    works[nworks++] = (device_work){.product = &product};
    assert_true(nworks > (facts->f64 ? 400 : 250));
    assert_ok(source_printer.print(facts, nworks, works, &unit));
    return unit;
}

static bool has_tool(const char *name)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s > /dev/null 2>&1", name);
    return system(command) == 0;
}

/* The command has %s for the file. */
static void compile(const device_facts *facts, const char *tool, const char *format)
{
    char path[] = "/tmp/joggle-source-XXXXXX", command[1024];
    if (!has_tool(tool)) {
        print_message("%s is not there: its dialect is not compiled\n", tool);
        skip();
    }
    device_unit *unit = print_all(facts);
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, unit->text, unit->nbytes), (ssize_t)unit->nbytes);
    close(file);
    snprintf(command, sizeof command, format, unit->flags, path);
    int status = COMPILES ? system(command) : 0;
    unlink(path);
    source_printer.release(unit);
    for (int i = 0; i + 1 < nworks; ++i) {
        free((void *)(uintptr_t)works[i].program);
        free((void *)(uintptr_t)works[i].space);
    }
    assert_int_equal(status, 0);
}

#define HIP                                                                                        \
    "clang-19 -x hip %s --cuda-device-only -nogpuinc -nogpulib -Wno-everything -O1 -S "            \
    "-o /dev/null %s --offload-arch="

/* The second has the first one's text, and takes as long as all other tests of this room: it is for
 * make test-all. */
static void hip_compiles_for_three_generations(void **state)
{
    device_facts facts = gpu;
    (void)state;
    facts.dialect = DEVICE_HIP;
    compile(&facts, "clang-19", HIP "gfx90a");
    if (getenv("TESTS_IN_FULL") != NULL)
        compile(&facts, "clang-19", HIP "gfx942");
    facts.lane_width = 32;
    compile(&facts, "clang-19", HIP "gfx1100");
}

static void cuda_compiles(void **state)
{
    device_facts facts = gpu;
    (void)state;
    facts.dialect = DEVICE_CUDA;
    compile(&facts, "nvcc", "nvcc -w -arch=sm_80 %s -cubin -o /dev/null -x cu %s");
}

static void metal_compiles_with_a_stand_in_for_its_library(void **state)
{
    char format[768];
    device_facts facts = gpu;
    (void)state;
    facts.dialect = DEVICE_METAL;
    facts.f64 = false;
    snprintf(format, sizeof format,
             "clang-19 -x c++ -std=c++17 -fsyntax-only -Wno-everything -I%s/tests/c/source "
             "-DFLAGS='\"%%s\"' %%s",
             getenv("JOGGLE_TEST_ROOT"));
    compile(&facts, "clang-19", format);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hip_compiles_for_three_generations),
        cmocka_unit_test(cuda_compiles),
        cmocka_unit_test(metal_compiles_with_a_stand_in_for_its_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
