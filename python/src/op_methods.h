/* SPDX-License-Identifier: Apache-2.0 */
/* PY_OP(name, FORM, METHOD, signature, doc): one row per op, for ops.c, which defines
 * PY_OP before each inclusion. PY_ALIAS(alias, name, FORM, METHOD, signature, doc): one
 * more name of an op.
 * Written by tools/optable.py from src/op/op.def and src/op/alias.def. */
/* clang-format off */
PY_OP(add, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The sum x1 + x2; of bool, logical or.\n\ndtypes: promoted; bool stays bool.\nshape: x1 "
      "and x2 broadcast together.\nraises: TypeError, ValueError for shapes that do not fit.\n\n"
      ">>> jg.add([1, 2, 3], 0.5)\narray([1.5, 2.5, 3.5], dtype=float32)")
PY_OP(subtract, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The difference x1 - x2.\n\ndtypes: promoted; bool is refused.\nshape: x1 and x2 broadcast "
      "together.\nraises: TypeError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.subtract([5, 7], [1, 2])\narray([4, 5], dtype=int64)")
PY_OP(multiply, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The product x1 * x2; of bool, logical and.\n\ndtypes: promoted; bool stays bool.\nshape: "
      "x1 and x2 broadcast together.\nraises: TypeError, ValueError for shapes that do not "
      "fit.\n\n>>> jg.multiply([1, 2, 3], [[2], [10]])\narray([[ 2,  4,  6],\n       [10, 20, "
      "30]], dtype=int64)")
PY_OP(divide, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The quotient x1 / x2; integers are divided as floating numbers.\n\ndtypes: promoted; bool "
      "and integers become the default float.\nshape: x1 and x2 broadcast together.\nraises: "
      "TypeError, ValueError for shapes that do not fit.\n\n>>> jg.divide([1, 2], 4)\n"
      "array([0.25, 0.5 ], dtype=float32)")
PY_OP(floor_divide, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The greatest whole number not above x1 / x2; an integer divided by zero gives 0.\n\n"
      "dtypes: promoted; bool and complex are refused.\nshape: x1 and x2 broadcast together.\n"
      "raises: TypeError, ValueError for shapes that do not fit.\n\n>>> jg.floor_divide([7, -7], "
      "2)\narray([ 3, -4], dtype=int64)")
PY_OP(remainder, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 - x2 * floor(x1 / x2), with the sign of x2; of an integer by zero, 0.\n\ndtypes: "
      "promoted; bool and complex are refused.\nshape: x1 and x2 broadcast together.\nraises: "
      "TypeError, ValueError for shapes that do not fit.\n\n>>> jg.remainder([7, -7], 3)\n"
      "array([1, 2], dtype=int64)")
PY_OP(fmod, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 - x2 * trunc(x1 / x2), with the sign of x1; of an integer by zero, 0.\n\ndtypes: "
      "promoted; bool and complex are refused.\nshape: x1 and x2 broadcast together.\nraises: "
      "TypeError, ValueError for shapes that do not fit.\n\n>>> jg.fmod([7, -7], 3)\narray([ 1, "
      "-1], dtype=int64)")
PY_OP(gcd, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The greatest common divisor of |x1| and |x2|; of two zeros, 0.\n\ndtypes: promoted; "
      "integers only.\nshape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for "
      "shapes that do not fit.\n\n>>> jg.gcd([12, -18, 0], 8)\narray([4, 2, 8], dtype=int64)")
PY_OP(lcm, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The least common multiple of |x1| and |x2|; 0 where one of them is.\n\ndtypes: promoted; "
      "integers only.\nshape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for "
      "shapes that do not fit.\n\n>>> jg.lcm([4, -6, 0], 10)\narray([20, 30,  0], dtype=int64)")
PY_OP(float_power, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "pow(x1, x2) in float64, of complex numbers in complex128.\n\ndtypes: promoted; bool is "
      "refused.\nshape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for shapes "
      "that do not fit.\n\n>>> jg.float_power([2, 3], -1)\narray([0.5       , 0.33333333], "
      "dtype=float64)")
PY_OP(pow, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 raised to x2; an integer to a negative power gives 0 unless |x1| is 1.\n\ndtypes: "
      "promoted; bool is refused.\nshape: x1 and x2 broadcast together.\nraises: TypeError, "
      "ValueError for shapes that do not fit.\n\n>>> jg.pow([1.0, 2.0, 3.0], 2)\narray([1., 4., "
      "9.], dtype=float32)")
PY_OP(maximum, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The larger of x1 and x2; NaN if either is NaN.\n\ndtypes: promoted; complex is refused.\n"
      "shape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for shapes that do "
      "not fit.\n\n>>> jg.maximum([1, 5], [3, 2])\narray([3, 5], dtype=int64)")
PY_OP(minimum, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The smaller of x1 and x2; NaN if either is NaN.\n\ndtypes: promoted; complex is refused.\n"
      "shape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for shapes that do "
      "not fit.\n\n>>> jg.minimum([1, 5], [3, 2])\narray([1, 2], dtype=int64)")
PY_OP(fmax, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The larger of x1 and x2; the other one where one of them is NaN.\n\ndtypes: promoted; "
      "complex is refused.\nshape: x1 and x2 broadcast together.\nraises: TypeError, ValueError "
      "for shapes that do not fit.\n\n>>> jg.fmax([1.0, jg.nan], [0.0, 2.0])\narray([1., 2.], "
      "dtype=float32)")
PY_OP(fmin, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The smaller of x1 and x2; the other one where one of them is NaN.\n\ndtypes: promoted; "
      "complex is refused.\nshape: x1 and x2 broadcast together.\nraises: TypeError, ValueError "
      "for shapes that do not fit.\n\n>>> jg.fmin([1.0, jg.nan], [0.0, 2.0])\narray([0., 2.], "
      "dtype=float32)")
PY_OP(heaviside, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "0 where x1 is below zero, x2 where it is zero, 1 above; NaN of NaN.\n\ndtypes: promoted; "
      "bool and integers become the default float; complex is refused.\nshape: x1 and x2 "
      "broadcast together.\nraises: TypeError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.heaviside([-2.0, 0.0, 3.0], 0.5)\narray([0. , 0.5, 1. ], dtype=float32)")
PY_OP(negative, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "-x; of an unsigned integer, modulo its range.\n\ndtypes: promoted; bool is refused.\n"
      "shape: that of x.\nraises: TypeError.\n\n>>> jg.negative([1, -2])\narray([-1,  2], "
      "dtype=int64)")
PY_OP(abs, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The absolute value of x, of a complex number a real one.\n\ndtypes: unchanged; complex "
      "gives the dtype of its parts; bool is refused.\nshape: that of x.\nraises: TypeError.\n\n"
      ">>> jg.abs([-1.5, 2.0])\narray([1.5, 2. ], dtype=float32)")
PY_OP(real, ATTRIBUTE, NONE,
      "(x, /, *, stream=None)\n--\n\n",
      "The real part of x, where x is in memory a view of it.\n\ndtypes: unchanged; complex "
      "gives the dtype of its parts; bool is refused.\nshape: that of x.\nraises: TypeError.\n\n"
      ">>> jg.real([1 + 2j, 3 - 1j])\narray([1., 3.], dtype=float32)")
PY_OP(imag, ATTRIBUTE, NONE,
      "(x, /, *, stream=None)\n--\n\n",
      "The imaginary part of x, where x is in memory a view of it; of a real x, zeros.\n\n"
      "dtypes: unchanged; complex gives the dtype of its parts; bool is refused.\nshape: that of "
      "x.\nraises: TypeError.\n\n>>> jg.imag([1 + 2j, 3 - 1j])\narray([ 2., -1.], dtype=float32)")
PY_OP(angle, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The angle of x in the complex plane, in [-pi, pi].\n\ndtypes: promoted; bool and integers "
      "become the default float; complex gives the dtype of its\n    parts.\nshape: that of x.\n"
      "raises: TypeError.\n\n>>> jg.angle([1j, -1 + 0j])\narray([1.5707964, 3.1415927], "
      "dtype=float32)")
PY_OP(conj, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x with its imaginary part negated; a real x itself.\n\ndtypes: promoted; bool is "
      "refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.conj([1 + 2j])\narray([1.-2.j], "
      "dtype=complex64)")
PY_OP(square, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x * x; of bool, x itself.\n\ndtypes: promoted; bool stays bool.\nshape: that of x.\n"
      "raises: TypeError.\n\n>>> jg.square([1, -2, 3])\narray([1, 4, 9], dtype=int64)")
PY_OP(positive, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "+x.\n\ndtypes: promoted; bool is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> "
      "jg.positive([1, -2])\narray([ 1, -2], dtype=int64)")
PY_OP(sign, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "-1, 0 or 1 as x is below, equal to or above zero; of a complex number x / |x|; NaN of "
      "NaN.\n\ndtypes: promoted; bool is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> "
      "jg.sign([-3, 0, 2])\narray([-1,  0,  1], dtype=int64)")
PY_OP(reciprocal, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "1 / x, of integers as floating numbers.\n\ndtypes: promoted; bool and integers become the "
      "default float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.reciprocal([2.0, 4.0])\n"
      "array([0.5 , 0.25], dtype=float32)")
PY_OP(divmod, DIVISION, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "floor_divide(x1, x2) and remainder(x1, x2).\n\ndtypes: promoted; bool and complex are "
      "refused.\nshape: x1 and x2 broadcast together, each.\nraises: TypeError, ValueError for "
      "shapes that do not fit.\n\n>>> jg.divmod([7, -7], 2)\n(array([ 3, -4], dtype=int64), "
      "array([1, 1], dtype=int64))")
PY_OP(copysign, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The magnitude of x1 with the sign of x2, also that of a zero or a NaN.\n\ndtypes: "
      "promoted; bool and integers become the default float; complex is refused.\nshape: x1 and "
      "x2 broadcast together.\nraises: TypeError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.copysign([1.0, 2.0], [-0.0, 3.0])\narray([-1.,  2.], dtype=float32)")
PY_OP(nextafter, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The next value of the dtype after x1 towards x2; x2 where they are equal.\n\ndtypes: "
      "promoted; bool and integers become the default float; complex is refused.\nshape: x1 and "
      "x2 broadcast together.\nraises: TypeError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.nextafter([1.0], [2.0]) > 1\narray([ True], dtype=bool)")
PY_OP(spacing, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "From x to the next value away from zero, of -0 as of 0; NaN of infinities.\n\ndtypes: "
      "promoted; bool and integers become the default float; complex is refused.\nshape: that of "
      "x.\nraises: TypeError.\n\n>>> jg.spacing([1.0, -1.0])\narray([ 1.1920929e-07, "
      "-1.1920929e-07], dtype=float32)")
PY_OP(fabs, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The absolute value of x, a float.\n\ndtypes: promoted; bool and integers become the "
      "default float; complex is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> "
      "jg.fabs([-1, 2])\narray([1., 2.], dtype=float32)")
PY_OP(frexp, DECOMPOSED, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "m in [0.5, 1), with x's sign, and an int32 e for which x = m * 2^e.\n\ndtypes: promoted; "
      "bool and integers become the default float; complex is refused.\nshape: that of x, each.\n"
      "raises: TypeError.\n\n>>> jg.frexp([8.0, -0.75])\n(array([ 0.5 , -0.75], dtype=float32), "
      "array([4, 0], dtype=int32))")
PY_OP(ldexp, SCALED, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 * 2^x2, rounded once; x2 are integers.\n\ndtypes: promoted; bool and integers become "
      "the default float; complex is refused.\nshape: x1 and x2 broadcast together.\nraises: "
      "TypeError, ValueError for shapes that do not fit.\n\n>>> jg.ldexp([0.5, -0.75], [4, 0])\n"
      "array([ 8.  , -0.75], dtype=float32)")
PY_OP(modf, DECOMPOSED, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The fraction of x and its whole part, both with the sign of x.\n\ndtypes: promoted; bool "
      "and integers become the default float; complex is refused.\nshape: that of x, each.\n"
      "raises: TypeError.\n\n>>> jg.modf([1.5, -2.25])\n(array([ 0.5 , -0.25], dtype=float32), "
      "array([ 1., -2.], dtype=float32))")
PY_OP(clip, CLIP, PLAIN,
      "(x, /, min=None, max=None, *, out=None, stream=None)\n--\n\n",
      "x moved into [min, max]; min and max are broadcast, either may be left out.\n\ndtypes: "
      "promoted; bool and complex are refused.\nshape: x, min and max broadcast together.\n"
      "raises: TypeError, ValueError for shapes that do not fit.\n\n>>> jg.clip([1, 5, 9], 2, "
      "8)\narray([2, 5, 8], dtype=int64)")
PY_OP(nan_to_num, REPLACEMENT, PLAIN,
      "(x, /, nan=0.0, posinf=None, neginf=None, *, stream=None)\n--\n\n",
      "x with NaN and the infinities replaced by numbers.\n\ndtypes: anything computable, "
      "unchanged.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.nan_to_num([jg.nan, 1.0], "
      "nan=7.0)\narray([7., 1.], dtype=float32)")
PY_OP(less, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 < x2.\n\ndtypes: compared when promoted, gives bool; complex is refused.\n"
      "shape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for shapes that do "
      "not fit.\n\n>>> jg.less([1, 2], 2)\narray([ True, False], dtype=bool)")
PY_OP(less_equal, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 <= x2.\n\ndtypes: compared when promoted, gives bool; complex is refused.\n"
      "shape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for shapes that do "
      "not fit.\n\n>>> jg.less_equal([1, 2], 1)\narray([ True, False], dtype=bool)")
PY_OP(greater, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 > x2.\n\ndtypes: compared when promoted, gives bool; complex is refused.\n"
      "shape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for shapes that do "
      "not fit.\n\n>>> jg.greater([1, 2], 1)\narray([False,  True], dtype=bool)")
PY_OP(greater_equal, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 >= x2.\n\ndtypes: compared when promoted, gives bool; complex is refused.\n"
      "shape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for shapes that do "
      "not fit.\n\n>>> jg.greater_equal([1, 2], 2)\narray([False,  True], dtype=bool)")
PY_OP(equal, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 == x2.\n\ndtypes: compared when promoted, gives bool.\nshape: x1 and x2 "
      "broadcast together.\nraises: TypeError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.equal([1, 2], [1, 3])\narray([ True, False], dtype=bool)")
PY_OP(not_equal, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 != x2.\n\ndtypes: compared when promoted, gives bool.\nshape: x1 and x2 "
      "broadcast together.\nraises: TypeError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.not_equal([1, 2], [1, 3])\narray([False,  True], dtype=bool)")
PY_OP(isnan, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Whether x is NaN.\n\ndtypes: compared when promoted, gives bool.\nshape: that of x.\n"
      "raises: TypeError.\n\n>>> jg.isnan([jg.nan, 1.0])\narray([ True, False], dtype=bool)")
PY_OP(isinf, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Whether x is infinite, of either sign.\n\ndtypes: compared when promoted, gives bool.\n"
      "shape: that of x.\nraises: TypeError.\n\n>>> jg.isinf([jg.inf, 1.0])\narray([ True, "
      "False], dtype=bool)")
PY_OP(isfinite, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Whether x is neither NaN nor infinite.\n\ndtypes: compared when promoted, gives bool.\n"
      "shape: that of x.\nraises: TypeError.\n\n>>> jg.isfinite([jg.inf, 1.0])\narray([False,  "
      "True], dtype=bool)")
PY_OP(isposinf, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Whether x is positive infinity.\n\ndtypes: compared when promoted, gives bool; complex is "
      "refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.isposinf([-jg.inf, jg.inf])\n"
      "array([False,  True], dtype=bool)")
PY_OP(isneginf, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Whether x is negative infinity.\n\ndtypes: compared when promoted, gives bool; complex is "
      "refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.isneginf([-jg.inf, jg.inf])\n"
      "array([ True, False], dtype=bool)")
PY_OP(signbit, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Whether the sign of x is negative, also of a zero or a NaN.\n\ndtypes: compared when "
      "promoted, gives bool; complex is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> "
      "jg.signbit([-0.0, 0.0])\narray([ True, False], dtype=bool)")
PY_OP(isclose, CLOSENESS, NONE,
      "(x1, x2, /, rtol=1e-05, atol=1e-08, equal_nan=False, *, stream=None)\n--\n\n",
      "Whether |x1 - x2| <= atol + rtol * |x2|; infinities are close to themselves.\n\ndtypes: "
      "compared when promoted, gives bool.\nshape: x1 and x2 broadcast together.\nraises: "
      "TypeError, ValueError for shapes that do not fit.\n\n>>> jg.isclose([1.0, 1.1], "
      "1.000001)\narray([ True, False], dtype=bool)")
PY_OP(allclose, CLOSENESS, NONE,
      "(x1, x2, /, rtol=1e-05, atol=1e-08, equal_nan=False, *, stream=None)\n--\n\n",
      "Whether isclose holds everywhere, as a 0-d bool.\n\ndtypes: compared when promoted, gives "
      "bool.\nshape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for shapes "
      "that do not fit.\n\n>>> jg.allclose([1.0, 2.0], [1.0, 2.0000001])\narray(True, dtype=bool)")
PY_OP(array_equal, EQUALITY, NONE,
      "(x1, x2, /, equal_nan=False, *, stream=None)\n--\n\n",
      "Whether x1 and x2 have one shape and equal elements, as a 0-d bool.\n\ndtypes: compared "
      "when promoted, gives bool.\nshape: ().\nraises: TypeError.\n\n>>> jg.array_equal([1, 2], "
      "[1, 2])\narray(True, dtype=bool)")
