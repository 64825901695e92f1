#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The polynomials of src/tile/vector_*.h: weighted minimax fits by Remez's exchange, in 60 digits.

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
        peaks = []
        for i, error in enumerate(errors):
            if peaks and (errors[peaks[-1]] > 0) == (error > 0):
                if abs(error) > abs(errors[peaks[-1]]):
                    peaks[-1] = i
            else:
                peaks.append(i)
        while len(peaks) > count + 1:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
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


def cos_tail(z):
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2


def log_erfc(x):
    return mp.log(mp.erfc(x))


def erfinv_center(w):
    """erfinv(x) / x by w = -log(1 - x^2)."""
    x = mp.sqrt(-mp.expm1(-w))
    return mp.erfinv(x) / x


def erfinv_tail(s):
    """The same by the root of w."""
    complement = mp.exp(-s * s)
    below = complement / (1 + mp.sqrt(1 - complement))  # 1 - x
    y = s
    for _ in range(60):
        step = (mp.erfc(y) - below) / (TWO_SQRT_PI * mp.exp(-y * y))
        y += step
        if abs(step) < mp.mpf(10) ** -40:
            break
    return y / (1 - below)


def shifted(f, by):
    return lambda t: f(t + mp.mpf(by))


def relative(by):
    return lambda t: 1 / erfinv_center(t + mp.mpf(by))


# function, weight, from, to, how many coefficients, bits of each
FITS = {
    "sin_f32": (of_square(mp.sin), tail(mp.sin), TINY, QUARTER, 3, 24),
    "sin_f64": (of_square(mp.sin), tail(mp.sin), TINY, QUARTER, 6, 53),
    "cos_f32": (cos_tail, lambda z: z * z, TINY, QUARTER, 3, 24),
    "cos_f64": (cos_tail, lambda z: z * z, TINY, QUARTER, 6, 53),
    "asin_f64": (of_square(mp.asin), tail(mp.asin), TINY, 0.25, 12, 53),
    "asin_f32": (of_square(mp.asin), tail(mp.asin), TINY, 0.25, 5, 53),
    "atan_f64": (of_square(mp.atan), tail(mp.atan), TINY, ATAN, 11, 53),
    "atan_f32": (of_square(mp.atan), tail(mp.atan), TINY, ATAN, 5, 53),
    "sinh_f64": (of_square(mp.sinh), tail(mp.sinh), TINY, 1, 8, 53),
    "erf_small_f32": (of_square(mp.erf, TWO_SQRT_PI), tail(mp.erf), TINY, 1, 6, 24),
    "erf_small_f64": (of_square(mp.erf, TWO_SQRT_PI), tail(mp.erf), TINY, 1, 12, 53),
    "erf_large_f32": (log_erfc, mp.erfc, 1, 4, 7, 24),
    "erf_large_f64": (log_erfc, mp.erfc, 1, 6, 19, 53),
    "erfinv_center_f32": (shifted(erfinv_center, 3.125), relative(3.125), -3.1249, 3.125, 12, 53),
    "erfinv_tail_f32": (shifted(erfinv_tail, 3.25), one, -0.751, 0.75, 9, 53),
}


def main():
    for name in sys.argv[1:] or FITS:
        texts, bits = fit(*FITS[name])
        print(f"{name}: error 2^{bits:.1f}")
        for text in reversed(texts):
            print(f"    {text}")


if __name__ == "__main__":
    main()
