/* SPDX-License-Identifier: Apache-2.0 */
/* Which matrices Jacobi's rotations take, and the loops of the instruction set in use. */
#include "library/jacobi.h"

extern const jacobi_loops jacobi_loops_baseline[2];
#ifdef __x86_64__
extern const jacobi_loops jacobi_loops_avx2[2], jacobi_loops_avx512[2];
#endif

static const jacobi_loops *loops_for(jg_dtype dtype)
{
    const int is_wide = dtype == JG_DTYPE_FLOAT64;
#ifdef __x86_64__
    static const jacobi_loops *const tables[] = {[ISA_BASELINE] = jacobi_loops_baseline,
                                                 [ISA_AVX2] = jacobi_loops_avx2,
                                                 [ISA_AVX512] = jacobi_loops_avx512};
    return &tables[isa_chosen()][is_wide];
#else
    return &jacobi_loops_baseline[is_wide];
#endif
}

/* A few matrices of many rows are faster one by one than in lanes that are mostly empty. */
bool jacobi_takes(const lapack_matrices *a)
{
    enum { FEW_ROWS = 4 };
    int64_t less = int64_min(a->rows, a->columns);
    int64_t more = int64_max(a->rows, a->columns);
    if (dtype_is_complex(a->dtype) || less == 0 || more > JACOBI_ROWS)
        return false;
    return more <= FEW_ROWS || 2 * a->count >= loops_for(a->dtype)->lanes;
}

static jg_status run(jacobi_loop *loop, int lanes, const jacobi_call *call, int64_t first,
                     int64_t last, jacobi_rest *rest, void *context)
{
    for (int64_t at = first; at < last; at += lanes) {
        int count = last - at < lanes ? (int)(last - at) : lanes;
        uint32_t left = loop(call, at, count);
        for (; left != 0; left &= left - 1)
            JG_TRY(rest(context, at + __builtin_ctz(left)));
    }
    return JG_OK;
}

jg_status jacobi_hermitian(const jacobi_call *call, int64_t first, int64_t last, jacobi_rest *rest,
                           void *context)
{
    const jacobi_loops *loops = loops_for(call->a.dtype);
    return run(loops->hermitian, loops->lanes, call, first, last, rest, context);
}

jg_status jacobi_singular(const jacobi_call *call, int64_t first, int64_t last, jacobi_rest *rest,
                          void *context)
{
    const jacobi_loops *loops = loops_for(call->a.dtype);
    return run(loops->singular, loops->lanes, call, first, last, rest, context);
}
