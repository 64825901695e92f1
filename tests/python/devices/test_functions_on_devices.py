# SPDX-License-Identifier: Apache-2.0
"""Kernels as functions of arrays give results on the device of the arrays, wherever kernels run."""

import numpy as np
import pytest
from device_programs import DEVICE, start

import joggle as jg
import joggle.fields as qd

NUMBERS = np.arange(5, dtype=np.float32)
VECTOR = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.kernel
def tripled_square(x: VECTOR, y: VECTOR):
    for i in x:
        y[i] = x[i] * x[i] * 3


@pytest.fixture(params=["cpu", DEVICE])
def function(request):
    """The function, with kernels on the CPU and on the device."""
    qd.reset()
    if request.param == DEVICE:
        start()
    yield qd.function(tripled_square, outputs="y")
    qd.reset()


PROGRAMS = {
    "a call": (lambda f, x: f(x) + x, 3 * NUMBERS**2 + NUMBERS),
    "a gradient": (lambda f, x: jg.grad(lambda x: jg.sum(f(x) * x))(x), 9 * NUMBERS**2),
    "a tangent": (lambda f, x: jg.jvp(f, [x], [x])[1][0] + x, 6 * NUMBERS**2 + NUMBERS),
    "a compiled call": (
        lambda f, x: jg.compile(lambda x: f(x) * 2 + x)(x),
        6 * NUMBERS**2 + NUMBERS,
    ),
    "a batch": (lambda f, x: jg.vmap(lambda x: f(x) * x)(x[None])[0], 3 * NUMBERS**3),
    "an empty batch": (lambda f, x: jg.vmap(f)(jg.stack([x])[:0]) + x, np.zeros((0, 5))),
}


@pytest.mark.parametrize("place", ["cpu", DEVICE])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_on_the_device_of_the_arrays(name, place, function):
    program, wanted = PROGRAMS[name]
    found = program(function, jg.asarray(NUMBERS, device=place, copy=True))
    assert found.device == place
    np.testing.assert_allclose(np.asarray(found.to_device("cpu")), wanted, rtol=1e-6)
