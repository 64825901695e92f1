#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The polynomials of src/math/vector_*.h: weighted minimax fits by Remez's exchange, in 60 digits.

    tools/minimax.py [NAME...]      prints the coefficients of each fit, highest power first

A fit is (function, weight, interval, degrees): the polynomial p of that degree that makes the
largest weight(x) * |p(x) - function(x)| over the interval least. A weight is chosen so that the
error counts in units of the result. Coefficients are rounded to the type one after the other, from
the lowest power on, and those above are fitted anew to what is left. Needs mpmath.
"""

import sys

import mpmath as mp

mp.mp.dps = 60
GRID = 600


def solve(points, count, function, weight):
    """Values at the points that err by +-e in turn: the coefficients, lowest power first."""
    system = mp.matrix(count + 1)
    right = mp.matrix(count + 1, 1)
    for row, x in enumerate(points):
        for column in range(count):
            system[row, column] = x**column
        system[row, count] = (-1) ** row / weight(x)
        right[row] = function(x)
    solution = mp.lu_solve(system, right)
    return [solution[i] for i in range(count)], abs(solution[count])


def remez(function, weight, low, high, count):
    """count coefficients, lowest power first, and the error."""
    low, high = mp.mpf(low), mp.mpf(high)
    middle, half = (low + high) / 2, (high - low) / 2
    grid = [middle - half * mp.cos(mp.pi * i / GRID) for i in range(GRID + 1)]
    points = [middle - half * mp.cos(mp.pi * i / count) for i in range(count + 1)]
    wanted = [function(x) for x in grid]
    weights = [weight(x) for x in grid]
    for _ in range(8):
        found, level = solve(points, count, function, weight)
        errors = [
            w * (mp.polyval(found[::-1], x) - f)
            for x, f, w in zip(grid, wanted, weights, strict=True)
        ]
        peaks = alternating_peaks(errors, count + 1)
        if len(peaks) < count + 1:
            break
        points = [grid[i] for i in peaks]
        if max(map(abs, errors)) < level * mp.mpf("1.01"):
            break
    return found, max(map(abs, errors))


def rounded(x, bits):
    """The nearest number with so many bits, as a hexadecimal float."""
    mantissa, exponent = mp.frexp(x)
    whole = int(mp.nint(mp.ldexp(mantissa, bits)))
    value = mp.ldexp(mp.mpf(whole), int(exponent) - bits)
    return value, float(value).hex()


def fit(function, weight, low, high, count, bits):
    """The coefficients as texts, lowest first, and the logarithm of the error before rounding."""
    fixed, texts, start = [], [], None
    for index in range(count):

        def rest(x, index=index):
            return (function(x) - mp.polyval(fixed[::-1], x)) / x**index if index else function(x)

        found, error = remez(
            rest, lambda x, i=index: weight(x) * abs(x) ** i, low, high, count - index
        )
        start = start or error
        value, text = rounded(found[0], bits)
        fixed.append(value)
        texts.append(text)
        if index >= ROUNDED:  # the higher ones matter too little to be fitted again
            for each in found[1:]:
                texts.append(rounded(each, bits)[1])
            break
    return texts, float(mp.log(start, 2))


def alternating_peaks(errors, count):
    """The indices of the largest errors, one from each stretch of equal sign, count at most."""
    peaks = []
    for i, error in enumerate(errors):
        if not peaks or (errors[peaks[-1]] > 0) != (error > 0):
            peaks.append(i)
        elif abs(error) > abs(errors[peaks[-1]]):
            peaks[-1] = i
    while len(peaks) > count:
        peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
    return peaks


def solve_quotient(points, above, below, function, weight, start):
    """p and q with p(x) / q(x) - function(x) = +-e / weight(x) in turn at the points. The equations
    are linear but for e q, so they are solved again with the last e and q."""
    quotient, level = start
    for _ in range(6):
        system = mp.matrix(above + below)
        right = mp.matrix(above + below, 1)
        for row, x in enumerate(points):
            step = (-1) ** row / weight(x)
            value = function(x) + step * level
            for power in range(above):
                system[row, power] = x**power
            for power in range(1, below):
                system[row, above + power - 1] = -value * x**power
            system[row, above + below - 1] = -step * mp.polyval(quotient[::-1], x)
            right[row] = value
        solution = mp.lu_solve(system, right)
        quotient = [mp.mpf(1)] + [solution[above + i] for i in range(below - 1)]
        level += solution[above + below - 1]
    return [solution[i] for i in range(above)], quotient, level


def remez_quotient(function, weight, high, above, below):
    """The coefficients of p and q on [0, high], lowest power first, and the error."""
    inner = mp.log(1 + mp.mpf(high)) / 2  # points are dense towards 0
    grid = [mp.expm1(inner - inner * mp.cos(mp.pi * i / 400)) for i in range(401)]
    count = above + below
    points = [mp.expm1(inner - inner * mp.cos(mp.pi * (i + 0.5) / count)) for i in range(count)]
    wanted = [function(x) for x in grid]
    weights = [weight(x) for x in grid]
    below_found, level, best = [mp.mpf(1)], mp.mpf(0), None
    for _ in range(30):
        above_found, below_found, level = solve_quotient(
            points, above, below, function, weight, (below_found, level)
        )
        errors = [
            w * (mp.polyval(above_found[::-1], x) / mp.polyval(below_found[::-1], x) - f)
            for x, f, w in zip(grid, wanted, weights, strict=True)
        ]
        most = max(map(abs, errors))
        if best is None or most < best[2]:
            best = above_found, below_found, most
        peaks = alternating_peaks(errors, count)
        if len(peaks) < count or most < abs(level) * mp.mpf("1.02"):
            break
        points = [grid[i] for i in peaks]
    return best


ROUNDED = 2
TINY = mp.mpf("1e-12")


def of_square(f, first=1):
    """(f(x) / x - first) / x^2 as a function of z = x^2."""

    def apply(z):
        x = mp.sqrt(z)
        return (f(x) / x - first) / z

    return apply


def one(_):
    return mp.mpf(1)


def tail(f):
    """The weight of a tail that is added to x: z / (f(x) / x)."""
    return lambda z: z * mp.sqrt(z) / f(mp.sqrt(z))


TWO_SQRT_PI = 2 / mp.sqrt(mp.pi)
QUARTER = (mp.pi / 4) ** 2
ATAN = mp.tan(mp.pi / 8) ** 2
LOG = (3 - 2 * mp.sqrt(2)) ** 2
TURN = mp.mpf("0.83") ** 2
ROOTS = mp.sqrt(0.5) - 1, mp.sqrt(2) - 1
HALF_LOG = (mp.log(2) / 2 * mp.mpf("1.01")) ** 2


def cos_tail(z):
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2


def log_erfc(x):
    return mp.log(mp.erfc(x))


def erfinv_ratio(square):
    """erfinv(x) / x by x^2."""
    x = mp.sqrt(square)
    return mp.erfinv(x) / x if x else 1 / TWO_SQRT_PI


def erfinv_of_log(w):
    """erfinv(x) / x by w = -log(1 - x^2)."""
    return (
        erfinv_ratio(-mp.expm1(-w))
        if w < 3
        else erfinv_far(mp.exp(-w) / (1 + mp.sqrt(-mp.expm1(-w))))[1]
    )


def erfinv_far(below):
    """erfinv(x) and erfinv(x) / x for x = 1 - below, by Newton's method on erfc."""
    y = mp.sqrt(-mp.log(below))
    for _ in range(60):
        step = (mp.erfc(y) - below) / (TWO_SQRT_PI * mp.exp(-y * y))
        y += step
        if abs(step) < mp.mpf(10) ** -40:
            break
    return y, y / (1 - below)


