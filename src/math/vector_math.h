/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one element, branch-free, so that a loop around them becomes vector code:
 * exponentials, logarithms, powers, trigonometric functions and their inverses, the error function.
 *
 * A multiplication and an addition are joined exactly where madd_ says so, where the target has
 * FMA; elsewhere they stay apart (-ffp-contract=off). So AVX2, AVX-512, NEON and a second tier that
 * compiles this header give the same bits; x86-64 without FMA may differ from them in the last bit,
 * within the same bounds. (Without FMA everywhere tanh took 1.3 times as long.)
 *
 * The polynomials and quotients are weighted minimax fits made for these files (tools/minimax.py;
 * those of exp and log by reweighted least squares in 300 bits). accuracy.def has the error bounds
 * in units in the last place; tests/c/tile/test_vector_math.c checks them. Infinities, NaN, zeros
 * with their sign, subnormal arguments and subnormal results are right. */
#ifndef JG_MATH_VECTOR_MATH_H
#define JG_MATH_VECTOR_MATH_H

#include "math/vector_arc.h"
#include "math/vector_erf.h"
#include "math/vector_exp.h"
#include "math/vector_log.h"
#include "math/vector_power.h"
#include "math/vector_trig.h"

#endif