PY_OP(logical_and, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 and x2 are both true.\n\ndtypes: compared with zero, gives bool.\nshape: x1 "
      "and x2 broadcast together.\nraises: TypeError, ValueError for shapes that do not fit.\n\n"
      ">>> jg.logical_and([True, True], [True, False])\narray([ True, False], dtype=bool)")
PY_OP(logical_or, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether x1 or x2 is true.\n\ndtypes: compared with zero, gives bool.\nshape: x1 and x2 "
      "broadcast together.\nraises: TypeError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.logical_or([True, False], [False, False])\narray([ True, False], dtype=bool)")
PY_OP(logical_xor, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Whether exactly one of x1 and x2 is true.\n\ndtypes: compared with zero, gives bool.\n"
      "shape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for shapes that do "
      "not fit.\n\n>>> jg.logical_xor([True, False], [True, True])\narray([False,  True], "
      "dtype=bool)")
PY_OP(logical_not, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Whether x is false.\n\ndtypes: compared with zero, gives bool.\nshape: that of x.\n"
      "raises: TypeError.\n\n>>> jg.logical_not([True, False])\narray([False,  True], dtype=bool)")
PY_OP(bitwise_and, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The bits set in both x1 and x2.\n\ndtypes: promoted; bool and integers only.\nshape: x1 "
      "and x2 broadcast together.\nraises: TypeError, ValueError for shapes that do not fit.\n\n"
      ">>> jg.bitwise_and([6, 5], 3)\narray([2, 1], dtype=int64)")
PY_OP(bitwise_or, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The bits set in x1 or in x2.\n\ndtypes: promoted; bool and integers only.\nshape: x1 and "
      "x2 broadcast together.\nraises: TypeError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.bitwise_or([6, 5], 3)\narray([7, 7], dtype=int64)")
PY_OP(bitwise_xor, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The bits set in exactly one of x1 and x2.\n\ndtypes: promoted; bool and integers only.\n"
      "shape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for shapes that do "
      "not fit.\n\n>>> jg.bitwise_xor([6, 5], 3)\narray([5, 6], dtype=int64)")
PY_OP(bitwise_invert, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Every bit of x inverted; of bool, logical not.\n\ndtypes: promoted; bool and integers "
      "only.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.bitwise_invert([0, 7])\narray([-1, "
      "-8], dtype=int64)")
PY_OP(bitwise_left_shift, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 shifted left by x2 bits; 0 once x2 reaches the width.\n\ndtypes: promoted; integers "
      "only.\nshape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for shapes "
      "that do not fit.\n\n>>> jg.bitwise_left_shift([1, 2], 3)\narray([ 8, 16], dtype=int64)")
PY_OP(bitwise_right_shift, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 shifted right by x2 bits, the sign kept.\n\ndtypes: promoted; integers only.\nshape: "
      "x1 and x2 broadcast together.\nraises: TypeError, ValueError for shapes that do not "
      "fit.\n\n>>> jg.bitwise_right_shift([16, -16], 2)\narray([ 4, -4], dtype=int64)")
PY_OP(bitwise_count, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "How many bits of |x| are set, as a uint8.\n\ndtypes: promoted; integers only.\nshape: "
      "that of x.\nraises: TypeError.\n\n>>> jg.bitwise_count([7, -8])\narray([3, 1], "
      "dtype=uint8)")
PY_OP(exp, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "e raised to x.\n\ndtypes: promoted; bool and integers become the default float.\nshape: "
      "that of x.\nraises: TypeError.\n\n>>> jg.exp([0.0, 1.0])\narray([1.       , 2.7182817], "
      "dtype=float32)")
PY_OP(exp2, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "2 raised to x.\n\ndtypes: promoted; bool and integers become the default float; complex "
      "is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.exp2([0.0, 3.0])\narray([1., "
      "8.], dtype=float32)")
PY_OP(expm1, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "exp(x) - 1, exact where x is small.\n\ndtypes: promoted; bool and integers become the "
      "default float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.expm1([0.0, 1.0])\n"
      "array([0.       , 1.7182819], dtype=float32)")
PY_OP(log, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The natural logarithm of x; NaN below zero.\n\ndtypes: promoted; bool and integers become "
      "the default float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.log([1.0, 10.0])\n"
      "array([0.       , 2.3025851], dtype=float32)")
PY_OP(log2, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The logarithm of x to base 2; NaN below zero.\n\ndtypes: promoted; bool and integers "
      "become the default float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.log2([1.0, "
      "8.0])\narray([0., 3.], dtype=float32)")
PY_OP(log10, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The logarithm of x to base 10; NaN below zero.\n\ndtypes: promoted; bool and integers "
      "become the default float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.log10([1.0, "
      "1000.0])\narray([0., 3.], dtype=float32)")
PY_OP(log1p, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "log(1 + x), exact where x is small; NaN below -1.\n\ndtypes: promoted; bool and integers "
      "become the default float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.log1p([0.0, "
      "1.0])\narray([0.       , 0.6931472], dtype=float32)")
PY_OP(logaddexp, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "log(exp(x1) + exp(x2)) without overflow.\n\ndtypes: promoted; bool and integers become "
      "the default float; complex is refused.\nshape: x1 and x2 broadcast together.\nraises: "
      "TypeError, ValueError for shapes that do not fit.\n\n>>> jg.logaddexp([0.0], [0.0])\n"
      "array([0.6931472], dtype=float32)")
PY_OP(logaddexp2, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "log2(2^x1 + 2^x2) without overflow.\n\ndtypes: promoted; bool and integers become the "
      "default float; complex is refused.\nshape: x1 and x2 broadcast together.\nraises: "
      "TypeError, ValueError for shapes that do not fit.\n\n>>> jg.logaddexp2([1.0, 3.0], [1.0, "
      "3.0])\narray([2., 4.], dtype=float32)")
PY_OP(sqrt, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The square root of x; NaN below zero.\n\ndtypes: promoted; bool and integers become the "
      "default float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.sqrt([4.0, 2.0])\n"
      "array([2.       , 1.4142135], dtype=float32)")
PY_OP(cbrt, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The cube root of x.\n\ndtypes: promoted; bool and integers become the default float; "
      "complex is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.cbrt([27.0, -8.0])\n"
      "array([ 3., -2.], dtype=float32)")
PY_OP(rsqrt, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "1 / sqrt(x).\n\ndtypes: promoted; bool and integers become the default float.\nshape: "
      "that of x.\nraises: TypeError.\n\n>>> jg.rsqrt([4.0, 16.0])\narray([0.5 , 0.25], "
      "dtype=float32)")
PY_OP(hypot, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "sqrt(x1^2 + x2^2) without overflow; infinite if either is.\n\ndtypes: promoted; bool and "
      "integers become the default float; complex is refused.\nshape: x1 and x2 broadcast "
      "together.\nraises: TypeError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.hypot([3.0, 5.0], [4.0, 12.0])\narray([ 5., 13.], dtype=float32)")
PY_OP(sin, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The sine of x radians.\n\ndtypes: promoted; bool and integers become the default float.\n"
      "shape: that of x.\nraises: TypeError.\n\n>>> jg.sin([0.0, 1.0])\narray([0.        , "
      "0.84147096], dtype=float32)")
PY_OP(cos, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The cosine of x radians.\n\ndtypes: promoted; bool and integers become the default "
      "float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.cos([0.0, 1.0])\narray([1.       "
      ", 0.5403023], dtype=float32)")
PY_OP(tan, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The tangent of x radians.\n\ndtypes: promoted; bool and integers become the default "
      "float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.tan([0.0, 1.0])\narray([0.       "
      ", 1.5574077], dtype=float32)")
PY_OP(asin, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The angle in [-pi/2, pi/2] whose sine is x; NaN outside [-1, 1].\n\ndtypes: promoted; "
      "bool and integers become the default float.\nshape: that of x.\nraises: TypeError.\n\n>>> "
      "jg.asin([0.0, 1.0])\narray([0.       , 1.5707964], dtype=float32)")
PY_OP(acos, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The angle in [0, pi] whose cosine is x; NaN outside [-1, 1].\n\ndtypes: promoted; bool "
      "and integers become the default float.\nshape: that of x.\nraises: TypeError.\n\n>>> "
      "jg.acos([1.0, 0.0])\narray([0.       , 1.5707964], dtype=float32)")
PY_OP(atan, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The angle in [-pi/2, pi/2] whose tangent is x.\n\ndtypes: promoted; bool and integers "
      "become the default float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.atan([0.0, "
      "1.0])\narray([0.       , 0.7853982], dtype=float32)")
PY_OP(atan2, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The angle in [-pi, pi] of the point with x2 to the right and x1 up.\n\ndtypes: promoted; "
      "bool and integers become the default float; complex is refused.\nshape: x1 and x2 "
      "broadcast together.\nraises: TypeError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.atan2([1.0, -1.0], [0.0, 0.0])\narray([ 1.5707964, -1.5707964], dtype=float32)")
PY_OP(sinh, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The hyperbolic sine of x.\n\ndtypes: promoted; bool and integers become the default "
      "float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.sinh([0.0, 1.0])\narray([0.       "
      ", 1.1752012], dtype=float32)")
PY_OP(cosh, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The hyperbolic cosine of x.\n\ndtypes: promoted; bool and integers become the default "
      "float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.cosh([0.0, 1.0])\narray([1.       "
      ", 1.5430807], dtype=float32)")
PY_OP(tanh, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The hyperbolic tangent of x.\n\ndtypes: promoted; bool and integers become the default "
      "float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.tanh([0.0, 1.0])\narray([0.       "
      ", 0.7615942], dtype=float32)")
PY_OP(asinh, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The inverse hyperbolic sine of x.\n\ndtypes: promoted; bool and integers become the "
      "default float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.asinh([0.0, 1.0])\n"
      "array([0.       , 0.8813736], dtype=float32)")
PY_OP(acosh, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The inverse hyperbolic cosine of x; NaN below 1.\n\ndtypes: promoted; bool and integers "
      "become the default float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.acosh([1.0, "
      "2.0])\narray([0.      , 1.316958], dtype=float32)")
PY_OP(atanh, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The inverse hyperbolic tangent of x; NaN outside [-1, 1].\n\ndtypes: promoted; bool and "
      "integers become the default float.\nshape: that of x.\nraises: TypeError.\n\n>>> "
      "jg.atanh([0.0, 0.5])\narray([0.        , 0.54930615], dtype=float32)")
PY_OP(degrees, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x radians in degrees.\n\ndtypes: promoted; bool and integers become the default float; "
      "complex is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.degrees([0.0, "
      "jg.pi])\narray([  0., 180.], dtype=float32)")
PY_OP(radians, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x degrees in radians.\n\ndtypes: promoted; bool and integers become the default float; "
      "complex is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.radians([0.0, "
      "180.0])\narray([0.       , 3.1415927], dtype=float32)")
PY_OP(erf, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The error function of x.\n\ndtypes: promoted; bool and integers become the default float; "
      "complex is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.erf([0.0, 1.0])\n"
      "array([0.       , 0.8427008], dtype=float32)")
PY_OP(erfinv, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The inverse of the error function; NaN outside [-1, 1].\n\ndtypes: promoted; bool and "
      "integers become the default float; complex is refused.\nshape: that of x.\nraises: "
      "TypeError.\n\n>>> jg.erfinv([0.0, 0.5])\narray([0.        , 0.47693628], dtype=float32)")
PY_OP(sigmoid, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "1 / (1 + exp(-x)).\n\ndtypes: promoted; bool and integers become the default float; "
      "complex is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.sigmoid([0.0, 2.0])\n"
      "array([0.5     , 0.880797], dtype=float32)")
PY_OP(softplus, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "log(1 + exp(x)).\n\ndtypes: promoted; bool and integers become the default float; complex "
      "is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.softplus([0.0, 2.0])\n"
      "array([0.6931472, 2.126928 ], dtype=float32)")
PY_OP(silu, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x * sigmoid(x).\n\ndtypes: promoted; bool and integers become the default float; complex "
      "is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.silu([0.0, 2.0])\n"
      "array([0.      , 1.761594], dtype=float32)")
PY_OP(gelu, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x / 2 * (1 + erf(x / sqrt(2))).\n\ndtypes: promoted; bool and integers become the default "
      "float; complex is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.gelu([0.0, "
      "2.0])\narray([0.       , 1.9544997], dtype=float32)")
PY_OP(gelu_approx, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "gelu by way of tanh: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))).\n\ndtypes: "
      "promoted; bool and integers become the default float; complex is refused.\nshape: that of "
      "x.\nraises: TypeError.\n\n>>> jg.gelu_approx([0.0, 2.0])\narray([0.       , 1.9545977], "
      "dtype=float32)")
PY_OP(floor, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The greatest whole number not above x, in x's dtype.\n\ndtypes: unchanged; bool and "
      "complex are refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.floor([1.7, -1.2])\n"
      "array([ 1., -2.], dtype=float32)")
PY_OP(ceil, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The smallest whole number not below x, in x's dtype.\n\ndtypes: unchanged; bool and "
      "complex are refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.ceil([1.2, -1.7])\n"
      "array([ 2., -1.], dtype=float32)")
PY_OP(trunc, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x without its fraction, in x's dtype.\n\ndtypes: unchanged; bool and complex are "
      "refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.trunc([1.7, -1.7])\narray([ 1., "
      "-1.], dtype=float32)")
PY_OP(round, ROUNDED, PLAIN,
      "(x, /, decimals=0, *, out=None, stream=None)\n--\n\n",
      "The nearest number of so many decimals, the even one of two, in x's dtype.\n\ndtypes: "
      "promoted; bool is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.round([0.5, "
      "1.5, 2.345], 2)\narray([0.5 , 1.5 , 2.34], dtype=float32)")
PY_OP(where, TERNARY, NONE,
      "(condition, x1, x2, /, *, stream=None)\n--\n\n",
      "x1 where the condition holds, else x2.\n\ndtypes: the first becomes bool, the others are "
      "promoted.\nshape: condition, x1 and x2 broadcast together.\nraises: TypeError, ValueError "
      "for shapes that do not fit.\n\n>>> jg.where([True, False], [1, 2], 0)\narray([1, 0], "
      "dtype=int64)")
PY_OP(copy, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The same values in memory of their own, row-major.\n\ndtypes: unchanged; anything of "
      "whole bytes.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.copy([1, 2])\narray([1, 2], "
      "dtype=int64)")
PY_OP(astype, CAST, PLAIN,
      "(x, /, dtype, *, copy=True, device=None, stream=None)\n--\n\n",
      "x in another dtype; integers truncate floats, reals take the real part of complex "
      "numbers.\n\ndtypes: unchanged; anything of whole bytes.\nshape: that of x.\nraises: "
      "TypeError, ValueError for no dtype.\n\n>>> jg.astype([1.7, -1.7], jg.int32)\narray([ 1, "
      "-1], dtype=int32)")
PY_OP(sum, ACCUMULATION, PLAIN,
      "(x, /, axis=None, keepdims=False, dtype=None, *, out=None, initial=None, where=None, "
      "stream=None)\n--\n\n",
      "The sum over axes; integers are summed in 64 bits or in dtype, an empty sum is 0.\n\n"
      "dtypes: bool and small integers become 64 bits wide.\nshape: x without the axes; with "
      "keepdims, 1 in their place.\nraises: TypeError, AxisError and ValueError for axes.\n\n>>> "
      "jg.sum([[1, 2], [3, 4]], axis=0)\narray([4, 6], dtype=int64)")
PY_OP(prod, ACCUMULATION, PLAIN,
      "(x, /, axis=None, keepdims=False, dtype=None, *, out=None, initial=None, where=None, "
      "stream=None)\n--\n\n",
      "The product over axes; of integers in 64 bits or in dtype, an empty product is 1.\n\n"
      "dtypes: bool and small integers become 64 bits wide.\nshape: x without the axes; with "
      "keepdims, 1 in their place.\nraises: TypeError, AxisError and ValueError for axes.\n\n>>> "
      "jg.prod([[1, 2], [3, 4]], axis=1)\narray([ 2, 12], dtype=int64)")
PY_OP(max, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, out=None, initial=None, where=None, stream=None)\n"
      "--\n\n",
      "The largest value over axes; NaN if any is NaN.\n\ndtypes: promoted; complex is refused.\n"
      "shape: x without the axes; with keepdims, 1 in their place.\nraises: TypeError, AxisError "
      "and ValueError for axes.\n\n>>> jg.max([[1, 5], [3, 4]], axis=1, keepdims=True)\n"
      "array([[5],\n       [4]], dtype=int64)")
PY_OP(min, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, out=None, initial=None, where=None, stream=None)\n"
      "--\n\n",
      "The smallest value over axes; NaN if any is NaN.\n\ndtypes: promoted; complex is "
      "refused.\nshape: x without the axes; with keepdims, 1 in their place.\nraises: TypeError, "
      "AxisError and ValueError for axes.\n\n>>> jg.min([[1, 5], [3, 4]])\narray(1, dtype=int64)")
PY_OP(minmax, EXTREMA, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "The smallest and the largest value over axes, as min and max give them.\n\ndtypes: "
      "promoted; complex is refused.\nshape: x without the axes, each.\nraises: TypeError, "
      "AxisError and ValueError for axes.\n\n>>> jg.minmax([3, 1, 2])\n(array(1, dtype=int64), "
      "array(3, dtype=int64))")
PY_OP(ptp, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, out=None, stream=None)\n--\n\n",
      "From the smallest to the largest value over axes: max - min.\n\ndtypes: promoted; bool "
      "and complex are refused.\nshape: x without the axes; with keepdims, 1 in their place.\n"
      "raises: TypeError, AxisError and ValueError for axes.\n\n>>> jg.ptp([4, 1, 7])\narray(6, "
      "dtype=int64)")
