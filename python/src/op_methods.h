/* SPDX-License-Identifier: Apache-2.0 */
/* PY_OP(name, FORM, METHOD, signature, doc): one row per op, for ops.c, which defines
 * PY_OP before each inclusion. PY_ALIAS(alias, name, METHOD, signature, doc): another.
 * Written by tools/optable.py from src/op/op.def and src/op/alias.def. */
/* clang-format off */
PY_OP(add, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The sum x1 + x2; of bool, logical or.")
PY_OP(subtract, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The difference x1 - x2.")
PY_OP(multiply, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The product x1 * x2; of bool, logical and.")
PY_OP(divide, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The quotient x1 / x2; integers are divided as floating numbers.")
PY_OP(floor_divide, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The greatest whole number not above x1 / x2; an integer divided by zero gives 0.")
PY_OP(remainder, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 - x2 * floor(x1 / x2), with the sign of x2; of an integer by zero, 0.")
PY_OP(pow, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 raised to x2; an integer to a negative power gives 0 unless |x1| is 1.")
PY_OP(maximum, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The larger of x1 and x2; NaN if either is NaN.")
PY_OP(minimum, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The smaller of x1 and x2; NaN if either is NaN.")
PY_OP(negative, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "-x; of an unsigned integer, modulo its range.")
PY_OP(abs, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The absolute value of x, of a complex number a real one.")
PY_OP(real, ATTRIBUTE, NONE,
      "(x, /, *, stream=None)\n--\n\n",
      "The real part of x, where x is in memory a view of it.")
PY_OP(imag, ATTRIBUTE, NONE,
      "(x, /, *, stream=None)\n--\n\n",
      "The imaginary part of x, where x is in memory a view of it; of a real x, zeros.")
PY_OP(angle, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The angle of x in the complex plane, in [-pi, pi].")
PY_OP(conj, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x with its imaginary part negated; a real x itself.")
PY_OP(square, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x * x; of bool, x itself.")
PY_OP(positive, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "+x.")
PY_OP(sign, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "-1, 0 or 1 as x is below, equal to or above zero; of a complex number x / |x|; NaN of NaN.")
PY_OP(reciprocal, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "1 / x, of integers as floating numbers.")
PY_OP(divmod, DIVISION, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "floor_divide(x1, x2) and remainder(x1, x2).")
PY_OP(copysign, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The magnitude of x1 with the sign of x2, also that of a zero or a NaN.")
PY_OP(nextafter, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The next value of the dtype after x1 towards x2; x2 where they are equal.")
PY_OP(clip, CLIP, PLAIN,
      "(x, /, min=None, max=None, *, stream=None)\n--\n\n",
      "x moved into [min, max]; min and max are broadcast, either may be left out.")
PY_OP(nan_to_num, REPLACEMENT, PLAIN,
      "(x, /, nan=0.0, posinf=None, neginf=None, *, stream=None)\n--\n\n",
      "x with NaN and the infinities replaced by numbers.")
PY_OP(less, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 < x2.")
PY_OP(less_equal, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 <= x2.")
PY_OP(greater, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 > x2.")
PY_OP(greater_equal, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 >= x2.")
PY_OP(equal, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 == x2.")
PY_OP(not_equal, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 != x2.")
PY_OP(isnan, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Whether x is NaN.")
PY_OP(isinf, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Whether x is infinite, of either sign.")
PY_OP(isfinite, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Whether x is neither NaN nor infinite.")
PY_OP(isposinf, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Whether x is positive infinity.")
PY_OP(isneginf, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Whether x is negative infinity.")
PY_OP(signbit, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Whether the sign of x is negative, also of a zero or a NaN.")
PY_OP(isclose, CLOSENESS, NONE,
      "(x1, x2, /, rtol=1e-05, atol=1e-08, equal_nan=False, *, stream=None)\n--\n\n",
      "Whether |x1 - x2| <= atol + rtol * |x2|; infinities are close to themselves.")
PY_OP(allclose, CLOSENESS, NONE,
      "(x1, x2, /, rtol=1e-05, atol=1e-08, equal_nan=False, *, stream=None)\n--\n\n",
      "Whether isclose holds everywhere, as a 0-d bool.")
PY_OP(array_equal, EQUALITY, NONE,
      "(x1, x2, /, equal_nan=False, *, stream=None)\n--\n\n",
      "Whether x1 and x2 have one shape and equal elements, as a 0-d bool.")
PY_OP(logical_and, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 and x2 are both true.")
PY_OP(logical_or, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 or x2 is true.")
PY_OP(logical_xor, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether exactly one of x1 and x2 is true.")
PY_OP(logical_not, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Whether x is false.")
PY_OP(bitwise_and, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The bits set in both x1 and x2.")
PY_OP(bitwise_or, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The bits set in x1 or in x2.")
PY_OP(bitwise_xor, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The bits set in exactly one of x1 and x2.")
PY_OP(bitwise_invert, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Every bit of x inverted; of bool, logical not.")
PY_OP(bitwise_left_shift, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 shifted left by x2 bits; 0 once x2 reaches the width.")
PY_OP(bitwise_right_shift, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 shifted right by x2 bits, the sign kept.")
PY_OP(exp, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "e raised to x.")
PY_OP(exp2, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "2 raised to x.")
PY_OP(expm1, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "exp(x) - 1, exact where x is small.")
PY_OP(log, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The natural logarithm of x; NaN below zero.")
PY_OP(log2, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The logarithm of x to base 2; NaN below zero.")
PY_OP(log10, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The logarithm of x to base 10; NaN below zero.")
PY_OP(log1p, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "log(1 + x), exact where x is small; NaN below -1.")
PY_OP(logaddexp, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "log(exp(x1) + exp(x2)) without overflow.")
PY_OP(sqrt, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The square root of x; NaN below zero.")
PY_OP(rsqrt, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "1 / sqrt(x).")
PY_OP(hypot, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "sqrt(x1^2 + x2^2) without overflow; infinite if either is.")
PY_OP(sin, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The sine of x radians.")
PY_OP(cos, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The cosine of x radians.")
PY_OP(tan, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The tangent of x radians.")
PY_OP(asin, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The angle in [-pi/2, pi/2] whose sine is x; NaN outside [-1, 1].")
PY_OP(acos, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The angle in [0, pi] whose cosine is x; NaN outside [-1, 1].")
PY_OP(atan, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The angle in [-pi/2, pi/2] whose tangent is x.")
PY_OP(atan2, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The angle in [-pi, pi] of the point with x2 to the right and x1 up.")
PY_OP(sinh, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The hyperbolic sine of x.")
PY_OP(cosh, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The hyperbolic cosine of x.")
PY_OP(tanh, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The hyperbolic tangent of x.")
PY_OP(asinh, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The inverse hyperbolic sine of x.")
PY_OP(acosh, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The inverse hyperbolic cosine of x; NaN below 1.")
PY_OP(atanh, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The inverse hyperbolic tangent of x; NaN outside [-1, 1].")
PY_OP(degrees, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x radians in degrees.")
PY_OP(radians, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x degrees in radians.")
PY_OP(erf, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The error function of x.")
PY_OP(erfinv, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The inverse of the error function; NaN outside [-1, 1].")
PY_OP(sigmoid, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "1 / (1 + exp(-x)).")
PY_OP(softplus, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "log(1 + exp(x)).")
PY_OP(silu, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x * sigmoid(x).")
PY_OP(gelu, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x / 2 * (1 + erf(x / sqrt(2))).")
PY_OP(gelu_approx, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "gelu by way of tanh: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))).")
PY_OP(floor, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The greatest whole number not above x, in x's dtype.")
PY_OP(ceil, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The smallest whole number not below x, in x's dtype.")
PY_OP(trunc, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x without its fraction, in x's dtype.")
PY_OP(round, ROUNDED, PLAIN,
      "(x, /, decimals=0, *, stream=None)\n--\n\n",
      "The nearest number of so many decimals, the even one of two, in x's dtype.")
PY_OP(where, TERNARY, NONE,
      "(condition, x1, x2, /, *, stream=None)\n--\n\n",
      "x1 where the condition holds, else x2.")
PY_OP(copy, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The same values in memory of their own, row-major.")
PY_OP(astype, CAST, PLAIN,
      "(x, /, dtype, *, copy=True, device=None, stream=None)\n--\n\n",
      "x in another dtype; integers truncate floats, reals take the real part of complex numbers.")
PY_OP(sum, ACCUMULATION, PLAIN,
      "(x, /, axis=None, keepdims=False, dtype=None, *, stream=None)\n--\n\n",
      "The sum over axes; integers are summed in 64 bits or in dtype, an empty sum is 0.")
PY_OP(prod, ACCUMULATION, PLAIN,
      "(x, /, axis=None, keepdims=False, dtype=None, *, stream=None)\n--\n\n",
      "The product over axes; of integers in 64 bits or in dtype, an empty product is 1.")
PY_OP(max, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "The largest value over axes; NaN if any is NaN.")
PY_OP(min, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "The smallest value over axes; NaN if any is NaN.")
PY_OP(minmax, EXTREMA, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "The smallest and the largest value over axes, as min and max give them.")
PY_OP(any, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "Whether any element over axes is true; over nothing, False.")
PY_OP(all, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "Whether all elements over axes are true; over nothing, True.")
PY_OP(count_nonzero, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "How many elements over axes are not zero, as an int64.")
PY_OP(mean, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "The arithmetic mean over axes; NaN over nothing.")
PY_OP(var, SPREAD, PLAIN,
      "(x, /, axis=None, keepdims=False, correction=0.0, *, stream=None)\n--\n\n",
      "The mean squared distance from the mean over axes; correction is taken from the count.")
PY_OP(std, SPREAD, PLAIN,
      "(x, /, axis=None, keepdims=False, correction=0.0, *, stream=None)\n--\n\n",
      "The square root of var.")
PY_OP(logsumexp, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "log of the sum of exp(x) over axes, without overflow; -inf over nothing.")
PY_OP(argmax, PLACE, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "The place of the first largest value, along an axis or in row-major order; NaN counts.")
PY_OP(argmin, PLACE, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "The place of the first smallest value, along an axis or in row-major order; NaN counts.")
PY_OP(cumsum, RUNNING, PLAIN,
      "(x, /, axis=None, reverse=False, inclusive=True, dtype=None, *, stream=None)\n--\n\n",
      "The running sum along an axis, or over all elements in row-major order.")
PY_OP(cumprod, RUNNING, PLAIN,
      "(x, /, axis=None, reverse=False, inclusive=True, dtype=None, *, stream=None)\n--\n\n",
      "The running product along an axis, or over all elements in row-major order.")
PY_OP(cummax, SCAN, PLAIN,
      "(x, /, axis=None, reverse=False, inclusive=True, *, stream=None)\n--\n\n",
      "The largest value so far along an axis; NaN once there is one.")
PY_OP(cummin, SCAN, PLAIN,
      "(x, /, axis=None, reverse=False, inclusive=True, *, stream=None)\n--\n\n",
      "The smallest value so far along an axis; NaN once there is one.")
PY_OP(logcumsumexp, SCAN, PLAIN,
      "(x, /, axis=None, reverse=False, inclusive=True, *, stream=None)\n--\n\n",
      "The logarithm of the running sum of exp(x), without overflow.")
PY_OP(cumulative_sum, CUMULATIVE, PLAIN,
      "(x, /, axis=None, dtype=None, include_initial=False, *, stream=None)\n--\n\n",
      "The running sum along an axis, which a vector need not name; perhaps 0 first.")
PY_OP(cumulative_prod, CUMULATIVE, PLAIN,
      "(x, /, axis=None, dtype=None, include_initial=False, *, stream=None)\n--\n\n",
      "The running product along an axis, which a vector need not name; perhaps 1 first.")
PY_OP(diff, DIFFERENCE, PLAIN,
      "(x, /, n=1, axis=-1, prepend=None, append=None, *, stream=None)\n--\n\n",
      "Differences of neighbours along an axis, n times over, the ends joined first.")
PY_OP(softmax, SOFTMAX, PLAIN,
      "(x, /, axis=None, *, stream=None)\n--\n\n",
      "exp(x) over its sum along axes, without overflow.")
PY_OP(log_softmax, SOFTMAX, PLAIN,
      "(x, /, axis=None, *, stream=None)\n--\n\n",
      "The logarithm of softmax, without overflow.")
PY_OP(rms_norm, RMS_NORM, PLAIN,
      "(x, weight, /, eps, *, stream=None)\n--\n\n",
      "x over the root of its mean square along the last axis, times weight.")
PY_OP(rope, ROPE, NONE,
      "(a, /, dims, traditional, base, scale, offset, freqs=None, *, stream=None)\n--\n\n",
      "Pairs of the first dims features turned by angles that grow with the position.")
PY_OP(cross_entropy, CROSS_ENTROPY, NONE,
      "(logits, targets, /, *, stream=None)\n--\n\n",
      "logsumexp(logits) - logits[target] along the last axis, in float32 at least.")
PY_OP(layer_norm, LAYER_NORM, PLAIN,
      "(x, weight, bias, /, eps, *, stream=None)\n--\n\n",
      "x brought to mean 0 and variance 1 along the last axis, times weight, plus bias.")
PY_OP(gather, GATHER, PLAIN,
      "(x, indices, /, axes, *, stream=None)\n--\n\n",
      "The slices of x at what index arrays say along the axes; the arrays' own axes come first.")
PY_OP(take, TAKE, PLAIN,
      "(x, indices, /, axis=None, *, stream=None)\n--\n\n",
      "The slices of x at the indices along an axis, or the elements at them in row-major order.")
PY_OP(take_along_axis, TAKE_ALONG, PLAIN,
      "(x, indices, /, axis=-1, *, stream=None)\n--\n\n",
      "The elements of x at the indices along an axis; x and indices match along the others.")
PY_OP(put_along_axis, PUT_ALONG, PLAIN,
      "(x, indices, values, /, axis=None, *, stream=None)\n--\n\n",
      "x with values at the indices along an axis; the three match along the others.")
PY_OP(scatter, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "x with updates at what index arrays say along the axes; of several for a place the last.")
PY_OP(scatter_add, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "x with updates added at what index arrays say along the axes, one after the other.")
PY_OP(scatter_subtract, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "x with updates subtracted at what index arrays say along the axes.")
PY_OP(scatter_multiply, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "x multiplied by updates at what index arrays say along the axes.")
PY_OP(scatter_divide, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "x divided by updates at what index arrays say along the axes.")
PY_OP(scatter_power, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "x raised to updates at what index arrays say along the axes, one after the other.")
PY_OP(scatter_max, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "The larger of x and updates at what index arrays say along the axes; NaN if either is.")
PY_OP(scatter_min, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "The smaller of x and updates at what index arrays say along the axes; NaN if either is.")
PY_OP(nonzero, PLACES, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Where x is not zero: for each axis, the coordinates as int64. Computes x.")
PY_OP(argwhere, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Where x is not zero: a row of coordinates for each element. Computes x.")
PY_OP(flatnonzero, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Where x is not zero, counted in row-major order. Computes x.")
PY_OP(compress, COMPRESS, NONE,
      "(condition, x, /, axis=None, *, stream=None)\n--\n\n",
      "The slices of x along an axis for which the condition holds. Computes the condition.")
PY_OP(extract, EXTRACT, NONE,
      "(condition, x, /, *, stream=None)\n--\n\n",
      "The elements of x, in row-major order, for which the condition holds. Computes it.")
PY_OP(matmul, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The matrix product over the last two axes, the others broadcast.")
PY_OP(gather_mm, GATHER_MM, NONE,
      "(a, b, /, lhs_indices=None, rhs_indices=None, sorted_indices=False, *, stream=None)\n"
      "--\n\n",
      "a @ b of those matrices of a and b that index arrays say.")
PY_OP(block_masked_mm, BLOCK_MASKED_MM, NONE,
      "(a, b, /, block_size=64, mask_out=None, mask_lhs=None, mask_rhs=None, *, stream=None)\n"
      "--\n\n",
      "a @ b with blocks of a, b and the product masked out, or times numbers.")
PY_OP(segmented_mm, SEGMENTED_MM, NONE,
      "(a, b, /, segments, *, stream=None)\n--\n\n",
      "a @ b for each segment of the inner axis, given by its ends.")
PY_OP(addmm, ADDMM, NONE,
      "(c, a, b, /, alpha=1.0, beta=1.0, *, stream=None)\n--\n\n",
      "alpha * (a @ b) + beta * c.")
PY_OP(outer, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Every element of x1 times every element of x2, both flattened.")
PY_OP(inner, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Sums of products over the last axes; of a 0-d operand, the product.")
PY_OP(vecdot, VECDOT, NONE,
      "(x1, x2, /, axis=-1, *, stream=None)\n--\n\n",
      "The sum of conj(x1) * x2 along an axis, the others broadcast.")
PY_OP(tensordot, TENSORDOT, NONE,
      "(x1, x2, /, axes=2, *, stream=None)\n--\n\n",
      "Sums of products over pairs of axes.")
PY_OP(einsum, EINSUM, NONE,
      "(subscripts, /, *operands, stream=None)\n--\n\n",
      "Einstein's summation: products summed over the labels that the result does not have.")
PY_OP(scaled_dot_product_attention, ATTENTION, NONE,
      "(q, k, v, /, scale, mask=None, causal=False, *, stream=None)\n--\n\n",
      "softmax(scale * q @ k.T + mask) @ v for each head, a block of queries at a time.")
PY_OP(quantize, QUANTIZE, NONE,
      "(w, /, group_size=None, bits=None, mode=\"affine\", global_scale=None, *, stream=None)\n"
      "--\n\n",
      "Words of codes of a few bits, and for each group of them a scale, in affine mode a bias.")
PY_OP(dequantize, DEQUANTIZE, NONE,
      "(w, /, scales, biases=None, group_size=None, bits=None, mode=\"affine\", "
      "global_scale=None, dtype=None, *, stream=None)\n--\n\n",
      "The numbers that a quantised matrix stands for.")
PY_OP(quantized_matmul, QUANTIZED_MATMUL, PLAIN,
      "(x, w, /, scales, biases=None, transpose=True, group_size=None, bits=None, "
      "mode=\"affine\", *, stream=None)\n--\n\n",
      "x @ w.T, or x @ w, of a quantised matrix w, which is expanded in the cache only.")
PY_OP(gather_qmm, GATHER_QMM, PLAIN,
      "(x, w, /, scales, biases=None, lhs_indices=None, rhs_indices=None, transpose=True, "
      "group_size=None, bits=None, mode=\"affine\", global_scale=None, sorted_indices=False, *, "
      "stream=None)\n--\n\n",
      "quantized_matmul of those matrices of x and w that index arrays say.")
PY_OP(qqmm, QQMM, PLAIN,
      "(x, w, /, scales=None, group_size=None, bits=None, mode=\"nvfp4\", global_scale_x=None, "
      "global_scale_w=None, *, stream=None)\n--\n\n",
      "x @ w.T with x quantised and read again on the way, and w, too, unless it is quantised.")
PY_OP(gather_qqmm, GATHER_QQMM, PLAIN,
      "(x, w, /, scales=None, lhs_indices=None, rhs_indices=None, group_size=None, bits=None, "
      "mode=\"nvfp4\", global_scale_x=None, global_scale_w=None, sorted_indices=False, *, "
      "stream=None)\n--\n\n",
      "qqmm of those matrices of x and w that index arrays say.")
PY_OP(hadamard_transform, HADAMARD, NONE,
      "(a, /, scale=None, *, stream=None)\n--\n\n",
      "The Walsh-Hadamard transform along the last axis, times scale: by default orthonormal.")
PY_OP(to_fp8, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x rounded to E4M3 floats, where it is too large to 448, as uint8.")
PY_OP(from_fp8, FROM_FP8, PLAIN,
      "(x, /, dtype=None, *, stream=None)\n--\n\n",
      "The numbers of E4M3 floats that are given as uint8.")
PY_OP(threefry, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "64 random bits for each counter x1 under the key x2, by Threefry-2x32 of 20 rounds.")
PY_OP(random_key, RANDOM_KEY, NONE,
      "(seed, *, stream=None)\n--\n\n",
      "The key that belongs to a seed.")
PY_OP(random_split, RANDOM_SPLIT, NONE,
      "(key, /, num=2, *, stream=None)\n--\n\n",
      "num keys made of one.")
PY_OP(random_uniform, RANDOM_RANGE, NONE,
      "(key, low, high, /, shape, dtype, *, stream=None)\n--\n\n",
      "Floats spread evenly over low to high, high not included.")
PY_OP(random_randint, RANDOM_RANGE, NONE,
      "(key, low, high, /, shape, dtype, *, stream=None)\n--\n\n",
      "Integers spread evenly over low to high, high not included.")
PY_OP(random_normal, RANDOM_SHAPE, NONE,
      "(key, /, shape, dtype, *, stream=None)\n--\n\n",
      "Floats of the standard normal distribution.")
PY_OP(random_truncated_normal, RANDOM_RANGE, NONE,
      "(key, low, high, /, shape, dtype, *, stream=None)\n--\n\n",
      "Floats of the standard normal distribution between low and high, neither included.")
PY_OP(random_laplace, RANDOM_SHAPE, NONE,
      "(key, /, shape, dtype, *, stream=None)\n--\n\n",
      "Floats of the standard Laplace distribution.")
PY_OP(random_gumbel, RANDOM_SHAPE, NONE,
      "(key, /, shape, dtype, *, stream=None)\n--\n\n",
      "Floats of the standard Gumbel distribution.")
PY_OP(random_categorical, RANDOM_CATEGORY, NONE,
      "(key, logits, /, axis=-1, num_samples=None, *, stream=None)\n--\n\n",
      "Places along an axis, with the probabilities softmax(logits).")
PY_OP(random_bernoulli, RANDOM_CHANCE, NONE,
      "(key, p, /, shape, *, stream=None)\n--\n\n",
      "True with probability p.")
PY_OP(eye, EYE, NONE,
      "(n_rows, n_cols=None, k=0, dtype=None, *, device=None, stream=None)\n--\n\n",
      "A matrix of ones on diagonal k and zeros elsewhere.")
PY_OP(identity, IDENTITY, NONE,
      "(n, dtype=None, *, device=None, stream=None)\n--\n\n",
      "A square matrix of ones on the diagonal and zeros elsewhere.")
PY_OP(tri, EYE, NONE,
      "(n_rows, n_cols=None, k=0, dtype=None, *, device=None, stream=None)\n--\n\n",
      "A matrix of ones on diagonal k and below, and zeros above.")
PY_OP(linspace, LINSPACE, NONE,
      "(start, stop, num=50, endpoint=True, dtype=None, *, device=None, stream=None)\n--\n\n",
      "num numbers evenly from start to stop, which is the last if it is to be one.")
PY_OP(logspace, LOGSPACE, NONE,
      "(start, stop, num=50, endpoint=True, base=10.0, dtype=None, *, device=None, stream=None)\n"
      "--\n\n",
      "base raised to linspace(start, stop, num, endpoint).")
PY_OP(vander, POWERS, PLAIN,
      "(x, /, N=None, increasing=False, *, stream=None)\n--\n\n",
      "The matrix of N powers of the vector x, in its columns, the highest first.")
PY_OP(hanning, WINDOW, NONE,
      "(M, *, stream=None)\n--\n\n",
      "The Hann window of M points, as float32.")
PY_OP(hamming, WINDOW, NONE,
      "(M, *, stream=None)\n--\n\n",
      "The Hamming window of M points, as float32.")
PY_OP(blackman, WINDOW, NONE,
      "(M, *, stream=None)\n--\n\n",
      "The Blackman window of M points, as float32.")
PY_OP(bartlett, WINDOW, NONE,
      "(M, *, stream=None)\n--\n\n",
      "The triangle of M points from 0 to 1 and back, as float32.")
PY_OP(tril, TRIANGLE, PLAIN,
      "(x, /, k=0, *, stream=None)\n--\n\n",
      "The matrices of x with zeros above diagonal k.")
PY_OP(triu, TRIANGLE, PLAIN,
      "(x, /, k=0, *, stream=None)\n--\n\n",
      "The matrices of x with zeros below diagonal k.")
PY_OP(diag, TRIANGLE, PLAIN,
      "(x, /, k=0, *, stream=None)\n--\n\n",
      "A matrix with the vector x on diagonal k; of a matrix, that diagonal.")
PY_OP(concat, JOINED, NONE,
      "(arrays, /, axis=0, *, stream=None)\n--\n\n",
      "The arrays one after the other along an axis, in their common dtype.")
PY_OP(stack, STACKED, NONE,
      "(arrays, /, axis=0, *, stream=None)\n--\n\n",
      "The arrays side by side along a new axis, in their common dtype.")
PY_OP(hstack, SEVERAL, NONE,
      "(arrays, /, *, stream=None)\n--\n\n",
      "The arrays one after the other along the second axis, vectors along their only one.")
PY_OP(vstack, SEVERAL, NONE,
      "(arrays, /, *, stream=None)\n--\n\n",
      "The arrays one after the other along the first axis, vectors as rows.")
PY_OP(pad, PADDED, PLAIN,
      "(x, /, pad_width, mode=\"constant\", constant_values=None, *, stream=None)\n--\n\n",
      "x with elements before and after it on each axis.")
PY_OP(roll, ROLLED, PLAIN,
      "(x, /, shift, axis=None, *, stream=None)\n--\n\n",
      "x with the elements along axes moved on, those at the end to the front.")
PY_OP(tile, TILED, PLAIN,
      "(x, /, repetitions, *, stream=None)\n--\n\n",
      "x as often as asked for along each axis.")
PY_OP(repeat, REPEATED, PLAIN,
      "(x, repeats, /, axis=None, *, stream=None)\n--\n\n",
      "Each element repeats times, one number for all or for each; the numbers are read at once.")
PY_OP(conv1d, CONVOLUTION, NONE,
      "(input, weight, /, stride=1, padding=0, dilation=1, groups=1, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "Sums of weight times what lies under it in input, along one axis of space.")
PY_OP(conv2d, CONVOLUTION, NONE,
      "(input, weight, /, stride=1, padding=0, dilation=1, groups=1, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "Sums of weight times what lies under it in input, along two axes of space.")
PY_OP(conv3d, CONVOLUTION, NONE,
      "(input, weight, /, stride=1, padding=0, dilation=1, groups=1, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "Sums of weight times what lies under it in input, along three axes of space.")
PY_OP(conv_general, CONVOLUTION_ANY, NONE,
      "(input, weight, /, stride=1, padding=0, kernel_dilation=1, input_dilation=1, groups=1, "
      "flip=False, data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "A convolution along one to three axes; flip reverses weight.")
PY_OP(conv_transpose1d, CONVOLUTION_TURNED, NONE,
      "(input, weight, /, stride=1, padding=0, dilation=1, output_padding=0, groups=1, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The transpose of conv1d: strides are taken by the result.")
PY_OP(conv_transpose2d, CONVOLUTION_TURNED, NONE,
      "(input, weight, /, stride=1, padding=0, dilation=1, output_padding=0, groups=1, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The transpose of conv2d: strides are taken by the result.")
PY_OP(conv_transpose3d, CONVOLUTION_TURNED, NONE,
      "(input, weight, /, stride=1, padding=0, dilation=1, output_padding=0, groups=1, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The transpose of conv3d: strides are taken by the result.")
PY_OP(convolve, CONVOLVED, NONE,
      "(a, v, /, mode=\"full\", *, stream=None)\n--\n\n",
      "The convolution of two vectors: all of it, as long as the longer, or where both meet.")
PY_OP(max_pool1d, POOLED, NONE,
      "(input, /, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The largest of each window along one axis of space; NaN if any is NaN.")
PY_OP(max_pool2d, POOLED, NONE,
      "(input, /, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The largest of each window along two axes of space; NaN if any is NaN.")
PY_OP(max_pool3d, POOLED, NONE,
      "(input, /, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The largest of each window along three axes of space; NaN if any is NaN.")
PY_OP(avg_pool1d, POOLED_MEAN, NONE,
      "(input, /, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
      "divisor_override=None, data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The mean of each window along one axis of space.")
PY_OP(avg_pool2d, POOLED_MEAN, NONE,
      "(input, /, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
      "divisor_override=None, data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The mean of each window along two axes of space.")
PY_OP(avg_pool3d, POOLED_MEAN, NONE,
      "(input, /, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
      "divisor_override=None, data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The mean of each window along three axes of space.")
PY_OP(reshape, RESHAPED, EXTENTS,
      "(x, /, shape, *, copy=None, stream=None)\n--\n\n",
      "The same elements, in row-major order, with another shape; one extent may be -1.")
PY_OP(broadcast_to, SHAPED, EXTENTS,
      "(x, /, shape, *, stream=None)\n--\n\n",
      "x repeated, without a copy, to a larger shape.")
PY_OP(permute_dims, PERMUTED, PLAIN,
      "(x, /, axes=None, *, stream=None)\n--\n\n",
      "The axes of x in another order.")
PY_OP(squeeze, OVER_AXES, PLAIN,
      "(x, /, axis=None, *, stream=None)\n--\n\n",
      "x without the axes named, each of extent 1.")
PY_OP(expand_dims, WIDENED, PLAIN,
      "(x, /, axis=0, *, stream=None)\n--\n\n",
      "x with new axes of extent 1, at these places of the result.")
PY_OP(matrix_transpose, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x with its last two axes exchanged.")
PY_OP(swapaxes, SWAPPED, PLAIN,
      "(x, /, axis1, axis2, *, stream=None)\n--\n\n",
      "x with two axes exchanged.")
PY_OP(moveaxis, MOVED, PLAIN,
      "(x, /, source, destination, *, stream=None)\n--\n\n",
      "x with axes moved to new places, the others in their old order.")
PY_OP(flip, OVER_AXES, PLAIN,
      "(x, /, axis=None, *, stream=None)\n--\n\n",
      "x with the elements along axes in reverse.")
PY_OP(rot90, ROTATED, PLAIN,
      "(x, /, k=1, axes=(0, 1), *, stream=None)\n--\n\n",
      "x turned k times by 90 degrees, from the first of the two axes towards the second.")
PY_OP(flatten, FLATTENED, PLAIN,
      "(x, /, start_axis=0, end_axis=-1, *, stream=None)\n--\n\n",
      "The axes from start_axis to end_axis made one; of a 0-d array, a vector of one.")
PY_OP(unflatten, UNFLATTENED, PLAIN,
      "(x, /, axis, shape, *, stream=None)\n--\n\n",
      "One axis made several; one extent may be -1.")
PY_OP(ravel, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "All elements in row-major order, as a vector.")
PY_OP(diagonal, DIAGONAL, PLAIN,
      "(x, /, offset=0, axis1=0, axis2=1, *, stream=None)\n--\n\n",
      "The diagonal of two axes, as the last axis; offset moves it up.")
PY_OP(trace, TRACE, PLAIN,
      "(x, /, offset=0, axis1=0, axis2=1, dtype=None, *, stream=None)\n--\n\n",
      "The sum of the diagonal of two axes.")
PY_OP(as_strided, STRIDED, PLAIN,
      "(x, /, shape=None, strides=None, offset=0, *, stream=None)\n--\n\n",
      "A window onto the elements of x in row-major order; strides and offset in elements.")
PY_OP(bitcast, BITCAST, PLAIN,
      "(x, /, dtype, *, stream=None)\n--\n\n",
      "The bytes of x read as another dtype; with another size the last extent changes.")
PY_OP(contiguous, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x itself if it lies row-major without gaps, else a copy that does.")
PY_OP(split, SPLIT, PLAIN,
      "(x, /, indices_or_sections, axis=0, *, stream=None)\n--\n\n",
      "Parts along an axis: as many equal ones, or cut at indices.")
PY_OP(array_split, SPLIT, PLAIN,
      "(x, /, indices_or_sections, axis=0, *, stream=None)\n--\n\n",
      "Parts along an axis, as split, the first ones longer by one where they cannot be equal.")
PY_OP(unstack, UNSTACKED, PLAIN,
      "(x, /, axis=0, *, stream=None)\n--\n\n",
      "The elements along an axis, each without it.")
PY_OP(broadcast_arrays, EACH_TUPLE, NONE,
      "(*arrays, stream=None)\n--\n\n",
      "The arrays, repeated without a copy to the shape that they have together.")
PY_OP(atleast_1d, AT_LEAST, NONE,
      "(*arrays, stream=None)\n--\n\n",
      "The arrays, each with one axis or more.")
PY_OP(atleast_2d, AT_LEAST, NONE,
      "(*arrays, stream=None)\n--\n\n",
      "The arrays, each with two axes or more; new ones come first.")
PY_OP(atleast_3d, AT_LEAST, NONE,
      "(*arrays, stream=None)\n--\n\n",
      "The arrays, each with three axes or more; a vector lies along the second.")
PY_OP(meshgrid, GRID, NONE,
      "(*arrays, sparse=False, indexing=\"xy\", stream=None)\n--\n\n",
      "The vectors repeated, without a copy, to a grid; 'xy' exchanges its first two axes.")
PY_OP(kron, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The Kronecker product: every element of x1 times all of x2, in the place of that element.")
PY_OP(cross, VECDOT, NONE,
      "(x1, x2, /, axis=-1, *, stream=None)\n--\n\n",
      "The cross product of vectors of three elements along an axis, the others broadcast.")
PY_OP(linalg_cholesky, TRIANGULAR, NONE,
      "(a, /, upper=False, *, stream=None)\n--\n\n",
      "The Cholesky factor of positive definite matrices, lower or upper.")
PY_OP(linalg_cholesky_inv, TRIANGULAR, NONE,
      "(a, /, upper=False, *, stream=None)\n--\n\n",
      "The inverses of the matrices whose Cholesky factors a holds.")
PY_OP(linalg_tri_inv, TRIANGULAR, NONE,
      "(a, /, upper=False, *, stream=None)\n--\n\n",
      "The inverses of triangular matrices.")
PY_OP(linalg_inv, INVERSE, NONE,
      "(a, /, quiet=False, *, stream=None)\n--\n\n",
      "The inverses of square matrices; if quiet, infinities for singular ones.")
PY_OP(linalg_solve, SOLUTION, NONE,
      "(a, b, /, *, stream=None)\n--\n\n",
      "x with a @ x = b; a vector b is one column, other axes are broadcast.")
PY_OP(linalg_solve_triangular, TRIANGULAR_SOLUTION, NONE,
      "(a, b, /, upper=False, unit_diagonal=False, *, stream=None)\n--\n\n",
      "The same for triangular matrices, of which only the triangle is read.")
PY_OP(linalg_det, MATRICES, NONE,
      "(a, /, *, stream=None)\n--\n\n",
      "The determinants of square matrices.")
PY_OP(linalg_slogdet, FACTORS, NONE,
      "(a, /, *, stream=None)\n--\n\n",
      "The signs of determinants, and the logarithms of their magnitudes.")
PY_OP(linalg_lu, FACTORS, NONE,
      "(a, /, *, stream=None)\n--\n\n",
      "The order p of rows, L and U with a = L[p, :] @ U.")
PY_OP(linalg_lu_factor, FACTORS, NONE,
      "(a, /, *, stream=None)\n--\n\n",
      "L and U in one matrix, and the row, from 0, that each row was exchanged with.")
PY_OP(linalg_qr, QR_FACTORS, NONE,
      "(a, /, complete=False, *, stream=None)\n--\n\n",
      "Q with orthonormal columns, all if complete, and triangular R with a = Q @ R.")
PY_OP(linalg_svd, SVD_FACTORS, NONE,
      "(a, /, full_matrices=True, *, stream=None)\n--\n\n",
      "U, the singular values from the largest down, and V^H.")
PY_OP(linalg_svdvals, MATRICES, NONE,
      "(a, /, *, stream=None)\n--\n\n",
      "The singular values, from the largest down.")
PY_OP(linalg_eigh, EIGEN_FACTORS, NONE,
      "(a, /, upper=False, *, stream=None)\n--\n\n",
      "The eigenvalues of Hermitian matrices, ascending, and eigenvectors as columns.")
PY_OP(linalg_eigvalsh, TRIANGULAR, NONE,
      "(a, /, upper=False, *, stream=None)\n--\n\n",
      "The eigenvalues of Hermitian matrices, ascending; one triangle is read.")
PY_OP(linalg_eig, FACTORS, NONE,
      "(a, /, *, stream=None)\n--\n\n",
      "The eigenvalues of square matrices and their eigenvectors as columns, all complex.")
PY_OP(linalg_eigvals, MATRICES, NONE,
      "(a, /, *, stream=None)\n--\n\n",
      "The eigenvalues of square matrices, complex.")
PY_OP(fft_fft, TRANSFORMED, NONE,
      "(a, /, n=None, axis=-1, norm=\"backward\", *, stream=None)\n--\n\n",
      "The discrete Fourier transform of n numbers along an axis; what is missing is zero.")
PY_OP(fft_ifft, TRANSFORMED, NONE,
      "(a, /, n=None, axis=-1, norm=\"backward\", *, stream=None)\n--\n\n",
      "The inverse of fft.")
PY_OP(fft_rfft, TRANSFORMED, NONE,
      "(a, /, n=None, axis=-1, norm=\"backward\", *, stream=None)\n--\n\n",
      "The first n / 2 + 1 numbers of fft of real ones; the others are their conjugates.")
PY_OP(fft_irfft, TRANSFORMED, NONE,
      "(a, /, n=None, axis=-1, norm=\"backward\", *, stream=None)\n--\n\n",
      "The inverse of rfft: n real numbers, 2 (m - 1) of m if n is left out.")
PY_OP(fft_hfft, TRANSFORMED, NONE,
      "(a, /, n=None, axis=-1, norm=\"backward\", *, stream=None)\n--\n\n",
      "fft, n real numbers, of a Hermitian sequence whose first n / 2 + 1 are given.")
PY_OP(fft_ihfft, TRANSFORMED, NONE,
      "(a, /, n=None, axis=-1, norm=\"backward\", *, stream=None)\n--\n\n",
      "The inverse of hfft: the first n / 2 + 1 numbers of ifft of real ones.")
PY_OP(fft_fftn, TRANSFORMED_AXES, NONE,
      "(a, /, s=None, axes=None, norm=\"backward\", *, stream=None)\n--\n\n",
      "fft along several axes; s has an n for each, -1 for all numbers.")
PY_OP(fft_ifftn, TRANSFORMED_AXES, NONE,
      "(a, /, s=None, axes=None, norm=\"backward\", *, stream=None)\n--\n\n",
      "The inverse of fftn.")
PY_OP(fft_rfftn, TRANSFORMED_AXES, NONE,
      "(a, /, s=None, axes=None, norm=\"backward\", *, stream=None)\n--\n\n",
      "rfft along the last of several axes, then fft along the others.")
PY_OP(fft_irfftn, TRANSFORMED_AXES, NONE,
      "(a, /, s=None, axes=None, norm=\"backward\", *, stream=None)\n--\n\n",
      "The inverse of rfftn.")
PY_OP(fft_fftshift, SHIFTED, NONE,
      "(a, /, axes=None, *, stream=None)\n--\n\n",
      "a with the element at zero of each axis moved to the middle.")
PY_OP(fft_ifftshift, SHIFTED, NONE,
      "(a, /, axes=None, *, stream=None)\n--\n\n",
      "The inverse of fftshift.")
PY_OP(fft_fftfreq, FREQUENCIES, NONE,
      "(n, d=1.0, dtype=None, *, device=None, stream=None)\n--\n\n",
      "The frequencies that fft of n numbers, d apart, gives; the negative ones last.")
PY_OP(fft_rfftfreq, FREQUENCIES, NONE,
      "(n, d=1.0, dtype=None, *, device=None, stream=None)\n--\n\n",
      "The frequencies that rfft of n numbers, d apart, gives.")
PY_OP(sort, ORDERED, PLAIN,
      "(x, /, axis=-1, descending=False, stable=True, *, stream=None)\n--\n\n",
      "The elements in order along an axis; NaN counts as the largest.")
PY_OP(argsort, ORDERED, PLAIN,
      "(x, /, axis=-1, descending=False, stable=True, *, stream=None)\n--\n\n",
      "The places of the elements in sorted order, equal ones as they stand.")
PY_OP(partition, PARTED, PLAIN,
      "(x, /, kth, axis=-1, *, stream=None)\n--\n\n",
      "The elements with the kth in its sorted place, no greater ones before it.")
PY_OP(argpartition, PARTED, PLAIN,
      "(x, /, kth, axis=-1, *, stream=None)\n--\n\n",
      "The places of the elements as partition puts them.")
PY_OP(topk, TOPMOST, PLAIN,
      "(x, /, k, axis=-1, *, stream=None)\n--\n\n",
      "The k largest elements along an axis, the largest first; NaN counts as the largest.")
PY_OP(argtopk, TOPMOST, PLAIN,
      "(x, /, k, axis=-1, *, stream=None)\n--\n\n",
      "The places of the k largest elements along an axis, the largest first.")
PY_OP(searchsorted, SEARCHED, NONE,
      "(x1, x2, /, side=\"left\", sorter=None, *, stream=None)\n--\n\n",
      "Where each element of x2 belongs in the sorted vector x1, on one side of equals.")
PY_OP(isin, MEMBERSHIP, NONE,
      "(x1, x2, /, invert=False, *, stream=None)\n--\n\n",
      "Whether each element of x1 equals one of x2; NaN equals nothing.")
PY_OP(unique_all, DISTINCT_ALL, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The distinct elements, their first places, where each of x is among them, and counts.")
PY_OP(unique_counts, DISTINCT_COUNTS, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The distinct elements in ascending order, and how often each occurs. Computes x.")
PY_OP(unique_inverse, DISTINCT_INVERSE, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The distinct elements, in order, and where each of x is among them. Computes x.")
PY_OP(unique_values, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The distinct elements in ascending order; each NaN is one. Computes x.")
PY_OP(median, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "The middle element over axes, or the mean of the middle two; NaN if any is NaN.")
PY_OP(quantile, QUANTILES, PLAIN,
      "(x, q, /, axis=None, keepdims=False, method=\"linear\", *, stream=None)\n--\n\n",
      "The elements over axes below which a share q lies, by one of NumPy's methods.")
#ifdef PY_ALIAS
PY_ALIAS(absolute, abs, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The absolute value of x, of a complex number a real one.")
PY_ALIAS(arccos, acos, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The angle in [0, pi] whose cosine is x; NaN outside [-1, 1].")
PY_ALIAS(arccosh, acosh, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The inverse hyperbolic cosine of x; NaN below 1.")
PY_ALIAS(arcsin, asin, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The angle in [-pi/2, pi/2] whose sine is x; NaN outside [-1, 1].")
PY_ALIAS(arcsinh, asinh, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The inverse hyperbolic sine of x.")
PY_ALIAS(arctan, atan, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The angle in [-pi/2, pi/2] whose tangent is x.")
PY_ALIAS(arctan2, atan2, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The angle in [-pi, pi] of the point with x2 to the right and x1 up.")
PY_ALIAS(arctanh, atanh, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The inverse hyperbolic tangent of x; NaN outside [-1, 1].")
PY_ALIAS(bitwise_not, bitwise_invert, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Every bit of x inverted; of bool, logical not.")
PY_ALIAS(invert, bitwise_invert, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Every bit of x inverted; of bool, logical not.")
PY_ALIAS(left_shift, bitwise_left_shift, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 shifted left by x2 bits; 0 once x2 reaches the width.")
PY_ALIAS(right_shift, bitwise_right_shift, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 shifted right by x2 bits, the sign kept.")
PY_ALIAS(mod, remainder, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 - x2 * floor(x1 / x2), with the sign of x2; of an integer by zero, 0.")
PY_ALIAS(power, pow, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 raised to x2; an integer to a negative power gives 0 unless |x1| is 1.")
PY_ALIAS(true_divide, divide, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The quotient x1 / x2; integers are divided as floating numbers.")
PY_ALIAS(deg2rad, radians, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x degrees in radians.")
PY_ALIAS(rad2deg, degrees, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x radians in degrees.")
PY_ALIAS(rint, round, PLAIN,
      "(x, /, decimals=0, *, stream=None)\n--\n\n",
      "The nearest number of so many decimals, the even one of two, in x's dtype.")
PY_ALIAS(concatenate, concat, NONE,
      "(arrays, /, axis=0, *, stream=None)\n--\n\n",
      "The arrays one after the other along an axis, in their common dtype.")
PY_ALIAS(view, bitcast, PLAIN,
      "(x, /, dtype, *, stream=None)\n--\n\n",
      "The bytes of x read as another dtype; with another size the last extent changes.")
PY_ALIAS(permute, permute_dims, PLAIN,
      "(x, /, axes=None, *, stream=None)\n--\n\n",
      "The axes of x in another order.")
PY_ALIAS(conjugate, conj, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x with its imaginary part negated; a real x itself.")
#endif
/* clang-format on */