ROOT = mp.mpf("3.125")


def near_weight(t):
    return 1 / erfinv_of_log(t + 2.5)


def root_weight(t):
    return 1 / erfinv_of_log((t + ROOT) ** 2)


CENTER, START = mp.mpf("0.64"), mp.mpf("1.25")


def erfinv_by_root(t):
    """erfinv(x) by t = sqrt(-log(1 - x)) - START."""
    below = mp.exp(-((t + START) ** 2))
    return mp.erfinv(1 - below) if below > 0.3 else erfinv_far(below)[0]


def log2_ratio(z):
    """log2((1 + s) / (1 - s)) / s by z = s^2."""
    s = mp.sqrt(z)
    return 2 * mp.atanh(s) / (s * mp.log(2))


def atanh_tail(z):
    """(atanh(s) / s - 1 - z / 3) / z^2 by z = s^2."""
    if z < 1e-6:
        return sum(z**k / (2 * k + 5) for k in range(12))
    return (mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1 - z / 3) / z**2


def log_rest(scale):
    """(scale log(1 + x) - scale x) / x^2."""
    return lambda x: scale * (x / 3 - mp.mpf(1) / 2 if abs(x) < 1e-8 else (mp.log1p(x) - x) / x**2)


def log_weight(x):
    return x * x / abs(mp.log1p(x)) if x else mp.mpf(0)


def cosh_rest(z):
    """(cosh(x) - 1) / x^2 as a function of z = x^2."""
    return mp.mpf(1) / 2 + z / 24 if z < 1e-8 else (mp.cosh(mp.sqrt(z)) - 1) / z


def tanh_divisor(z):
    """z / (tanh(x) / x - 1) by z = x^2."""
    x = mp.sqrt(z)
    if z < 1e-8:
        return -3 - z * mp.mpf(6) / 5 + z * z / 175
    return z / (mp.tanh(x) / x - 1)


