/* SPDX-License-Identifier: Apache-2.0 */
/* Floats as integers in the same order: MPI does not define the extremum of numbers with NaN among
 * them, but that of integers it does. Of a negative float all bits but the sign are inverted, as
 * its bits ascend with its magnitude; the same step leads back. NaN becomes the integer that each
 * extremum prefers to all others, which leads back to a NaN. */
#include "distributed/mpi.h"

#define ORDER(BITS, INFINITE)                                                                      \
    static int##BITS##_t inverted_##BITS(int##BITS##_t bits)                                       \
    {                                                                                              \
        return bits < 0 ? bits ^ INT##BITS##_MAX : bits;                                           \
    }                                                                                              \
                                                                                                   \
    static void order_##BITS(int64_t count, bool of_maximum, const int##BITS##_t *from,            \
                             int##BITS##_t *to)                                                    \
    {                                                                                              \
        const int##BITS##_t preferred = of_maximum ? INT##BITS##_MAX : INT##BITS##_MIN;            \
        for (int64_t i = 0; i < count; ++i) {                                                      \
            bool is_nan = (from[i] & INT##BITS##_MAX) > INFINITE;                                  \
            to[i] = is_nan ? preferred : inverted_##BITS(from[i]);                                 \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void order_back_##BITS(int64_t count, int##BITS##_t *bits)                              \
    {                                                                                              \
        for (int64_t i = 0; i < count; ++i)                                                        \
            bits[i] = inverted_##BITS(bits[i]);                                                    \
    }

ORDER(32, INT32_C(0x7f800000))
ORDER(64, INT64_C(0x7ff0000000000000))

jg_dtype mpi_order_dtype(jg_dtype dtype)
{
    return dtype == JG_DTYPE_FLOAT32   ? JG_DTYPE_INT32
           : dtype == JG_DTYPE_FLOAT64 ? JG_DTYPE_INT64
                                       : dtype;
}

void mpi_order(jg_dtype dtype, bool of_maximum, int64_t count, const void *from, void *to)
{
    if (dtype == JG_DTYPE_FLOAT32)
        order_32(count, of_maximum, from, to);
    else
        order_64(count, of_maximum, from, to);
}

void mpi_order_back(jg_dtype dtype, int64_t count, void *bits)
{
    if (dtype == JG_DTYPE_FLOAT32)
        order_back_32(count, bits);
    else
        order_back_64(count, bits);
}
