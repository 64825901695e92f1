# SPDX-License-Identifier: Apache-2.0
"""Integers divided by a power of two that a kernel knows."""

import numpy as np
import pytest

import joggle.fields as qd


@pytest.mark.parametrize("dtype", [qd.i8, qd.i32, qd.i64, qd.u8, qd.u32, qd.u64])
def test_integers_by_powers_of_two_are_floored_as_in_numpy(dtype):
    x = qd.field(dtype, shape=512)
    y = qd.field(dtype, shape=(6, 512))
    kind = x.to_numpy().dtype
    info = np.iinfo(kind)
    numbers = np.concatenate(
        [
            np.arange(info.min, info.min + 256, dtype=object),
            np.arange(info.max - 255, info.max + 1, dtype=object),
        ]
    )
    x.from_numpy(np.array(numbers.tolist(), kind))

    @qd.kernel
    def divide():
        for i in x:
            y[0, i] = x[i] // 1
            y[1, i] = x[i] // 8
            y[2, i] = x[i] % 8
            y[3, i] = x[i] // 64
            y[4, i] = x[i] % 64
            y[5, i] = x[i] % 1

    divide()
    wanted = [[f(n) for n in numbers.tolist()] for f in (
        lambda n: n, lambda n: n // 8, lambda n: n % 8, lambda n: n // 64, lambda n: n % 64,
        lambda n: 0)]  # fmt: skip
    assert y.to_numpy().tolist() == wanted
