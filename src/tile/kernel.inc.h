/* SPDX-License-Identifier: Apache-2.0 */
/* The source of every kernel: plain C loops over one tile, which the compiler turns into the
 * vector code of whatever instruction set the including kernel_<isa>.c is compiled for.
 *
 * This file holds what the parts share and, at its end, the table. The order of the parts matters:
 * each uses macros and functions of those before it. kernel_dtypes, kernel_integer and kernel_half
 * serve the others; apply, random, function, power, complex and pair are instructions; cast and
 * storage are casts; sum and reduce reductions; move and grid copies. */
#include "math/complex_inverse.h"
#include "math/vector_math.h"
#include "tensor/extremum.h"
#include "tile/kernels.h"
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* A kernel's loop: an element depends on no other, also when computed in place. */
#if defined __clang__
#define EACH(i, n) _Pragma("clang loop vectorize(assume_safety)") for (int64_t i = 0; i < (n); ++i)
#else
#define EACH(i, n) _Pragma("GCC ivdep") for (int64_t i = 0; i < (n); ++i)
#endif

#include "math/dtypes.inc.h"

#include "math/integer.inc.h"

#include "math/half.inc.h"

#include "math/apply.inc.h"
#include "tile/kernel_random.inc.h"

#include "math/function.inc.h"
#include "tile/kernel_power.inc.h"

#include "tile/kernel_complex.inc.h"

#include "tile/kernel_pair.inc.h"

#include "math/cast.inc.h"

#include "tile/kernel_storage.inc.h"

#include "tile/kernel_sum.inc.h"

#include "tile/kernel_reduce.inc.h"

#include "tile/kernel_move.inc.h"

#include "tile/kernel_grid.inc.h"

const tile_kernels JOIN(tile_kernels_, TILE_ISA) = {
    .isa = TEXT(TILE_ISA),
    .apply = APPLY_TABLE,
    .with_scalar = SCALAR_TABLE,
    .pairs = PAIR_TABLE,
    .exp_differences = EXP_DIFFERENCE_TABLE,
    .cast = CAST_TABLE,
    .reductions = REDUCE_TABLE,
    .fold_products = {[JG_DTYPE_FLOAT32] = fold_product_FLOAT32},
    .moves = MOVE_TABLE,
    .sequence = sequence,
    .stream = stream_copy,
    .stream_fence = stream_fence,
};
