# SPDX-License-Identifier: Apache-2.0
"""Cheap values that several launches read: each computes them, and none stores them."""

import numpy as np
import pytest

import joggle as jg

rng = np.random.default_rng(8)


@pytest.fixture(autouse=True)
def fusing():
    before = jg.get_option("fuse")
    yield
    jg.set_option("fuse", before)


def explained(*arrays):
    text = jg.explain(*arrays)
    written = int(text.split("launches: ")[1].split("writes ")[1].split(";")[0].split(" ")[0])
    return text, written


def assert_same_bits(program, *inputs):
    """Fused and op by op: same dtypes, same elements; reductions of floats within rounding."""
    outcomes = []
    for fuse in "0", "1":
        jg.set_option("fuse", fuse)
        results = program(*[jg.asarray(x, copy=True) for x in inputs])
        jg.eval(*results)
        outcomes.append([np.array(r) for r in results])
    for plain, fused in zip(*outcomes, strict=True):
        assert plain.dtype == fused.dtype
        if plain.dtype.kind in "fc":
            limit = 1e-2 if plain.itemsize == 2 else 1e-5
            np.testing.assert_allclose(fused, plain, rtol=limit, atol=limit)
        else:
            assert plain.tobytes() == fused.tobytes()


def test_what_two_launches_need_is_computed_by_both_and_stored_by_none():
    x = jg.asarray(rng.standard_normal((200, 300)).astype("float32"))
    y = jg.maximum(x * 2 + 1, 0)
    rows, columns = jg.exp(y).sum(1), jg.tanh(y).sum(0)
    held, held_written = explained(rows, columns)
    del y
    text, written = explained(rows, columns)
    assert "of other launches again" in text
    assert "of other launches again" not in held  # it is in memory for whoever holds it
    assert written == 4 * 500
    assert held_written == written + 4 * 60_000
    y = np.maximum(np.asarray(x) * 2 + 1, 0)
    np.testing.assert_allclose(np.asarray(rows), np.exp(y).sum(1), rtol=1e-5)
    np.testing.assert_allclose(np.asarray(columns), np.tanh(y).sum(0), rtol=1e-5)


def is_stored(make):
    x = jg.asarray(rng.standard_normal((40, 50)).astype("float32"))
    other = jg.asarray(rng.standard_normal((40, 50)).astype("float32"))
    y = make(x, other)
    results = jg.exp(y).sum(1), jg.tanh(y).sum(0)
    del y
    return "of other launches again" not in explained(*results)[0]


@pytest.mark.parametrize(
    "make",
    [
        lambda x, other: jg.sin(x),
        lambda x, other: x / 3,
        lambda x, other: x + other,
        lambda x, other: ((((x + 1) * x + 2) * x + 3) * x + 4) * x + 5,
        lambda x, other: x @ other.T @ other,
    ],
    ids=["function", "quotient", "two arrays", "ten instructions", "product"],
)
def test_what_is_dear_or_reads_more_is_stored(make):
    assert is_stored(make)


@pytest.mark.parametrize(
    "make",
    [
        lambda x, other: -x,
        lambda x, other: jg.where(x > 0.5, x * x, -1.0),
        lambda x, other: x.astype("float64"),
        lambda x, other: x[:, ::-1] * 2,
        lambda x, other: jg.broadcast_to(x[:1], x.shape) + 1,
        lambda x, other: x + 1 / jg.full((), 3.0),
    ],
    ids=["one", "where", "cast", "of a view", "of a broadcast view", "of numbers"],
)
def test_what_is_cheap_is_not_stored(make):
    assert not is_stored(make)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int8", "uint8", "complex64"])
def test_values_through_views_have_the_same_bits(dtype):
    x = (rng.standard_normal((24, 36)) * 9).astype(dtype)

    def program(x):
        y = x * 3 + x
        z = y - 2
        results = [
            jg.sum(y, axis=0),
            jg.sum(z.T, axis=0),
            y[::2, ::-3] * 2,
            jg.reshape(z, (36, 24)) + 1,
            jg.flip(y, axis=0)[1:] + z[1:],
            jg.sum(z[:, 5:9] * y[:, :4]),
        ]
        del y, z
        return results

    assert_same_bits(program, x)


def test_a_value_read_by_a_routine_as_well_is_stored_once():
    x = jg.asarray(rng.standard_normal((64, 64)).astype("float32"))

    def program(x):
        y = x * 2 - 1
        results = [y @ y, jg.sum(jg.exp(y), axis=0), jg.sort(y, axis=1), jg.sum(y, axis=1)]
        del y
        return results

    assert "of other launches again" not in explained(*program(x))[0]
    assert_same_bits(program, np.asarray(x))


def test_many_users_and_many_values_stay_within_what_a_launch_holds():
    def program(x):
        values = [x * k + (k + 1) for k in range(12)]
        results = []
        for shift in range(1, 12):
            total = 0
            for k, value in enumerate(values):
                total = total + jg.abs(value[:, shift:] * (k + 2) - value[:, :-shift])
            results += [jg.sum(total, axis=0), jg.max(total, axis=1), total]
        del values, total, value
        return results

    assert_same_bits(program, rng.standard_normal((9, 31)).astype("float32"))


def test_an_operand_that_is_dropped_lives_until_the_last_launch_that_computes_with_it():
    def program(x):
        y = x + 1
        results = [jg.exp(y), jg.sum(y * y, axis=0), jg.sum(jg.sqrt(jg.abs(y)), axis=1), y.T * 2]
        del x, y
        return results

    assert_same_bits(program, rng.standard_normal((300, 400)).astype("float32"))


def test_gradients_of_what_is_shared_are_right():
    def loss(x, w):
        y = jg.maximum(x * 2 + 0.5, 0)
        return jg.sum(jg.tanh(y.sum(0)) * w) + jg.sum(jg.logsumexp(y, axis=1)) + jg.mean(y @ w)

    x, w = rng.standard_normal((30, 20)), rng.standard_normal(20)
    value, gradients = jg.value_and_grad(loss, argnums=(0, 1))(jg.asarray(x), jg.asarray(w))
    jg.eval(value, *gradients)
    for i, at in enumerate([x, w]):
        for place in [(3,) * at.ndim, (0,) * at.ndim]:
            step = np.zeros_like(at)
            step[place] = 1e-6
            ends = [[x + s * step, w] if i == 0 else [x, w + s * step] for s in (1, -1)]
            up, down = (float(loss(*map(jg.asarray, end))) for end in ends)
            slope = float(np.asarray(gradients[i])[place])
            assert (up - down) / 2e-6 == pytest.approx(slope, rel=1e-6, abs=1e-7)
