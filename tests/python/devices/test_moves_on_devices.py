# SPDX-License-Identifier: Apache-2.0
"""Functions that move arrays between devices are differentiated, batched and recorded: a value lies
where the function puts it, and a gradient beside its argument."""

import os

import numpy as np
import pytest

import joggle as jg

DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
HERE = "cpu"
ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)
FACTORS = np.array([1, 2, 3], dtype=np.float32)


def numbers(x):
    return np.asarray(x.to_device("cpu"))


@pytest.fixture
def rows():
    return jg.asarray(ROWS, device=HERE)  # it was asked for there


@pytest.fixture
def factors():
    return jg.asarray(FACTORS).to_device(DEVICE)


def test_a_batched_function_puts_its_result_where_the_function_does(rows, factors):
    moved = jg.vmap(lambda x: (x * 2).to_device(DEVICE))(rows)
    assert moved.device == DEVICE
    np.testing.assert_array_equal(numbers(moved), ROWS * 2)
    product = jg.vmap(lambda x, y: x.to_device(DEVICE) * y.to_device(DEVICE) + factors, (0, None))
    made = product(rows, rows[1])
    assert made.device == DEVICE
    np.testing.assert_array_equal(numbers(made), ROWS * ROWS[1] + FACTORS)
    back = jg.vmap(lambda x: x.to_device(HERE) + rows[0])(rows.to_device(DEVICE))
    assert back.device == HERE
    np.testing.assert_array_equal(numbers(back), ROWS + ROWS[0])


def test_a_recorded_function_moves_at_each_call(rows, factors):
    moves = jg.compile(lambda x, y: (x * 2).to_device(DEVICE) * y)
    for i in range(3):
        made = moves(rows + i, factors)
        assert made.device == DEVICE
        np.testing.assert_array_equal(numbers(made), (ROWS + i) * 2 * FACTORS)
    made = jg.vmap(jg.compile(lambda x: x.to_device(DEVICE) + factors))(rows)
    np.testing.assert_array_equal(numbers(made), ROWS + FACTORS)


def test_a_gradient_lies_beside_its_argument(rows, factors):
    def total(x):
        return jg.sum((x * x).to_device(DEVICE) * factors)

    wanted = 2 * ROWS[1] * FACTORS
    for slope in (jg.grad(total), jg.grad(jg.checkpoint(total)), jg.compile(jg.grad(total))):
        made = slope(rows[1])
        assert made.device == HERE
        np.testing.assert_array_equal(numbers(made), wanted)
    both, pullback = jg.vjp(lambda x: (x * x).to_device(DEVICE), [rows[1]])
    assert both[0].device == DEVICE
    (made,) = pullback([factors])
    assert made.device == HERE
    np.testing.assert_array_equal(numbers(made), wanted)
    there = jg.grad(lambda x: jg.sum((x * x).to_device(HERE) * rows[0]))(rows[1].to_device(DEVICE))
    assert there.device == DEVICE
    np.testing.assert_array_equal(numbers(there), 2 * ROWS[1] * ROWS[0])
    curved = jg.hessian(lambda x: jg.sum((x**3).to_device(DEVICE) * factors))(rows[1])
    np.testing.assert_allclose(numbers(curved), np.diag(6 * ROWS[1] * FACTORS), rtol=1e-6)
    each = jg.vmap(jg.grad(total))(rows)
    assert each.device == HERE
    np.testing.assert_array_equal(numbers(each), 2 * ROWS * FACTORS)


def test_a_tangent_lies_beside_its_value(rows, factors):
    def moved(x):
        return (x * x).to_device(DEVICE) * factors

    _, (made,) = jg.jvp(moved, [rows[1]], [rows[0]])
    assert made.device == DEVICE
    np.testing.assert_array_equal(numbers(made), 2 * ROWS[1] * ROWS[0] * FACTORS)
    slopes = jg.jacfwd(moved)(rows[1])
    np.testing.assert_array_equal(numbers(slopes), np.diag(2 * ROWS[1] * FACTORS))


def test_an_array_of_a_list_follows_the_others_in_a_differentiated_function(factors):
    weights = jg.array([1.0, 2.0, 3.0])
    slopes = jg.grad(lambda x: jg.sum(x * x * factors))(weights)
    assert slopes.device == (weights * factors).device
    np.testing.assert_array_equal(numbers(slopes), [2, 8, 18])


def test_an_imported_function_is_on_the_default_device(tmp_path, factors):
    path = tmp_path / "function.jgf"
    jg.export_function(path, lambda x: x * 2 + factors, factors)
    on_cpu = jg.import_function(path)
    with pytest.raises(ValueError, match=r"number 0 is .*allowed is what the function is for"):
        on_cpu(factors)
    assert on_cpu(jg.asarray(FACTORS, device=HERE))[0].tolist() == (3 * FACTORS).tolist()
    jg.set_default_device(DEVICE)
    try:
        there = jg.import_function(path)
        (made,) = there(factors)
    finally:
        jg.set_default_device(HERE)
    assert made.device == DEVICE
    np.testing.assert_array_equal(numbers(made), 3 * FACTORS)


def test_another_device_is_told_as_the_reason_of_another_record(factors):
    double = jg.compile(lambda x: x + x)
    double(jg.asarray(FACTORS, device=HERE))
    double(factors)
    text = f"float32 of shape (3,) became float32 of shape (3,) on {DEVICE}"
    assert double.cache_info().reasons == ("the first call", f"[0][0]: {text}")