PY_OP(any, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, out=None, where=None, stream=None)\n--\n\n",
      "Whether any element over axes is true; over nothing, False.\n\ndtypes: compared with "
      "zero, gives bool.\nshape: x without the axes; with keepdims, 1 in their place.\nraises: "
      "TypeError, AxisError and ValueError for axes.\n\n>>> jg.any([[True, False], [False, "
      "False]], axis=1)\narray([ True, False], dtype=bool)")
PY_OP(all, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, out=None, where=None, stream=None)\n--\n\n",
      "Whether all elements over axes are true; over nothing, True.\n\ndtypes: compared with "
      "zero, gives bool.\nshape: x without the axes; with keepdims, 1 in their place.\nraises: "
      "TypeError, AxisError and ValueError for axes.\n\n>>> jg.all([[True, False], [True, "
      "True]], axis=1)\narray([False,  True], dtype=bool)")
PY_OP(count_nonzero, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "How many elements over axes are not zero, as an int64.\n\ndtypes: compared with zero, "
      "gives bool.\nshape: x without the axes; with keepdims, 1 in their place.\nraises: "
      "TypeError, AxisError and ValueError for axes.\n\n>>> jg.count_nonzero([[0, 1], [2, 3]], "
      "axis=0)\narray([1, 2], dtype=int64)")
PY_OP(mean, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, dtype=None, out=None, where=None, stream=None)\n"
      "--\n\n",
      "The arithmetic mean over axes; NaN over nothing.\n\ndtypes: promoted; bool and integers "
      "become the default float.\nshape: x without the axes; with keepdims, 1 in their place.\n"
      "raises: TypeError, AxisError and ValueError for axes.\n\n>>> jg.mean([[1.0, 2.0], [3.0, "
      "4.0]], axis=0)\narray([2., 3.], dtype=float32)")
PY_OP(var, SPREAD, PLAIN,
      "(x, /, axis=None, keepdims=False, correction=0.0, *, dtype=None, out=None, where=None, "
      "stream=None)\n--\n\n",
      "The mean squared distance from the mean over axes; correction is taken from the count.\n\n"
      "dtypes: promoted; bool and integers become the default float; complex gives the dtype of "
      "its\n    parts.\nshape: x without the axes; with keepdims, 1 in their place.\nraises: "
      "TypeError, AxisError and ValueError for axes.\n\n>>> jg.var([1.0, 2.0, 3.0, 4.0])\n"
      "array(1.25, dtype=float32)")
PY_OP(std, SPREAD, PLAIN,
      "(x, /, axis=None, keepdims=False, correction=0.0, *, dtype=None, out=None, where=None, "
      "stream=None)\n--\n\n",
      "The square root of var.\n\ndtypes: promoted; bool and integers become the default float; "
      "complex gives the dtype of its\n    parts.\nshape: x without the axes; with keepdims, 1 "
      "in their place.\nraises: TypeError, AxisError and ValueError for axes.\n\n>>> "
      "jg.std([1.0, 2.0, 3.0, 4.0], correction=1)\narray(1.2909944, dtype=float32)")
PY_OP(logsumexp, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "log of the sum of exp(x) over axes, without overflow; -inf over nothing.\n\ndtypes: "
      "promoted; bool and integers become the default float; complex is refused.\nshape: x "
      "without the axes; with keepdims, 1 in their place.\nraises: TypeError, AxisError and "
      "ValueError for axes.\n\n>>> jg.logsumexp([0.0, 0.0, 0.0, 0.0])\narray(1.3862944, "
      "dtype=float32)")
PY_OP(nansum, ACCUMULATION, PLAIN,
      "(x, /, axis=None, keepdims=False, dtype=None, *, stream=None)\n--\n\n",
      "sum over what is not NaN; over nothing else, 0.\n\ndtypes: bool and small integers become "
      "64 bits wide.\nshape: x without the axes; with keepdims, 1 in their place.\nraises: "
      "TypeError, AxisError and ValueError for axes.\n\n>>> jg.nansum([1.0, jg.nan, 2.0])\n"
      "array(3., dtype=float32)")
PY_OP(nanprod, ACCUMULATION, PLAIN,
      "(x, /, axis=None, keepdims=False, dtype=None, *, stream=None)\n--\n\n",
      "prod over what is not NaN; over nothing else, 1.\n\ndtypes: bool and small integers "
      "become 64 bits wide.\nshape: x without the axes; with keepdims, 1 in their place.\n"
      "raises: TypeError, AxisError and ValueError for axes.\n\n>>> jg.nanprod([3.0, jg.nan, "
      "2.0])\narray(6., dtype=float32)")
PY_OP(nanmax, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "max over what is not NaN; NaN where all are.\n\ndtypes: promoted; complex is refused.\n"
      "shape: x without the axes; with keepdims, 1 in their place.\nraises: TypeError, AxisError "
      "and ValueError for axes.\n\n>>> jg.nanmax([1.0, jg.nan, 2.0])\narray(2., dtype=float32)")
PY_OP(nanmin, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "min over what is not NaN; NaN where all are.\n\ndtypes: promoted; complex is refused.\n"
      "shape: x without the axes; with keepdims, 1 in their place.\nraises: TypeError, AxisError "
      "and ValueError for axes.\n\n>>> jg.nanmin([1.0, jg.nan, 2.0])\narray(1., dtype=float32)")
PY_OP(nanmean, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "mean over what is not NaN; NaN where all are.\n\ndtypes: promoted; bool and integers "
      "become the default float.\nshape: x without the axes; with keepdims, 1 in their place.\n"
      "raises: TypeError, AxisError and ValueError for axes.\n\n>>> jg.nanmean([1.0, jg.nan, "
      "2.0])\narray(1.5, dtype=float32)")
PY_OP(nanvar, SPREAD, PLAIN,
      "(x, /, axis=None, keepdims=False, correction=0.0, *, stream=None)\n--\n\n",
      "var over what is not NaN; NaN where no degree of freedom is left.\n\ndtypes: promoted; "
      "bool and integers become the default float; complex gives the dtype of its\n    parts.\n"
      "shape: x without the axes; with keepdims, 1 in their place.\nraises: TypeError, AxisError "
      "and ValueError for axes.\n\n>>> jg.nanvar([1.0, jg.nan, 2.0])\narray(0.25, dtype=float32)")
PY_OP(nanstd, SPREAD, PLAIN,
      "(x, /, axis=None, keepdims=False, correction=0.0, *, stream=None)\n--\n\n",
      "The square root of nanvar.\n\ndtypes: promoted; bool and integers become the default "
      "float; complex gives the dtype of its\n    parts.\nshape: x without the axes; with "
      "keepdims, 1 in their place.\nraises: TypeError, AxisError and ValueError for axes.\n\n>>> "
      "jg.nanstd([1.0, jg.nan, 2.0])\narray(0.5, dtype=float32)")
PY_OP(nanargmax, EXTREMUM_INDEX, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "argmax with NaN counted as -inf.\n\ndtypes: promoted; complex is refused.\nshape: x "
      "without the axis; with keepdims, 1 in its place.\nraises: TypeError, AxisError for axis, "
      "ValueError for no elements.\n\n>>> jg.nanargmax([1.0, jg.nan, 2.0])\narray(2, dtype=int64)")
PY_OP(nanargmin, EXTREMUM_INDEX, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "argmin with NaN counted as inf.\n\ndtypes: promoted; complex is refused.\nshape: x "
      "without the axis; with keepdims, 1 in its place.\nraises: TypeError, AxisError for axis, "
      "ValueError for no elements.\n\n>>> jg.nanargmin([1.0, jg.nan, 2.0])\narray(0, dtype=int64)")
PY_OP(nancumsum, RUNNING_SUM, PLAIN,
      "(x, /, axis=None, reverse=False, inclusive=True, dtype=None, *, stream=None)\n--\n\n",
      "cumsum with NaN counted as 0.\n\ndtypes: bool and small integers become 64 bits wide.\n"
      "shape: that of x; without an axis, one axis of all elements.\nraises: TypeError, "
      "AxisError for axis, ValueError.\n\n>>> jg.nancumsum([1.0, jg.nan, 2.0])\narray([1., 1., "
      "3.], dtype=float32)")
PY_OP(nancumprod, RUNNING_SUM, PLAIN,
      "(x, /, axis=None, reverse=False, inclusive=True, dtype=None, *, stream=None)\n--\n\n",
      "cumprod with NaN counted as 1.\n\ndtypes: bool and small integers become 64 bits wide.\n"
      "shape: that of x; without an axis, one axis of all elements.\nraises: TypeError, "
      "AxisError for axis, ValueError.\n\n>>> jg.nancumprod([3.0, jg.nan, 2.0])\narray([3., 3., "
      "6.], dtype=float32)")
PY_OP(argmax, EXTREMUM_INDEX, PLAIN,
      "(x, /, axis=None, keepdims=False, *, out=None, stream=None)\n--\n\n",
      "The index of the first largest value, along an axis or in row-major order; NaN counts.\n\n"
      "dtypes: promoted; complex is refused.\nshape: x without the axis; with keepdims, 1 in its "
      "place.\nraises: TypeError, AxisError for axis, ValueError for no elements.\n\n>>> "
      "jg.argmax([3, 9, 2])\narray(1, dtype=int64)")
PY_OP(argmin, EXTREMUM_INDEX, PLAIN,
      "(x, /, axis=None, keepdims=False, *, out=None, stream=None)\n--\n\n",
      "The index of the first smallest value, along an axis or in row-major order; NaN "
      "counts.\n\ndtypes: promoted; complex is refused.\nshape: x without the axis; with "
      "keepdims, 1 in its place.\nraises: TypeError, AxisError for axis, ValueError for no "
      "elements.\n\n>>> jg.argmin([[3, 9], [2, 8]], axis=1)\narray([0, 0], dtype=int64)")
PY_OP(cumsum, RUNNING_SUM, PLAIN,
      "(x, /, axis=None, reverse=False, inclusive=True, dtype=None, *, out=None, stream=None)\n"
      "--\n\n",
      "The running sum along an axis, or over all elements in row-major order.\n\ndtypes: bool "
      "and small integers become 64 bits wide.\nshape: that of x; without an axis, one axis of "
      "all elements.\nraises: TypeError, AxisError for axis, ValueError.\n\n>>> jg.cumsum([1, 2, "
      "3])\narray([1, 3, 6], dtype=int64)")
PY_OP(cumprod, RUNNING_SUM, PLAIN,
      "(x, /, axis=None, reverse=False, inclusive=True, dtype=None, *, out=None, stream=None)\n"
      "--\n\n",
      "The running product along an axis, or over all elements in row-major order.\n\ndtypes: "
      "bool and small integers become 64 bits wide.\nshape: that of x; without an axis, one axis "
      "of all elements.\nraises: TypeError, AxisError for axis, ValueError.\n\n>>> "
      "jg.cumprod([1, 2, 3, 4], reverse=True)\narray([24, 24, 12,  4], dtype=int64)")
PY_OP(cummax, RUNNING, PLAIN,
      "(x, /, axis=None, reverse=False, inclusive=True, *, stream=None)\n--\n\n",
      "The largest value so far along an axis; NaN once there is one.\n\ndtypes: promoted; "
      "complex is refused.\nshape: that of x; without an axis, one axis of all elements.\n"
      "raises: TypeError, AxisError for axis, ValueError.\n\n>>> jg.cummax([1, 3, 2, 5])\n"
      "array([1, 3, 3, 5], dtype=int64)")
PY_OP(cummin, RUNNING, PLAIN,
      "(x, /, axis=None, reverse=False, inclusive=True, *, stream=None)\n--\n\n",
      "The smallest value so far along an axis; NaN once there is one.\n\ndtypes: promoted; "
      "complex is refused.\nshape: that of x; without an axis, one axis of all elements.\n"
      "raises: TypeError, AxisError for axis, ValueError.\n\n>>> jg.cummin([4, 3, 5, 1])\n"
      "array([4, 3, 3, 1], dtype=int64)")
PY_OP(logcumsumexp, RUNNING, PLAIN,
      "(x, /, axis=None, reverse=False, inclusive=True, *, stream=None)\n--\n\n",
      "The logarithm of the running sum of exp(x), without overflow.\n\ndtypes: promoted; bool "
      "and integers become the default float; complex is refused.\nshape: that of x; without an "
      "axis, one axis of all elements.\nraises: TypeError, AxisError for axis, ValueError.\n\n"
      ">>> jg.logcumsumexp([0.0, 0.0, 0.0])\narray([0.       , 0.6931472, 1.0986123], "
      "dtype=float32)")
PY_OP(cumulative_sum, CUMULATIVE, PLAIN,
      "(x, /, axis=None, dtype=None, include_initial=False, *, stream=None)\n--\n\n",
      "The running sum along an axis, which a vector need not name; perhaps 0 first.\n\ndtypes: "
      "bool and small integers become 64 bits wide.\nshape: that of x; with include_initial, one "
      "more along the axis.\nraises: TypeError, AxisError for axis, ValueError.\n\n>>> "
      "jg.cumulative_sum([1, 2, 3], include_initial=True)\narray([0, 1, 3, 6], dtype=int64)")
PY_OP(cumulative_prod, CUMULATIVE, PLAIN,
      "(x, /, axis=None, dtype=None, include_initial=False, *, stream=None)\n--\n\n",
      "The running product along an axis, which a vector need not name; perhaps 1 first.\n\n"
      "dtypes: bool and small integers become 64 bits wide.\nshape: that of x; with "
      "include_initial, one more along the axis.\nraises: TypeError, AxisError for axis, "
      "ValueError.\n\n>>> jg.cumulative_prod([1, 2, 3])\narray([1, 2, 6], dtype=int64)")
PY_OP(diff, DIFFERENCE, PLAIN,
      "(x, /, n=1, axis=-1, prepend=None, append=None, *, stream=None)\n--\n\n",
      "Differences of neighbours along an axis, n times over, the ends joined first.\n\ndtypes: "
      "promoted; bool stays bool.\nshape: that of x, n shorter along the axis.\nraises: "
      "TypeError, AxisError for axis, ValueError for a negative n and shapes that do not\n    "
      "fit.\n\n>>> jg.diff([1, 4, 9, 16])\narray([3, 5, 7], dtype=int64)")
PY_OP(softmax, SOFTMAX, PLAIN,
      "(x, /, axis=None, *, stream=None)\n--\n\n",
      "exp(x) over its sum along axes, without overflow.\n\ndtypes: promoted; bool and integers "
      "become the default float; complex is refused.\nshape: that of x.\nraises: TypeError, "
      "AxisError and ValueError for axes.\n\n>>> jg.softmax([1.0, 1.0, 1.0, 1.0])\narray([0.25, "
      "0.25, 0.25, 0.25], dtype=float32)")
PY_OP(log_softmax, SOFTMAX, PLAIN,
      "(x, /, axis=None, *, stream=None)\n--\n\n",
      "The logarithm of softmax, without overflow.\n\ndtypes: promoted; bool and integers become "
      "the default float; complex is refused.\nshape: that of x.\nraises: TypeError, AxisError "
      "and ValueError for axes.\n\n>>> jg.log_softmax([0.0, 0.0])\narray([-0.6931472, "
      "-0.6931472], dtype=float32)")
PY_OP(rms_norm, RMS_NORM, PLAIN,
      "(x, weight, /, eps, *, stream=None)\n--\n\n",
      "x over the root of its mean square along the last axis, times weight.\n\ndtypes: "
      "promoted; bool and integers become the default float; complex is refused.\nshape: that of "
      "x.\nraises: TypeError, ValueError for shapes that do not fit.\n\n>>> jg.rms_norm([3.0, "
      "4.0], None, 0.0)\narray([0.84852815, 1.1313709 ], dtype=float32)")
PY_OP(rope, ROPE, NONE,
      "(a, /, dims, traditional, base, scale, offset, freqs=None, *, stream=None)\n--\n\n",
      "Pairs of the first dims features turned by angles that grow with the position.\n\ndtypes: "
      "promoted; bool and integers become the default float; complex is refused.\nshape: that of "
      "a.\nraises: TypeError, ValueError for shapes that do not fit.\n\n>>> jg.rope(jg.ones((1, "
      "1, 2, 2)), 2, False, 10000.0, 1.0, 0)\narray([[[[ 1.        ,  1.        ],\n         "
      "[-0.30116868,  1.3817732 ]]]], dtype=float32)")
PY_OP(cross_entropy, CROSS_ENTROPY, NONE,
      "(logits, targets, /, *, stream=None)\n--\n\n",
      "logsumexp(logits) - logits[target] along the last axis, in float32 at least.\n\ndtypes: "
      "promoted; bool and integers become the default float; complex is refused.\nshape: logits "
      "without the last axis.\nraises: TypeError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.cross_entropy([[0.0, 0.0], [5.0, -5.0]], [0, 0])\narray([6.931472e-01, 4.529953e-05], "
      "dtype=float32)")
PY_OP(layer_norm, LAYER_NORM, PLAIN,
      "(x, weight, bias, /, eps, *, stream=None)\n--\n\n",
      "x brought to mean 0 and variance 1 along the last axis, times weight, plus bias.\n\n"
      "dtypes: promoted; bool and integers become the default float; complex is refused.\nshape: "
      "that of x.\nraises: TypeError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.layer_norm([1.0, 2.0, 3.0], None, None, 0.0)\narray([-1.2247448,  0.       ,  "
      "1.2247448], dtype=float32)")
