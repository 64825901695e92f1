# SPDX-License-Identifier: Apache-2.0
"""Totals beside results for each element: one launch, and the bits of op by op on the tiles."""

import itertools
import json

import numpy as np
import pytest

import joggle as jg

rng = np.random.default_rng(5)

LENGTHS = [1, 31, 1000, 20_000, 65_536, 300_007]


@pytest.fixture(params=[0, 1], ids=["tiles", "compiled"])
def tier(request):
    """Which tier fused graphs run on. A plan remembers its code, so sizes are to differ by it."""
    names = "fuse", "jit", "jit_cache"
    before = [jg.get_option(name) for name in names]
    jg.set_option("jit_cache", "none")
    yield request.param
    for name, value in zip(names, before, strict=True):
        jg.set_option(name, value)


def outcomes_of(tier, program, *inputs):
    """The program's results op by op on the tiles, and fused. Inputs are made anew, as a program
    may overwrite them."""
    outcomes = []
    for fuse, jit in (("0", "0"), ("1", str(tier))):
        jg.set_option("fuse", fuse)
        jg.set_option("jit", jit)
        results = program(*[jg.asarray(x, copy=True) for x in inputs])
        jg.eval(*results)
        outcomes.append([np.array(r) for r in results])
    return outcomes


def assert_same_bits(tier, program, *inputs):
    for plain, fused in zip(*outcomes_of(tier, program, *inputs), strict=True):
        assert plain.dtype == fused.dtype
        assert plain.tobytes() == fused.tobytes()


def launches(*arrays):
    return int(jg.explain(*arrays).split("launches: ")[1].split(";")[0])


def normal(n, dtype="float32"):
    x = rng.standard_normal(n)
    return (x * 50).astype(dtype)


TOTALS = {
    "sum": lambda y: jg.sum(y),
    "mean": lambda y: jg.mean(y),
    "max": lambda y: jg.max(y),
    "keepdims": lambda y: jg.sum(y, axis=0, keepdims=True) / 7,
    "norm": lambda y: jg.sqrt(jg.sum(y * y)),
    "any": lambda y: jg.any(y > 3),
    "prod": lambda y: jg.prod(jg.tanh(y)),
}


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("total", TOTALS)
def test_a_total_beside_its_elements_has_the_same_bits(tier, total, n):
    def program(x):
        y = jg.tanh(x * 2 - 1)
        return TOTALS[total](y), y, x * y + 1

    assert_same_bits(tier, program, normal(n + tier))


@pytest.mark.parametrize("dtype", ["float16", "float64", "int32", "int8", "complex64", "uint64"])
def test_totals_of_other_dtypes_have_the_same_bits(tier, dtype):
    def program(x, y):
        z = x * y + x
        return jg.sum(z), z, x - y

    assert_same_bits(tier, program, normal(100_003 + tier, dtype), normal(100_003 + tier, dtype))


LAYOUTS = {
    "rows": lambda x: x,
    "transposed": lambda x: x.T,
    "every_other": lambda x: x[::2, 1::3],
    "backwards": lambda x: x[::-1, ::-1],
    "one_row": lambda x: x[3],
    "broadcast": lambda x: jg.broadcast_to(x[:, :1], x.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(130, 700), (700, 130), (9000, 20)])
def test_elements_of_views_have_the_same_bits_beside_a_total(tier, layout, shape):
    """The total is added up in the order in which the operand lies, row by row."""

    def program(x):
        y = LAYOUTS[layout](x)
        z = jg.exp(-y * y)
        return jg.sum(z) / 3, z, z + y

    rows, columns = shape[0] + tier, shape[1]
    x = normal(rows * columns).reshape(rows, columns) / 50
    plain, fused = outcomes_of(tier, program, x)
    np.testing.assert_allclose(fused[0], plain[0], rtol=1e-6)
    assert plain[1].tobytes() == fused[1].tobytes()
    assert plain[2].tobytes() == fused[2].tobytes()


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("dropped", [False, True])
def test_an_operand_is_taken_in_before_it_is_overwritten(tier, order, dropped):
    """The memory of x may be a result's where x is dropped; its total is of x as it was."""

    def program(x):
        results = [lambda: x * 2, lambda: jg.sum(x), lambda: jg.sqrt(jg.abs(x))]
        made = {i: results[i]() for i in order}
        if dropped:
            x = None
        return [made[i] for i in range(3)]

    for n in (40, 5000, 200_001):
        assert_same_bits(tier, program, normal(n + tier))


