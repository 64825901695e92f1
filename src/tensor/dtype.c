/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of dtypes. Everything here reads the rows of dtype.def and names no dtype, so that a
 * new dtype needs only a row. Only two floats are named: the default one and the widest. */
#include "tensor/tensor.h"
#include <stdatomic.h>
#include <string.h>

const dtype_row dtype_rows[JG_DTYPE_COUNT] = {
#define JG_DTYPE(NAME, name, kind, bits, lanes, code, compute)                                     \
    [JG_DTYPE_##NAME] = {#name, JG_KIND_##kind, bits, lanes, code, compute},
#include "tensor/dtype.def"
#undef JG_DTYPE
};

static bool is_dtype(jg_dtype dtype)
{
    return (unsigned)dtype < JG_DTYPE_COUNT;
}

/* Bits of one stored element: a packed pair counts both. */
static int element_bits(jg_dtype dtype)
{
    return dtype_rows[dtype].bits * dtype_rows[dtype].lanes;
}

const char *jg_dtype_name(jg_dtype dtype)
{
    return is_dtype(dtype) ? dtype_rows[dtype].name : "invalid";
}

int jg_dtype_bits(jg_dtype dtype)
{
    return is_dtype(dtype) ? element_bits(dtype) : 0;
}

jg_dtype_kind jg_dtype_kind_of(jg_dtype dtype)
{
    return is_dtype(dtype) ? (jg_dtype_kind)dtype_rows[dtype].kind : JG_KIND_COUNT;
}

bool jg_dtype_is_computable(jg_dtype dtype)
{
    return is_dtype(dtype) && dtype_rows[dtype].computable;
}

jg_status jg_dtype_from_name(const char *name, jg_dtype *out)
{
    if (name == NULL)
        return base_fail(JG_ERR_VALUE,
                         "name: got NULL, allowed is a dtype's name such as 'float32'");
    for (int i = 0; i < JG_DTYPE_COUNT; i++) {
        if (strcmp(name, dtype_rows[i].name) == 0) {
            *out = (jg_dtype)i;
            return JG_OK;
        }
    }
    return base_fail(JG_ERR_VALUE, "name: got '%.64s', allowed is a dtype's name such as 'float32'",
                     name);
}

size_t dtype_itemsize(jg_dtype dtype)
{
    int bits = element_bits(dtype);
    return bits % 8 == 0 ? (size_t)bits / 8 : 0;
}

/* Eight values take as many bytes as one has bits, so the product never has to be in bits. */
bool dtype_packed_nbytes(int64_t count, int64_t bits, int64_t *out)
{
    int64_t nbytes;
    int64_t rest = (count % 8 * bits + 7) / 8;
    return !__builtin_mul_overflow(count / 8, bits, &nbytes) &&
           !__builtin_add_overflow(nbytes, rest, out) && *out <= PTRDIFF_MAX;
}

jg_status dtype_nbytes(jg_dtype dtype, int64_t count, size_t *out)
{
    int64_t nbytes;
    if (count < 0)
        return base_fail(JG_ERR_VALUE, "count: got %lld, allowed 0 and up", (long long)count);
    if (!dtype_packed_nbytes(count, element_bits(dtype), &nbytes))
        return base_fail(JG_ERR_VALUE,
                         "count: got %lld elements of %s, allowed are up to %lld bytes",
                         (long long)count, dtype_rows[dtype].name, (long long)PTRDIFF_MAX);
    *out = (size_t)nbytes;
    return JG_OK;
}

/* JG_DTYPE_COUNT where no row matches. */
static jg_dtype search_rows(unsigned code, unsigned bits, unsigned lanes)
{
    int i = 0;
    while (i < JG_DTYPE_COUNT && (dtype_rows[i].dlpack_code != code || dtype_rows[i].bits != bits ||
                                  dtype_rows[i].lanes != lanes))
        i++;
    return (jg_dtype)i;
}

/* The first row of that description, JG_DTYPE_COUNT if there is none. The last answer is cached
 * with its key, as programs ask about the same dtype repeatedly. Both are in one word, so that they
 * are read together; no order with other memory is needed. DLPack's fields are 8, 8 and 16 bits
 * wide, so masking loses nothing of them. */
static jg_dtype find_row(unsigned code, unsigned bits, unsigned lanes)
{
    static _Atomic uint64_t memo; /* the zero is the key of code 0 with 0 lanes, which no row has */
    uint64_t question =
        (uint64_t)code << 48 | (uint64_t)(bits & 0xffff) << 32 | (lanes & 0xffff) << 16;
    uint64_t cached = atomic_load_explicit(&memo, memory_order_relaxed);
    if (JG_LIKELY(cached >> 16 == question >> 16 && code <= 0xff && lanes != 0))
        return (jg_dtype)(cached & 0xffff);
    jg_dtype found = search_rows(code, bits, lanes);
    if (code <= 0xff && bits <= 0xffff && lanes <= 0xffff)
        atomic_store_explicit(&memo, question | (uint64_t)found, memory_order_relaxed);
    return found;
}

jg_status dtype_from_dlpack(unsigned code, unsigned bits, unsigned lanes, jg_dtype *out)
{
    if (lanes == 0)
        return base_fail(JG_ERR_BUFFER, "dtype.lanes: got 0, allowed 1 and up");
    jg_dtype found = find_row(code, bits, lanes);
    /* A vector type of several lanes is treated as its scalar type. */
    if (found == JG_DTYPE_COUNT)
        found = find_row(code, bits, 1);
    if (found == JG_DTYPE_COUNT)
        return base_fail(JG_ERR_BUFFER,
                         "dtype: got code %u with bits %u, allowed are the codes of "
                         "DLPack 1.3 with their widths",
                         code, bits);
    *out = found;
    return JG_OK;
}

jg_dtype dtype_real_part(jg_dtype dtype)
{
    if (!dtype_is_complex(dtype))
        return dtype;
    /* The search is by code and width, because bfloat16 and float16 have one width and no complex
     * dtype has bfloat16 parts. */
    return find_row(dtype_rows[JG_DTYPE_FLOAT32].dlpack_code, dtype_rows[dtype].bits / 2u, 1);
}

/* The widest computable dtype of the kind holds every value of the others but float128, which it
 * rounds. */
jg_dtype dtype_on_the_way(jg_dtype dtype)
{
    if (dtype_rows[dtype].computable)
        return dtype;
    return dtype_is_complex(dtype) ? JG_DTYPE_COMPLEX128 : JG_DTYPE_FLOAT64;
}

jg_dtype dtype_with_float(jg_dtype dtype)
{
    bool counts = dtype_is_integer(dtype) || dtype_rows[dtype].kind == JG_KIND_BOOL;
    return counts ? DTYPE_DEFAULT_FLOAT : dtype;
}
