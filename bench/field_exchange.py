# SPDX-License-Identifier: Apache-2.0
"""A field's memory as an array of NumPy and of PyTorch, and a tensor of PyTorch's as an argument
of a kernel, as it lies."""

from support.measure import Case, Goal, code
from support.peers import on

THREADS = (1,)
NAME = "fields and tensors, in place"
GOALS = (Goal(0.1, "quadrants"),)
COUNT = 1024


def _fields(_):
    import joggle.fields

    return joggle.fields


def _view(method):
    def make(qd):
        field = qd.Vector.field(3, qd.f32, shape=(COUNT,))
        field.fill(1.0)
        statement = f"field.{method}(copy=False)"
        return code(statement, statement, field=field)

    return make


def _both(make):
    return {
        "joggle": on("joggle", lambda jg: make(_fields(jg))),
        "quadrants": on("quadrants", make),
    }


def _pass_tensor(qd):
    import torch

    array = qd.types.ndarray(dtype=qd.f32, ndim=1)

    @qd.kernel
    def double(x: array):
        for i in range(x.shape[0]):
            x[i] = 2 * x[i]

    return code(
        "double(x)", "(x.fill_(1), double(x), x.clone())[2]", double=double, x=torch.ones(COUNT)
    )


def cases(quick):
    import numpy as np

    values = np.ones((COUNT, 3), np.float32)
    numpy = {"numpy": code("x[:]", "x", x=values)}
    yield Case("to_numpy(copy=False)", _both(_view("to_numpy")) | numpy, GOALS)
    torch = on("torch", lambda torch: code("f(x)", "f(x)", f=torch.from_numpy, x=values))
    yield Case("to_torch(copy=False)", _both(_view("to_torch")) | {"torch": torch}, GOALS)
    yield Case(f"kernel(torch tensor), {COUNT} elements", _both(_pass_tensor), GOALS)
