/* SPDX-License-Identifier: Apache-2.0 */
/* What the printer writes in each dialect, to the letter: an elementwise work, one over rows, and a
 * kernel over fields, whose texts are in tests/golden/source; "head" is what all texts of a dialect
 * begin with, which the others leave out. Whoever changes what is printed writes them anew, and
 * sees in the difference what the compilers of devices get:
 *
 *     JOGGLE_WRITE_GOLDEN=1 meson test -C build/py source/golden */
#include "../golden.h"

#include "kernel/cut.h" /* before the tiles' values, whose name its parameters have */
#include "kernel/printer.h"

#include "../tile/launch.h"
#include "source/source.h"
#include <stdio.h>
#include <stdlib.h>

static const char *const dialects[DEVICE_DIALECT_COUNT] = {
    [DEVICE_OPENCL_C] = "cl", [DEVICE_CUDA] = "cu", [DEVICE_HIP] = "hip", [DEVICE_METAL] = "metal"};

static device_facts facts_of(int dialect)
{
    const bool wide = dialect != DEVICE_METAL;
    return (device_facts){
        .dialect = (uint8_t)dialect,
        .shape = DEVICE_GROUP,
        .f64 = wide,
        .atomics_64 = wide,
        .exact_division = true,
        .lane_width = 32,
        .group_limit = 1024,
        .compute_units = 100,
        .max_buffers = 31,
        .local_nbytes = 32 << 10,
        .argument_nbytes = 4096,
    };
}

static void compare_text(const char *name, int dialect, const char *text)
{
    char file[64];
    snprintf(file, sizeof file, "source/%s.%s", name, dialects[dialect]);
    golden_compare(file, text);
}

/* The head ends before the first function. */
static void compare(const char *name, int dialect, const device_unit *unit)
{
    const char *end = strstr(unit->text, "\nFUNCTION ");
    assert_non_null(end);
    char *head = strndup(unit->text, (size_t)(end + 1 - unit->text));
    compare_text("head", dialect, head);
    compare_text(name, dialect, end + 1);
    free(head);
}

/* The program that build makes, over rows whose elements lie side by side. */
static void compare_over(const char *name, const device_facts *facts, void (*build)(launch *l),
                         int64_t rows, int64_t length)
{
    const int64_t extents[] = {rows, length};
    int64_t strides[PROGRAM_MAX_BUFFERS * 2];
    device_unit *unit;
    launch l = {0};
    program_init(&l.program);
    build(&l);
    for (int b = 0; b < l.program.nbuffers; ++b) {
        bool per_row = l.program.buffers[b].per_row;
        strides[2 * b] = per_row ? 1 : extents[1];
        strides[2 * b + 1] = per_row ? 0 : 1;
    }
    launch_space(&l, 2, l.program.reduces, extents, strides);
    const device_work work = {.program = &l.program, .space = l.space};
    assert_ok(program_verify(&l.program));
    assert_ok(source_printer.print(facts, 1, &work, &unit));
    compare(name, facts->dialect, unit);
    source_printer.release(unit);
    free(l.space);
}

static void compare_on(const char *name, const device_facts *facts, void (*build)(launch *l))
{
    compare_over(name, facts, build, 300, 70);
}

static void compare_program(const char *name, void (*build)(launch *l))
{
    for (int dialect = 0; dialect < DEVICE_DIALECT_COUNT; ++dialect) {
        const device_facts facts = facts_of(dialect);
        compare_on(name, &facts, build);
    }
}

/* Where x is above a number the root of x, else x times the number. */
static void build_elementwise(launch *l)
{
    int x = load_of(l, JG_DTYPE_FLOAT32), s = scalar_of(l, JG_DTYPE_FLOAT32);
    int above = apply_to(l, PROGRAM_LESS, s, x, 0), root = apply_to(l, PROGRAM_SQRT, x, 0, 0);
    store_of(l, apply_to(l, PROGRAM_SELECT, above, root, apply_to(l, PROGRAM_MULTIPLY, x, s, 0)));
}