PY_OP(gather, GATHER, PLAIN,
      "(x, indices, /, axes, *, stream=None)\n--\n\n",
      "The slices of x at what index arrays say along the axes; the arrays' own axes come "
      "first.\n\ndtypes: anything computable, unchanged.\nshape: the indices broadcast together, "
      "then x without the axes.\nraises: TypeError, AxisError, IndexError and ValueError for "
      "axes and indices.\n\n>>> jg.gather([[1, 2], [3, 4]], [[1, 0, 1]], [0])\narray([[3, "
      "4],\n       [1, 2],\n       [3, 4]], dtype=int64)")
PY_OP(take, TAKE, PLAIN,
      "(x, indices, /, axis=None, *, out=None, stream=None)\n--\n\n",
      "The slices of x at the indices along an axis, or the elements at them in row-major "
      "order.\n\ndtypes: anything computable, unchanged.\nshape: x with the axis replaced by the "
      "shape of indices.\nraises: TypeError, AxisError for axis.\n\n>>> jg.take([10, 20, 30], "
      "[2, 0])\narray([30, 10], dtype=int64)")
PY_OP(take_along_axis, TAKE_ALONG, PLAIN,
      "(x, indices, /, axis=-1, *, stream=None)\n--\n\n",
      "The elements of x at the indices along an axis; x and indices match along the others.\n\n"
      "dtypes: anything computable, unchanged.\nshape: indices, with the other axes broadcast.\n"
      "raises: TypeError, AxisError for axis, ValueError for shapes that do not fit.\n\n>>> "
      "jg.take_along_axis([[3, 1, 2]], [[1, 2, 0]], axis=1)\narray([[1, 2, 3]], dtype=int64)")
PY_OP(put_along_axis, PUT_ALONG, PLAIN,
      "(x, indices, values, /, axis=None, *, stream=None)\n--\n\n",
      "x with values at the indices along an axis; the three match along the others.\n\ndtypes: "
      "anything computable, unchanged.\nshape: that of x.\nraises: TypeError, AxisError for "
      "axis, ValueError for shapes that do not fit.\n\n>>> jg.put_along_axis([[0, 0, 0]], [[1]], "
      "[[7]], axis=1)\narray([[0, 7, 0]], dtype=int64)")
PY_OP(scatter, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "x with updates at what index arrays say along the axes; of several for an element the "
      "last.\n\ndtypes: anything computable, unchanged.\nshape: that of x.\nraises: TypeError, "
      "AxisError, IndexError and ValueError for axes, indices and updates.\n\n>>> jg.scatter([0, "
      "0, 0], [[2, 0]], [5, 6], [0])\narray([6, 0, 5], dtype=int64)")
PY_OP(scatter_add, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "x with updates added at what index arrays say along the axes, one after the other.\n\n"
      "dtypes: promoted; bool stays bool.\nshape: that of x.\nraises: TypeError, AxisError, "
      "IndexError and ValueError for axes, indices and updates.\n\n>>> jg.scatter_add([1, 1, 1], "
      "[[2, 2]], [5, 6], [0])\narray([ 1,  1, 12], dtype=int64)")
PY_OP(scatter_subtract, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "x with updates subtracted at what index arrays say along the axes.\n\ndtypes: promoted; "
      "bool is refused.\nshape: that of x.\nraises: TypeError, AxisError, IndexError and "
      "ValueError for axes, indices and updates.\n\n>>> jg.scatter_subtract([9, 9], [[0, 0]], "
      "[1, 2], [0])\narray([6, 9], dtype=int64)")
PY_OP(scatter_multiply, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "x multiplied by updates at what index arrays say along the axes.\n\ndtypes: promoted; "
      "bool stays bool.\nshape: that of x.\nraises: TypeError, AxisError, IndexError and "
      "ValueError for axes, indices and updates.\n\n>>> jg.scatter_multiply([2, 2], [[1, 1]], "
      "[3, 4], [0])\narray([ 2, 24], dtype=int64)")
PY_OP(scatter_divide, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "x, no integers, divided by updates at what index arrays say along the axes.\n\ndtypes: "
      "promoted; bool and integers become the default float.\nshape: that of x.\nraises: "
      "TypeError, AxisError, IndexError and ValueError for axes, indices and updates.\n\n>>> "
      "jg.scatter_divide([8.0, 8.0], [[1]], [4.0], [0])\narray([8., 2.], dtype=float32)")
PY_OP(scatter_power, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "x raised to updates at what index arrays say along the axes, one after the other.\n\n"
      "dtypes: promoted; bool and complex are refused.\nshape: that of x.\nraises: TypeError, "
      "AxisError, IndexError and ValueError for axes, indices and updates.\n\n>>> "
      "jg.scatter_power([2.0, 3.0], [[1]], [2.0], [0])\narray([2., 9.], dtype=float32)")
PY_OP(scatter_max, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "The larger of x and updates at what index arrays say along the axes; NaN if either is.\n\n"
      "dtypes: promoted; complex is refused.\nshape: that of x.\nraises: TypeError, AxisError, "
      "IndexError and ValueError for axes, indices and updates.\n\n>>> jg.scatter_max([2, 2], "
      "[[0, 1]], [1, 3], [0])\narray([2, 3], dtype=int64)")
PY_OP(scatter_min, SCATTER, PLAIN,
      "(x, indices, updates, /, axes, *, stream=None)\n--\n\n",
      "The smaller of x and updates at what index arrays say along the axes; NaN if either "
      "is.\n\ndtypes: promoted; complex is refused.\nshape: that of x.\nraises: TypeError, "
      "AxisError, IndexError and ValueError for axes, indices and updates.\n\n>>> "
      "jg.scatter_min([2, 2], [[0, 1]], [1, 3], [0])\narray([1, 2], dtype=int64)")
PY_OP(nonzero, TRUE_INDICES, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Where x is not zero: for each axis, the coordinates as int64. Computes x.\n\ndtypes: "
      "anything computable, unchanged.\nshape: (n,) each, for n that are not zero.\nraises: "
      "TypeError, ValueError for x without axes.\n\n>>> jg.nonzero([[0, 1], [2, 0]])\n(array([0, "
      "1], dtype=int64), array([1, 0], dtype=int64))")
PY_OP(argwhere, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Where x is not zero: a row of coordinates for each element. Computes x.\n\ndtypes: "
      "anything computable, unchanged.\nshape: that of x.\nraises: TypeError.\n\n>>> "
      "jg.argwhere([[0, 1], [2, 0]])\narray([[0, 1],\n       [1, 0]], dtype=int64)")
PY_OP(flatnonzero, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Where x is not zero, counted in row-major order. Computes x.\n\ndtypes: anything "
      "computable, unchanged.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.flatnonzero([[0, "
      "1], [2, 0]])\narray([1, 2], dtype=int64)")
PY_OP(compress, COMPRESS, NONE,
      "(condition, x, /, axis=None, *, stream=None)\n--\n\n",
      "The slices of x along an axis for which the condition holds. Computes the condition.\n\n"
      "dtypes: anything computable, unchanged.\nshape: that of x, as many along the axis as are "
      "true.\nraises: TypeError, AxisError for axis.\n\n>>> jg.compress([True, False, True], [1, "
      "2, 3])\narray([1, 3], dtype=int64)")
PY_OP(extract, EXTRACT, NONE,
      "(condition, x, /, *, stream=None)\n--\n\n",
      "The elements of x, in row-major order, for which the condition holds. Computes it.\n\n"
      "dtypes: anything computable, unchanged.\nshape: (n,) for n that are true.\nraises: "
      "TypeError.\n\n>>> jg.extract([[True, False], [False, True]], [[1, 2], [3, 4]])\narray([1, "
      "4], dtype=int64)")
PY_OP(matmul, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The matrix product over the last two axes, the others broadcast.\n\ndtypes: promoted; "
      "bool is refused.\nshape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for "
      "shapes that do not fit.\n\n>>> jg.matmul([[1, 2], [3, 4]], [5, 6])\narray([17, 39], "
      "dtype=int64)")
PY_OP(gather_mm, GATHER_MM, NONE,
      "(a, b, /, lhs_indices=None, rhs_indices=None, sorted_indices=False, *, stream=None)\n"
      "--\n\n",
      "a @ b of those matrices of a and b that index arrays say.\n\ndtypes: promoted; bool is "
      "refused.\nshape: the indices broadcast, then (m, n).\nraises: TypeError, ValueError for "
      "shapes that do not fit, IndexError for indices.\n\n>>> jg.gather_mm(jg.ones((1, 2)), "
      "jg.ones((3, 2, 4)), rhs_indices=jg.array([2, 0])).shape\n(2, 1, 4)")
PY_OP(block_masked_mm, BLOCK_MASKED_MM, NONE,
      "(a, b, /, block_size=64, mask_out=None, mask_lhs=None, mask_rhs=None, *, stream=None)\n"
      "--\n\n",
      "a @ b with blocks of a, b and the product masked out, or times numbers.\n\ndtypes: "
      "promoted; bool is refused.\nshape: (..., m, n) of a (..., m, k) and b (..., k, n).\n"
      "raises: TypeError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.block_masked_mm(jg.ones((32, 32)), jg.ones((32, 32)), 32).shape\n(32, 32)")
PY_OP(segmented_mm, SEGMENTED_MM, NONE,
      "(a, b, /, segments, *, stream=None)\n--\n\n",
      "a @ b for each segment of the inner axis, given by its ends.\n\ndtypes: promoted; bool is "
      "refused.\nshape: (s, m, n) for s segments.\nraises: TypeError, ValueError for shapes that "
      "do not fit.\n\n>>> jg.segmented_mm(jg.ones((2, 4)), jg.ones((4, 3)), jg.array([[0, 2], "
      "[2, 4]])).shape\n(2, 2, 3)")
PY_OP(addmm, ADDMM, NONE,
      "(c, a, b, /, alpha=1.0, beta=1.0, *, stream=None)\n--\n\n",
      "alpha * (a @ b) + beta * c.\n\ndtypes: promoted; bool is refused.\nshape: (..., n, m) of "
      "a (..., n, k) and b (..., k, m).\nraises: TypeError, ValueError for shapes that do not "
      "fit.\n\n>>> jg.addmm([1.0, 1.0], [[1.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]], alpha=2.0)\n"
      "array([[3., 5.]], dtype=float32)")
PY_OP(outer, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Every element of x1 times every element of x2, both flattened.\n\ndtypes: promoted; bool "
      "stays bool.\nshape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for "
      "shapes that do not fit.\n\n>>> jg.outer([1, 2], [3, 4])\narray([[3, 4],\n       [6, 8]], "
      "dtype=int64)")
PY_OP(inner, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "Sums of products over the last axes; of a 0-d operand, the product.\n\ndtypes: promoted; "
      "bool is refused.\nshape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for "
      "shapes that do not fit.\n\n>>> jg.inner([1, 2], [3, 4])\narray(11, dtype=int64)")
PY_OP(vecdot, VECDOT, NONE,
      "(x1, x2, /, axis=-1, *, stream=None)\n--\n\n",
      "The sum of conj(x1) * x2 along an axis, the others broadcast.\n\ndtypes: promoted; bool "
      "is refused.\nshape: x1 and x2 broadcast together, without the axis.\nraises: TypeError, "
      "AxisError for axis, ValueError for shapes that do not fit.\n\n>>> jg.vecdot([[1, 2], [3, "
      "4]], [1, 1])\narray([3, 7], dtype=int64)")
PY_OP(tensordot, TENSORDOT, NONE,
      "(x1, x2, /, axes=2, *, stream=None)\n--\n\n",
      "Sums of products over pairs of axes.\n\ndtypes: promoted; bool is refused.\nshape: the "
      "other axes of x1, then those of x2.\nraises: TypeError, AxisError and ValueError for axes "
      "and shapes.\n\n>>> jg.tensordot([[1, 2], [3, 4]], [[1, 0], [0, 1]], axes=2)\narray(5, "
      "dtype=int64)")
PY_OP(einsum, EINSUM, NONE,
      "(subscripts, /, *operands, stream=None)\n--\n\n",
      "Einstein's summation: products summed over the labels that the result does not have.\n\n"
      "dtypes: promoted; bool is refused.\nshape: as the subscripts say.\nraises: TypeError, "
      "ValueError for subscripts and shapes.\n\n>>> jg.einsum(\"ij,kj->ik\", [[1, 2]], [[3, 4], "
      "[5, 6]])\narray([[11, 17]], dtype=int64)")
PY_OP(scaled_dot_product_attention, ATTENTION, NONE,
      "(q, k, v, /, scale, mask=None, causal=False, *, stream=None)\n--\n\n",
      "softmax(scale * q @ k.T + mask) @ v for each head, a block of queries at a time.\n\n"
      "dtypes: promoted; bool and integers become the default float; complex is refused.\nshape: "
      "q (B, N, L, D), k (B, M, S, D) and v (B, M, S, E) give (B, N, L, E); M divides N.\n"
      "raises: TypeError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.scaled_dot_product_attention(*3 * [jg.ones((1, 1, 2, 2))], scale=0.5)\narray([[[[1., "
      "1.],\n         [1., 1.]]]], dtype=float32)")
PY_OP(quantize, QUANTIZE, NONE,
      "(w, /, group_size=None, bits=None, mode=\"affine\", global_scale=None, *, stream=None)\n"
      "--\n\n",
      "Words of codes of a few bits, and for each group of them a scale, in affine mode a "
      "bias.\n\ndtypes: promoted; bool and integers become the default float; complex is "
      "refused.\nshape: w with bits / 32 of the last extent; scales and biases one for each "
      "group.\nraises: TypeError, ValueError.\n\n>>> [part.shape for part in "
      "jg.quantize(jg.ones((2, 64)), group_size=64, bits=4)]\n[(2, 8), (2, 1), (2, 1)]")
PY_OP(dequantize, DEQUANTIZE, NONE,
      "(w, /, scales, biases=None, group_size=None, bits=None, mode=\"affine\", "
      "global_scale=None, dtype=None, *, stream=None)\n--\n\n",
      "The numbers that a quantised matrix stands for.\n\ndtypes: promoted; bool and integers "
      "become the default float; complex is refused.\nshape: w with 32 / bits of the last "
      "extent.\nraises: TypeError, ValueError.\n\n>>> jg.dequantize(*jg.quantize(jg.ones((1, "
      "64)), group_size=64, bits=8), group_size=64, bits=8).shape\n(1, 64)")
PY_OP(quantized_matmul, QUANTIZED_MATMUL, PLAIN,
      "(x, w, /, scales, biases=None, transpose=True, group_size=None, bits=None, "
      "mode=\"affine\", *, stream=None)\n--\n\n",
      "x @ w.T, or x @ w, of a quantised matrix w, which is expanded in the cache only.\n\n"
      "dtypes: promoted; bool and integers become the default float; complex is refused.\nshape: "
      "(..., m, n) of x (..., m, k).\nraises: TypeError, ValueError.\n\n>>> "
      "jg.quantized_matmul(jg.ones((1, 64)), *jg.quantize(jg.ones((2, 64)), group_size=64, "
      "bits=4), group_size=64, bits=4)\narray([[64., 64.]], dtype=float32)")
PY_OP(gather_qmm, GATHER_QMM, PLAIN,
      "(x, w, /, scales, biases=None, lhs_indices=None, rhs_indices=None, transpose=True, "
      "group_size=None, bits=None, mode=\"affine\", global_scale=None, sorted_indices=False, *, "
      "stream=None)\n--\n\n",
      "quantized_matmul of those matrices of x and w that index arrays say.\n\ndtypes: promoted; "
      "bool and integers become the default float; complex is refused.\nshape: the indices "
      "broadcast, then (m, n).\nraises: TypeError, ValueError, IndexError for indices.\n\n>>> "
      "jg.gather_qmm(jg.ones((1, 64)), *jg.quantize(jg.ones((3, 2, 64))), "
      "rhs_indices=jg.array([2, 0])).shape\n(2, 1, 2)")
PY_OP(qqmm, QQMM, PLAIN,
      "(x, w, /, scales=None, group_size=None, bits=None, mode=\"nvfp4\", global_scale_x=None, "
      "global_scale_w=None, *, stream=None)\n--\n\n",
      "x @ w.T with x quantised and read again on the way, and w, too, unless it is "
      "quantised.\n\ndtypes: promoted; bool and integers become the default float; complex is "
      "refused.\nshape: (..., m, n) of x (..., m, k).\nraises: TypeError, ValueError.\n\n>>> "
      "jg.qqmm(jg.ones((1, 64)), jg.ones((2, 64)), group_size=32, bits=8, mode=\"mxfp8\").shape\n"
      "(1, 2)")
PY_OP(gather_qqmm, GATHER_QQMM, PLAIN,
      "(x, w, /, scales=None, lhs_indices=None, rhs_indices=None, group_size=None, bits=None, "
      "mode=\"nvfp4\", global_scale_x=None, global_scale_w=None, sorted_indices=False, *, "
      "stream=None)\n--\n\n",
      "qqmm of those matrices of x and w that index arrays say.\n\ndtypes: promoted; bool and "
      "integers become the default float; complex is refused.\nshape: the indices broadcast, "
      "then (m, n).\nraises: TypeError, ValueError, IndexError for indices.\n\n>>> "
      "jg.gather_qqmm(jg.ones((1, 64)), *jg.quantize(jg.ones((3, 2, 64)), mode=\"mxfp8\"), "
      "rhs_indices=jg.array([2]), mode=\"mxfp8\").shape\n(1, 1, 2)")
