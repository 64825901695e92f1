# SPDX-License-Identifier: Apache-2.0
"""Numbers: promotion, casts, bits, reductions, arguments by value and arrays of NumPy."""

import numpy as np

import joggle.fields as qd


@qd.kernel
def promote(a: qd.i8, b: qd.u8, c: qd.i16, d: qd.u32, e: qd.i64, x: qd.f32, y: qd.f64,
            out: qd.types.ndarray(dtype=qd.f64, ndim=1)):  # fmt: skip
    out[0] = a + c
    out[1] = d + c
    out[2] = e * a + d
    out[3] = a / 3
    out[4] = x + y
    out[5] = x * e
    out[6] = c // a
    out[7] = c % a
    out[8] = b << 3
    out[9] = e >> 2
    out[10] = qd.cast(y, qd.i32) + int(x)
    out[11] = qd.bit_cast(x, qd.i32)
    out[12] = a**2 + x**3
    out[13] = qd.max(a, y) + qd.min(c, e)
    out[14] = qd.atan2(x, y) + qd.sqrt(abs(x)) + qd.floor(y)
    out[15] = (a < c) + (d == 7) * 2 + (not (x > 0))
    out[16] = qd.round(y) + qd.ceil(x)
    out[17] = qd.select(x > 1, a, y)
    out[18] = ~c + (-e) + (c ^ 21) + (c & 6) + (c | 8)
    out[19] = c if a > 3 else y


@qd.kernel
def reduce(x: qd.types.ndarray(), bins: qd.types.ndarray()) -> qd.f32:
    total = 0.0
    low = 1e9
    for i in range(x.shape[0]):
        total += x[i]
        qd.atomic_min(low, x[i])
        bins[int(x[i]) % bins.shape[0]] += 1
    return total + low


@qd.kernel
def collatz(start: int) -> int:
    n = start
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def run():
    out = np.zeros(20)
    promote(5, 200, -300, 7, 123456789, 2.5, -0.75, out)
    x = np.arange(40, dtype=np.float32) + 3
    bins = np.zeros(7, np.int32)
    total = reduce(x, bins)
    return {"out": out, "total": total, "bins": bins, "steps": [collatz(n) for n in (1, 7, 27)]}
