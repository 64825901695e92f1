# SPDX-License-Identifier: Apache-2.0
"""Checks of adjoints that count more iterations than 31 bits hold."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("compiler")


def test_iterations_meet_after_billions_of_others():
    x, y = (qd.field(qd.f64, 4, needs_grad=True) for _ in range(2))
    index, often = qd.field(qd.i32, 4), qd.field(qd.i32, ())

    @qd.kernel
    def run(last: int):
        for _ in qd.static(range(3)):
            for k in range(1 << 30):
                if k < often[None]:
                    y[index[k]] = x[k]
        for i in range(last):
            y[index[i]] = x[i] * x[i]

    index.from_numpy(np.array([1, 0, 2, 2], np.int32))
    with pytest.raises(NotImplementedError, match=r"two iterations .* one element of y"):
        run.grad(4)
