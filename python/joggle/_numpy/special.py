# SPDX-License-Identifier: Apache-2.0
"""sinc, the Bessel function i0, and the window that is made of it.

exp(-x) I0(x) is a Chebyshev series in x / 4 - 1 up to 8, and sqrt(x) exp(-x) I0(x) one in
16 / x - 1 beyond (Clenshaw, Chebyshev Series for Mathematical Functions, 1962). The coefficients
are the interpolants' at 128 Chebyshev nodes, computed with 40 digits, down to 2e-18.
"""

import math

from joggle import _core
from joggle._numpy._arguments import on_stream
from joggle._numpy._meeting import as_floats, count_of, refuse_complex

_UP_TO_8 = (
    0.33839763720473803,
    -0.3046826723431984,
    0.17162090152220877,
    -0.09490109704804764,
    0.04930528423967071,
    -0.02373741480589947,
    0.010546460394594998,
    -0.004324309995050576,
    0.0016394756169413357,
    -0.0005763755745385824,
    0.00018850288509584165,
    -5.754195010082104e-05,
    1.6448448070728896e-05,
    -4.4167383584587505e-06,
    1.1173875391201037e-06,
    -2.670793853940612e-07,
    6.046995022541919e-08,
    -1.300025009986248e-08,
    2.6598237246823866e-09,
    -5.189795601635263e-10,
    9.675809035373237e-11,
    -1.726826291441556e-11,
    2.95505266312964e-12,
    -4.856446783111929e-13,
    7.676185498604936e-14,
    -1.1685332877993451e-14,
    1.715391285555133e-15,
    -2.431279846547955e-16,
    3.3307945188222384e-17,
    -4.4153416464793395e-18,
)
_BEYOND_8 = (
    0.4022452055070544,
    0.0033691164782556943,
    6.889758346916825e-05,
    2.8913705208347567e-06,
    2.0489185894690638e-07,
    2.266668990498178e-08,
    3.3962320257083865e-09,
    4.94060238822497e-10,
    1.1889147107846439e-11,
    -3.1499165279632416e-11,
    -1.3215811840447713e-11,
    -1.7941785315068062e-12,
    7.180124451383666e-13,
    3.8527783827421426e-13,
    1.54008621752141e-14,
    -4.150569347287222e-14,
    -9.554846698828307e-15,
    3.8116806693526224e-15,
    1.7725601330565263e-15,
    -3.425485619677219e-16,
    -2.8276239805165836e-16,
    3.461222867697461e-17,
    4.46562142029676e-17,
    -4.830504485944182e-18,
    -7.233180487874754e-18,
)


def _series(coefficients, x):
    """The sum of c_k T_k(x), by Clenshaw's recurrence."""
    twice, later, last = 2 * x, 0.0, 0.0
    for each in reversed(coefficients[1:]):
        later, last = twice * later - last + each, later
    return x * later - last + coefficients[0]


def _scaled_i0(x):
    """exp(-x) I0(x) for x from 0 on."""
    below = _series(_UP_TO_8, _core.minimum(x, 8.0) / 4 - 1)
    large = _core.maximum(x, 8.0)
    beyond = _series(_BEYOND_8, 16 / large - 1) / _core.sqrt(large)
    return _core.where(x <= 8, below, beyond)


@on_stream
def i0(x, *, stream=None):
    """The modified Bessel function of the first kind, of order 0.

    dtypes: promoted; bool and integers become the default float; complex is refused.
    shape: that of x.
    raises: TypeError.

    >>> jg.i0(jg.array([0.0, 1.0]))
    array([1.       , 1.2660658], dtype=float32)
    """
    (x,) = as_floats(x)
    refuse_complex("i0", x=x)
    x = _core.abs(x)
    half = _core.exp(x / 2)  # twice, as exp(x) overflows before the product does
    return _core.where(_core.isinf(x), x, _scaled_i0(x) * half * half)


@on_stream
def sinc(x, *, stream=None):
    """sin(pi x) / (pi x), and 1 at 0.

    dtypes: promoted; bool and integers become the default float.
    shape: that of x.
    raises: TypeError.

    >>> jg.sinc(jg.array([0.0, 0.5]))
    array([1.       , 0.6366197], dtype=float32)
    """
    (x,) = as_floats(x)
    is_small = _core.less(_core.abs(x), 0.125)
    angle = math.pi * _core.where(is_small, 1, x)
    square = _core.square(math.pi * _core.where(is_small, x, 0))
    return _core.where(is_small, _small_sinc(square), _core.sin(angle) / angle)


def _small_sinc(square):
    """sin(a) / a of a * a, by its series: the quotient has no derivatives at 0, and few digits of
    them near it."""
    found = 0.0
    for k in range(7, -1, -1):
        found = found * square + (-1) ** k / math.factorial(2 * k + 1)
    return found


@on_stream
def kaiser(M, beta, *, stream=None):
    """The Kaiser window of M points, the narrower the larger beta is, as float32.

    dtypes: float32, computed in float64.
    shape: (M,).
    raises: TypeError, ValueError for a negative M.

    >>> jg.kaiser(3, 2.0)
    array([0.43867627, 1.        , 0.43867627], dtype=float32)
    """
    M = count_of("kaiser", "M", M)
    beta = abs(float(beta))
    place = 2 * _core.arange(M, dtype=_core.float64) / max(M - 1, 1) - (M > 1)
    x = beta * _core.sqrt(_core.maximum(1 - place * place, 0))
    top = _scaled_i0(_core.asarray(beta, dtype=_core.float64))
    window = _scaled_i0(x) / top * _core.exp(x - beta)
    return _core.astype(window, _core.float32, copy=False)