PY_OP(hadamard_transform, HADAMARD, NONE,
      "(a, /, scale=None, *, stream=None)\n--\n\n",
      "The Walsh-Hadamard transform along the last axis, times scale: by default orthonormal.\n\n"
      "dtypes: promoted; bool and integers become the default float; complex is refused.\nshape: "
      "that of x.\nraises: TypeError, ValueError for a last extent that has no transform.\n\n>>> "
      "jg.hadamard_transform(jg.array([1.0, 1.0, 0.0, 0.0]), scale=1.0)\narray([2., 0., 2., 0.], "
      "dtype=float32)")
PY_OP(to_fp8, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x rounded to E4M3 floats, where it is too large to 448, as uint8.\n\ndtypes: promoted; "
      "bool and integers become the default float; complex is refused.\nshape: that of x.\n"
      "raises: TypeError.\n\n>>> jg.to_fp8([1.0, 2.0]).dtype\njoggle.uint8")
PY_OP(from_fp8, FROM_FP8, PLAIN,
      "(x, /, dtype=None, *, stream=None)\n--\n\n",
      "The numbers of E4M3 floats that are given as uint8.\n\ndtypes: promoted; integers only.\n"
      "shape: that of x.\nraises: TypeError.\n\n>>> jg.from_fp8(jg.to_fp8([1.0, 2.0]), "
      "jg.float32)\narray([1., 2.], dtype=float32)")
PY_OP(eye, EYE, NONE,
      "(n_rows, n_cols=None, k=0, dtype=None, *, device=None, stream=None)\n--\n\n",
      "A matrix of ones on diagonal k and zeros elsewhere.\n\ndtypes: anything computable, "
      "unchanged.\nshape: (n_rows, n_cols).\nraises: TypeError, ValueError.\n\n>>> jg.eye(2, 3, "
      "1)\narray([[0., 1., 0.],\n       [0., 0., 1.]], dtype=float32)")
PY_OP(identity, IDENTITY, NONE,
      "(n, dtype=None, *, device=None, stream=None)\n--\n\n",
      "A square matrix of ones on the diagonal and zeros elsewhere.\n\ndtypes: anything "
      "computable, unchanged.\nshape: (n, n).\nraises: TypeError, ValueError.\n\n>>> "
      "jg.identity(2)\narray([[1., 0.],\n       [0., 1.]], dtype=float32)")
PY_OP(tri, EYE, NONE,
      "(n_rows, n_cols=None, k=0, dtype=None, *, device=None, stream=None)\n--\n\n",
      "A matrix of ones on diagonal k and below, and zeros above.\n\ndtypes: anything "
      "computable, unchanged.\nshape: (n_rows, n_cols).\nraises: TypeError, ValueError.\n\n>>> "
      "jg.tri(2, 3)\narray([[1., 0., 0.],\n       [1., 1., 0.]], dtype=float32)")
PY_OP(linspace, LINSPACE, NONE,
      "(start, stop, num=50, endpoint=True, dtype=None, *, device=None, stream=None)\n--\n\n",
      "num numbers evenly from start to stop, which is the last if it is to be one.\n\ndtypes: "
      "anything computable, unchanged.\nshape: (num,).\nraises: TypeError, ValueError.\n\n>>> "
      "jg.linspace(0, 1, 5)\narray([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)")
PY_OP(logspace, LOGSPACE, NONE,
      "(start, stop, num=50, endpoint=True, base=10.0, dtype=None, *, device=None, stream=None)\n"
      "--\n\n",
      "base raised to linspace(start, stop, num, endpoint).\n\ndtypes: anything computable, "
      "unchanged.\nshape: (num,).\nraises: TypeError, ValueError.\n\n>>> jg.logspace(0, 2, 3)\n"
      "array([  1.,  10., 100.], dtype=float32)")
PY_OP(vander, POWERS, PLAIN,
      "(x, /, N=None, increasing=False, *, stream=None)\n--\n\n",
      "The matrix of N powers of the vector x, in its columns, the highest first.\n\ndtypes: "
      "bool and small integers become 64 bits wide.\nshape: (len(x), N).\nraises: TypeError, "
      "ValueError.\n\n>>> jg.vander([2, 3], 3)\narray([[4, 2, 1],\n       [9, 3, 1]], "
      "dtype=int64)")
PY_OP(hanning, WINDOW, NONE,
      "(M, *, stream=None)\n--\n\n",
      "The Hann window of M points, as float32.\n\ndtypes: anything computable, unchanged.\n"
      "shape: (M,).\nraises: ValueError for a negative M.\n\n>>> jg.hanning(5)\narray([0. , 0.5, "
      "1. , 0.5, 0. ], dtype=float32)")
PY_OP(hamming, WINDOW, NONE,
      "(M, *, stream=None)\n--\n\n",
      "The Hamming window of M points, as float32.\n\ndtypes: anything computable, unchanged.\n"
      "shape: (M,).\nraises: ValueError for a negative M.\n\n>>> jg.hamming(3)\narray([0.08, 1.  "
      ", 0.08], dtype=float32)")
PY_OP(blackman, WINDOW, NONE,
      "(M, *, stream=None)\n--\n\n",
      "The Blackman window of M points, as float32.\n\ndtypes: anything computable, unchanged.\n"
      "shape: (M,).\nraises: ValueError for a negative M.\n\n>>> jg.abs(jg.blackman(3)) < 2\n"
      "array([ True,  True,  True], dtype=bool)")
PY_OP(bartlett, WINDOW, NONE,
      "(M, *, stream=None)\n--\n\n",
      "The triangle of M points from 0 to 1 and back, as float32.\n\ndtypes: anything "
      "computable, unchanged.\nshape: (M,).\nraises: ValueError for a negative M.\n\n>>> "
      "jg.bartlett(5)\narray([0. , 0.5, 1. , 0.5, 0. ], dtype=float32)")
PY_OP(tril, TRIANGLE, PLAIN,
      "(x, /, k=0, *, stream=None)\n--\n\n",
      "The matrices of x with zeros above diagonal k.\n\ndtypes: anything computable, "
      "unchanged.\nshape: that of x.\nraises: TypeError, ValueError.\n\n>>> jg.tril([[1, 2], [3, "
      "4]])\narray([[1, 0],\n       [3, 4]], dtype=int64)")
PY_OP(triu, TRIANGLE, PLAIN,
      "(x, /, k=0, *, stream=None)\n--\n\n",
      "The matrices of x with zeros below diagonal k.\n\ndtypes: anything computable, "
      "unchanged.\nshape: that of x.\nraises: TypeError, ValueError.\n\n>>> jg.triu([[1, 2], [3, "
      "4]], 1)\narray([[0, 2],\n       [0, 0]], dtype=int64)")
PY_OP(diag, TRIANGLE, PLAIN,
      "(x, /, k=0, *, stream=None)\n--\n\n",
      "A matrix with the vector x on diagonal k; of a matrix, that diagonal.\n\ndtypes: anything "
      "computable, unchanged.\nshape: that of x.\nraises: TypeError, ValueError.\n\n>>> "
      "jg.diag([1, 2])\narray([[1, 0],\n       [0, 2]], dtype=int64)")
PY_OP(concat, JOINED, NONE,
      "(arrays, /, axis=0, *, stream=None)\n--\n\n",
      "The arrays one after the other along an axis, in their common dtype.\n\ndtypes: anything "
      "computable, unchanged.\nshape: the extents along the axis added up.\nraises: TypeError, "
      "AxisError for axis, ValueError for shapes that do not fit.\n\n>>> jg.concat([[1, 2], "
      "[3]])\narray([1, 2, 3], dtype=int64)")
PY_OP(stack, STACKED, NONE,
      "(arrays, /, axis=0, *, stream=None)\n--\n\n",
      "The arrays side by side along a new axis, in their common dtype.\n\ndtypes: anything "
      "computable, unchanged.\nshape: that of the arrays with one more axis.\nraises: TypeError, "
      "AxisError for axis, ValueError for shapes that do not fit.\n\n>>> jg.stack([[1, 2], [3, "
      "4]], axis=1)\narray([[1, 3],\n       [2, 4]], dtype=int64)")
PY_OP(hstack, SEVERAL, NONE,
      "(arrays, /, *, stream=None)\n--\n\n",
      "The arrays one after the other along the second axis, vectors along their only one.\n\n"
      "dtypes: anything computable, unchanged.\nshape: the extents along one axis added up.\n"
      "raises: TypeError, AxisError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.hstack([[1, 2], [3]])\narray([1, 2, 3], dtype=int64)")
PY_OP(vstack, SEVERAL, NONE,
      "(arrays, /, *, stream=None)\n--\n\n",
      "The arrays one after the other along the first axis, vectors as rows.\n\ndtypes: anything "
      "computable, unchanged.\nshape: the extents along one axis added up.\nraises: TypeError, "
      "AxisError, ValueError for shapes that do not fit.\n\n>>> jg.vstack([[1, 2], [3, 4]])\n"
      "array([[1, 2],\n       [3, 4]], dtype=int64)")
PY_OP(pad, PADDED, PLAIN,
      "(x, /, pad_width, mode=\"constant\", constant_values=None, *, stream=None)\n--\n\n",
      "x with elements before and after it on each axis.\n\ndtypes: anything computable, "
      "unchanged.\nshape: x with pad_width added.\nraises: TypeError, ValueError.\n\n>>> "
      "jg.pad([1, 2], (1, 2), constant_values=9)\narray([9, 1, 2, 9, 9], dtype=int64)")
PY_OP(roll, ROLLED, PLAIN,
      "(x, /, shift, axis=None, *, stream=None)\n--\n\n",
      "x with the elements along axes moved on, those at the end to the front.\n\ndtypes: "
      "anything computable, unchanged.\nshape: that of x.\nraises: TypeError, AxisError and "
      "ValueError for axes.\n\n>>> jg.roll([1, 2, 3], 1)\narray([3, 1, 2], dtype=int64)")
PY_OP(tile, TILED, PLAIN,
      "(x, /, repetitions, *, stream=None)\n--\n\n",
      "x as often as asked for along each axis.\n\ndtypes: anything computable, unchanged.\n"
      "shape: x's extents times the repetitions.\nraises: ValueError.\n\n>>> jg.tile([1, 2], 2)\n"
      "array([1, 2, 1, 2], dtype=int64)")
PY_OP(repeat, REPEATED, PLAIN,
      "(x, repeats, /, axis=None, *, stream=None)\n--\n\n",
      "Each element repeats times, one number for all or for each; the numbers are read at "
      "once.\n\ndtypes: anything computable, unchanged.\nshape: x with the axis as long as the "
      "repeats together.\nraises: TypeError, AxisError, ValueError.\n\n>>> jg.repeat([1, 2], 2)\n"
      "array([1, 1, 2, 2], dtype=int64)")
PY_OP(conv1d, CONVOLUTION, NONE,
      "(input, weight, /, stride=1, padding=0, dilation=1, groups=1, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "Sums of weight times what lies under it in input, along one axis of space.\n\ndtypes: "
      "promoted; bool and integers become the default float.\nshape: input with the extents of "
      "windows that fit and weight's output channels.\nraises: TypeError, ValueError for numbers "
      "and shapes that do not fit.\n\n>>> jg.conv1d(jg.arange(5.0).reshape(1, 5, 1), jg.ones((1, "
      "3, 1))).reshape(-1)\narray([3., 6., 9.], dtype=float32)")
PY_OP(conv2d, CONVOLUTION, NONE,
      "(input, weight, /, stride=1, padding=0, dilation=1, groups=1, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "Sums of weight times what lies under it in input, along two axes of space.\n\ndtypes: "
      "promoted; bool and integers become the default float.\nshape: input with the extents of "
      "windows that fit and weight's output channels.\nraises: TypeError, ValueError for numbers "
      "and shapes that do not fit.\n\n>>> jg.conv2d(jg.ones((1, 3, 3, 1)), jg.ones((1, 2, 2, "
      "1))).reshape(2, 2)\narray([[4., 4.],\n       [4., 4.]], dtype=float32)")
PY_OP(conv3d, CONVOLUTION, NONE,
      "(input, weight, /, stride=1, padding=0, dilation=1, groups=1, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "Sums of weight times what lies under it in input, along three axes of space.\n\ndtypes: "
      "promoted; bool and integers become the default float.\nshape: input with the extents of "
      "windows that fit and weight's output channels.\nraises: TypeError, ValueError for numbers "
      "and shapes that do not fit.\n\n>>> jg.conv3d(jg.ones((1, 3, 3, 3, 2)), jg.ones((4, 2, 2, "
      "2, 2))).shape\n(1, 2, 2, 2, 4)")
PY_OP(conv_general, CONVOLUTION_ANY, NONE,
      "(input, weight, /, stride=1, padding=0, kernel_dilation=1, input_dilation=1, groups=1, "
      "flip=False, data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "A convolution along one to three axes; flip reverses weight.\n\ndtypes: promoted; bool "
      "and integers become the default float.\nshape: input with the extents of windows that fit "
      "and weight's output channels.\nraises: TypeError, ValueError for numbers and shapes that "
      "do not fit.\n\n>>> jg.conv_general(jg.ones((1, 4, 1)), jg.ones((1, 2, 1)), "
      "input_dilation=2).shape\n(1, 6, 1)")
PY_OP(conv_transpose1d, CONVOLUTION_TURNED, NONE,
      "(input, weight, /, stride=1, padding=0, dilation=1, output_padding=0, groups=1, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The transpose of conv1d: strides are taken by the result.\n\ndtypes: promoted; bool and "
      "integers become the default float.\nshape: input with the extents that give it back and "
      "weight's output channels.\nraises: TypeError, ValueError for numbers and shapes that do "
      "not fit.\n\n>>> jg.conv_transpose1d(jg.ones((1, 2, 1)), jg.ones((1, 2, 1)), "
      "stride=2).reshape(-1)\narray([1., 1., 1., 1.], dtype=float32)")
PY_OP(conv_transpose2d, CONVOLUTION_TURNED, NONE,
      "(input, weight, /, stride=1, padding=0, dilation=1, output_padding=0, groups=1, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The transpose of conv2d: strides are taken by the result.\n\ndtypes: promoted; bool and "
      "integers become the default float.\nshape: input with the extents that give it back and "
      "weight's output channels.\nraises: TypeError, ValueError for numbers and shapes that do "
      "not fit.\n\n>>> jg.conv_transpose2d(jg.ones((1, 2, 2, 1)), jg.ones((1, 2, 2, "
      "1))).reshape(3, 3)\narray([[1., 2., 1.],\n       [2., 4., 2.],\n       [1., 2., 1.]], "
      "dtype=float32)")
PY_OP(conv_transpose3d, CONVOLUTION_TURNED, NONE,
      "(input, weight, /, stride=1, padding=0, dilation=1, output_padding=0, groups=1, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The transpose of conv3d: strides are taken by the result.\n\ndtypes: promoted; bool and "
      "integers become the default float.\nshape: input with the extents that give it back and "
      "weight's output channels.\nraises: TypeError, ValueError for numbers and shapes that do "
      "not fit.\n\n>>> jg.conv_transpose3d(jg.ones((1, 2, 2, 2, 1)), jg.ones((1, 2, 2, 2, "
      "1))).shape\n(1, 3, 3, 3, 1)")
PY_OP(convolve, CONVOLVED, NONE,
      "(a, v, /, mode=\"full\", *, stream=None)\n--\n\n",
      "The convolution of two vectors: all of it, as long as the longer, or where both meet.\n\n"
      "dtypes: promoted; bool is refused.\nshape: (len(a) + len(v) - 1,) of full, the longer of "
      "same, the rest of valid.\nraises: TypeError, ValueError for mode and what is no "
      "vector.\n\n>>> jg.convolve([1.0, 2.0, 3.0], [1.0, 1.0])\narray([1., 3., 5., 3.], "
      "dtype=float32)")
PY_OP(max_pool1d, POOLED, NONE,
      "(input, /, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The largest of each window along one axis of space; NaN if any is NaN.\n\ndtypes: "
      "promoted; complex is refused.\nshape: input with the extents of windows that fit.\n"
      "raises: TypeError, ValueError for numbers and shapes that do not fit.\n\n>>> "
      "jg.max_pool1d(jg.array([1.0, 3.0, 2.0, 5.0]).reshape(1, 4, 1), 2).reshape(-1)\narray([3., "
      "5.], dtype=float32)")
PY_OP(max_pool2d, POOLED, NONE,
      "(input, /, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The largest of each window along two axes of space; NaN if any is NaN.\n\ndtypes: "
      "promoted; complex is refused.\nshape: input with the extents of windows that fit.\n"
      "raises: TypeError, ValueError for numbers and shapes that do not fit.\n\n>>> "
      "jg.max_pool2d(jg.arange(4.0).reshape(1, 2, 2, 1), 2).reshape(-1)\narray([3.], "
      "dtype=float32)")
PY_OP(max_pool3d, POOLED, NONE,
      "(input, /, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
      "data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The largest of each window along three axes of space; NaN if any is NaN.\n\ndtypes: "
      "promoted; complex is refused.\nshape: input with the extents of windows that fit.\n"
      "raises: TypeError, ValueError for numbers and shapes that do not fit.\n\n>>> "
      "jg.max_pool3d(jg.ones((1, 4, 4, 4, 2)), 2).shape\n(1, 2, 2, 2, 2)")
PY_OP(avg_pool1d, POOLED_MEAN, NONE,
      "(input, /, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
      "divisor_override=None, data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The mean of each window along one axis of space.\n\ndtypes: promoted; bool and integers "
      "become the default float.\nshape: input with the extents of windows that fit.\nraises: "
      "TypeError, ValueError for numbers and shapes that do not fit.\n\n>>> "
      "jg.avg_pool1d(jg.array([1.0, 3.0, 2.0, 5.0]).reshape(1, 4, 1), 2).reshape(-1)\narray([2. "
      ", 3.5], dtype=float32)")
