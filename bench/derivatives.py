# SPDX-License-Identifier: Apache-2.0
"""Gradients of kernels: what kernel.grad takes once it is compiled, on fields."""

import numpy as np
from support.measure import Case, Goal, code
from support.peers import on

NAME = "gradients of kernels"


def stencil(qd, x, y):
    n, m = x.shape

    @qd.kernel
    def run():
        for i, j in x:
            if i > 0 and i < n - 1 and j > 0 and j < m - 1:
                y[i, j] = x[i - 1, j] * x[i + 1, j] + x[i, j - 1] * x[i, j + 1] - qd.sin(x[i, j])

    return run


def chain(qd, x, y):
    @qd.kernel
    def run():
        for i, j in x:
            v = qd.sin(x[i, j]) * x[i, j]
            y[i, j] = qd.exp(-v * v) + qd.sqrt(x[i, j])

    return run


def collision(qd, x, y):
    """Several iterations give to one element."""

    @qd.kernel
    def run():
        for i, j in x:
            y[i, j] = x[i, j] * x[i // 2, j // 2]

    return run


class Fields:
    """A kernel from x to y on fields of a library, and its gradient."""

    def __init__(self, qd, make, values):
        self.x, self.y = (qd.field(qd.f32, values.shape, needs_grad=True) for _ in range(2))
        self.x.from_numpy(values)
        self.run = make(qd, self.x, self.y)
        self.run()

    def gradient(self):
        self.x.grad.fill(0)
        self.y.grad.fill(1)
        self.run.grad()
        return self.x.grad.to_numpy()


def _entry(qd, make, values):
    fields = Fields(qd, make, values)
    fields.gradient()
    return code("grad()", "gradient()", grad=fields.run.grad, gradient=fields.gradient)


def _ours(make, values):
    import joggle.fields

    return _entry(joggle.fields, make, values)


def cases(quick):
    extent = 32 if quick else 1024
    values = np.random.default_rng(0).random((extent, extent), np.float32) + np.float32(0.1)
    for make in (stencil, chain, collision):
        entries = {
            "joggle": on("joggle", lambda jg, make=make: _ours(make, values)),
            "quadrants": on("quadrants", lambda qd, make=make: _entry(qd, make, values)),
        }
        yield Case(f"{make.__name__} {extent}x{extent}", entries, (Goal(0.8, "quadrants"),))