def tanh_weight(z):
    """How much an error of the divisor tells in tanh."""
    divisor = tanh_divisor(z)
    return z / divisor**2 / abs(1 + z / divisor)


def exp2(r):
    return mp.mpf(2) ** r


# function, weight, from, to, how many coefficients, bits of each
FITS = {
    "sin_f32": (of_square(mp.sin), tail(mp.sin), TINY, TURN, 3, 24),
    "sin_f64": (of_square(mp.sin), tail(mp.sin), TINY, QUARTER, 6, 53),
    "cos_f32": (cos_tail, lambda z: z * z, TINY, TURN, 3, 24),
    "cos_f64": (cos_tail, lambda z: z * z, TINY, QUARTER, 6, 53),
    "asin_f64": (of_square(mp.asin), tail(mp.asin), TINY, 0.25, 12, 53),
    "asin_f32": (of_square(mp.asin), tail(mp.asin), TINY, 0.25, 5, 24),
    "tan_f32": (of_square(mp.tan), tail(mp.tan), TINY, TURN, 7, 24),
    "atan_f64": (of_square(mp.atan), tail(mp.atan), TINY, ATAN, 11, 53),
    "atan_f32": (of_square(mp.atan), tail(mp.atan), TINY, 1, 9, 24),
    "atan_short": (of_square(mp.atan), tail(mp.atan), TINY, ATAN, 5, 53),
    "atanh_f32": (of_square(mp.atanh), tail(mp.atanh), TINY, 0.2**2, 3, 24),
    "sinh_f32": (of_square(mp.sinh), tail(mp.sinh), TINY, HALF_LOG, 3, 24),
    "cosh_f32": (cosh_rest, lambda z: z, TINY, HALF_LOG, 3, 24),
    "log2_f32": (log_rest(1 / mp.log(2)), log_weight, *ROOTS, 9, 24),
    "log10_f32": (log_rest(1 / mp.log(10)), log_weight, *ROOTS, 9, 24),
    "sinh_f64": (of_square(mp.sinh), tail(mp.sinh), TINY, 1, 8, 53),
    "erf_small_f32": (of_square(mp.erf, TWO_SQRT_PI), tail(mp.erf), TINY, 1, 6, 24),
    "erf_small_f64": (of_square(mp.erf, TWO_SQRT_PI), tail(mp.erf), TINY, 1, 12, 53),
    "erf_large_f32": (lambda x: log_erfc(x) / mp.log(2), mp.erfc, 1, 4, 7, 24),
    "erf_exp2_f32": (exp2, one, -0.50013, 0.5, 6, 24),  # its last digits were found by trial
    # Their digits are of a fit by weighted squares, which comes closer when rounded.
    "erfinv_near_f32": (lambda t: erfinv_of_log(t + 2.5) - 1, near_weight, -2.5, 2.501, 10, 24),
    "erfinv_root_f32": (
        lambda t: erfinv_of_log((t + ROOT) ** 2) - 1,
        root_weight,
        -0.889,
        0.87,
        10,
        24,
    ),
    "erf_large_f64": (log_erfc, mp.erfc, 1, 6, 19, 53),
    "tanh_f32": (tanh_divisor, tanh_weight, TINY, 0.6**2, 3, 24),
    "tanh_f64": (tanh_divisor, tanh_weight, TINY, 0.57**2, 7, 53),
    "log2_short": (log2_ratio, one, TINY, LOG, 5, 53),
    "exp2_short": (exp2, lambda r: 1 / exp2(r), -0.50013, 0.5, 8, 53),
    "atanh_f64": (atanh_tail, one, TINY, LOG, 8, 53),
}

# function, weight, to (from 0), how many coefficients above and below
QUOTIENTS = {
    "erfinv_center_f64": (
        lambda v: erfinv_ratio(CENTER - v) - 1,
        lambda v: 1 / erfinv_ratio(CENTER - v),
        CENTER,
        8,
        8,
    ),
    "erfinv_tail_f64": (
        lambda t: t + START - erfinv_by_root(t),
        lambda t: 1 / erfinv_by_root(t),
        6.0625 - START,
        10,
        9,
    ),
}


def print_fit(name, error, *polynomials):
    print(f"{name}: error 2^{error:.1f}")
    for texts in polynomials:
        print("\n".join(f"    {text}" for text in reversed(texts)))
        print()


def main():
    for name in sys.argv[1:] or [*FITS, *QUOTIENTS]:
        if name in FITS:
            texts, bits = fit(*FITS[name])
            print_fit(name, bits, texts)
        else:
            above, below, error = remez_quotient(*QUOTIENTS[name])
            texts = [[rounded(x, 53)[1] for x in found] for found in (above, below)]
            print_fit(name, float(mp.log(error, 2)), *texts)


if __name__ == "__main__":
    main()