PY_OP(avg_pool2d, POOLED_MEAN, NONE,
      "(input, /, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
      "divisor_override=None, data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The mean of each window along two axes of space.\n\ndtypes: promoted; bool and integers "
      "become the default float.\nshape: input with the extents of windows that fit.\nraises: "
      "TypeError, ValueError for numbers and shapes that do not fit.\n\n>>> "
      "jg.avg_pool2d(jg.arange(4.0).reshape(1, 2, 2, 1), 2).reshape(-1)\narray([1.5], "
      "dtype=float32)")
PY_OP(avg_pool3d, POOLED_MEAN, NONE,
      "(input, /, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
      "divisor_override=None, data_format=\"channels_last\", *, stream=None)\n--\n\n",
      "The mean of each window along three axes of space.\n\ndtypes: promoted; bool and integers "
      "become the default float.\nshape: input with the extents of windows that fit.\nraises: "
      "TypeError, ValueError for numbers and shapes that do not fit.\n\n>>> "
      "jg.avg_pool3d(jg.ones((1, 4, 4, 4, 2)), 2).shape\n(1, 2, 2, 2, 2)")
PY_OP(reshape, RESHAPED, EXTENTS,
      "(x, /, shape, *, copy=None, stream=None)\n--\n\n",
      "The same elements, in row-major order, with another shape; one extent may be -1.\n\n"
      "dtypes: anything computable, unchanged.\nshape: the shape given.\nraises: ValueError for "
      "a shape that does not fit.\n\n>>> jg.reshape([1, 2, 3, 4], (2, -1))\narray([[1, "
      "2],\n       [3, 4]], dtype=int64)")
PY_OP(broadcast_to, SHAPED, EXTENTS,
      "(x, /, shape, *, stream=None)\n--\n\n",
      "x repeated, without a copy, to a larger shape.\n\ndtypes: anything computable, "
      "unchanged.\nshape: the shape given.\nraises: ValueError for a shape that does not fit.\n\n"
      ">>> jg.broadcast_to([1, 2], (2, 2))\narray([[1, 2],\n       [1, 2]], dtype=int64)")
PY_OP(permute_dims, PERMUTED, PLAIN,
      "(x, /, axes=None, *, stream=None)\n--\n\n",
      "The axes of x in another order.\n\ndtypes: anything computable, unchanged.\nshape: the "
      "axes of x in another order.\nraises: AxisError and ValueError for axes.\n\n>>> "
      "jg.permute_dims(jg.zeros((2, 3, 4)), (2, 0, 1)).shape\n(4, 2, 3)")
PY_OP(squeeze, OVER_AXES, PLAIN,
      "(x, /, axis=None, *, stream=None)\n--\n\n",
      "x without the axes named, each of extent 1.\n\ndtypes: anything computable, unchanged.\n"
      "shape: x with the axes turned round or taken out.\nraises: AxisError and ValueError for "
      "axes.\n\n>>> jg.squeeze([[1, 2]])\narray([1, 2], dtype=int64)")
PY_OP(expand_dims, WIDENED, PLAIN,
      "(x, /, axis=0, *, stream=None)\n--\n\n",
      "x with new axes of extent 1, at these positions in the result.\n\ndtypes: anything "
      "computable, unchanged.\nshape: x with axes of extent 1 added.\nraises: AxisError and "
      "ValueError for axes.\n\n>>> jg.expand_dims([1, 2], 1)\narray([[1],\n       [2]], "
      "dtype=int64)")
PY_OP(matrix_transpose, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x with its last two axes exchanged.\n\ndtypes: anything computable, unchanged.\nshape: "
      "that of x.\nraises: TypeError.\n\n>>> jg.matrix_transpose([[1, 2], [3, 4]])\narray([[1, "
      "3],\n       [2, 4]], dtype=int64)")
PY_OP(swapaxes, SWAPPED, PLAIN,
      "(x, /, axis1, axis2, *, stream=None)\n--\n\n",
      "x with two axes exchanged.\n\ndtypes: anything computable, unchanged.\nshape: x with two "
      "axes exchanged.\nraises: AxisError for axes.\n\n>>> jg.swapaxes(jg.zeros((2, 3, 4)), 0, "
      "2).shape\n(4, 3, 2)")
PY_OP(moveaxis, MOVED, PLAIN,
      "(x, /, source, destination, *, stream=None)\n--\n\n",
      "x with axes moved to new positions, the others in their old order.\n\ndtypes: anything "
      "computable, unchanged.\nshape: the axes of x in another order.\nraises: AxisError and "
      "ValueError for axes.\n\n>>> jg.moveaxis(jg.zeros((2, 3, 4)), 0, -1).shape\n(3, 4, 2)")
PY_OP(flip, OVER_AXES, PLAIN,
      "(x, /, axis=None, *, stream=None)\n--\n\n",
      "x with the elements along axes in reverse.\n\ndtypes: anything computable, unchanged.\n"
      "shape: x with the axes turned round or taken out.\nraises: AxisError and ValueError for "
      "axes.\n\n>>> jg.flip([1, 2, 3])\narray([3, 2, 1], dtype=int64)")
PY_OP(rot90, ROTATED, PLAIN,
      "(x, /, k=1, axes=(0, 1), *, stream=None)\n--\n\n",
      "x turned k times by 90 degrees, from the first of the two axes towards the second.\n\n"
      "dtypes: anything computable, unchanged.\nshape: x with the two axes exchanged if k is "
      "odd.\nraises: AxisError and ValueError for axes.\n\n>>> jg.rot90([[1, 2], [3, 4]])\n"
      "array([[2, 4],\n       [1, 3]], dtype=int64)")
PY_OP(flatten, FLATTENED, PLAIN,
      "(x, /, start_axis=0, end_axis=-1, *, stream=None)\n--\n\n",
      "The axes from start_axis to end_axis made one; of a 0-d array, a vector of one.\n\n"
      "dtypes: anything computable, unchanged.\nshape: x with some axes made one.\nraises: "
      "AxisError and ValueError for axes.\n\n>>> jg.flatten([[1, 2], [3, 4]])\narray([1, 2, 3, "
      "4], dtype=int64)")
PY_OP(unflatten, UNFLATTENED, PLAIN,
      "(x, /, axis, shape, *, stream=None)\n--\n\n",
      "One axis made several; one extent may be -1.\n\ndtypes: anything computable, unchanged.\n"
      "shape: x with the axis replaced by the shape given.\nraises: AxisError, ValueError for a "
      "shape that does not fit.\n\n>>> jg.unflatten([1, 2, 3, 4], 0, (2, 2))\narray([[1, "
      "2],\n       [3, 4]], dtype=int64)")
PY_OP(ravel, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "All elements in row-major order, as a vector.\n\ndtypes: anything computable, unchanged.\n"
      "shape: that of x.\nraises: TypeError.\n\n>>> jg.ravel([[1, 2], [3, 4]])\narray([1, 2, 3, "
      "4], dtype=int64)")
PY_OP(diagonal, DIAGONAL, PLAIN,
      "(x, /, offset=0, axis1=0, axis2=1, *, stream=None)\n--\n\n",
      "The diagonal of two axes, as the last axis; offset moves it up.\n\ndtypes: anything "
      "computable, unchanged.\nshape: x without the two axes, then the diagonal.\nraises: "
      "AxisError and ValueError for axes.\n\n>>> jg.diagonal([[1, 2], [3, 4]])\narray([1, 4], "
      "dtype=int64)")
PY_OP(trace, TRACE, PLAIN,
      "(x, /, offset=0, axis1=0, axis2=1, dtype=None, *, out=None, stream=None)\n--\n\n",
      "The sum of the diagonal of two axes.\n\ndtypes: bool and small integers become 64 bits "
      "wide.\nshape: x without the two axes.\nraises: TypeError, AxisError and ValueError for "
      "axes.\n\n>>> jg.trace(jg.array([[1, 2], [3, 4]]))\narray(5, dtype=int64)")
PY_OP(as_strided, STRIDED, PLAIN,
      "(x, /, shape=None, strides=None, offset=0, *, stream=None)\n--\n\n",
      "A window onto the elements of x in row-major order; strides and offset in elements.\n\n"
      "dtypes: anything computable, unchanged.\nshape: the shape given.\nraises: ValueError for "
      "what lies outside.\n\n>>> jg.as_strided([1, 2, 3, 4], (3, 2), (1, 1))\narray([[1, "
      "2],\n       [2, 3],\n       [3, 4]], dtype=int64)")
PY_OP(bitcast, BITCAST, PLAIN,
      "(x, /, dtype, *, stream=None)\n--\n\n",
      "The bytes of x read as another dtype; with another size the last extent changes.\n\n"
      "dtypes: anything computable, unchanged.\nshape: x, its last extent as many times longer "
      "as the elements are shorter.\nraises: TypeError, ValueError for a last extent that does "
      "not fit.\n\n>>> jg.bitcast(jg.array([1.0], dtype=jg.float32), jg.int32)\n"
      "array([1065353216], dtype=int32)")
PY_OP(contiguous, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x itself if it lies row-major without gaps, else a copy that does.\n\ndtypes: anything "
      "computable, unchanged.\nshape: that of x.\nraises: TypeError.\n\n>>> "
      "jg.contiguous(jg.array([[1, 2], [3, 4]]).T)\narray([[1, 3],\n       [2, 4]], dtype=int64)")
PY_OP(split, SPLIT, PLAIN,
      "(x, /, indices_or_sections, axis=0, *, stream=None)\n--\n\n",
      "Parts along an axis: as many equal ones, or cut at indices.\n\ndtypes: anything "
      "computable, unchanged.\nshape: x cut along the axis.\nraises: AxisError, ValueError.\n\n"
      ">>> jg.split([1, 2, 3, 4], 2)\n[array([1, 2], dtype=int64), array([3, 4], dtype=int64)]")
PY_OP(array_split, SPLIT, PLAIN,
      "(x, /, indices_or_sections, axis=0, *, stream=None)\n--\n\n",
      "Parts along an axis, as split, the first ones longer by one where they cannot be "
      "equal.\n\ndtypes: anything computable, unchanged.\nshape: x cut along the axis.\nraises: "
      "AxisError, ValueError.\n\n>>> jg.array_split([1, 2, 3], 2)\n[array([1, 2], dtype=int64), "
      "array([3], dtype=int64)]")
PY_OP(unstack, UNSTACKED, PLAIN,
      "(x, /, axis=0, *, stream=None)\n--\n\n",
      "The elements along an axis, each without it.\n\ndtypes: anything computable, unchanged.\n"
      "shape: x without the axis, as many as its extent.\nraises: AxisError.\n\n>>> "
      "jg.unstack([[1, 2], [3, 4]])\n(array([1, 2], dtype=int64), array([3, 4], dtype=int64))")
PY_OP(broadcast_arrays, EACH_TUPLE, NONE,
      "(*arrays, stream=None)\n--\n\n",
      "The arrays, repeated without a copy to the shape that they have together.\n\ndtypes: "
      "anything computable, unchanged.\nshape: all broadcast together, each.\nraises: ValueError "
      "for shapes that do not fit.\n\n>>> jg.broadcast_arrays([1, 2], [[3], [4]])\n(array([[1, "
      "2],\n       [1, 2]], dtype=int64), array([[3, 3],\n       [4, 4]], dtype=int64))")
PY_OP(atleast_1d, AT_LEAST, NONE,
      "(*arrays, stream=None)\n--\n\n",
      "The arrays, each with one axis or more.\n\ndtypes: anything computable, unchanged.\n"
      "shape: that of each, with axes of extent 1 added.\nraises: ValueError.\n\n>>> "
      "jg.atleast_1d(5)\narray([5], dtype=int64)")
PY_OP(atleast_2d, AT_LEAST, NONE,
      "(*arrays, stream=None)\n--\n\n",
      "The arrays, each with two axes or more; new ones come first.\n\ndtypes: anything "
      "computable, unchanged.\nshape: that of each, with axes of extent 1 added.\nraises: "
      "ValueError.\n\n>>> jg.atleast_2d([1, 2])\narray([[1, 2]], dtype=int64)")
PY_OP(atleast_3d, AT_LEAST, NONE,
      "(*arrays, stream=None)\n--\n\n",
      "The arrays, each with three axes or more; a vector lies along the second.\n\ndtypes: "
      "anything computable, unchanged.\nshape: that of each, with axes of extent 1 added.\n"
      "raises: ValueError.\n\n>>> jg.atleast_3d([1, 2]).shape\n(1, 2, 1)")
PY_OP(meshgrid, GRID, NONE,
      "(*arrays, sparse=False, indexing=\"xy\", stream=None)\n--\n\n",
      "The vectors repeated, without a copy, to a grid; 'xy' exchanges its first two axes.\n\n"
      "dtypes: anything computable, unchanged.\nshape: the extents of all, each.\nraises: "
      "ValueError.\n\n>>> jg.meshgrid([1, 2], [3, 4])\n(array([[1, 2],\n       [1, 2]], "
      "dtype=int64), array([[3, 3],\n       [4, 4]], dtype=int64))")
PY_OP(sort, ORDERED, PLAIN,
      "(x, /, axis=-1, descending=False, stable=True, *, stream=None)\n--\n\n",
      "The elements in order along an axis; NaN counts as the largest.\n\ndtypes: anything "
      "computable, unchanged.\nshape: that of x; without an axis, one axis of all elements.\n"
      "raises: TypeError, AxisError for axis.\n\n>>> jg.sort([3, 1, 2], descending=True)\n"
      "array([3, 2, 1], dtype=int64)")
PY_OP(argsort, ORDERED, PLAIN,
      "(x, /, axis=-1, descending=False, stable=True, *, stream=None)\n--\n\n",
      "The indices of the elements in sorted order; equal ones keep their order.\n\ndtypes: "
      "anything computable, unchanged.\nshape: that of x; without an axis, one axis of all "
      "elements.\nraises: TypeError, AxisError for axis.\n\n>>> jg.argsort([3, 1, 2])\narray([1, "
      "2, 0], dtype=int64)")
PY_OP(partition, PARTED, PLAIN,
      "(x, /, kth, axis=-1, *, stream=None)\n--\n\n",
      "The elements with the kth in its sorted position, no greater ones before it.\n\ndtypes: "
      "anything computable, unchanged.\nshape: that of x; without an axis, one axis of all "
      "elements.\nraises: TypeError, AxisError for axis, IndexError for kth.\n\n>>> "
      "jg.partition([3, 1, 2], 0)[0]\narray(1, dtype=int64)")
PY_OP(argpartition, PARTED, PLAIN,
      "(x, /, kth, axis=-1, *, stream=None)\n--\n\n",
      "The indices of the elements in the order of partition.\n\ndtypes: anything computable, "
      "unchanged.\nshape: that of x; without an axis, one axis of all elements.\nraises: "
      "TypeError, AxisError for axis, IndexError for kth.\n\n>>> jg.argpartition([3, 1, 2], "
      "0)[0]\narray(1, dtype=int64)")
PY_OP(topk, TOPMOST, PLAIN,
      "(x, /, k, axis=-1, *, stream=None)\n--\n\n",
      "The k largest elements along an axis, the largest first; NaN counts as the largest.\n\n"
      "dtypes: anything computable, unchanged.\nshape: x with k along the axis.\nraises: "
      "TypeError, AxisError for axis, ValueError for k.\n\n>>> jg.sort(jg.topk([3, 1, 4, 1, 5], "
      "2))\narray([4, 5], dtype=int64)")
PY_OP(argtopk, TOPMOST, PLAIN,
      "(x, /, k, axis=-1, *, stream=None)\n--\n\n",
      "The indices of the k largest elements along an axis, the largest first.\n\ndtypes: "
      "anything computable, unchanged.\nshape: x with k along the axis.\nraises: TypeError, "
      "AxisError for axis, ValueError for k.\n\n>>> jg.sort(jg.argtopk([3, 1, 4, 1, 5], 2))\n"
      "array([2, 4], dtype=int64)")
PY_OP(searchsorted, SEARCHED, NONE,
      "(x1, x2, /, side=\"left\", sorter=None, *, stream=None)\n--\n\n",
      "Where each element of x2 belongs in the sorted vector x1, on one side of equals.\n\n"
      "dtypes: anything computable, unchanged.\nshape: that of x2.\nraises: TypeError, "
      "ValueError for side and for shapes that do not fit.\n\n>>> jg.searchsorted([1, 3, 5], [0, "
      "3, 9])\narray([0, 1, 3], dtype=int64)")
PY_OP(isin, MEMBERSHIP, NONE,
      "(x1, x2, /, invert=False, *, stream=None)\n--\n\n",
      "Whether each element of x1 equals one of x2; NaN equals nothing.\n\ndtypes: anything "
      "computable, unchanged.\nshape: that of x1.\nraises: TypeError.\n\n>>> jg.isin([1, 2, 3], "
      "[2, 3])\narray([False,  True,  True], dtype=bool)")
PY_OP(unique_all, DISTINCT_ALL, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The distinct elements, their first indices, where each of x is among them, and counts.\n\n"
      "dtypes: anything computable, unchanged.\nshape: (n,) for n distinct values; "
      "inverse_indices as x.\nraises: TypeError.\n\n>>> jg.unique_all([3, 1, "
      "3]).inverse_indices\narray([1, 0, 1], dtype=int64)")
PY_OP(unique_counts, DISTINCT_COUNTS, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The distinct elements in ascending order, and how often each occurs. Computes x.\n\n"
      "dtypes: anything computable, unchanged.\nshape: (n,) for n distinct values.\nraises: "
      "TypeError.\n\n>>> jg.unique_counts([3, 1, 3]).counts\narray([1, 2], dtype=int64)")
