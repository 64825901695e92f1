/* SPDX-License-Identifier: Apache-2.0 */
/* Products of integers: which loop computes one. */
#include "library/whole.h"
#include <string.h>

/* Of 8, 16, 32 and 64 bits. */
extern const whole_loops library_whole_baseline[4];
#ifdef __x86_64__
extern const whole_loops library_whole_avx2[4], library_whole_avx512[4];
#endif

static const whole_loops *loops_for(jg_dtype dtype)
{
    size_t itemsize = dtype_itemsize(dtype);
    int row = itemsize == 8 ? 3 : itemsize == 4 ? 2 : itemsize == 2 ? 1 : 0;
#ifdef __x86_64__
    static const whole_loops *const tables[] = {[ISA_BASELINE] = library_whole_baseline,
                                                [ISA_AVX2] = library_whole_avx2,
                                                [ISA_AVX512] = library_whole_avx512};
    return &tables[isa_chosen()][row];
#else
    return &library_whole_baseline[row];
#endif
}

/* Sums without terms. */
static void clear(const matmul_call *c)
{
    size_t itemsize = dtype_itemsize(c->dtype);
    for (int64_t i = 0; i < c->m; ++i)
        memset((char *)c->c + (size_t)(i * c->c_row) * itemsize, 0, (size_t)c->n * itemsize);
}

bool library_whole_matmul(const matmul_call *call)
{
    if (!dtype_is_index(call->dtype))
        return false;
    if (call->k == 0) {
        clear(call);
        return true;
    }
    const whole_loops *loops = loops_for(call->dtype);
    if (call->n == 1) {
        loops->vector(call);
    } else if (call->m == 1) {
        matmul_call column = library_turned(call);
        column.c_row = 1; /* its rows are elements of the one row */
        loops->vector(&column);
    } else {
        loops->matrix(call);
    }
    return true;
}
