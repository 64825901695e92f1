# SPDX-License-Identifier: Apache-2.0
"""Softmaxes and norms whose rows are compiled: NumPy's numbers, and the bits of the tiles."""

import numpy as np
import pytest

import joggle as jg

LENGTHS = [32, 45, 64, 100, 1000, 1025, 5000]
EPSILON = 1e-5


@pytest.fixture(params=["1", "0"])
def cache(request, tmp_path):
    """The folder of compiled code; with jit off as well, for the same checks of the tiles."""
    before = jg.get_option("jit"), jg.get_option("jit_cache")
    jg.set_option("jit", request.param)
    jg.set_option("jit_cache", str(tmp_path))
    yield tmp_path
    jg.set_option("jit", before[0])
    jg.set_option("jit_cache", before[1])


def softmax(xp, x, w, b):
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def softmax_of_scaled(xp, x, w, b):
    return softmax(xp, x * 0.125 + w, w, b)


def rms_norm(xp, x, w, b):
    return x / xp.sqrt(xp.mean(x * x, axis=-1, keepdims=True) + EPSILON) * w


def layer_norm(xp, x, w, b):
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    variance = xp.mean(centred * centred, axis=-1, keepdims=True)
    return centred / xp.sqrt(variance + EPSILON) * w + b


FUNCTIONS = [softmax, softmax_of_scaled, rms_norm, layer_norm]


def operands(length, dtype):
    rng = np.random.default_rng(length)
    shapes = (3, 7, length), (length,), (length,)
    return [(rng.standard_normal(shape) * 3).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("length", LENGTHS)
def test_rows_have_the_numbers_of_numpy(cache, function, length):
    arrays = operands(length, np.float32)
    result = np.asarray(function(jg, *map(jg.array, arrays)))
    expected = function(np, *(a.astype(np.float64) for a in arrays))
    assert np.allclose(result, expected, rtol=3e-6, atol=3e-6)
    compiled = len(list(cache.glob("*.jit")))
    assert compiled == (1 if jg.get_option("jit") == "1" else 0)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "std", "layer_norm"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_functions_of_the_library_have_the_numbers_of_numpy(cache, name, dtype):
    x, w, b = operands(300, dtype)
    wide = x.astype(np.float64)
    shifted = wide - wide.max(axis=-1, keepdims=True)
    spread = wide.std(axis=-1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    ours, expected = {
        "softmax": (lambda x: jg.softmax(x, axis=-1), np.exp(logs)),
        "log_softmax": (lambda x: jg.nn.log_softmax(x, axis=-1), logs),
        "std": (
            lambda x: x - jg.std(x, axis=-1, keepdims=True),
            wide - spread,
        ),
        "layer_norm": (
            lambda x: jg.fast.layer_norm(x, jg.array(w), jg.array(b), EPSILON),
            layer_norm(np, wide, w.astype(np.float64), b.astype(np.float64)),
        ),
    }[name]
    tolerance = 2e-3 if dtype == np.float16 else 1e-5
    result = np.asarray(ours(jg.array(x))).astype(np.float64)
    assert np.allclose(result, expected, rtol=tolerance, atol=tolerance)


def of_tiles(function, arrays):
    jg.set_option("jit", "0")
    jg.set_option("fuse", "0")  # another plan: one remembers its code
    result = np.asarray(function(jg, *map(jg.array, arrays)))
    jg.set_option("fuse", "1")
    jg.set_option("jit", "1")
    return result


@pytest.mark.parametrize("function", [softmax, layer_norm])
def test_rows_that_lie_apart_are_read_where_they_lie(cache, function):
    x, w, b = operands(128, np.float32)
    wide = np.zeros((3, 14, 150), np.float32)
    wide[:, ::2, 5:133] = x
    view = jg.array(wide)[:, ::2, 5:133]
    result = np.asarray(function(jg, view, jg.array(w), jg.array(b)))
    assert np.array_equal(result, np.asarray(function(jg, *map(jg.array, (x, w, b)))))


def most(jg, x, y):
    return jg.max(x, axis=-1, keepdims=True) * (1 + (y - jg.max(y, axis=-1, keepdims=True)) * 0)


def test_the_larger_of_two_zeros_is_that_of_the_tiles(cache):
    rng = np.random.default_rng(0)
    for length in LENGTHS:
        x = np.where(rng.random((50, length)) < 0.5, np.float32(-0.0), np.float32(0.0))
        compiled = np.asarray(most(jg, jg.array(x), jg.array(x - 1)))
        assert np.array_equal(np.signbit(compiled), np.signbit(of_tiles(most, (x, x - 1))))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_stays_in_its_row(cache, value):
    x, w, b = operands(200, np.float32)
    x[1, 3, 150] = value
    with np.errstate(all="ignore"):
        expected = softmax(np, x.astype(np.float64), w, b)
    result = np.asarray(softmax(jg, *map(jg.array, (x, w, b))))
    assert np.allclose(result, expected, rtol=3e-6, atol=3e-6, equal_nan=True)
