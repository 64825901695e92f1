/* SPDX-License-Identifier: Apache-2.0 */
/* Fusing changes no bit of elementwise work, but the sign and the payload of a NaN: random chains
 * of floats, with and without it. */
#include "../arrays.h"
#include "tensor/tensor.h"

enum { ROUNDS = 60, OPS = 20, SIZE = 333 };

static const jg_dtype dtypes[] = {JG_DTYPE_FLOAT16, JG_DTYPE_BFLOAT16, JG_DTYPE_FLOAT32,
                                  JG_DTYPE_FLOAT64};

static jg_array *random_leaf(uint64_t *seed, jg_dtype dtype)
{
    static double data[SIZE];
    jg_array *wide, *x;
    for (int i = 0; i < SIZE; ++i)
        data[i] = (double)random_between(seed, -4000, 4000) / 1013;
    assert_ok(jg_array_from_data(data, JG_DTYPE_FLOAT64, SHAPE(SIZE), &wide));
    assert_ok(jg_astype(wide, dtype, &x));
    assert_ok(jg_eval(1, &x));
    jg_array_release(wide);
    return x;
}

static jg_status apply_unary(uint64_t choice, jg_array *x, jg_array **out)
{
    static jg_status (*const ops[])(jg_array *, jg_array **) = {
        jg_exp, jg_log, jg_tanh, jg_sqrt, jg_negative, jg_abs, jg_floor, jg_square};
    return ops[choice % JG_COUNT_OF(ops)](x, out);
}

static jg_status apply_binary(uint64_t choice, jg_array *x, jg_array *y, jg_array **out)
{
    static jg_status (*const ops[])(jg_array *, jg_array *, jg_array **) = {
        jg_add, jg_subtract, jg_multiply, jg_divide, jg_maximum, jg_minimum, jg_remainder};
    return ops[choice % JG_COUNT_OF(ops)](x, y, out);
}

/* The last of a chain of ops, each on any two of those before it. */
static jg_array *random_chain(uint64_t seed, jg_dtype dtype)
{
    jg_array *nodes[OPS + 2];
    nodes[0] = random_leaf(&seed, dtype);
    nodes[1] = random_leaf(&seed, dtype);
    for (int i = 2; i < OPS + 2; ++i) {
        jg_array *x = nodes[random_between(&seed, i > 4 ? i - 4 : 0, i - 1)];
        jg_array *y = nodes[random_between(&seed, 0, i - 1)];
        uint64_t choice = next_random(&seed);
        if (random_between(&seed, 0, 2) == 0)
            assert_ok(apply_unary(choice, x, &nodes[i]));
        else
            assert_ok(apply_binary(choice, x, y, &nodes[i]));
    }
    release_all(OPS + 1, nodes);
    return nodes[OPS + 1];
}

static void read_bits(uint64_t seed, jg_dtype dtype, const char *fusing, char *bits, size_t nbytes)
{
    assert_ok(jg_option_set("fuse", fusing));
    jg_array *x = random_chain(seed, dtype);
    assert_ok(jg_array_copy_to(x, bits, nbytes));
    jg_array_release(x);
}

static bool is_nan(const char *element, jg_dtype dtype)
{
    jg_scalar value;
    (void)scalar_load(element, dtype, &value);
    return value.f64 != value.f64;
}

static void compare_bits(const char *got, const char *wanted, jg_dtype dtype)
{
    size_t itemsize = dtype_itemsize(dtype);
    for (size_t at = 0; at < SIZE * itemsize; at += itemsize)
        if (!is_nan(got + at, dtype) || !is_nan(wanted + at, dtype))
            assert_memory_equal(got + at, wanted + at, itemsize);
}

TEST(fused_and_unfused_chains_have_the_same_bits)
{
    static char fused[SIZE * 8], unfused[SIZE * 8];
    for (size_t i = 0; i < JG_COUNT_OF(dtypes); ++i) {
        size_t nbytes = (size_t)(SIZE * jg_dtype_bits(dtypes[i]) / 8);
        for (uint64_t seed = 0; seed < ROUNDS; ++seed) {
            read_bits(seed, dtypes[i], "1", fused, nbytes);
            read_bits(seed, dtypes[i], "0", unfused, nbytes);
            compare_bits(fused, unfused, dtypes[i]);
        }
    }
}