/* Each element less the largest of its row; and the sum of those. */
static void build_rows(launch *l)
{
    int x = load_of(l, JG_DTYPE_FLOAT32);
    int most = apply_to(l, PROGRAM_REDUCE_MAXIMUM, x, 0, 0);
    int less = apply_to(l, PROGRAM_SUBTRACT, x, most, 0);
    store_of(l, less);
    store_of(l, apply_to(l, PROGRAM_REDUCE_ADD, less, 0, 0));
}

/* exp of each element less the largest of its row, over the sum of those. */
static void build_softmax(launch *l)
{
    int x = load_of(l, JG_DTYPE_FLOAT32);
    int most = apply_to(l, PROGRAM_REDUCE_MAXIMUM, x, 0, 0);
    int power = apply_to(l, PROGRAM_EXP, apply_to(l, PROGRAM_SUBTRACT, x, most, 0), 0, 0);
    int sum = apply_to(l, PROGRAM_REDUCE_ADD, power, 0, 0);
    store_of(l, apply_to(l, PROGRAM_DIVIDE, power, sum, 0));
}

/* Sums of rows that are long and few. */
static void build_sums(launch *l)
{
    store_of(l, apply_to(l, PROGRAM_REDUCE_ADD, load_of(l, JG_DTYPE_FLOAT32), 0, 0));
}

TEST(elementwise_works_are_printed_as_on_file)
{
    compare_program("elementwise", build_elementwise);
}

TEST(works_over_rows_are_printed_as_on_file)
{
    compare_program("rows", build_rows);
}

/* For a processor: eight elements of a lane are added up first, four of exp, which is kept; items
 * that share a row join it. */
TEST(rows_in_lanes_are_printed_as_on_file)
{
    device_facts facts = facts_of(DEVICE_OPENCL_C);
    facts.shape = DEVICE_LANES;
    compare_on("rows_in_lanes", &facts, build_rows);
    compare_on("softmax_in_lanes", &facts, build_softmax);
    facts.compute_units = 2;
    compare_over("sums_in_lanes", &facts, build_sums, 2, 1 << 20);
}

static const char kernel[] = "kernel move checked\n"
                             "array x float32 [*, 2]\n"
                             "array v float32 [*, 2] [8, 4]\n"
                             "array cells int32 [16]\n"
                             "scalar dt float32\n"
                             "result int32\n"
                             "{\n"
                             "  local moved int32\n"
                             "  %zero:int32 = const 0\n"
                             "  %one:int32 = const 1\n"
                             "  %two:int32 = const 2\n"
                             "  %rows:int64 = extent x 0\n"
                             "  %n:int32 = cast %rows\n"
                             "  parallel %i:int32 = %zero to %n, %j:int32 = %zero to %two {\n"
                             "    %a:float32 = load x [%i, %j] @2\n"
                             "    %b:float32 = load v [%i, %j] @2\n"
                             "    %c:float32 = multiply %b %dt @3\n"
                             "    %d:float32 = add %a %c @3\n"
                             "    store x [%i, %j] = %d @3\n"
                             "    %cell:int32 = cast %d @4\n"
                             "    %old:int32 = atomic add cells [%cell] %one @5\n"
                             "    %fast:bool = less %dt %c @6\n"
                             "    if %fast {\n"
                             "      %all:int32 = atomic add moved %one @7\n"
                             "    }\n"
                             "  }\n"
                             "  %sum:int32 = get moved\n"
                             "  return %sum\n"
                             "}\n";

TEST(kernels_over_fields_are_printed_as_on_file)
{
    for (int dialect = 0; dialect < DEVICE_DIALECT_COUNT; ++dialect) {
        const device_facts facts = facts_of(dialect);
        device_refusal refusal = {0};
        kernel_program program;
        kernel_printed *printed;
        assert_ok(kernel_parse(kernel, &program));
        assert_ok(kernel_cut(&program));
        assert_ok(source_kernel_printer.print(&facts, &program, 0, &printed, &refusal));
        if (printed == NULL)
            fail_msg("refused: %s", refusal.message);
        compare("kernel", dialect, &printed->unit);
        source_kernel_printer.release(printed);
        kernel_clear(&program);
    }
}
