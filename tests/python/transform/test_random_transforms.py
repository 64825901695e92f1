# SPDX-License-Identifier: Apache-2.0
"""Random programs under every order of transformations: what they give does not depend on it.

More of them: python tests/python/transform/test_random_transforms.py FIRST COUNT
"""

import sys

import numpy as np
import pytest

import joggle as jg


@jg.custom_function
def ruled(x):
    return jg.sin(x) * x


@ruled.vjp
def _(x, cotangents, outputs):
    return cotangents * (jg.cos(x) * x + jg.sin(x))


@ruled.jvp
def _(x, tangents):
    return tangents * (jg.cos(x) * x + jg.sin(x))


class Program:
    """A function of a (3, 4) array: some steps, with numbers of their own."""

    def __init__(self, seed):
        random = np.random.default_rng(seed)
        self.steps = [(STEPS[k], float(random.normal())) for k in random.integers(0, len(STEPS), 6)]
        self.matrix = jg.asarray(random.normal(size=(4, 4)))
        self.places = jg.asarray(random.integers(0, 4, size=4))
        self.weights = jg.asarray(random.normal(size=(3, 4)))
        self.x = jg.asarray(random.normal(size=(3, 4)))
        self.tangent = jg.asarray(random.normal(size=(3, 4)))

    def loss(self, x, checkpoint=lambda function: function):
        for step, number in self.steps:
            x = step(self, x, number, checkpoint)
        return jg.sum(x * self.weights)


STEPS = [
    lambda p, x, c, ck: jg.sin(x) * c,
    lambda p, x, c, ck: x @ p.matrix * 0.3,
    lambda p, x, c, ck: x[..., p.places] + c,
    lambda p, x, c, ck: jg.cumsum(x, axis=-1) * 0.3,
    lambda p, x, c, ck: jg.cumprod(1 + 0.2 * jg.tanh(x), axis=-1),
    lambda p, x, c, ck: jg.where(x > 0.1 * c, x, x * 0.5),
    lambda p, x, c, ck: jg.softmax(x, axis=-1) + x,
    lambda p, x, c, ck: x - jg.mean(x, axis=0, keepdims=True),
    lambda p, x, c, ck: jg.maximum(x, c) + 0.1 * x,
    lambda p, x, c, ck: jg.sort(x, axis=-1),
    lambda p, x, c, ck: x * jg.stop_gradient(jg.tanh(x)),
    lambda p, x, c, ck: jg.concat([x[..., :2] * 2, x[..., 2:]], axis=-1),
    lambda p, x, c, ck: jg.linalg.solve(p.matrix + 6 * jg.eye(4), x.mT).mT * 3,
    lambda p, x, c, ck: ruled(x),
    lambda p, x, c, ck: ck(lambda y: jg.tanh(y @ p.matrix))(x),
    lambda p, x, c, ck: ck(lambda y: ruled(y) + jg.sum(y * y, axis=-1, keepdims=True))(x),
]

WAYS = {
    "plain": lambda function: function,
    "checkpoint": jg.checkpoint,
    "products": lambda function: jg.checkpoint(function, policy="products"),
}


def first_derivatives(f, x):
    """The gradient at x, however it is asked for."""
    batch = jg.stack([x, x * 0.5, -x])
    yield jg.grad(f)(x)
    yield jg.compile(jg.grad(f))(x)
    yield jg.grad(jg.compile(f))(x)
    yield jg.vmap(jg.grad(f))(batch)[0]
    yield jg.grad(lambda rows: jg.sum(jg.vmap(f)(rows)))(batch)[0]
    for axis in (1, -1):  # elements that do not lie together
        turned = jg.stack([x, x * 0.5, -x], axis=axis)
        slopes = jg.grad(lambda rows, axis=axis: jg.sum(jg.vmap(f, axis)(rows)))(turned)
        yield jg.take(slopes, jg.array(0), axis=axis)
    value, slope = jg.value_and_grad(f)(x)
    jg.eval(value)
    yield slope


def second_derivatives(f, x):
    yield jg.hessian(f)(x)
    yield jg.jacrev(jg.grad(f))(x)
    yield jg.compile(jg.vmap(jg.hessian(f)))(jg.stack([x, -x]))[0]


def close(got, want):
    scale = 1 + np.abs(want).max()
    np.testing.assert_allclose(np.asarray(got), want, rtol=0, atol=1e-9 * scale)


def compare(seed):
    program = Program(seed)
    x, tangent = program.x, program.tangent
    slope = np.asarray(jg.grad(program.loss)(x))
    hessian = np.asarray(jg.hessian(program.loss)(x))
    for way in WAYS.values():

        def f(x, way=way):
            return program.loss(x, way)

        for got in first_derivatives(f, x):
            close(got, slope)
        pushed = float(jg.jvp(f, [x], [tangent])[1][0])
        want = float(np.sum(slope * np.asarray(tangent)))
        assert abs(pushed - want) <= 1e-9 * (1 + np.abs(slope).max()) * 12
        for got in second_derivatives(f, x):
            close(got, hessian)


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_transformations_does_not_matter(seed):
    compare(seed)


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:3])
    for seed in range(first, first + count):
        compare(seed)
    print(f"{count} programs, none differs")
