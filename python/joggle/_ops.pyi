# SPDX-License-Identifier: Apache-2.0
"""The ops. Written by tools/optable.py from src/op/op.def."""

from collections.abc import Sequence
from typing import NamedTuple

from joggle._core import ArrayLike, DeviceLike, DTypeLike, StreamLike, array, dtype

class distinct_all_result(NamedTuple):
    values: array
    indices: array
    inverse_indices: array
    counts: array

class distinct_counts_result(NamedTuple):
    values: array
    counts: array

class distinct_inverse_result(NamedTuple):
    values: array
    inverse_indices: array

def add(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The sum x1 + x2; for bool, logical or."""

def subtract(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The difference x1 - x2."""

def multiply(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The product x1 * x2; for bool, logical and."""

def divide(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The quotient x1 / x2; integers are divided as floating numbers."""

def floor_divide(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The greatest whole number not above x1 / x2; an integer divided by zero gives 0."""

def remainder(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x1 - x2 * floor(x1 / x2), with the sign of x2; an integer by zero gives 0."""

def fmod(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x1 - x2 * trunc(x1 / x2), with the sign of x1; an integer by zero gives 0."""

def gcd(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The greatest common divisor of |x1| and |x2|; 0 where both are zero."""

def lcm(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The least common multiple of |x1| and |x2|; 0 where one of them is zero."""

def float_power(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """pow(x1, x2) in float64, or in complex128 for complex numbers."""

def pow(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x1 raised to x2; an integer to a negative power gives 0 unless |x1| is 1."""

def maximum(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The larger of x1 and x2; NaN if either is NaN."""

def minimum(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The smaller of x1 and x2; NaN if either is NaN."""

def fmax(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The larger of x1 and x2; the other one where one of them is NaN."""

def fmin(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The smaller of x1 and x2; the other one where one of them is NaN."""

def heaviside(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """0 where x1 is below zero, x2 where x1 is zero, 1 above; NaN where x1 is NaN."""

def negative(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """-x; an unsigned integer wraps around modulo 2^bits."""

def abs(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The absolute value of x; the magnitude of a complex number is real."""

def real(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The real part of x; if x is in memory, a view of that part."""

def imag(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The imaginary part of x; if x is in memory, a view of that part; for a real x, zeros."""

def angle(x: ArrayLike, /, *, deg: bool | None = None, stream: StreamLike = None) -> array:
    """The angle of x in the complex plane, in [-pi, pi]."""

def conj(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x with its imaginary part negated; a real x itself."""

def square(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x * x; for bool, x itself."""

def positive(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """+x."""

def stop_gradient(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x, as a constant of the functions that are differentiated."""

def sign(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """-1, 0 or 1 for x below, equal to or above zero; x / |x| if complex; NaN for NaN."""

def reciprocal(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """1 / x; integers are divided as floating numbers."""

def divmod(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> tuple[array, ...]:
    """floor_divide(x1, x2) and remainder(x1, x2)."""

def copysign(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The magnitude of x1 with the sign of x2; a zero and a NaN have a sign, too."""

def nextafter(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The next value of the dtype after x1 towards x2; x2 where they are equal."""

def spacing(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The distance from x to the next value away from zero; -0 counts as 0; NaN for infinities."""

def fabs(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The absolute value of x, a float."""

def frexp(x: ArrayLike, /, *, stream: StreamLike = None) -> tuple[array, ...]:
    """m in [0.5, 1), with x's sign, and an int32 e for which x = m * 2^e."""

def ldexp(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x1 * 2^x2, rounded once; x2 are integers."""

def modf(x: ArrayLike, /, *, stream: StreamLike = None) -> tuple[array, ...]:
    """The fraction of x and its whole part, both with the sign of x."""

def clip(
    x: ArrayLike,
    /,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    *,
    out: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """x limited to [min, max]; min and max are broadcast, and either may be left out."""

def nan_to_num(
    x: ArrayLike,
    /,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """x with NaN and the infinities replaced by numbers."""

def less(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether x1 < x2."""

def less_equal(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether x1 <= x2."""

def greater(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether x1 > x2."""

def greater_equal(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether x1 >= x2."""

def equal(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether x1 == x2."""

def not_equal(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether x1 != x2."""

def isnan(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether x is NaN."""

def isinf(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether x is infinite, of either sign."""

def isfinite(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether x is neither NaN nor infinite."""

def isposinf(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether x is positive infinity."""

def isneginf(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether x is negative infinity."""

def signbit(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether the sign bit of x is set, also of a zero or a NaN."""

def isclose(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
    *,
    stream: StreamLike = None,
) -> array:
    """Whether |x1 - x2| <= atol + rtol * |x2|; infinities are close to themselves."""

def allclose(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
    *,
    stream: StreamLike = None,
) -> array:
    """Whether isclose holds everywhere, as a 0-d bool."""

def array_equal(
    x1: ArrayLike, x2: ArrayLike, /, equal_nan: bool = False, *, stream: StreamLike = None
) -> array:
    """Whether x1 and x2 have one shape and equal elements, as a 0-d bool."""

def logical_and(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether x1 and x2 are both true."""

def logical_or(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether x1 or x2 is true."""

def logical_xor(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether exactly one of x1 and x2 is true."""

def logical_not(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Whether x is false."""

def bitwise_and(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The bits set in both x1 and x2."""

def bitwise_or(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The bits set in x1 or in x2."""

def bitwise_xor(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The bits set in exactly one of x1 and x2."""

def bitwise_invert(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Every bit of x inverted; for bool, logical not."""

def bitwise_left_shift(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x1 shifted left by x2 bits; 0 once x2 reaches the width."""

def bitwise_right_shift(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x1 shifted right by x2 bits, the sign kept."""

def bitwise_count(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """How many bits of |x| are set, as a uint8."""

def exp(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """e raised to x."""

def exp2(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """2 raised to x."""

def expm1(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """exp(x) - 1, exact where x is small."""

def log(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The natural logarithm of x; NaN below zero."""

def log2(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The logarithm of x to base 2; NaN below zero."""

def log10(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The logarithm of x to base 10; NaN below zero."""

def log1p(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """log(1 + x), exact where x is small; NaN below -1."""

def logaddexp(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """log(exp(x1) + exp(x2)) without overflow."""

def logaddexp2(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """log2(2^x1 + 2^x2) without overflow."""

def sqrt(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The square root of x; NaN below zero."""

def cbrt(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The cube root of x."""

def rsqrt(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """1 / sqrt(x)."""

def hypot(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """sqrt(x1^2 + x2^2) without overflow; infinite if x1 or x2 is infinite."""

def sin(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The sine of x radians."""

def cos(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The cosine of x radians."""

def tan(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The tangent of x radians."""

def asin(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The angle in [-pi/2, pi/2] whose sine is x; NaN outside [-1, 1]."""

def acos(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The angle in [0, pi] whose cosine is x; NaN outside [-1, 1]."""

def atan(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The angle in [-pi/2, pi/2] whose tangent is x."""

def atan2(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The angle in [-pi, pi] of the point with x2 to the right and x1 up."""

def sinh(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The hyperbolic sine of x."""

def cosh(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The hyperbolic cosine of x."""

def tanh(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The hyperbolic tangent of x."""

def asinh(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The inverse hyperbolic sine of x."""

def acosh(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The inverse hyperbolic cosine of x; NaN below 1."""

def atanh(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The inverse hyperbolic tangent of x; NaN outside [-1, 1]."""

def degrees(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x radians in degrees."""

def radians(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x degrees in radians."""

def erf(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The error function of x."""

def erfinv(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The inverse of the error function; NaN outside [-1, 1]."""

def sigmoid(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """1 / (1 + exp(-x))."""

def softplus(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """log(1 + exp(x))."""

def silu(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x * sigmoid(x)."""

def gelu(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x / 2 * (1 + erf(x / sqrt(2)))."""

def gelu_approx(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """gelu by way of tanh: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))."""

def floor(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The greatest whole number not above x, in x's dtype."""

def ceil(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The smallest whole number not below x, in x's dtype."""

def trunc(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x without its fraction, in x's dtype."""

def round(
    x: ArrayLike, /, decimals: int = 0, *, out: ArrayLike | None = None, stream: StreamLike = None
) -> array:
    """The nearest number with that many decimals, in x's dtype; halfway, the even neighbour."""

def where(
    condition: ArrayLike, x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None
) -> array:
    """x1 where the condition holds, else x2."""

def copy(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The same values in memory of their own, row-major."""

def astype(
    x: ArrayLike,
    /,
    dtype: DTypeLike,
    *,
    copy: bool | None = True,
    device: DeviceLike | None = None,
    stream: StreamLike = None,
) -> array:
    """x in another dtype; integers truncate floats, reals take the real part of complex numbers."""

def sum(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    dtype: DTypeLike | None = None,
    *,
    out: ArrayLike | None = None,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The sum over axes; integers are summed in 64 bits or in dtype; an empty sum is 0."""

def prod(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    dtype: DTypeLike | None = None,
    *,
    out: ArrayLike | None = None,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The product over axes; integers in 64 bits or in dtype; an empty product is 1."""

def max(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    out: ArrayLike | None = None,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The largest value over axes; NaN if any is NaN."""

def min(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    out: ArrayLike | None = None,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The smallest value over axes; NaN if any is NaN."""

def minmax(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    stream: StreamLike = None,
) -> tuple[array, ...]:
    """The smallest and the largest value over axes, as min and max give them."""

def ptp(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    out: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The difference of the largest and the smallest value over axes: max - min."""

def any(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    out: ArrayLike | None = None,
    where: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """Whether any element over axes is true; False for no elements."""

def all(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    out: ArrayLike | None = None,
    where: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """Whether all elements over axes are true; True for no elements."""

def count_nonzero(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    stream: StreamLike = None,
) -> array:
    """How many elements over axes are not zero, as an int64."""

def mean(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: ArrayLike | None = None,
    where: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The arithmetic mean over axes; NaN for no elements."""

def var(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    correction: float = 0.0,
    *,
    dtype: DTypeLike | None = None,
    out: ArrayLike | None = None,
    where: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The mean squared distance from the mean over axes; divided by count - correction."""

def std(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    correction: float = 0.0,
    *,
    dtype: DTypeLike | None = None,
    out: ArrayLike | None = None,
    where: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The square root of var."""

def logsumexp(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    stream: StreamLike = None,
) -> array:
    """log of the sum of exp(x) over axes, without overflow; -inf for no elements."""

def nansum(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    dtype: DTypeLike | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """The sum of the elements that are not NaN, or 0."""

def nanprod(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    dtype: DTypeLike | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """The product of the elements that are not NaN, or 1."""

def nanmax(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    stream: StreamLike = None,
) -> array:
    """The largest element that is not NaN, or NaN."""

def nanmin(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    stream: StreamLike = None,
) -> array:
    """The smallest element that is not NaN, or NaN."""

def nanmean(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    dtype: DTypeLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The mean of the elements that are not NaN, or NaN."""

def nanvar(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    correction: float = 0.0,
    *,
    dtype: DTypeLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The variance of the elements that are not NaN; NaN where no degree of freedom is left."""

def nanstd(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    correction: float = 0.0,
    *,
    dtype: DTypeLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The square root of nanvar."""

def nanargmax(
    x: ArrayLike, /, axis: int | None = None, keepdims: bool = False, *, stream: StreamLike = None
) -> array:
    """argmax with NaN counted as -inf."""

def nanargmin(
    x: ArrayLike, /, axis: int | None = None, keepdims: bool = False, *, stream: StreamLike = None
) -> array:
    """argmin with NaN counted as inf."""

def nancumsum(
    x: ArrayLike,
    /,
    axis: int | None = None,
    reverse: bool = False,
    inclusive: bool = True,
    dtype: DTypeLike | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """cumsum with NaN counted as 0."""

def nancumprod(
    x: ArrayLike,
    /,
    axis: int | None = None,
    reverse: bool = False,
    inclusive: bool = True,
    dtype: DTypeLike | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """cumprod with NaN counted as 1."""

def argmax(
    x: ArrayLike,
    /,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    out: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The index of the first NaN or largest value, along an axis or in row-major order."""

def argmin(
    x: ArrayLike,
    /,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    out: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The index of the first NaN or smallest value, along an axis or in row-major order."""

def cumsum(
    x: ArrayLike,
    /,
    axis: int | None = None,
    reverse: bool = False,
    inclusive: bool = True,
    dtype: DTypeLike | None = None,
    *,
    out: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The running sum along an axis, or over all elements in row-major order."""

def cumprod(
    x: ArrayLike,
    /,
    axis: int | None = None,
    reverse: bool = False,
    inclusive: bool = True,
    dtype: DTypeLike | None = None,
    *,
    out: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The running product along an axis, or over all elements in row-major order."""

def cummax(
    x: ArrayLike,
    /,
    axis: int | None = None,
    reverse: bool = False,
    inclusive: bool = True,
    *,
    stream: StreamLike = None,
) -> array:
    """The largest value so far along an axis; NaN after the first NaN."""

def cummin(
    x: ArrayLike,
    /,
    axis: int | None = None,
    reverse: bool = False,
    inclusive: bool = True,
    *,
    stream: StreamLike = None,
) -> array:
    """The smallest value so far along an axis; NaN after the first NaN."""

def logcumsumexp(
    x: ArrayLike,
    /,
    axis: int | None = None,
    reverse: bool = False,
    inclusive: bool = True,
    *,
    stream: StreamLike = None,
) -> array:
    """The logarithm of the running sum of exp(x), without overflow."""

def cumulative_sum(
    x: ArrayLike,
    /,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
    *,
    stream: StreamLike = None,
) -> array:
    """The running sum along an axis, which is optional for a vector; a leading 0 on request."""

def cumulative_prod(
    x: ArrayLike,
    /,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
    *,
    stream: StreamLike = None,
) -> array:
    """The running product along an axis, which is optional for a vector; a leading 1 on request."""

def diff(
    x: ArrayLike,
    /,
    n: int = 1,
    axis: int = -1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """The differences of neighbours along an axis, n times, with prepend and append joined."""

def softmax(
    x: ArrayLike, /, axis: int | Sequence[int] | None = None, *, stream: StreamLike = None
) -> array:
    """exp(x) divided by its sum along axes, without overflow."""

def log_softmax(
    x: ArrayLike, /, axis: int | Sequence[int] | None = None, *, stream: StreamLike = None
) -> array:
    """The logarithm of softmax, without overflow."""

def rms_norm(
    x: ArrayLike, weight: ArrayLike | None, /, eps: float, *, stream: StreamLike = None
) -> array:
    """x divided by the root of its mean square along the last axis, times weight."""

def rope(
    a: ArrayLike,
    /,
    dims: int,
    traditional: bool,
    base: float | None,
    scale: float,
    offset: ArrayLike,
    freqs: ArrayLike | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """x with pairs of the first dims features rotated by angles that grow with the position."""

def cross_entropy(logits: ArrayLike, targets: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """logsumexp(logits) - logits[target] along the last axis, in float32 at least."""

def layer_norm(
    x: ArrayLike,
    weight: ArrayLike | None,
    bias: ArrayLike | None,
    /,
    eps: float,
    *,
    stream: StreamLike = None,
) -> array:
    """x normalized to mean 0 and variance 1 along the last axis, times weight, plus bias."""

def gather(
    x: ArrayLike,
    indices: Sequence[ArrayLike],
    /,
    axes: int | Sequence[int],
    *,
    stream: StreamLike = None,
) -> array:
    """The slices of x at indices along the axes; the index arrays' own axes come first."""

def take(
    x: ArrayLike,
    indices: ArrayLike,
    /,
    axis: int | None = None,
    *,
    out: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The slices of x at the indices along an axis, or the elements at them in row-major order."""

def take_along_axis(
    x: ArrayLike, indices: ArrayLike, /, axis: int | None = -1, *, stream: StreamLike = None
) -> array:
    """The elements of x at the indices along an axis; x and indices match along the others."""

def put_along_axis(
    x: ArrayLike,
    indices: ArrayLike,
    values: ArrayLike,
    /,
    axis: int | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """x with values at the indices along an axis; the three match along the others."""

def scatter(
    x: ArrayLike,
    indices: Sequence[ArrayLike],
    updates: ArrayLike,
    /,
    axes: int | Sequence[int],
    *,
    stream: StreamLike = None,
) -> array:
    """x with updates written at indices along the axes; the last update of an element stays."""

def scatter_add(
    x: ArrayLike,
    indices: Sequence[ArrayLike],
    updates: ArrayLike,
    /,
    axes: int | Sequence[int],
    *,
    stream: StreamLike = None,
) -> array:
    """x with updates added at indices along the axes, one after the other."""

def scatter_subtract(
    x: ArrayLike,
    indices: Sequence[ArrayLike],
    updates: ArrayLike,
    /,
    axes: int | Sequence[int],
    *,
    stream: StreamLike = None,
) -> array:
    """x with updates subtracted at indices along the axes."""

def scatter_multiply(
    x: ArrayLike,
    indices: Sequence[ArrayLike],
    updates: ArrayLike,
    /,
    axes: int | Sequence[int],
    *,
    stream: StreamLike = None,
) -> array:
    """x multiplied by updates at indices along the axes."""

def scatter_divide(
    x: ArrayLike,
    indices: Sequence[ArrayLike],
    updates: ArrayLike,
    /,
    axes: int | Sequence[int],
    *,
    stream: StreamLike = None,
) -> array:
    """x, which is no integer, divided by updates at indices along the axes."""

def scatter_power(
    x: ArrayLike,
    indices: Sequence[ArrayLike],
    updates: ArrayLike,
    /,
    axes: int | Sequence[int],
    *,
    stream: StreamLike = None,
) -> array:
    """x raised to updates at indices along the axes, one after the other."""

def scatter_max(
    x: ArrayLike,
    indices: Sequence[ArrayLike],
    updates: ArrayLike,
    /,
    axes: int | Sequence[int],
    *,
    stream: StreamLike = None,
) -> array:
    """The larger of x and updates at the indices along the axes; NaN if either is NaN."""

def scatter_min(
    x: ArrayLike,
    indices: Sequence[ArrayLike],
    updates: ArrayLike,
    /,
    axes: int | Sequence[int],
    *,
    stream: StreamLike = None,
) -> array:
    """The smaller of x and updates at the indices along the axes; NaN if either is NaN."""

def nonzero(x: ArrayLike, /, *, stream: StreamLike = None) -> tuple[array, ...]:
    """The coordinates, as int64, of x's elements that are not zero, by axis. Computes x."""

def argwhere(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The coordinates of x's elements that are not zero, a row for each. Computes x."""

def flatnonzero(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The row-major positions of x's elements that are not zero. Computes x."""

def compress(
    condition: ArrayLike, x: ArrayLike, /, axis: int | None = None, *, stream: StreamLike = None
) -> array:
    """The slices of x along an axis for which the condition holds. Computes the condition."""

def extract(condition: ArrayLike, x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The elements of x, in row-major order, where the condition holds. Computes the condition."""

def matmul(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The matrix product over the last two axes, the others broadcast."""

def gather_mm(
    a: ArrayLike,
    b: ArrayLike,
    /,
    lhs_indices: ArrayLike | None = None,
    rhs_indices: ArrayLike | None = None,
    sorted_indices: bool = False,
    *,
    stream: StreamLike = None,
) -> array:
    """a @ b of the matrices of a and b that index arrays choose."""

def block_masked_mm(
    a: ArrayLike,
    b: ArrayLike,
    /,
    block_size: int = 64,
    mask_out: ArrayLike | None = None,
    mask_lhs: ArrayLike | None = None,
    mask_rhs: ArrayLike | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """a @ b with blocks of a, b and the product masked out, or times numbers."""

def segmented_mm(
    a: ArrayLike, b: ArrayLike, /, segments: ArrayLike, *, stream: StreamLike = None
) -> array:
    """a @ b for each segment of the inner axis, given by its ends."""

def addmm(
    c: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    /,
    alpha: float = 1.0,
    beta: float = 1.0,
    *,
    stream: StreamLike = None,
) -> array:
    """alpha * (a @ b) + beta * c."""

def outer(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Every element of x1 times every element of x2, both flattened."""

def inner(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """Sums of products over the last axes; the product if an operand is 0-d."""

def vecdot(x1: ArrayLike, x2: ArrayLike, /, axis: int = -1, *, stream: StreamLike = None) -> array:
    """The sum of conj(x1) * x2 along an axis, the others broadcast."""

def tensordot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    axes: int | Sequence[Sequence[int]] = 2,
    *,
    stream: StreamLike = None,
) -> array:
    """Sums of products over pairs of axes."""

def einsum(subscripts: str, /, *operands: ArrayLike, stream: StreamLike = None) -> array:
    """Einstein's summation: products summed over the labels that the result does not have."""

def scaled_dot_product_attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    /,
    scale: float,
    mask: ArrayLike | None = None,
    causal: bool = False,
    sinks: ArrayLike | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """softmax(scale * q @ k.T + mask) @ v for each head; sinks are scores without values."""

def quantize(
    w: ArrayLike,
    /,
    group_size: int | None = None,
    bits: int | None = None,
    mode: str = "affine",
    global_scale: ArrayLike | None = None,
    *,
    stream: StreamLike = None,
) -> tuple[array, ...]:
    """x as words of codes of a few bits; each group has a scale, in affine mode also a bias."""

def dequantize(
    w: ArrayLike,
    /,
    scales: ArrayLike,
    biases: ArrayLike | None = None,
    group_size: int | None = None,
    bits: int | None = None,
    mode: str = "affine",
    global_scale: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """The numbers that the codes of a quantised matrix encode."""

def quantized_matmul(
    x: ArrayLike,
    w: ArrayLike,
    /,
    scales: ArrayLike,
    biases: ArrayLike | None = None,
    transpose: bool = True,
    group_size: int | None = None,
    bits: int | None = None,
    mode: str = "affine",
    *,
    stream: StreamLike = None,
) -> array:
    """x @ w.T, or x @ w, for a quantised matrix w, which is never expanded in memory."""

def gather_qmm(
    x: ArrayLike,
    w: ArrayLike,
    /,
    scales: ArrayLike,
    biases: ArrayLike | None = None,
    lhs_indices: ArrayLike | None = None,
    rhs_indices: ArrayLike | None = None,
    transpose: bool = True,
    group_size: int | None = None,
    bits: int | None = None,
    mode: str = "affine",
    global_scale: ArrayLike | None = None,
    sorted_indices: bool = False,
    *,
    stream: StreamLike = None,
) -> array:
    """quantized_matmul of the matrices of x and w that index arrays choose."""

def qqmm(
    x: ArrayLike,
    w: ArrayLike,
    /,
    scales: ArrayLike | None = None,
    group_size: int | None = None,
    bits: int | None = None,
    mode: str = "nvfp4",
    global_scale_x: ArrayLike | None = None,
    global_scale_w: ArrayLike | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """x @ w.T with x rounded to the quantised format, and w, too, unless it is quantised."""

def gather_qqmm(
    x: ArrayLike,
    w: ArrayLike,
    /,
    scales: ArrayLike | None = None,
    lhs_indices: ArrayLike | None = None,
    rhs_indices: ArrayLike | None = None,
    group_size: int | None = None,
    bits: int | None = None,
    mode: str = "nvfp4",
    global_scale_x: ArrayLike | None = None,
    global_scale_w: ArrayLike | None = None,
    sorted_indices: bool = False,
    *,
    stream: StreamLike = None,
) -> array:
    """qqmm of the matrices of x and w that index arrays choose."""

def hadamard_transform(
    a: ArrayLike, /, scale: float | None = None, *, stream: StreamLike = None
) -> array:
    """The Walsh-Hadamard transform along the last axis, times scale; orthonormal by default."""

def to_fp8(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x rounded to E4M3 floats, as uint8; too large numbers become 448."""

def from_fp8(
    x: ArrayLike, /, dtype: DTypeLike | None = None, *, stream: StreamLike = None
) -> array:
    """The numbers of E4M3 floats that are stored as uint8."""

def eye(
    n_rows: int,
    n_cols: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike | None = None,
    stream: StreamLike = None,
) -> array:
    """A matrix of ones on diagonal k and zeros elsewhere."""

def identity(
    n: int,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike | None = None,
    stream: StreamLike = None,
) -> array:
    """A square matrix of ones on the diagonal and zeros elsewhere."""

def tri(
    n_rows: int,
    n_cols: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike | None = None,
    stream: StreamLike = None,
) -> array:
    """A matrix of ones on diagonal k and below, and zeros above."""

def linspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike | None = None,
    stream: StreamLike = None,
) -> array:
    """num evenly spaced numbers from start to stop; endpoint tells whether stop is included."""

def logspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike | None = None,
    stream: StreamLike = None,
) -> array:
    """base raised to linspace(start, stop, num, endpoint)."""

def vander(
    x: ArrayLike, /, N: int | None = None, increasing: bool = False, *, stream: StreamLike = None
) -> array:
    """The matrix of N powers of the vector x, in its columns, the highest first."""

def hanning(M: int, *, stream: StreamLike = None) -> array:
    """The Hann window of M points, as float32."""

def hamming(M: int, *, stream: StreamLike = None) -> array:
    """The Hamming window of M points, as float32."""

def blackman(M: int, *, stream: StreamLike = None) -> array:
    """The Blackman window of M points, as float32."""

def bartlett(M: int, *, stream: StreamLike = None) -> array:
    """The triangle of M points from 0 to 1 and back, as float32."""

def tril(x: ArrayLike, /, k: int = 0, *, stream: StreamLike = None) -> array:
    """The matrices of x with zeros above diagonal k."""

def triu(x: ArrayLike, /, k: int = 0, *, stream: StreamLike = None) -> array:
    """The matrices of x with zeros below diagonal k."""

def diag(x: ArrayLike, /, k: int = 0, *, stream: StreamLike = None) -> array:
    """A matrix with the vector x on diagonal k; for a matrix x, its diagonal k."""

def concat(
    arrays: Sequence[ArrayLike], /, axis: int | None = 0, *, stream: StreamLike = None
) -> array:
    """The arrays one after the other along an axis, in their common dtype."""

def stack(arrays: Sequence[ArrayLike], /, axis: int = 0, *, stream: StreamLike = None) -> array:
    """The arrays side by side along a new axis, in their common dtype."""

def hstack(arrays: Sequence[ArrayLike], /, *, stream: StreamLike = None) -> array:
    """The arrays one after the other along the second axis, vectors along their only one."""

def vstack(arrays: Sequence[ArrayLike], /, *, stream: StreamLike = None) -> array:
    """The arrays one after the other along the first axis, vectors as rows."""

def pad(
    x: ArrayLike,
    /,
    pad_width: int | Sequence[int] | Sequence[Sequence[int]],
    mode: str = "constant",
    constant_values: ArrayLike | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """x with elements before and after it on each axis; constants may differ as widths."""

def roll(
    x: ArrayLike,
    /,
    shift: int | Sequence[int],
    axis: int | Sequence[int] | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """x with its elements shifted along axes; those shifted past the end come first."""

def tile(x: ArrayLike, /, repetitions: int | Sequence[int], *, stream: StreamLike = None) -> array:
    """x repeated along each axis."""

def repeat(
    x: ArrayLike, repeats: ArrayLike, /, axis: int | None = None, *, stream: StreamLike = None
) -> array:
    """Each element repeated; repeats is a number for all or for each. Computes repeats."""

def conv1d(
    input: ArrayLike,
    weight: ArrayLike,
    /,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | tuple[Sequence[int], Sequence[int]] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    data_format: str = "channels_last",
    *,
    stream: StreamLike = None,
) -> array:
    """Sums of weight times the elements of input under it, along one axis of space."""

def conv2d(
    input: ArrayLike,
    weight: ArrayLike,
    /,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | tuple[Sequence[int], Sequence[int]] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    data_format: str = "channels_last",
    *,
    stream: StreamLike = None,
) -> array:
    """Sums of weight times the elements of input under it, along two axes of space."""

def conv3d(
    input: ArrayLike,
    weight: ArrayLike,
    /,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | tuple[Sequence[int], Sequence[int]] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    data_format: str = "channels_last",
    *,
    stream: StreamLike = None,
) -> array:
    """Sums of weight times the elements of input under it, along three axes of space."""

def conv_general(
    input: ArrayLike,
    weight: ArrayLike,
    /,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | tuple[Sequence[int], Sequence[int]] | str = 0,
    kernel_dilation: int | Sequence[int] = 1,
    input_dilation: int | Sequence[int] = 1,
    groups: int = 1,
    flip: bool = False,
    data_format: str = "channels_last",
    *,
    stream: StreamLike = None,
) -> array:
    """A convolution along one to three axes; flip reverses weight."""

def conv_transpose1d(
    input: ArrayLike,
    weight: ArrayLike,
    /,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | tuple[Sequence[int], Sequence[int]] | str = 0,
    dilation: int | Sequence[int] = 1,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    data_format: str = "channels_last",
    *,
    stream: StreamLike = None,
) -> array:
    """The transpose of conv1d: strides apply to the result."""

def conv_transpose2d(
    input: ArrayLike,
    weight: ArrayLike,
    /,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | tuple[Sequence[int], Sequence[int]] | str = 0,
    dilation: int | Sequence[int] = 1,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    data_format: str = "channels_last",
    *,
    stream: StreamLike = None,
) -> array:
    """The transpose of conv2d: strides apply to the result."""

def conv_transpose3d(
    input: ArrayLike,
    weight: ArrayLike,
    /,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | tuple[Sequence[int], Sequence[int]] | str = 0,
    dilation: int | Sequence[int] = 1,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    data_format: str = "channels_last",
    *,
    stream: StreamLike = None,
) -> array:
    """The transpose of conv3d: strides apply to the result."""

def convolve(
    a: ArrayLike, v: ArrayLike, /, mode: str = "full", *, stream: StreamLike = None
) -> array:
    """The convolution of two vectors: all, as long as the longer, or where they overlap fully."""

def max_pool1d(
    input: ArrayLike,
    /,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] | tuple[Sequence[int], Sequence[int]] | str = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    data_format: str = "channels_last",
    *,
    stream: StreamLike = None,
) -> array:
    """The largest of each window along one axis of space; NaN if any is NaN."""

def max_pool2d(
    input: ArrayLike,
    /,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] | tuple[Sequence[int], Sequence[int]] | str = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    data_format: str = "channels_last",
    *,
    stream: StreamLike = None,
) -> array:
    """The largest of each window along two axes of space; NaN if any is NaN."""

def max_pool3d(
    input: ArrayLike,
    /,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] | tuple[Sequence[int], Sequence[int]] | str = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    data_format: str = "channels_last",
    *,
    stream: StreamLike = None,
) -> array:
    """The largest of each window along three axes of space; NaN if any is NaN."""

def avg_pool1d(
    input: ArrayLike,
    /,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] | tuple[Sequence[int], Sequence[int]] | str = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    data_format: str = "channels_last",
    *,
    stream: StreamLike = None,
) -> array:
    """The mean of each window along one axis of space."""

def avg_pool2d(
    input: ArrayLike,
    /,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] | tuple[Sequence[int], Sequence[int]] | str = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    data_format: str = "channels_last",
    *,
    stream: StreamLike = None,
) -> array:
    """The mean of each window along two axes of space."""

def avg_pool3d(
    input: ArrayLike,
    /,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] | tuple[Sequence[int], Sequence[int]] | str = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    data_format: str = "channels_last",
    *,
    stream: StreamLike = None,
) -> array:
    """The mean of each window along three axes of space."""

def reshape(
    x: ArrayLike,
    /,
    shape: int | Sequence[int],
    *,
    copy: bool | None = None,
    stream: StreamLike = None,
) -> array:
    """The same elements, in row-major order, with another shape; one extent may be -1."""

def broadcast_to(
    x: ArrayLike, /, shape: int | Sequence[int], *, stream: StreamLike = None
) -> array:
    """x repeated, without a copy, to a larger shape."""

def permute_dims(
    x: ArrayLike, /, axes: int | Sequence[int] | None = None, *, stream: StreamLike = None
) -> array:
    """The axes of x in another order."""

def squeeze(
    x: ArrayLike, /, axis: int | Sequence[int] | None = None, *, stream: StreamLike = None
) -> array:
    """x without the axes named, each of extent 1."""

def expand_dims(
    x: ArrayLike, /, axis: int | Sequence[int] = 0, *, stream: StreamLike = None
) -> array:
    """x with new axes of extent 1, at these positions in the result."""

def matrix_transpose(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x with its last two axes exchanged."""

def swapaxes(x: ArrayLike, /, axis1: int, axis2: int, *, stream: StreamLike = None) -> array:
    """x with two axes exchanged."""

def moveaxis(
    x: ArrayLike,
    /,
    source: int | Sequence[int],
    destination: int | Sequence[int],
    *,
    stream: StreamLike = None,
) -> array:
    """x with axes moved to new positions, the others in their old order."""

def flip(
    x: ArrayLike, /, axis: int | Sequence[int] | None = None, *, stream: StreamLike = None
) -> array:
    """x with the order of its elements along axes reversed."""

def rot90(
    x: ArrayLike, /, k: int = 1, axes: int | Sequence[int] = (0, 1), *, stream: StreamLike = None
) -> array:
    """x rotated k times by 90 degrees, from the first of the two axes towards the second."""

def flatten(
    x: ArrayLike, /, start_axis: int = 0, end_axis: int = -1, *, stream: StreamLike = None
) -> array:
    """x with the axes from start_axis to end_axis joined to one; a 0-d array becomes a vector."""

def unflatten(
    x: ArrayLike, /, axis: int, shape: int | Sequence[int], *, stream: StreamLike = None
) -> array:
    """x with one axis split into several; one extent may be -1."""

def ravel(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """All elements in row-major order, as a vector."""

def diagonal(
    x: ArrayLike, /, offset: int = 0, axis1: int = 0, axis2: int = 1, *, stream: StreamLike = None
) -> array:
    """The diagonal of two axes, as the last axis; offset moves it up."""

def trace(
    x: ArrayLike,
    /,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
    *,
    out: ArrayLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The sum of the diagonal of two axes."""

def as_strided(
    x: ArrayLike,
    /,
    shape: int | Sequence[int] | None = None,
    strides: int | Sequence[int] | None = None,
    offset: int = 0,
    *,
    stream: StreamLike = None,
) -> array:
    """A window onto the elements of x in row-major order; strides and offset in elements."""

def bitcast(x: ArrayLike, /, dtype: DTypeLike, *, stream: StreamLike = None) -> array:
    """The bytes of x read as another dtype; with another size the last extent changes."""

def contiguous(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x itself if it lies row-major without gaps, else a copy that does."""

def split(
    x: ArrayLike,
    /,
    indices_or_sections: int | Sequence[int],
    axis: int = 0,
    *,
    stream: StreamLike = None,
) -> list[array]:
    """The parts of x along an axis: a number of equal ones, or cut at indices."""

def array_split(
    x: ArrayLike,
    /,
    indices_or_sections: int | Sequence[int],
    axis: int = 0,
    *,
    stream: StreamLike = None,
) -> list[array]:
    """The parts of x along an axis; unlike split, the first parts may be longer by one."""

def unstack(x: ArrayLike, /, axis: int = 0, *, stream: StreamLike = None) -> tuple[array, ...]:
    """The slices of x along an axis, each without that axis."""

def broadcast_arrays(*arrays: ArrayLike, stream: StreamLike = None) -> tuple[array, ...]:
    """The arrays broadcast, without a copy, to their common shape."""

def atleast_1d(*arrays: ArrayLike, stream: StreamLike = None) -> array | tuple[array, ...]:
    """The arrays, each with one axis or more."""

def atleast_2d(*arrays: ArrayLike, stream: StreamLike = None) -> array | tuple[array, ...]:
    """The arrays, each with two axes or more; new axes come first."""

def atleast_3d(*arrays: ArrayLike, stream: StreamLike = None) -> array | tuple[array, ...]:
    """The arrays, each with three axes or more; a vector becomes the second axis."""

def meshgrid(
    *arrays: ArrayLike, sparse: bool = False, indexing: str = "xy", stream: StreamLike = None
) -> tuple[array, ...]:
    """The vectors broadcast, without a copy, to a grid; 'xy' exchanges its first two axes."""

def sort(
    x: ArrayLike,
    /,
    axis: int | None = -1,
    descending: bool = False,
    stable: bool = True,
    *,
    stream: StreamLike = None,
) -> array:
    """The elements in order along an axis; NaN counts as the largest."""

def argsort(
    x: ArrayLike,
    /,
    axis: int | None = -1,
    descending: bool = False,
    stable: bool = True,
    *,
    stream: StreamLike = None,
) -> array:
    """The indices of the elements in sorted order; equal elements keep their order."""

def partition(
    x: ArrayLike, /, kth: int, axis: int | None = -1, *, stream: StreamLike = None
) -> array:
    """The elements with the kth in its sorted position and no greater element before it."""

def argpartition(
    x: ArrayLike, /, kth: int, axis: int | None = -1, *, stream: StreamLike = None
) -> array:
    """The indices of the elements in the order of partition."""

def topk(x: ArrayLike, /, k: int, axis: int | None = -1, *, stream: StreamLike = None) -> array:
    """The k largest elements along an axis, the largest first; NaN counts as the largest."""

def argtopk(x: ArrayLike, /, k: int, axis: int | None = -1, *, stream: StreamLike = None) -> array:
    """The indices of the k largest elements along an axis, the largest first."""

def searchsorted(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    side: str = "left",
    sorter: ArrayLike | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """The positions that keep the sorted vector x1 in order if x2's elements are inserted there."""

def isin(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    invert: bool = False,
    assume_unique: bool | None = None,
    stream: StreamLike = None,
) -> array:
    """Whether each element of x1 equals one of x2; NaN equals nothing."""

def unique_all(x: ArrayLike, /, *, stream: StreamLike = None) -> distinct_all_result:
    """The distinct elements, their first indices, the index of each of x's elements, and counts."""

def unique_counts(x: ArrayLike, /, *, stream: StreamLike = None) -> distinct_counts_result:
    """The distinct elements in ascending order, and how often each occurs. Computes x."""

def unique_inverse(x: ArrayLike, /, *, stream: StreamLike = None) -> distinct_inverse_result:
    """The distinct elements in order, and for each element of x its index. Computes x."""

def unique_values(x: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The distinct elements in ascending order; each NaN is distinct. Computes x."""

def median(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    stream: StreamLike = None,
) -> array:
    """The middle element over axes, or the mean of the middle two; NaN if any is NaN."""

def quantile(
    x: ArrayLike,
    q: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    method: str = "linear",
    *,
    stream: StreamLike = None,
) -> array:
    """The value below which a share q of the elements over axes lies, by a method of NumPy."""

def percentile(
    x: ArrayLike,
    q: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    method: str = "linear",
    *,
    stream: StreamLike = None,
) -> array:
    """quantile(x, q / 100)."""

def nanmedian(
    x: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    stream: StreamLike = None,
) -> array:
    """The median of elements that are not NaN; NaN where all are. Computes x if it has floats."""

def nanquantile(
    x: ArrayLike,
    q: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    method: str = "linear",
    *,
    stream: StreamLike = None,
) -> array:
    """The quantile of elements that are not NaN; NaN where all are. Computes x of floats."""

def nanpercentile(
    x: ArrayLike,
    q: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    method: str = "linear",
    *,
    stream: StreamLike = None,
) -> array:
    """nanquantile(x, q / 100)."""

def threefry(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """64 random bits for each counter x1 under the key x2, by Threefry-2x32 of 20 rounds."""

def threefry_half(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """32 random bits for each counter x1: half of threefry's bits for x1 >> 1."""

def random_key(seed: int, *, stream: StreamLike = None) -> array:
    """The key that belongs to a seed."""

def random_split(key: ArrayLike | None, /, num: int = 2, *, stream: StreamLike = None) -> array:
    """num keys made from one key."""

def random_uniform(
    key: ArrayLike | None,
    low: ArrayLike,
    high: ArrayLike,
    /,
    shape: int | Sequence[int] | None,
    dtype: DTypeLike,
    *,
    stream: StreamLike = None,
) -> array:
    """Floats of the uniform distribution from low to high, high excluded."""

def random_randint(
    key: ArrayLike | None,
    low: ArrayLike,
    high: ArrayLike | None,
    /,
    shape: int | Sequence[int],
    dtype: DTypeLike,
    *,
    stream: StreamLike = None,
) -> array:
    """Integers of the uniform distribution from low to below high, or to the dtype's largest."""

def random_normal(
    key: ArrayLike | None,
    /,
    shape: int | Sequence[int],
    dtype: DTypeLike,
    loc: ArrayLike | None = None,
    scale: ArrayLike | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """Floats of the normal distribution, times scale, plus loc."""

def random_truncated_normal(
    key: ArrayLike | None,
    low: ArrayLike,
    high: ArrayLike,
    /,
    shape: int | Sequence[int] | None,
    dtype: DTypeLike,
    *,
    stream: StreamLike = None,
) -> array:
    """Floats of the standard normal distribution between low and high, both excluded."""

def random_laplace(
    key: ArrayLike | None,
    /,
    shape: int | Sequence[int],
    dtype: DTypeLike,
    loc: ArrayLike | None = None,
    scale: ArrayLike | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """Floats of the Laplace distribution, times scale, plus loc."""

def random_gumbel(
    key: ArrayLike | None,
    /,
    shape: int | Sequence[int],
    dtype: DTypeLike,
    *,
    stream: StreamLike = None,
) -> array:
    """Floats of the standard Gumbel distribution."""

def random_standard_cauchy(
    key: ArrayLike | None,
    /,
    shape: int | Sequence[int],
    dtype: DTypeLike,
    *,
    stream: StreamLike = None,
) -> array:
    """The Cauchy distribution."""

def random_logistic(
    key: ArrayLike | None,
    loc: ArrayLike | None,
    scale: ArrayLike | None,
    /,
    shape: int | Sequence[int] | None,
    dtype: DTypeLike,
    *,
    stream: StreamLike = None,
) -> array:
    """The logistic distribution, times scale, plus loc."""

def random_exponential(
    key: ArrayLike | None,
    scale: ArrayLike,
    /,
    shape: int | Sequence[int] | None,
    dtype: DTypeLike,
    *,
    stream: StreamLike = None,
) -> array:
    """The exponential distribution of mean scale."""

def random_rayleigh(
    key: ArrayLike | None,
    scale: ArrayLike,
    /,
    shape: int | Sequence[int] | None,
    dtype: DTypeLike,
    *,
    stream: StreamLike = None,
) -> array:
    """The Rayleigh distribution: lengths of normal pairs, times scale."""

def random_weibull(
    key: ArrayLike | None,
    a: ArrayLike,
    /,
    shape: int | Sequence[int] | None,
    dtype: DTypeLike,
    *,
    stream: StreamLike = None,
) -> array:
    """The Weibull distribution of shape a."""

def random_pareto(
    key: ArrayLike | None,
    a: ArrayLike,
    /,
    shape: int | Sequence[int] | None,
    dtype: DTypeLike,
    *,
    stream: StreamLike = None,
) -> array:
    """The Pareto distribution of exponent a, from 0."""

def random_gamma(
    key: ArrayLike | None,
    a: ArrayLike,
    scale: ArrayLike,
    /,
    shape: int | Sequence[int] | None,
    dtype: DTypeLike,
    *,
    stream: StreamLike = None,
) -> array:
    """The gamma distribution of shape a."""

def random_beta(
    key: ArrayLike | None,
    a: ArrayLike,
    b: ArrayLike,
    /,
    shape: int | Sequence[int] | None,
    dtype: DTypeLike,
    *,
    stream: StreamLike = None,
) -> array:
    """The beta distribution of shapes a and b."""

def random_multivariate_normal(
    key: ArrayLike | None,
    mean: ArrayLike,
    cov: ArrayLike,
    /,
    shape: int | Sequence[int] | None,
    dtype: DTypeLike,
    *,
    stream: StreamLike = None,
) -> array:
    """Normal vectors; cov may be singular."""

def random_categorical(
    key: ArrayLike | None,
    logits: ArrayLike,
    /,
    axis: int = -1,
    num_samples: int | None = None,
    shape: int | Sequence[int] | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """Indices along an axis, with the probabilities softmax(logits)."""

def random_bernoulli(
    key: ArrayLike | None,
    p: ArrayLike,
    /,
    shape: int | Sequence[int] | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """True with probability p."""

def random_permutation(
    key: ArrayLike | None, x: ArrayLike, /, axis: int = 0, *, stream: StreamLike = None
) -> array:
    """Slices along an axis in random order."""

def random_choice(
    key: ArrayLike | None,
    a: ArrayLike,
    /,
    shape: int | Sequence[int],
    replace: bool = True,
    p: ArrayLike | None = None,
    axis: int = 0,
    *,
    stream: StreamLike = None,
) -> array:
    """Slices drawn along an axis, as likely as p says."""

def kron(x1: ArrayLike, x2: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The Kronecker product: each element of x1 is replaced by itself times all of x2."""

def cross(x1: ArrayLike, x2: ArrayLike, /, axis: int = -1, *, stream: StreamLike = None) -> array:
    """The cross product of vectors of three elements along an axis, the others broadcast."""

def linalg_cholesky(a: ArrayLike, /, upper: bool = False, *, stream: StreamLike = None) -> array:
    """The Cholesky factor of positive definite matrices, lower or upper."""

def linalg_cholesky_inv(
    a: ArrayLike, /, upper: bool = False, *, stream: StreamLike = None
) -> array:
    """The inverses of the matrices whose Cholesky factors a holds."""

def linalg_tri_inv(a: ArrayLike, /, upper: bool = False, *, stream: StreamLike = None) -> array:
    """The inverses of triangular matrices."""

def linalg_inv(a: ArrayLike, /, quiet: bool = False, *, stream: StreamLike = None) -> array:
    """The inverses of square matrices; if quiet, infinities for singular ones."""

def linalg_solve(a: ArrayLike, b: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """x with a @ x = b; a vector b is one column, and other axes are broadcast."""

def linalg_solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    /,
    upper: bool = False,
    unit_diagonal: bool = False,
    *,
    stream: StreamLike = None,
) -> array:
    """x with a @ x = b for triangular matrices a; only the triangle is read."""

def linalg_det(a: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The determinants of square matrices."""

def linalg_slogdet(a: ArrayLike, /, *, stream: StreamLike = None) -> tuple[array, ...]:
    """The signs of determinants, and the logarithms of their magnitudes."""

def linalg_lu(a: ArrayLike, /, *, stream: StreamLike = None) -> tuple[array, ...]:
    """The order p of rows, L and U with a = L[p, :] @ U."""

def linalg_lu_factor(a: ArrayLike, /, *, stream: StreamLike = None) -> tuple[array, ...]:
    """L and U in one matrix, and the row, from 0, that each row was exchanged with."""

def linalg_qr(
    a: ArrayLike, /, complete: bool = False, *, stream: StreamLike = None
) -> tuple[array, ...]:
    """Q with orthonormal columns, all if complete, and triangular R with a = Q @ R."""

def linalg_svd(
    a: ArrayLike, /, full_matrices: bool = True, *, stream: StreamLike = None
) -> tuple[array, ...]:
    """U, the singular values from the largest down, and V^H."""

def linalg_svdvals(a: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The singular values, from the largest down."""

def linalg_eigh(
    a: ArrayLike, /, upper: bool = False, *, stream: StreamLike = None
) -> tuple[array, ...]:
    """The eigenvalues of Hermitian matrices, ascending, and eigenvectors as columns."""

def linalg_eigvalsh(a: ArrayLike, /, upper: bool = False, *, stream: StreamLike = None) -> array:
    """The eigenvalues of Hermitian matrices, ascending; one triangle is read."""

def linalg_eig(a: ArrayLike, /, *, stream: StreamLike = None) -> tuple[array, ...]:
    """The eigenvalues of square matrices and their eigenvectors as columns, all complex."""

def linalg_eigvals(a: ArrayLike, /, *, stream: StreamLike = None) -> array:
    """The eigenvalues of square matrices, complex."""

def linalg_cholesky_solve(
    b: ArrayLike, a: ArrayLike, /, upper: bool = False, *, stream: StreamLike = None
) -> array:
    """x with A @ x = b, where a is the Cholesky factor of A."""

def linalg_pinv(
    a: ArrayLike, /, rtol: ArrayLike | None = None, *, stream: StreamLike = None
) -> array:
    """Pseudo-inverses; singular values up to rtol times the largest count as zero."""

def linalg_lstsq(
    a: ArrayLike, b: ArrayLike, /, rcond: ArrayLike | None = None, *, stream: StreamLike = None
) -> tuple[array, ...]:
    """Least squares, squared residuals, ranks, singular values; computes one matrix's rank."""

def linalg_matrix_rank(
    a: ArrayLike,
    /,
    tol: ArrayLike | None = None,
    rtol: ArrayLike | None = None,
    *,
    stream: StreamLike = None,
) -> array:
    """How many singular values are above tol, or rtol times the largest, as int64."""

def linalg_cond(a: ArrayLike, /, p: str = "2", *, stream: StreamLike = None) -> array:
    """The condition numbers by a norm of matrix_norm; infinity for singular matrices."""

def linalg_vector_norm(
    a: ArrayLike,
    /,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    ord: float = 2.0,
    *,
    stream: StreamLike = None,
) -> array:
    """(sum |a|^ord)^(1/ord); inf: the largest |a|, -inf: the least, 0: the count of nonzero a."""

def linalg_matrix_norm(
    a: ArrayLike, /, keepdims: bool = False, ord: str = "fro", *, stream: StreamLike = None
) -> array:
    """The norms fro, nuc, 1, -1, 2, -2, inf and -inf of matrices."""

def linalg_matrix_power(a: ArrayLike, /, n: int, *, stream: StreamLike = None) -> array:
    """Matrices multiplied by themselves n times; for a negative n, their inverses."""

def linalg_multi_dot(arrays: Sequence[ArrayLike], /, *, stream: StreamLike = None) -> array:
    """The product of matrices, in the order of the fewest multiplications; vectors may end it."""

def fft_fft(
    a: ArrayLike,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
    *,
    stream: StreamLike = None,
) -> array:
    """The discrete Fourier transform of n numbers along an axis; missing numbers count as zero."""

def fft_ifft(
    a: ArrayLike,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
    *,
    stream: StreamLike = None,
) -> array:
    """The inverse of fft."""

def fft_rfft(
    a: ArrayLike,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
    *,
    stream: StreamLike = None,
) -> array:
    """The first n / 2 + 1 numbers of fft of real numbers; the others are their conjugates."""

def fft_irfft(
    a: ArrayLike,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
    *,
    stream: StreamLike = None,
) -> array:
    """The inverse of rfft: n real numbers from m; n is 2 (m - 1) if it is left out."""

def fft_hfft(
    a: ArrayLike,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
    *,
    stream: StreamLike = None,
) -> array:
    """fft of a Hermitian sequence, given by its first n / 2 + 1 numbers: n real numbers."""

def fft_ihfft(
    a: ArrayLike,
    /,
    n: int | None = None,
    axis: int = -1,
    norm: str = "backward",
    *,
    stream: StreamLike = None,
) -> array:
    """The inverse of hfft: the first n / 2 + 1 numbers of ifft of real numbers."""

def fft_fftn(
    a: ArrayLike,
    /,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str = "backward",
    *,
    stream: StreamLike = None,
) -> array:
    """fft along several axes; s has an n for each, -1 for all numbers."""

def fft_ifftn(
    a: ArrayLike,
    /,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str = "backward",
    *,
    stream: StreamLike = None,
) -> array:
    """The inverse of fftn."""

def fft_rfftn(
    a: ArrayLike,
    /,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str = "backward",
    *,
    stream: StreamLike = None,
) -> array:
    """rfft along the last of several axes, then fft along the others."""

def fft_irfftn(
    a: ArrayLike,
    /,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str = "backward",
    *,
    stream: StreamLike = None,
) -> array:
    """The inverse of rfftn."""

def fft_fftshift(
    a: ArrayLike, /, axes: int | Sequence[int] | None = None, *, stream: StreamLike = None
) -> array:
    """a with the element at zero of each axis moved to the middle."""

def fft_ifftshift(
    a: ArrayLike, /, axes: int | Sequence[int] | None = None, *, stream: StreamLike = None
) -> array:
    """The inverse of fftshift."""

def fft_fftfreq(
    n: int,
    d: float = 1.0,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The frequencies that fft of n numbers, d apart, gives; the negative ones last."""

def fft_rfftfreq(
    n: int,
    d: float = 1.0,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike | None = None,
    stream: StreamLike = None,
) -> array:
    """The frequencies that rfft of n numbers, d apart, gives."""

def distributed_all_sum(a: ArrayLike, /, group: int = 0, *, stream: StreamLike = None) -> array:
    """The sum of all processes' a; for bool, logical or."""

def distributed_all_max(a: ArrayLike, /, group: int = 0, *, stream: StreamLike = None) -> array:
    """The largest of all processes' a."""

def distributed_all_min(a: ArrayLike, /, group: int = 0, *, stream: StreamLike = None) -> array:
    """The least of all processes' a."""

def distributed_all_gather(a: ArrayLike, /, group: int = 0, *, stream: StreamLike = None) -> array:
    """All processes' a, joined along the first axis."""

def distributed_sum_scatter(a: ArrayLike, /, group: int = 0, *, stream: StreamLike = None) -> array:
    """This process's part of the sum along the first axis."""

def distributed_send(
    a: ArrayLike, /, dst: int, group: int = 0, *, stream: StreamLike = None
) -> array:
    """a, which is sent to process dst when it is computed."""

def distributed_recv(
    shape: int | Sequence[int],
    dtype: DTypeLike,
    src: int,
    group: int = 0,
    *,
    stream: StreamLike = None,
) -> array:
    """The array that process src sends."""

absolute = abs
fix = trunc
arccos = acos
arccosh = acosh
arcsin = asin
arcsinh = asinh
arctan = atan
arctan2 = atan2
arctanh = atanh
bitwise_not = bitwise_invert
invert = bitwise_invert
left_shift = bitwise_left_shift
right_shift = bitwise_right_shift
mod = remainder
power = pow
true_divide = divide
deg2rad = radians
rad2deg = degrees
rint = round
concatenate = concat
view = bitcast
permute = permute_dims
conjugate = conj

int8: dtype
int16: dtype
int32: dtype
int64: dtype
uint8: dtype
uint16: dtype
uint32: dtype
uint64: dtype
float16: dtype
bfloat16: dtype
float32: dtype
float64: dtype
complex64: dtype
complex128: dtype
complex32: dtype
float128: dtype
float8_e3m4: dtype
float8_e4m3: dtype
float8_e4m3b11fnuz: dtype
float8_e4m3fn: dtype
float8_e4m3fnuz: dtype
float8_e5m2: dtype
float8_e5m2fnuz: dtype
float8_e8m0fnu: dtype
float6_e2m3fn: dtype
float6_e3m2fn: dtype
float4_e2m1fn: dtype
int4: dtype
int2: dtype
int1: dtype
uint4: dtype
uint2: dtype
uint1: dtype
opaque: dtype
float4_e2m1fn_x2: dtype