PY_OP(unique_inverse, DISTINCT_INVERSE, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The distinct elements, in order, and where each of x is among them. Computes x.\n\n"
      "dtypes: anything computable, unchanged.\nshape: (n,) for n distinct values; "
      "inverse_indices as x.\nraises: TypeError.\n\n>>> jg.unique_inverse([3, 1, 3]).values\n"
      "array([1, 3], dtype=int64)")
PY_OP(unique_values, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The distinct elements in ascending order; each NaN is one. Computes x.\n\ndtypes: "
      "anything computable, unchanged.\nshape: that of x.\nraises: TypeError.\n\n>>> "
      "jg.unique_values([3, 1, 3])\narray([1, 3], dtype=int64)")
PY_OP(median, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "The middle element over axes, or the mean of the middle two; NaN if any is NaN.\n\n"
      "dtypes: promoted; bool and integers become the default float; complex is refused.\nshape: "
      "x without the axes; with keepdims, 1 in their place.\nraises: TypeError, AxisError and "
      "ValueError for axes.\n\n>>> jg.median([1.0, 9.0, 3.0, 5.0])\narray(4., dtype=float32)")
PY_OP(quantile, QUANTILES, PLAIN,
      "(x, q, /, axis=None, keepdims=False, method=\"linear\", *, stream=None)\n--\n\n",
      "The elements over axes below which a share q lies, by one of NumPy's methods.\n\ndtypes: "
      "promoted; bool and integers become the default float; complex is refused.\nshape: that of "
      "q, then x without the axes.\nraises: TypeError, AxisError and ValueError for axes, "
      "ValueError for q and method.\n\n>>> jg.quantile([1.0, 2.0, 3.0, 4.0, 5.0], [0.25, 0.5])\n"
      "array([2., 3.], dtype=float32)")
PY_OP(percentile, QUANTILES, PLAIN,
      "(x, q, /, axis=None, keepdims=False, method=\"linear\", *, stream=None)\n--\n\n",
      "quantile(x, q / 100).\n\ndtypes: promoted; bool and integers become the default float; "
      "complex is refused.\nshape: that of q, then x without the axes.\nraises: TypeError, "
      "AxisError and ValueError for axes, ValueError for q and method.\n\n>>> "
      "jg.percentile([1.0, 2.0, 3.0, 4.0, 5.0], 25)\narray(2., dtype=float32)")
PY_OP(nanmedian, REDUCTION, PLAIN,
      "(x, /, axis=None, keepdims=False, *, stream=None)\n--\n\n",
      "median over what is not NaN; NaN where all are. Computes x if it has floats.\n\ndtypes: "
      "promoted; bool and integers become the default float; complex is refused.\nshape: x "
      "without the axes; with keepdims, 1 in their place.\nraises: TypeError, AxisError and "
      "ValueError for axes.\n\n>>> jg.nanmedian([1.0, jg.nan, 3.0, 2.0])\narray(2., "
      "dtype=float32)")
PY_OP(nanquantile, QUANTILES, PLAIN,
      "(x, q, /, axis=None, keepdims=False, method=\"linear\", *, stream=None)\n--\n\n",
      "quantile over what is not NaN; NaN where all are. Computes x if it has floats.\n\ndtypes: "
      "promoted; bool and integers become the default float; complex is refused.\nshape: that of "
      "q, then x without the axes.\nraises: TypeError, AxisError and ValueError for axes, "
      "ValueError for q and method.\n\n>>> jg.nanquantile([1.0, jg.nan, 3.0, 2.0], 0.25)\n"
      "array(1.5, dtype=float32)")
PY_OP(nanpercentile, QUANTILES, PLAIN,
      "(x, q, /, axis=None, keepdims=False, method=\"linear\", *, stream=None)\n--\n\n",
      "nanquantile(x, q / 100).\n\ndtypes: promoted; bool and integers become the default float; "
      "complex is refused.\nshape: that of q, then x without the axes.\nraises: TypeError, "
      "AxisError and ValueError for axes, ValueError for q and method.\n\n>>> "
      "jg.nanpercentile([1.0, jg.nan, 3.0, 2.0], 25)\narray(1.5, dtype=float32)")
PY_OP(threefry, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "64 random bits for each counter x1 under the key x2, by Threefry-2x32 of 20 rounds.\n\n"
      "dtypes: integers as 64 bits, gives uint64.\nshape: x1 and x2 broadcast together.\nraises: "
      "TypeError, ValueError for shapes that do not fit.\n\n>>> jg.threefry(1, 2)\n"
      "array(8276187575414064071, dtype=uint64)")
PY_OP(threefry_half, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "32 random bits for each counter x1: half of what threefry makes of x1 >> 1.\n\ndtypes: "
      "integers as 64 bits, gives uint64.\nshape: x1 and x2 broadcast together.\nraises: "
      "TypeError, ValueError for shapes that do not fit.\n\n>>> jg.threefry_half([2, 3], 2)\n"
      "array([ 789480391, 1926950080], dtype=uint64)")
PY_OP(random_key, RANDOM_KEY, NONE,
      "(seed, *, stream=None)\n--\n\n",
      "The key that belongs to a seed.\n\ndtypes: anything computable, unchanged.\nshape: ().")
PY_OP(random_split, RANDOM_SPLIT, NONE,
      "(key, /, num=2, *, stream=None)\n--\n\n",
      "num keys made of one.\n\ndtypes: anything computable, unchanged.\nshape: (num,).\nraises: "
      "ValueError for no key or a negative num.")
PY_OP(random_uniform, RANDOM_RANGE, NONE,
      "(key, low, high, /, shape, dtype, *, stream=None)\n--\n\n",
      "Floats spread evenly over low to high, high not included.\n\ndtypes: promoted; bool and "
      "integers become the default float; complex is refused.\nshape: the shape given.\nraises: "
      "TypeError, ValueError for no key and shapes that do not fit.")
PY_OP(random_randint, RANDOM_RANGE, NONE,
      "(key, low, high, /, shape, dtype, *, stream=None)\n--\n\n",
      "Integers spread evenly over low to high, high not included.\n\ndtypes: promoted; integers "
      "only.\nshape: the shape given.\nraises: TypeError, ValueError for no key and shapes that "
      "do not fit.")
PY_OP(random_normal, RANDOM_SHAPE, NONE,
      "(key, /, shape, dtype, *, stream=None)\n--\n\n",
      "Floats of the standard normal distribution.\n\ndtypes: promoted; bool and integers become "
      "the default float; complex is refused.\nshape: the shape given.\nraises: TypeError, "
      "ValueError for no key or shape.")
PY_OP(random_truncated_normal, RANDOM_RANGE, NONE,
      "(key, low, high, /, shape, dtype, *, stream=None)\n--\n\n",
      "Floats of the standard normal distribution between low and high, neither included.\n\n"
      "dtypes: promoted; bool and integers become the default float; complex is refused.\nshape: "
      "the shape given.\nraises: TypeError, ValueError for no key and shapes that do not fit.")
PY_OP(random_laplace, RANDOM_SHAPE, NONE,
      "(key, /, shape, dtype, *, stream=None)\n--\n\n",
      "Floats of the standard Laplace distribution.\n\ndtypes: promoted; bool and integers "
      "become the default float; complex is refused.\nshape: the shape given.\nraises: "
      "TypeError, ValueError for no key or shape.")
PY_OP(random_gumbel, RANDOM_SHAPE, NONE,
      "(key, /, shape, dtype, *, stream=None)\n--\n\n",
      "Floats of the standard Gumbel distribution.\n\ndtypes: promoted; bool and integers become "
      "the default float; complex is refused.\nshape: the shape given.\nraises: TypeError, "
      "ValueError for no key or shape.")
PY_OP(random_categorical, RANDOM_CATEGORY, NONE,
      "(key, logits, /, axis=-1, num_samples=None, *, stream=None)\n--\n\n",
      "Indices along an axis, with the probabilities softmax(logits).\n\ndtypes: promoted; bool "
      "and integers become the default float; complex is refused.\nshape: logits without the "
      "axis, then num_samples if given.\nraises: TypeError, AxisError for axis, ValueError for "
      "no key or a negative count.")
PY_OP(random_bernoulli, RANDOM_CHANCE, NONE,
      "(key, p, /, shape, *, stream=None)\n--\n\n",
      "True with probability p.\n\ndtypes: promoted; bool and integers become the default float; "
      "complex is refused.\nshape: the shape given.\nraises: TypeError, ValueError for no key "
      "and shapes that do not fit.")
PY_OP(kron, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The Kronecker product: every element of x1 times all of x2, in the place of that "
      "element.\n\ndtypes: promoted; bool stays bool.\nshape: x1 and x2 broadcast together.\n"
      "raises: TypeError, ValueError for shapes that do not fit.\n\n>>> jg.kron([1, 2], [1, "
      "10])\narray([ 1, 10,  2, 20], dtype=int64)")
PY_OP(cross, VECDOT, NONE,
      "(x1, x2, /, axis=-1, *, stream=None)\n--\n\n",
      "The cross product of vectors of three elements along an axis, the others broadcast.\n\n"
      "dtypes: promoted; bool is refused.\nshape: x1 and x2 broadcast together, without the "
      "axis.\nraises: TypeError, AxisError for axis, ValueError for shapes that do not fit.\n\n"
      ">>> jg.cross([1, 0, 0], [0, 1, 0])\narray([0, 0, 1], dtype=int64)")
PY_OP(linalg_cholesky, TRIANGULAR, NONE,
      "(a, /, upper=False, *, stream=None)\n--\n\n",
      "The Cholesky factor of positive definite matrices, lower or upper.\n\ndtypes: promoted; "
      "bool and integers become the default float; half precision is refused.\nshape: that of "
      "a.\nraises: TypeError, ValueError for shapes; when computed LinAlgError, RuntimeError.")
PY_OP(linalg_cholesky_inv, TRIANGULAR, NONE,
      "(a, /, upper=False, *, stream=None)\n--\n\n",
      "The inverses of the matrices whose Cholesky factors a holds.\n\ndtypes: promoted; bool "
      "and integers become the default float; half precision is refused.\nshape: that of a.\n"
      "raises: TypeError, ValueError for shapes; when computed LinAlgError, RuntimeError.")
PY_OP(linalg_tri_inv, TRIANGULAR, NONE,
      "(a, /, upper=False, *, stream=None)\n--\n\n",
      "The inverses of triangular matrices.\n\ndtypes: promoted; bool and integers become the "
      "default float; half precision is refused.\nshape: that of a.\nraises: TypeError, "
      "ValueError for shapes; when computed LinAlgError, RuntimeError.")
PY_OP(linalg_inv, INVERSE, NONE,
      "(a, /, quiet=False, *, stream=None)\n--\n\n",
      "The inverses of square matrices; if quiet, infinities for singular ones.\n\ndtypes: "
      "promoted; bool and integers become the default float; half precision is refused.\nshape: "
      "that of a.\nraises: TypeError, ValueError for shapes; when computed LinAlgError, "
      "RuntimeError.")
PY_OP(linalg_solve, SOLUTION, NONE,
      "(a, b, /, *, stream=None)\n--\n\n",
      "x with a @ x = b; a vector b is one column, other axes are broadcast.\n\ndtypes: "
      "promoted; bool and integers become the default float; half precision is refused.\nshape: "
      "that of b, leading axes broadcast.\nraises: TypeError, ValueError for shapes; when "
      "computed LinAlgError, RuntimeError.")
PY_OP(linalg_solve_triangular, TRIANGULAR_SOLUTION, NONE,
      "(a, b, /, upper=False, unit_diagonal=False, *, stream=None)\n--\n\n",
      "The same for triangular matrices, of which only the triangle is read.\n\ndtypes: "
      "promoted; bool and integers become the default float; half precision is refused.\nshape: "
      "that of b, leading axes broadcast.\nraises: TypeError, ValueError for shapes; when "
      "computed LinAlgError, RuntimeError.")
PY_OP(linalg_det, MATRICES, NONE,
      "(a, /, *, stream=None)\n--\n\n",
      "The determinants of square matrices.\n\ndtypes: promoted; bool and integers become the "
      "default float; half precision is refused.\nshape: that of a.\nraises: TypeError, "
      "ValueError for shapes; when computed LinAlgError, RuntimeError.")
PY_OP(linalg_slogdet, FACTORS, NONE,
      "(a, /, *, stream=None)\n--\n\n",
      "The signs of determinants, and the logarithms of their magnitudes.\n\ndtypes: promoted; "
      "bool and integers become the default float; half precision is refused.\nshape: a's, and "
      "without its last axis or two, as the doc says.\nraises: TypeError, ValueError for shapes; "
      "when computed LinAlgError, RuntimeError.")
PY_OP(linalg_lu, FACTORS, NONE,
      "(a, /, *, stream=None)\n--\n\n",
      "The order p of rows, L and U with a = L[p, :] @ U.\n\ndtypes: promoted; bool and integers "
      "become the default float; half precision is refused.\nshape: a's, and without its last "
      "axis or two, as the doc says.\nraises: TypeError, ValueError for shapes; when computed "
      "LinAlgError, RuntimeError.")
PY_OP(linalg_lu_factor, FACTORS, NONE,
      "(a, /, *, stream=None)\n--\n\n",
      "L and U in one matrix, and the row, from 0, that each row was exchanged with.\n\ndtypes: "
      "promoted; bool and integers become the default float; half precision is refused.\nshape: "
      "a's, and without its last axis or two, as the doc says.\nraises: TypeError, ValueError "
      "for shapes; when computed LinAlgError, RuntimeError.")
PY_OP(linalg_qr, QR_FACTORS, NONE,
      "(a, /, complete=False, *, stream=None)\n--\n\n",
      "Q with orthonormal columns, all if complete, and triangular R with a = Q @ R.\n\ndtypes: "
      "promoted; bool and integers become the default float; half precision is refused.\nshape: "
      "(..., m, k) and (..., k, n); k is the smaller, or m if complete.\nraises: TypeError, "
      "ValueError for shapes; when computed LinAlgError, RuntimeError.")
PY_OP(linalg_svd, SVD_FACTORS, NONE,
      "(a, /, full_matrices=True, *, stream=None)\n--\n\n",
      "U, the singular values from the largest down, and V^H.\n\ndtypes: promoted; bool and "
      "integers become the default float; half precision is refused.\nshape: (..., m, m), (..., "
      "k) and (..., n, n); k in place of m and n unless full_matrices.\nraises: TypeError, "
      "ValueError for shapes; when computed LinAlgError, RuntimeError.")
PY_OP(linalg_svdvals, MATRICES, NONE,
      "(a, /, *, stream=None)\n--\n\n",
      "The singular values, from the largest down.\n\ndtypes: promoted; bool and integers become "
      "the default float; half precision is refused.\nshape: that of a.\nraises: TypeError, "
      "ValueError for shapes; when computed LinAlgError, RuntimeError.")
PY_OP(linalg_eigh, EIGEN_FACTORS, NONE,
      "(a, /, upper=False, *, stream=None)\n--\n\n",
      "The eigenvalues of Hermitian matrices, ascending, and eigenvectors as columns.\n\ndtypes: "
      "promoted; bool and integers become the default float; half precision is refused.\nshape: "
      "(..., n) and (..., n, n).\nraises: TypeError, ValueError for shapes; when computed "
      "LinAlgError, RuntimeError.")
PY_OP(linalg_eigvalsh, TRIANGULAR, NONE,
      "(a, /, upper=False, *, stream=None)\n--\n\n",
      "The eigenvalues of Hermitian matrices, ascending; one triangle is read.\n\ndtypes: "
      "promoted; bool and integers become the default float; half precision is refused.\nshape: "
      "that of a.\nraises: TypeError, ValueError for shapes; when computed LinAlgError, "
      "RuntimeError.")
PY_OP(linalg_eig, FACTORS, NONE,
      "(a, /, *, stream=None)\n--\n\n",
      "The eigenvalues of square matrices and their eigenvectors as columns, all complex.\n\n"
      "dtypes: promoted; bool and integers become the default float; half precision is refused.\n"
      "shape: a's, and without its last axis or two, as the doc says.\nraises: TypeError, "
      "ValueError for shapes; when computed LinAlgError, RuntimeError.")
PY_OP(linalg_eigvals, MATRICES, NONE,
      "(a, /, *, stream=None)\n--\n\n",
      "The eigenvalues of square matrices, complex.\n\ndtypes: promoted; bool and integers "
      "become the default float; half precision is refused.\nshape: that of a.\nraises: "
      "TypeError, ValueError for shapes; when computed LinAlgError, RuntimeError.")
PY_OP(linalg_cholesky_solve, FACTORED_SOLUTION, NONE,
      "(b, a, /, upper=False, *, stream=None)\n--\n\n",
      "x with A @ x = b, where a is the Cholesky factor of A.\n\ndtypes: promoted; bool and "
      "integers become the default float; half precision is refused.\nshape: that of b, leading "
      "axes broadcast.\nraises: TypeError, ValueError for shapes; when computed LinAlgError, "
      "RuntimeError.")
PY_OP(linalg_pinv, PSEUDO_INVERSE, NONE,
      "(a, /, rtol=None, *, stream=None)\n--\n\n",
      "Pseudo-inverses; singular values up to rtol times the largest count as zero.\n\ndtypes: "
      "promoted; bool and integers become the default float; half precision is refused.\nshape: "
      "a's, its last two axes exchanged.\nraises: TypeError, ValueError for shapes; when "
      "computed LinAlgError, RuntimeError.")