def test_updates_beside_a_total_of_the_new_values_have_the_same_bits(tier):
    def program(x, y):
        x += y * 0.5
        total = jg.mean(x * x)
        y[...] = jg.maximum(x, y)
        return total, x, y

    assert_same_bits(tier, program, normal(150_000 + tier), normal(150_000 + tier))


def test_a_loss_and_its_gradient_are_one_launch_without_temporaries():
    def loss(x):
        return jg.mean(x * jg.tanh(0.8 * (x + 0.04 * x * x * x)))

    x = jg.asarray(normal(400_000) / 50)
    value, gradient = jg.value_and_grad(loss)(x)
    assert launches(value, gradient) == 1
    assert "temporaries: 0 " in jg.explain(value, gradient)
    jg.eval(value, gradient)
    x64 = np.asarray(x).astype("float64")
    inner = 0.8 * (x64 + 0.04 * x64**3)
    slope = 0.8 * (1 + 0.12 * x64**2) / np.cosh(inner) ** 2
    expected = (np.tanh(inner) + x64 * slope) / x64.size
    np.testing.assert_allclose(float(value), np.mean(x64 * np.tanh(inner)), rtol=1e-6)
    np.testing.assert_allclose(np.asarray(gradient) * x64.size, expected * x64.size, atol=3e-6)


def test_what_elements_need_of_a_total_is_passed_over_again(tier):
    """A total that elements are divided by is known before them, so there are two passes."""
    x = normal(300_000 + tier)

    def program(x):
        y = jg.exp(x / 50)
        total = jg.sum(y)
        return y / total, total, y

    assert_same_bits(tier, program, x)
    y = jg.exp(jg.asarray(x) / 50)
    assert launches(y / jg.sum(y), y) > 1


def test_several_totals_beside_elements_have_the_same_bits(tier):
    def program(x):
        y = jg.sin(x)
        return jg.sum(y), y * 2, jg.max(y), jg.mean(x), jg.sum(y * x) / 4

    for n in (500, 30_000, 200_003):
        assert_same_bits(tier, program, normal(n + tier))


def test_a_total_beside_elements_updates_an_operand_in_place():
    """A result takes the memory of an operand that nobody holds, also where a total is made."""
    x = jg.asarray(normal(1 << 20), copy=True)
    jg.eval(x)
    jg.reset_peak_memory()
    before = jg.get_active_memory()
    y = jg.tanh(x)
    total = jg.sum(y * y)
    del x
    jg.eval(y, total)
    assert jg.get_peak_memory() - before < 1 << 20


def test_the_trace_has_one_launch(tmp_path):
    x = jg.asarray(normal(100_000))
    y = x * 2 + 1
    total = jg.sum(y)
    with jg.trace(str(tmp_path / "trace.json")):
        jg.eval(y, total)
    events = json.loads((tmp_path / "trace.json").read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    assert sum(event.get("cat") == "launch" for event in events) == 1


@pytest.mark.parametrize("n", [0, 1])
def test_elements_are_computed_where_what_is_made_of_them_is_empty(tier, n):
    """The difference along an axis of one element has none, and its sum is 0."""

    def program(x):
        y = x * 2 + 1
        z = jg.diff(y, axis=1)
        return jg.sum(z), y, z, y - 1

    assert_same_bits(tier, program, normal((5 + tier) * n).reshape(5 + tier, n))
