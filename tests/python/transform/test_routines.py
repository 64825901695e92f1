# SPDX-License-Identifier: Apache-2.0
"""Derivatives of what moves, picks, sorts and sums elements."""

import numpy as np
import pytest
from checks import check

import joggle as jg

generator = np.random.default_rng(7)


def normal(*shape):
    return generator.standard_normal(shape)


def complex_normal(*shape):
    return normal(*shape) + 1j * normal(*shape)


INDEX = jg.asarray(np.array([[2, 0], [2, 3]]))
ROWS = jg.asarray(np.array([0, 2, 2, 1]))

READ = {
    "rows": lambda x: x[ROWS],
    "columns": lambda x: x[:, ROWS],
    "pairs": lambda x: x[ROWS, jg.asarray(np.array([3, 0, 0, 1]))],
    "slices and an array": lambda x: x[::2, INDEX],
    "take": lambda x: jg.take(x, INDEX, axis=1),
    "take flat": lambda x: jg.take(x, INDEX),
    "take along": lambda x: jg.take_along_axis(
        x, jg.asarray(np.array([[1, 1], [0, 3], [2, 2]])), 1
    ),
    "negative indices": lambda x: x[jg.asarray(np.array([-1, 0, -1]))],
    "nothing": lambda x: x[jg.asarray(np.zeros(0, dtype=int))],
    "a mask": lambda x: jg.where(x > 0, x * x, -x),
    "diagonal": lambda x: jg.linalg.diagonal(x[:, :3]) * x[0, 0],
    "steps": lambda x: x[::-2, 1::2] * x[:2, :2],
    "one element, strided": lambda x: x[1:2:5, ::-3] * 3,
    "windows": lambda x: jg.as_strided(x, (3, 2), (2, 1)) * jg.as_strided(x, (3, 2), (0, 1)),
    "concat": lambda x: jg.concat([x, x[:1] * 2, x], axis=0),
    "stack": lambda x: jg.stack([x, x * x], axis=1),
    "repeat": lambda x: jg.repeat(x, 3, axis=1),
    "repeat by counts": lambda x: jg.repeat(x, jg.asarray(np.array([2, 0, 1])), axis=0),
    "tile": lambda x: jg.tile(x, (2, 2)),
    "roll": lambda x: jg.roll(x, (1, -2), axis=(0, 1)),
    "sort": lambda x: jg.sort(x, axis=1),
    "sort down axis 0": lambda x: jg.sort(x, axis=0, descending=True) * x,
    "topk": lambda x: jg.topk(x, 2),
    "partition": lambda x: jg.sum(jg.partition(x, 2) ** 2, axis=1),
    "median": lambda x: jg.median(x, axis=1),
    "pad": lambda x: jg.pad(x, ((1, 2), (0, 1))),
    "pad with a value": lambda x: jg.pad(x, 1, constant_values=x[0, 0]),
    "pad edge": lambda x: jg.pad(x, 2, mode="edge"),
    "pad reflect": lambda x: jg.pad(x, 2, mode="reflect"),
    "pad symmetric": lambda x: jg.pad(x, 2, mode="symmetric"),
    "pad wrap": lambda x: jg.pad(x, 2, mode="wrap"),
}


@pytest.mark.parametrize("name", READ)
def test_what_reads_elements_has_the_derivatives_of_differences(name):
    check(READ[name], normal(3, 4))


@pytest.mark.parametrize(
    "name", ["rows", "pairs", "steps", "concat", "pad", "pad reflect", "roll", "repeat", "windows"]
)
def test_what_reads_complex_elements_has_the_derivatives_of_differences(name):
    check(READ[name], complex_normal(3, 4))


