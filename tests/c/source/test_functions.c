/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of float32 over 2^20 patterns of bits each, of every exponent, subnormals,
 * infinities and NaN: the device's bits are the tiles', NaN being as good as any other. */
#include "device_launch.h"

static launch l;

enum { PATTERNS = 1 << 20, FUNCTIONS = 23 };

static const program_op functions[FUNCTIONS] = {
    PROGRAM_EXP,   PROGRAM_EXP2, PROGRAM_EXPM1,  PROGRAM_LOG,     PROGRAM_LOG2,  PROGRAM_LOG10,
    PROGRAM_LOG1P, PROGRAM_SIN,  PROGRAM_COS,    PROGRAM_TAN,     PROGRAM_ASIN,  PROGRAM_ACOS,
    PROGRAM_ATAN,  PROGRAM_SINH, PROGRAM_COSH,   PROGRAM_TANH,    PROGRAM_ASINH, PROGRAM_ACOSH,
    PROGRAM_ATANH, PROGRAM_ERF,  PROGRAM_ERFINV, PROGRAM_SIGMOID, PROGRAM_SQRT};

static void build(program_op op)
{
    int64_t n = PATTERNS, strides[] = {1, 1};
    program_init(&l.program);
    store_of(&l, apply_to(&l, op, load_of(&l, JG_DTYPE_FLOAT32), 0, 0));
    launch_space(&l, 1, 0, &n, strides);
}

/* The upper bits count, the lower ones are mixed of them. */
static void fill_patterns(void *to)
{
    uint32_t *bits = to;
    for (uint32_t i = 0; i < PATTERNS; ++i)
        bits[i] = i << 12 | (i * 2654435761u >> 20);
}

static int64_t count_differing(const float *got, const float *expected)
{
    int64_t count = 0;
    for (int64_t i = 0; i < PATTERNS; ++i) {
        bool both_nan = isnan(got[i]) && isnan(expected[i]);
        count += !both_nan && memcmp(&got[i], &expected[i], sizeof *got) != 0;
    }
    return count;
}

TEST(functions_of_float32_have_the_bits_of_the_tiles)
{
    device_facts facts = facts_of(DEVICE_LANES);
    for (int i = 0; i < FUNCTIONS; ++i) {
        build(functions[i]);
        launch_alloc(&l, 1, false);
        fill_patterns(l.memory[0]);
        fill_patterns(l.copies[0]);
        launch_tile(&l, true);
        launch_on_device(&l, &facts);
        int64_t count =
            count_differing((const float *)(void *)l.copies[1], (const float *)(void *)l.memory[1]);
        if (count > 0)
            fail_msg("%s: %ld patterns give other bits", program_inst_rows[functions[i]].name,
                     (long)count);
        launch_free(&l);
    }
}

BEFORE_ALL(opencl_open)