PY_OP(linalg_lstsq, LEAST_SQUARES, NONE,
      "(a, b, /, rcond=None, *, stream=None)\n--\n\n",
      "Least squares, squared residuals, ranks, singular values; computes one matrix's rank.\n\n"
      "dtypes: promoted; bool and integers become the default float; half precision is refused.\n"
      "shape: (..., n) or (..., n, k) of b (..., m) or (..., m, k), (..., k) or (..., 0), (...) "
      "and\n    (..., min(m, n)).\nraises: TypeError, ValueError for shapes; when computed "
      "LinAlgError, RuntimeError.")
PY_OP(linalg_matrix_rank, RANK, NONE,
      "(a, /, tol=None, rtol=None, *, stream=None)\n--\n\n",
      "How many singular values are above tol, or rtol times the largest, as int64.\n\ndtypes: "
      "promoted; bool and integers become the default float; half precision is refused.\nshape: "
      "a without its last two axes.\nraises: TypeError, ValueError for shapes; when computed "
      "LinAlgError, RuntimeError.")
PY_OP(linalg_cond, CONDITION, NONE,
      "(a, /, p=\"2\", *, stream=None)\n--\n\n",
      "The condition numbers by a norm of matrix_norm; of singular matrices infinity.\n\ndtypes: "
      "promoted; bool and integers become the default float; half precision is refused.\nshape: "
      "a without its last two axes.\nraises: TypeError, ValueError for shapes and p; when "
      "computed LinAlgError, RuntimeError.")
PY_OP(linalg_vector_norm, LENGTH, NONE,
      "(a, /, axis=None, keepdims=False, ord=2.0, *, stream=None)\n--\n\n",
      "(sum |a|^ord)^(1/ord); inf gives the largest, -inf the least |a|, 0 counts others than "
      "0.\n\ndtypes: promoted; bool and integers become the default float; complex gives the "
      "dtype of its\n    parts.\nshape: a without the axes; with keepdims, 1 in their place.\n"
      "raises: TypeError, AxisError and ValueError for axes.")
PY_OP(linalg_matrix_norm, MATRIX_NORM, NONE,
      "(a, /, keepdims=False, ord=\"fro\", *, stream=None)\n--\n\n",
      "The norms fro, nuc, 1, -1, 2, -2, inf and -inf of matrices.\n\ndtypes: promoted; bool and "
      "integers become the default float; complex gives the dtype of its\n    parts.\nshape: a "
      "without its last two axes; with keepdims, 1 in their place.\nraises: TypeError, "
      "ValueError for shapes and ord; when computed LinAlgError, RuntimeError.")
PY_OP(linalg_matrix_power, MATRIX_POWER, NONE,
      "(a, /, n, *, stream=None)\n--\n\n",
      "Matrices multiplied with themselves n times; of a negative n, their inverses.\n\ndtypes: "
      "promoted; bool is refused.\nshape: that of a.\nraises: TypeError, ValueError for shapes; "
      "when computed LinAlgError, RuntimeError.")
PY_OP(linalg_multi_dot, CHAINED, NONE,
      "(arrays, /, *, stream=None)\n--\n\n",
      "The product of matrices, in the order of the fewest multiplications; vectors may end "
      "it.\n\ndtypes: promoted; bool is refused.\nshape: that of the product.\nraises: "
      "TypeError, ValueError for shapes that do not fit.")
PY_OP(fft_fft, TRANSFORMED, NONE,
      "(a, /, n=None, axis=-1, norm=\"backward\", *, stream=None)\n--\n\n",
      "The discrete Fourier transform of n numbers along an axis; what is missing is zero.\n\n"
      "dtypes: promoted; bool and integers become the default float.\nshape: a with the axis of "
      "extent n; a half of it, n // 2 + 1, for real transforms.\nraises: TypeError, AxisError "
      "for axis, ValueError.")
PY_OP(fft_ifft, TRANSFORMED, NONE,
      "(a, /, n=None, axis=-1, norm=\"backward\", *, stream=None)\n--\n\n",
      "The inverse of fft.\n\ndtypes: promoted; bool and integers become the default float.\n"
      "shape: a with the axis of extent n; a half of it, n // 2 + 1, for real transforms.\n"
      "raises: TypeError, AxisError for axis, ValueError.")
PY_OP(fft_rfft, TRANSFORMED, NONE,
      "(a, /, n=None, axis=-1, norm=\"backward\", *, stream=None)\n--\n\n",
      "The first n / 2 + 1 numbers of fft of real ones; the others are their conjugates.\n\n"
      "dtypes: promoted; bool and integers become the default float; complex is refused.\nshape: "
      "a with the axis of extent n; a half of it, n // 2 + 1, for real transforms.\nraises: "
      "TypeError, AxisError for axis, ValueError.")
PY_OP(fft_irfft, TRANSFORMED, NONE,
      "(a, /, n=None, axis=-1, norm=\"backward\", *, stream=None)\n--\n\n",
      "The inverse of rfft: n real numbers, 2 (m - 1) of m if n is left out.\n\ndtypes: "
      "promoted; bool and integers become the default float.\nshape: a with the axis of extent "
      "n; a half of it, n // 2 + 1, for real transforms.\nraises: TypeError, AxisError for axis, "
      "ValueError.")
PY_OP(fft_hfft, TRANSFORMED, NONE,
      "(a, /, n=None, axis=-1, norm=\"backward\", *, stream=None)\n--\n\n",
      "fft, n real numbers, of a Hermitian sequence whose first n / 2 + 1 are given.\n\ndtypes: "
      "promoted; bool and integers become the default float.\nshape: a with the axis of extent "
      "n; a half of it, n // 2 + 1, for real transforms.\nraises: TypeError, AxisError for axis, "
      "ValueError.")
PY_OP(fft_ihfft, TRANSFORMED, NONE,
      "(a, /, n=None, axis=-1, norm=\"backward\", *, stream=None)\n--\n\n",
      "The inverse of hfft: the first n / 2 + 1 numbers of ifft of real ones.\n\ndtypes: "
      "promoted; bool and integers become the default float; complex is refused.\nshape: a with "
      "the axis of extent n; a half of it, n // 2 + 1, for real transforms.\nraises: TypeError, "
      "AxisError for axis, ValueError.")
PY_OP(fft_fftn, TRANSFORMED_AXES, NONE,
      "(a, /, s=None, axes=None, norm=\"backward\", *, stream=None)\n--\n\n",
      "fft along several axes; s has an n for each, -1 for all numbers.\n\ndtypes: promoted; "
      "bool and integers become the default float.\nshape: a with the axes of extents s; the "
      "last one halved, n // 2 + 1, for real transforms.\nraises: TypeError, AxisError for axes, "
      "ValueError.")
PY_OP(fft_ifftn, TRANSFORMED_AXES, NONE,
      "(a, /, s=None, axes=None, norm=\"backward\", *, stream=None)\n--\n\n",
      "The inverse of fftn.\n\ndtypes: promoted; bool and integers become the default float.\n"
      "shape: a with the axes of extents s; the last one halved, n // 2 + 1, for real "
      "transforms.\nraises: TypeError, AxisError for axes, ValueError.")
PY_OP(fft_rfftn, TRANSFORMED_AXES, NONE,
      "(a, /, s=None, axes=None, norm=\"backward\", *, stream=None)\n--\n\n",
      "rfft along the last of several axes, then fft along the others.\n\ndtypes: promoted; bool "
      "and integers become the default float; complex is refused.\nshape: a with the axes of "
      "extents s; the last one halved, n // 2 + 1, for real transforms.\nraises: TypeError, "
      "AxisError for axes, ValueError.")
PY_OP(fft_irfftn, TRANSFORMED_AXES, NONE,
      "(a, /, s=None, axes=None, norm=\"backward\", *, stream=None)\n--\n\n",
      "The inverse of rfftn.\n\ndtypes: promoted; bool and integers become the default float.\n"
      "shape: a with the axes of extents s; the last one halved, n // 2 + 1, for real "
      "transforms.\nraises: TypeError, AxisError for axes, ValueError.")
PY_OP(fft_fftshift, SHIFTED, NONE,
      "(a, /, axes=None, *, stream=None)\n--\n\n",
      "a with the element at zero of each axis moved to the middle.\n\ndtypes: anything "
      "computable, unchanged.\nshape: that of a.\nraises: TypeError, AxisError and ValueError "
      "for axes.")
PY_OP(fft_ifftshift, SHIFTED, NONE,
      "(a, /, axes=None, *, stream=None)\n--\n\n",
      "The inverse of fftshift.\n\ndtypes: anything computable, unchanged.\nshape: that of a.\n"
      "raises: TypeError, AxisError and ValueError for axes.")
PY_OP(fft_fftfreq, FREQUENCIES, NONE,
      "(n, d=1.0, dtype=None, *, device=None, stream=None)\n--\n\n",
      "The frequencies that fft of n numbers, d apart, gives; the negative ones last.\n\ndtypes: "
      "anything computable, unchanged.\nshape: (n,); of real transforms (n // 2 + 1,).\nraises: "
      "TypeError, ValueError.")
PY_OP(fft_rfftfreq, FREQUENCIES, NONE,
      "(n, d=1.0, dtype=None, *, device=None, stream=None)\n--\n\n",
      "The frequencies that rfft of n numbers, d apart, gives.\n\ndtypes: anything computable, "
      "unchanged.\nshape: (n,); of real transforms (n // 2 + 1,).\nraises: TypeError, ValueError.")
#ifdef PY_ALIAS
PY_ALIAS(absolute, abs, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The absolute value of x, of a complex number a real one.\n\ndtypes: unchanged; complex "
      "gives the dtype of its parts; bool is refused.\nshape: that of x.\nraises: TypeError.\n\n"
      ">>> jg.abs([-1.5, 2.0])\narray([1.5, 2. ], dtype=float32)")
PY_ALIAS(fix, trunc, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x without its fraction, in x's dtype.\n\ndtypes: unchanged; bool and complex are "
      "refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.trunc([1.7, -1.7])\narray([ 1., "
      "-1.], dtype=float32)")
PY_ALIAS(arccos, acos, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The angle in [0, pi] whose cosine is x; NaN outside [-1, 1].\n\ndtypes: promoted; bool "
      "and integers become the default float.\nshape: that of x.\nraises: TypeError.\n\n>>> "
      "jg.acos([1.0, 0.0])\narray([0.       , 1.5707964], dtype=float32)")
PY_ALIAS(arccosh, acosh, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The inverse hyperbolic cosine of x; NaN below 1.\n\ndtypes: promoted; bool and integers "
      "become the default float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.acosh([1.0, "
      "2.0])\narray([0.      , 1.316958], dtype=float32)")
PY_ALIAS(arcsin, asin, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The angle in [-pi/2, pi/2] whose sine is x; NaN outside [-1, 1].\n\ndtypes: promoted; "
      "bool and integers become the default float.\nshape: that of x.\nraises: TypeError.\n\n>>> "
      "jg.asin([0.0, 1.0])\narray([0.       , 1.5707964], dtype=float32)")
PY_ALIAS(arcsinh, asinh, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The inverse hyperbolic sine of x.\n\ndtypes: promoted; bool and integers become the "
      "default float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.asinh([0.0, 1.0])\n"
      "array([0.       , 0.8813736], dtype=float32)")
PY_ALIAS(arctan, atan, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The angle in [-pi/2, pi/2] whose tangent is x.\n\ndtypes: promoted; bool and integers "
      "become the default float.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.atan([0.0, "
      "1.0])\narray([0.       , 0.7853982], dtype=float32)")
PY_ALIAS(arctan2, atan2, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The angle in [-pi, pi] of the point with x2 to the right and x1 up.\n\ndtypes: promoted; "
      "bool and integers become the default float; complex is refused.\nshape: x1 and x2 "
      "broadcast together.\nraises: TypeError, ValueError for shapes that do not fit.\n\n>>> "
      "jg.atan2([1.0, -1.0], [0.0, 0.0])\narray([ 1.5707964, -1.5707964], dtype=float32)")
PY_ALIAS(arctanh, atanh, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "The inverse hyperbolic tangent of x; NaN outside [-1, 1].\n\ndtypes: promoted; bool and "
      "integers become the default float.\nshape: that of x.\nraises: TypeError.\n\n>>> "
      "jg.atanh([0.0, 0.5])\narray([0.        , 0.54930615], dtype=float32)")
PY_ALIAS(bitwise_not, bitwise_invert, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Every bit of x inverted; of bool, logical not.\n\ndtypes: promoted; bool and integers "
      "only.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.bitwise_invert([0, 7])\narray([-1, "
      "-8], dtype=int64)")
PY_ALIAS(invert, bitwise_invert, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "Every bit of x inverted; of bool, logical not.\n\ndtypes: promoted; bool and integers "
      "only.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.bitwise_invert([0, 7])\narray([-1, "
      "-8], dtype=int64)")
PY_ALIAS(left_shift, bitwise_left_shift, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 shifted left by x2 bits; 0 once x2 reaches the width.\n\ndtypes: promoted; integers "
      "only.\nshape: x1 and x2 broadcast together.\nraises: TypeError, ValueError for shapes "
      "that do not fit.\n\n>>> jg.bitwise_left_shift([1, 2], 3)\narray([ 8, 16], dtype=int64)")
PY_ALIAS(right_shift, bitwise_right_shift, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 shifted right by x2 bits, the sign kept.\n\ndtypes: promoted; integers only.\nshape: "
      "x1 and x2 broadcast together.\nraises: TypeError, ValueError for shapes that do not "
      "fit.\n\n>>> jg.bitwise_right_shift([16, -16], 2)\narray([ 4, -4], dtype=int64)")
PY_ALIAS(mod, remainder, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 - x2 * floor(x1 / x2), with the sign of x2; of an integer by zero, 0.\n\ndtypes: "
      "promoted; bool and complex are refused.\nshape: x1 and x2 broadcast together.\nraises: "
      "TypeError, ValueError for shapes that do not fit.\n\n>>> jg.remainder([7, -7], 3)\n"
      "array([1, 2], dtype=int64)")
PY_ALIAS(power, pow, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "x1 raised to x2; an integer to a negative power gives 0 unless |x1| is 1.\n\ndtypes: "
      "promoted; bool is refused.\nshape: x1 and x2 broadcast together.\nraises: TypeError, "
      "ValueError for shapes that do not fit.\n\n>>> jg.pow([1.0, 2.0, 3.0], 2)\narray([1., 4., "
      "9.], dtype=float32)")
PY_ALIAS(true_divide, divide, BINARY, NONE,
      "(x1, x2, /, *, stream=None)\n--\n\n",
      "The quotient x1 / x2; integers are divided as floating numbers.\n\ndtypes: promoted; bool "
      "and integers become the default float.\nshape: x1 and x2 broadcast together.\nraises: "
      "TypeError, ValueError for shapes that do not fit.\n\n>>> jg.divide([1, 2], 4)\n"
      "array([0.25, 0.5 ], dtype=float32)")
PY_ALIAS(deg2rad, radians, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x degrees in radians.\n\ndtypes: promoted; bool and integers become the default float; "
      "complex is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.radians([0.0, "
      "180.0])\narray([0.       , 3.1415927], dtype=float32)")
PY_ALIAS(rad2deg, degrees, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x radians in degrees.\n\ndtypes: promoted; bool and integers become the default float; "
      "complex is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.degrees([0.0, "
      "jg.pi])\narray([  0., 180.], dtype=float32)")
PY_ALIAS(rint, round, ROUNDED, PLAIN,
      "(x, /, decimals=0, *, out=None, stream=None)\n--\n\n",
      "The nearest number of so many decimals, the even one of two, in x's dtype.\n\ndtypes: "
      "promoted; bool is refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.round([0.5, "
      "1.5, 2.345], 2)\narray([0.5 , 1.5 , 2.34], dtype=float32)")
PY_ALIAS(concatenate, concat, JOINED, NONE,
      "(arrays, /, axis=0, *, stream=None)\n--\n\n",
      "The arrays one after the other along an axis, in their common dtype.\n\ndtypes: anything "
      "computable, unchanged.\nshape: the extents along the axis added up.\nraises: TypeError, "
      "AxisError for axis, ValueError for shapes that do not fit.\n\n>>> jg.concat([[1, 2], "
      "[3]])\narray([1, 2, 3], dtype=int64)")
PY_ALIAS(view, bitcast, BITCAST, PLAIN,
      "(x, /, dtype, *, stream=None)\n--\n\n",
      "The bytes of x read as another dtype; with another size the last extent changes.\n\n"
      "dtypes: anything computable, unchanged.\nshape: x, its last extent as many times longer "
      "as the elements are shorter.\nraises: TypeError, ValueError for a last extent that does "
      "not fit.\n\n>>> jg.bitcast(jg.array([1.0], dtype=jg.float32), jg.int32)\n"
      "array([1065353216], dtype=int32)")
PY_ALIAS(permute, permute_dims, PERMUTED, PLAIN,
      "(x, /, axes=None, *, stream=None)\n--\n\n",
      "The axes of x in another order.\n\ndtypes: anything computable, unchanged.\nshape: the "
      "axes of x in another order.\nraises: AxisError and ValueError for axes.\n\n>>> "
      "jg.permute_dims(jg.zeros((2, 3, 4)), (2, 0, 1)).shape\n(4, 2, 3)")
PY_ALIAS(conjugate, conj, UNARY, PLAIN,
      "(x, /, *, stream=None)\n--\n\n",
      "x with its imaginary part negated; a real x itself.\n\ndtypes: promoted; bool is "
      "refused.\nshape: that of x.\nraises: TypeError.\n\n>>> jg.conj([1 + 2j])\narray([1.-2.j], "
      "dtype=complex64)")
#endif
/* clang-format on */
