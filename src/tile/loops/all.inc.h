/* SPDX-License-Identifier: Apache-2.0 */
/* The source of every vector loop: plain C loops over one tile, which the compiler turns into the
 * vector code of whatever instruction set the including loops/<isa>.c is compiled for.
 *
 * This file holds what the parts share and, at its end, the table. The order of the parts matters:
 * each uses macros and functions of those before it. The dtypes, integer, half and stored of
 * math serve the others; apply, random, function, power, complex and pair are instructions; cast
 * and storage are casts; sum, sum_product, each, product and reduce are
 * reductions; move and grid copies. */
#include "math/complex_inverse.h"
#include "math/vector_math.h"
#include "tensor/extremum.h"
#include "tile/loops.h"
#ifdef __AVX__
#include <immintrin.h>
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* The head of a vector loop: no element depends on another, also when computed in place. */
#if defined __clang__
#define EACH(i, n) _Pragma("clang loop vectorize(assume_safety)") for (int64_t i = 0; i < (n); ++i)
#else
#define EACH(i, n) _Pragma("GCC ivdep") for (int64_t i = 0; i < (n); ++i)
#endif

#include "math/dtypes.inc.h"

#include "math/integer.inc.h"

#include "math/half.inc.h"

#include "math/apply.inc.h"
#include "tile/loops/random.inc.h"

#include "math/function.inc.h"
#include "tile/loops/power.inc.h"

#include "tile/loops/complex.inc.h"

#include "tile/loops/pair.inc.h"

#include "math/cast.inc.h"

#include "math/stored.inc.h"

#include "tile/loops/storage.inc.h"

#include "tile/loops/sum.inc.h"

#include "tile/loops/sum_product.inc.h"

#include "tile/loops/each.inc.h"

#include "tile/loops/product.inc.h"

#include "tile/loops/reduce.inc.h"

#include "tile/loops/move.inc.h"

#include "tile/loops/grid.inc.h"

const tile_loops JOIN(tile_loops_, TILE_ISA) = {
    .isa = TEXT(TILE_ISA),
    .apply = APPLY_TABLE,
    .with_scalar = SCALAR_TABLE,
    .pairs = PAIR_TABLE,
    .exp_differences = EXP_DIFFERENCE_TABLE,
    .cast = CAST_TABLE,
    .reductions = REDUCE_TABLE,
    .fold_products =
        {[JG_DTYPE_FLOAT32] = fold_product_FLOAT32, [JG_DTYPE_FLOAT64] = fold_product_FLOAT64},
    .each_products =
        {[JG_DTYPE_FLOAT32] = each_product_FLOAT32, [JG_DTYPE_FLOAT64] = each_product_FLOAT64},
    .fold_true = fold_true,
    .product_rows = {{[JG_DTYPE_FLOAT32] = rows_product_FLOAT32},
                     {[JG_DTYPE_FLOAT32] = rows_scaled_FLOAT32}},
    .moves = MOVE_TABLE,
    .sequence = sequence,
    .stream = stream_copy,
    .stream_fence = stream_fence,
};
