# SPDX-License-Identifier: Apache-2.0
"""Kernels as functions of arrays inside of functions that compile records: each call launches."""

import numpy as np
import pytest
from array_kernels import AT, X, Y, close, function_of_pairs, function_of_square, scale_square

import joggle as jg
import joggle.fields as qd

SQUARE = function_of_square()
BOTH = function_of_pairs()


def around(x, factor=2.0):
    """The kernel between ops, its result used twice."""
    y = SQUARE(jg.sin(x) + 1, factor)
    return y * x + jg.sum(y)


def around_plain(x, factor=2.0):
    y = factor * (jg.sin(x) + 1) ** 2
    return y * x + jg.sum(y)


TRANSFORMED = {
    "values": lambda f: f,
    "grad": lambda f: jg.grad(lambda x: jg.sum(f(x))),
    "value and grad": lambda f: jg.value_and_grad(lambda x: jg.sum(f(x) ** 2)),
    "jvp": lambda f: lambda x: jg.jvp(f, [x], [x * x])[1],
    "vjp": lambda f: lambda x: jg.vjp(f, [x], [x + 1])[1],
    "jacrev": lambda f: jg.jacrev(f),
    "jacfwd": lambda f: jg.jacfwd(f),
    "vmap": lambda f: lambda x: jg.vmap(f)(jg.stack([x, x + 1, x * x])),
    "vmap along another axis": lambda f: lambda x: jg.vmap(f, 1, 1)(jg.stack([x, x + 1], axis=1)),
    "vmap of grad": lambda f: (
        lambda x: jg.vmap(jg.grad(lambda x: jg.sum(f(x))))(jg.stack([x, x + 1]))
    ),
    "grad of vmap": lambda f: jg.grad(lambda x: jg.sum(jg.vmap(f)(jg.stack([x, x + 1])))),
    "not mapped in vmap": lambda f: lambda x: jg.vmap(lambda y: y * f(x))(jg.stack([x, x + 1])),
    "checkpoint": lambda f: jg.grad(lambda x: jg.sum(jg.checkpoint(f)(x) ** 2)),
    "twice": lambda f: lambda x: f(f(x) / 10),
}


@pytest.mark.parametrize("where", ["inside", "outside", "both"])
@pytest.mark.parametrize("name", TRANSFORMED)
def test_a_compiled_function_launches_at_each_call(name, where):
    transform = TRANSFORMED[name]
    call = transform(jg.compile(around) if where != "inside" else around)
    if where != "outside":
        call = jg.compile(call)
    for x in (X, Y, 3 * X):
        x = jg.asarray(x)
        got, want = call(x), transform(around_plain)(x)
        many = isinstance(got, (list, tuple))
        for a, b in zip(got, want, strict=True) if many else [(got, want)]:
            close(a, b)
    if where == "inside":
        info = call.cache_info()
        assert (info.hits, info.misses) == (2, 1)


def test_functions_have_several_results_and_integer_arguments():
    def of(a, b, at):
        total, each = BOTH(a * 2, b, at)
        return total + jg.sum(each), each

    call, slope = jg.compile(of), jg.compile(jg.grad(lambda *x: of(*x)[0][0], (0, 1)))
    for a in (X, Y):
        want_each = np.sin(2 * a) * Y[AT]
        got, each = call(*map(jg.asarray, (a, Y, AT)))
        close(got, np.sum(2 * a * Y) + want_each.sum())
        close(each, want_each)
        by_a, by_b = slope(*map(jg.asarray, (a, Y, AT)))
        close(by_a, 2 * Y + 2 * np.cos(2 * a) * Y[AT])
        close(by_b, 2 * a + np.bincount(AT, np.sin(2 * a), 3))


def test_a_number_of_the_kernel_may_be_an_argument():
    call = jg.compile(lambda x, factor: SQUARE(x, factor))
    for factor in (2.0, 3.0):
        close(call(jg.asarray(X), jg.array(factor)), factor * X**2)
    assert call.cache_info().misses == 1


def test_draws_and_state_are_as_without_a_kernel():
    state = [jg.asarray(X)]

    def step():
        state[0] = SQUARE(state[0], 0.5) + jg.random.uniform(shape=(3,), dtype=jg.float64)
        return jg.sum(state[0])

    compiled = jg.compile(step, inputs=state, outputs=state)
    results = []
    for run in (step, compiled):
        state[0] = jg.asarray(X)
        jg.random.seed(3)
        results.append([run().item() for _ in range(3)])
    assert results[0] == results[1]


def test_an_unused_launch_is_left_out():
    launches = []
    counted = qd.function(
        scale_square, outputs={"y": lambda x, f: launches.append(1) or (3, x.dtype)}
    )
    call = jg.compile(lambda x: (counted(x, 1.0), x + 1)[1])
    close(call(jg.asarray(X)), X + 1)
    assert len(launches) == 1


def test_failures_of_the_launch_pass():
    call = jg.compile(lambda x: SQUARE(x, 2.0))
    close(call(jg.asarray(X)), 2 * X**2)
    slope = jg.grad(lambda x: jg.sum(call(x)))
    with pytest.raises(NotImplementedError, match="scale_square: kernels have first derivatives"):
        jg.grad(lambda x: jg.sum(slope(x)))(jg.asarray(X))
    with pytest.raises(NotImplementedError, match="scale_square: kernels have first derivatives"):
        jg.compile(jg.grad(lambda x: jg.sum(jg.grad(lambda x: jg.sum(around(x)))(x))))(
            jg.asarray(X)
        )
    close(call(jg.asarray(X)), 2 * X**2)


def test_a_bare_launch_is_refused_with_the_function_and_the_remedy():
    def launches(x):
        y = jg.zeros_like(x)
        scale_square(x, 2.0, y)
        return y

    def writes(x):
        place = np.zeros(3)
        scale_square(place, 2.0, place)
        return x

    with pytest.raises(ValueError, match=r"\[compile\] launches: .*joggle\.fields\.function"):
        jg.compile(launches)(jg.asarray(X))
    with pytest.raises(NotImplementedError, match=r"\[compile\] writes: .*outside of the function"):
        jg.compile(writes)(jg.asarray(X))


def test_a_launch_has_no_place_in_a_file(tmp_path):
    with pytest.raises(NotImplementedError, match="kernel that the function launches"):
        jg.export_function(tmp_path / "f.jgf", around, jg.asarray(X))
