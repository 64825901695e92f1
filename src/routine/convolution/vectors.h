/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the loops of convolutions: how wide vectors are, and whether there are 32 registers
 * or 16. Where this is included, products are added without rounding in between. */
#ifndef JG_ROUTINE_LOOP_VECTORS_H
#define JG_ROUTINE_LOOP_VECTORS_H

#if defined __clang__
#pragma clang fp contract(fast)
#else
#pragma GCC optimize("fp-contract=fast")
#endif

#if defined __AVX512F__
#define VECTOR_NBYTES 64
#define FEW_REGISTERS 0
#elif defined __AVX__
#define VECTOR_NBYTES 32
#define FEW_REGISTERS 1
#else
#define VECTOR_NBYTES 16
#if defined __aarch64__
#define FEW_REGISTERS 0
#else
#define FEW_REGISTERS 1
#endif
#endif

#define ALWAYS static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

#endif