WRITE = {
    "add": lambda x, u: x.at[ROWS].add(u),
    "subtract": lambda x, u: x.at[ROWS].subtract(u),
    "multiply": lambda x, u: x.at[ROWS].multiply(u),
    "divide": lambda x, u: x.at[ROWS].divide(u),
    "maximum": lambda x, u: x.at[ROWS].maximum(u),
    "minimum": lambda x, u: x.at[ROWS].minimum(u),
    "set": lambda x, u: jg.scatter(x, [ROWS], u, [0]),
    "set a slice": lambda x, u: jg.slice_update(x, u[:2, :2], jg.asarray(np.array([1, 1])), (0, 1)),
    "set in place": lambda x, u: put(x, u),
    "add to a slice": lambda x, u: x.at[1:, ::2].add(u[:2, :2]),
    "put along": lambda x, u: jg.put_along_axis(
        x, jg.asarray(np.array([[1], [0], [3]])), u[:3, :1], 1
    ),
}


def put(x, u):
    y = x * 1
    y[1:, 2] = u[0, :2]
    y[0] = u[1] * y[2]
    return y


@pytest.mark.parametrize("name", WRITE)
def test_what_writes_elements_has_the_derivatives_of_differences(name):
    check(WRITE[name], normal(3, 4) + 3, normal(4, 4) + 3)


def test_a_product_of_updates_with_zeros_has_its_derivative():
    x, u = normal(3, 4) + 3, normal(4, 4) + 3
    u[1, 0] = 0.0
    u[1, 1] = u[2, 1] = 0.0
    check(WRITE["multiply"], x, u, order=1)


def test_extrema_share_and_ties_do_not_lose_anything():
    def gradient(fun, x):
        return np.asarray(jg.grad(lambda x: jg.sum(fun(x)))(jg.asarray(np.array(x)))).tolist()

    assert gradient(jg.max, [1.0, 3.0, 3.0]) == [0, 0.5, 0.5]
    assert gradient(lambda x: jg.maximum(x, 0.0), [-1.0, 0.0, 2.0]) == [0, 0, 1]
    assert gradient(lambda x: jg.minimum(x, 0.0), [-1.0, 0.0, 2.0]) == [1, 0, 0]
    assert gradient(lambda x: x**0, [0.0, 2.0]) == [0, 0]
    assert gradient(lambda x: x**2, [0.0, 2.0]) == [0, 4]
    assert gradient(
        lambda x: jg.where(x > 0, jg.sqrt(jg.where(x > 0, x, 1.0)), 0.0), [0.0, 4.0]
    ) == [
        0,
        0.25,
    ]


def test_random_views_have_the_derivatives_of_differences():
    for seed in range(400):
        random = np.random.default_rng(seed)
        shape = tuple(random.integers(1, 5, random.integers(1, 4)))
        steps = []
        for _ in range(random.integers(1, 4)):
            kind = random.integers(0, 4)
            steps.append((kind, random.integers(0, 1000)))

        def view(x, steps=steps):
            for kind, number in steps:
                order = np.random.default_rng(number)
                if kind == 0:
                    x = jg.permute_dims(x, tuple(int(i) for i in order.permutation(x.ndim)))
                elif kind == 1:
                    x = x[
                        tuple(slice(None, None, int(order.choice([-2, -1, 1, 2]))) for _ in x.shape)
                    ]
                elif kind == 2:
                    x = jg.broadcast_to(x, (2, *x.shape)) if x.ndim < 5 else x
                else:
                    x = jg.expand_dims(x[int(order.integers(0, x.shape[0]))], 0)
            return x

        x = random.standard_normal(shape)
        base, factor = jg.asarray(x), None
        out, pull = jg.vjp(lambda x: view(x) * 2, [base])
        factor = random.standard_normal(out.shape)
        (back,) = pull([jg.asarray(factor)])
        tangent = random.standard_normal(shape)
        _, (ahead,) = jg.jvp(lambda x: view(x) * 2, [base], [jg.asarray(tangent)])
        left = np.sum(np.asarray(ahead) * factor)
        right = np.sum(np.asarray(back) * tangent)
        assert abs(left - right) < 1e-12 * (1 + np.sum(np.abs(factor) * np.abs(np.asarray(ahead))))
