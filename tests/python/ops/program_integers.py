# SPDX-License-Identifier: Apache-2.0
"""Prints the names of divisions and powers of integers that differ from NumPy's. test_integers.py
runs it in processes of its own, as the level is chosen once and plans keep their code."""

import numpy as np

import joggle as jg

DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
NARROW = ("int8", "uint8", "int16", "uint16")
SIZES = (0, 1, 7, 8, 9, 63, 64, 65, 255, 256, 257, 1023, 1025)


def bounds(dtype):
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def edges(dtype):
    """Ends of the dtype and of what float32 and float64 hold, and small numbers."""
    least, most = bounds(dtype)
    powers = [2**k + d for k in range(64) for d in (-1, 0, 1)] + [
        7,
        10,
        100,
        641,
        65_537,
        10**9 + 7,
    ]
    every = {s * x for x in powers for s in (-1, 1)} | {0, least, least + 1, most - 1, most}
    return np.array(sorted(x for x in every if least <= x <= most), dtype)


def drawn(rng, dtype, limit):
    """Numbers of all sizes below the limit, and in that of the dtype."""
    least, most = bounds(dtype)
    x = rng.integers(max(least, -limit), min(most, limit - 1), 4000, dtype, endpoint=True)
    return x >> rng.integers(0, np.iinfo(dtype).bits, 4000).astype(dtype)


def near_multiples(dtype, rng):
    """Dividends at and beside a multiple of the divisor, where a quotient changes."""
    for limit_x, limit_y in ((2**64, 2**64), (2**48, 2**48), (2**64, 2**32)):
        x, y = drawn(rng, dtype, limit_x), drawn(rng, dtype, limit_y)
        y[y == 0] = 3
        if limit_x == 2**64:
            x[::200], x[100::200] = bounds(dtype)
        with np.errstate(all="ignore"):
            x = x - x % y
            for offset in (-1, 0, 1):
                yield (x + np.array(offset).astype(dtype)).astype(dtype), y


def divisions(dtype):
    rng = np.random.default_rng(5)
    e = edges(dtype)
    yield np.repeat(e, len(e)), np.tile(e, len(e))
    yield from near_multiples(dtype, rng)
    for divisor in e[np.abs(e.astype("f8")) <= 2**32]:
        yield e, np.full_like(e, divisor)
    for size in SIZES:
        x, y = e[rng.integers(0, len(e), size)], e[rng.integers(0, len(e), size)]
        yield x, y
        yield x >> 1, np.full_like(y, 7)
    if dtype in NARROW:
        least, most = bounds(dtype)
        x = np.arange(least, most + 1).astype(dtype)
        for divisor in x if len(x) == 256 else e:
            yield x, np.full_like(x, divisor)


def division(x, y):
    with np.errstate(all="ignore"):
        return np.floor_divide(x, y), np.remainder(x, y)


def power(x, y):
    """NumPy's, which has no negative exponents."""
    one = np.where(y % 2 == 0, np.ones_like(x), x)
    negative = np.where((x == 1) | (x == np.full_like(x, -1 if x.dtype.kind == "i" else 1)), one, 0)
    with np.errstate(all="ignore"):
        positive = np.power(x, np.where(y < 0, np.zeros_like(y), y))
    return np.where(y < 0, negative, positive).astype(x.dtype)


def ways(x, y):
    """The operands as rows, with one divisor for all where it is one, apart, and turned round."""
    a, b = jg.array(x), jg.array(y)
    yield "rows", a, b, slice(None)
    if len(y) and (y == y[0]).all():
        yield "scalar", a, b[0], slice(None)
    yield "apart", a[::2], b[::2], slice(None, None, 2)
    yield "turned", a[::-1], b[::-1], slice(None, None, -1)


def differences():
    for dtype in DTYPES:
        for n, (x, y) in enumerate(divisions(dtype)):
            quotient, rest = division(x, y)
            for way, a, b, part in ways(x, y):
                same = np.array_equal(np.asarray(a // b), quotient[part])
                same &= np.array_equal(np.asarray(a % b), rest[part])
                both = [np.asarray(r) for r in jg.divmod(a, b)]
                same &= np.array_equal(both[0], quotient[part])
                same &= np.array_equal(both[1], rest[part])
                if not same:
                    yield f"division {dtype} {n} {way}"
        rng = np.random.default_rng(7)
        e = edges(dtype)
        pairs = [(np.repeat(e, len(e)), np.tile(e, len(e)))]
        for most in (1, 2, 4, 100):
            for size in SIZES:
                x = e[rng.integers(0, len(e), size)]
                low = -2 if dtype.startswith("i") else 0
                pairs.append((x, rng.integers(low, most, size).astype(dtype)))
                pairs.append((x, np.full(size, most, dtype)))
        for n, (x, y) in enumerate(pairs):
            expected = power(x, y)
            for way, a, b, part in ways(x, y):
                if not np.array_equal(np.asarray(a**b), expected[part]):
                    yield f"power {dtype} {n} {way}"


if __name__ == "__main__":
    for name in differences():
        print(name)
