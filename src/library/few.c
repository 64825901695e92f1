/* SPDX-License-Identifier: Apache-2.0 */
/* Products with few rows or columns: whichever operand has few becomes vectors of float32, and the
 * other one is read as it lies. */
#include "library/few.h"

/* The loops for float16, bfloat16 and float32. */
extern const few_loops library_few_loops_baseline[3];
#ifdef __x86_64__
extern const few_loops library_few_loops_avx2[3], library_few_loops_avx512[3];
#endif

static const few_loops *loops_for(jg_dtype dtype, isa_level isa)
{
    int row = dtype == JG_DTYPE_FLOAT16 ? 0 : dtype == JG_DTYPE_BFLOAT16 ? 1 : 2;
#ifdef __x86_64__
    static const few_loops *const tables[] = {[ISA_BASELINE] = library_few_loops_baseline,
                                              [ISA_AVX2] = library_few_loops_avx2,
                                              [ISA_AVX512] = library_few_loops_avx512};
    return &tables[isa][row];
#else
    (void)isa;
    return &library_few_loops_baseline[row];
#endif
}

/* Short rows of float32, and those with one or two vectors, are read in vectors of 32 bytes: those
 * of 64 mostly lie in two lines of the cache, as arrays of NumPy's and torch's begin anywhere in
 * one, and have twice as many lanes to add up. */
static isa_level isa_of_dots(jg_dtype dtype)
{
    isa_level isa = isa_chosen();
    return isa == ISA_AVX512 && dtype == JG_DTYPE_FLOAT32 ? ISA_AVX2 : isa;
}

bool library_few_takes(jg_dtype dtype, int64_t m, int64_t n, int64_t k)
{
    int64_t few = int64_min(m, n), many = int64_max(m, n);
    bool is_half = dtype == JG_DTYPE_FLOAT16 || dtype == JG_DTYPE_BFLOAT16;
    bool is_large =
        dtype == JG_DTYPE_FLOAT32 && k > FEW_SHORT && (double)many * (double)k >= FEW_FLOATS;
    return few <= FEW_VECTORS && (is_half || is_large);
}

/* The operand with few vectors: element k of vector v at v * step + k * k_step. */
typedef struct few_vectors {
    const char *elements;
    int64_t count, step, k_step; /* in bytes */
} few_vectors;

/* Writes vectors as float32, each padded with zeros to x_step. */
static void widen_all(const few_loops *loops, const few_vectors *few, bool is_dense, int64_t k,
                      float *x, int64_t x_step)
{
    for (int64_t v = 0; v < few->count; ++v, x += x_step) {
        const char *from = few->elements + v * few->step;
        if (is_dense)
            loops->widen(from, k, x);
        else
            for (int64_t i = 0; i < k; ++i)
                loops->widen(from + i * few->k_step, 1, x + i);
        for (int64_t i = k; i < x_step; ++i)
            x[i] = 0;
    }
}

/* FEW_AT_ONCE vectors, or 2, or 1 at a time: what the loops have code for. */
static void multiply(const few_loops *loops, few_call call, jg_dtype dtype, int64_t count, float *x)
{
    const few_loops *dots = loops_for(dtype, isa_of_dots(dtype));
    int64_t itemsize = (int64_t)dtype_itemsize(dtype);
    bool is_in_strips = call.row_step == 1 && call.k_step != 1 && call.rows > 1;
    if (!is_in_strips && loops->arrange != NULL)
        loops->arrange(x, count * call.x_step);
    call.x = x;
    while (count > 0) {
        call.vectors = count >= FEW_AT_ONCE ? FEW_AT_ONCE : count >= 2 ? 2 : 1;
        if (is_in_strips)
            loops->strips(&call);
        else
            (call.vectors <= 2 || call.k < FEW_TERMS ? dots : loops)->dots(&call);
        call.x += call.vectors * call.x_step;
        call.out = (char *)call.out + call.vectors * call.out_vector * itemsize;
        count -= call.vectors;
    }
}

jg_status library_few_matmul(const matmul_call *call)
{
    const few_loops *loops = loops_for(call->dtype, isa_chosen());
    bool few_rows = call->m <= call->n;
    int64_t x_step = round_up(call->k, FEW_LANES);
    int64_t itemsize = (int64_t)dtype_itemsize(call->dtype);
    int64_t few_step = few_rows ? call->a_row : call->b_column;
    int64_t few_k_step = few_rows ? call->a_column : call->b_row;
    const few_vectors few = {few_rows ? call->a : call->b, few_rows ? call->m : call->n,
                             few_step * itemsize, few_k_step * itemsize};
    size_t nbytes = (size_t)(few.count * x_step) * sizeof(float);
    float copy[FEW_COPY], *x = nbytes <= sizeof copy ? copy : base_alloc(nbytes);
    if (x == NULL)
        return base_nomem(nbytes, "the vectors of a matrix product");
    widen_all(loops, &few, few_k_step == 1, call->k, x, x_step);
    multiply(loops,
             (few_call){.matrix = few_rows ? call->b : call->a,
                        .rows = few_rows ? call->n : call->m,
                        .k = call->k,
                        .row_step = few_rows ? call->b_column : call->a_row,
                        .k_step = few_rows ? call->b_row : call->a_column,
                        .x_step = x_step,
                        .out = call->c,
                        .out_row = few_rows ? 1 : call->c_row,
                        .out_vector = few_rows ? call->c_row : 1},
             call->dtype, few.count, x);
    if (x != copy)
        base_free(x);
    return JG_OK;
}
