# SPDX-License-Identifier: Apache-2.0
"""slice and slice_update, which begin where an array says, and the other odd names of MLX."""

import copy
import io
import pickle

import ml_dtypes
import mlx.core as mx
import numpy as np
import pytest
from layouts import DTYPES, assert_same, layouts

import joggle as jg

WINDOWS = [
    ((0, 0), (0, 1), (2, 3)),
    ((1, 2), (0, 1), (2, 2)),
    ((2,), (1,), (3, 2)),
    ((1,), (-2,), (1, 5)),
]


@pytest.mark.parametrize(("starts", "axes", "size"), WINDOWS)
def test_windows_are_those_of_mlx(starts, axes, size):
    x = np.arange(15).reshape(3, 5)
    ours = jg.slice(jg.array(x), jg.array(starts), axes, size)
    theirs = mx.slice(mx.array(x), mx.array(starts), axes, size)
    assert ours.tolist() == theirs.tolist()
    update = -np.ones(size, int)
    ours = jg.slice_update(jg.array(x), jg.array(update), jg.array(starts), axes)
    theirs = mx.slice_update(mx.array(x), mx.array(update), mx.array(starts), axes)
    assert ours.tolist() == theirs.tolist()


def test_a_window_may_begin_where_a_computation_says():
    x = jg.arange(10)
    start = jg.argmax(x * (x < 5))
    assert jg.slice(x, start, (0,), (3,)).tolist() == [4, 5, 6]


def test_a_window_past_the_end_is_told_when_it_is_read():
    late = jg.slice(jg.arange(10), jg.array([8]), (0,), (5,))
    with pytest.raises(IndexError):
        jg.eval(late)
    for size in ((11,), (-1,)):
        with pytest.raises(ValueError, match="window"):
            jg.slice(jg.arange(10), jg.array([0]), (0,), size)
    with pytest.raises(IndexError, match="axes"):
        jg.slice(jg.arange(10), jg.array([0]), (1,), (1,))
    with pytest.raises(ValueError, match="start_indices"):
        jg.slice(jg.arange(10), jg.array([0, 1]), (0,), (1,))


@pytest.mark.parametrize("dtype", ["int8", "int64"])
def test_a_negative_start_counts_from_the_end_and_its_window_is_whole(dtype):
    x, nines = jg.arange(10), jg.full((3,), 9)
    start = jg.array([-3], dtype)
    assert jg.slice(x, start, (0,), (3,)).tolist() == [7, 8, 9]
    assert jg.slice_update(x, nines, start, (0,)).tolist() == [*range(7), 9, 9, 9]
    for number in (-1, -2, -11, -100):
        start = jg.array([number], dtype)
        for late in (jg.slice(x, start, (0,), (3,)), jg.slice_update(x, nines, start, (0,))):
            with pytest.raises(IndexError):
                jg.eval(late)
    assert jg.slice(x, jg.array([250], "uint8") - 245, (0,), (3,)).tolist() == [5, 6, 7]
    with pytest.raises(ValueError, match=r"\[slice\] axes: got \[0, 0\], allowed is each"):
        jg.slice(x, jg.array([0, 1]), (0, -1), (3,))


def test_depends_and_stop_gradient_give_what_they_are_given():
    x, y = jg.ones(3) + 1, jg.ones(3) * 2
    (listed,), alone = jg.depends([x], y), jg.depends(x, [y])
    jg.synchronize()
    assert y.status == "available"
    listed += 1
    alone *= 5
    assert [each.tolist()[0] for each in (x, listed, alone)] == [2.0, 3.0, 10.0]
    assert jg.stop_gradient(x).tolist() == x.tolist()


def test_the_graph_is_written_to_a_path_or_a_file(tmp_path):
    x = jg.ones(3)
    y = jg.exp(x) + 1
    jg.export_to_dot(tmp_path / "graph.dot", y, x=x)
    file = io.StringIO()
    jg.export_to_dot(file, y, x=x)
    assert file.getvalue() == (tmp_path / "graph.dot").read_text()
    assert file.getvalue().startswith("// x: float32 (3,)\ndigraph")


def test_trace_of_an_array_is_the_sum_of_its_diagonal(tmp_path):
    assert jg.trace(jg.ones((3, 3))).item() == 3
    assert jg.trace(jg.arange(6).reshape(2, 3), offset=1).item() == 6
    with jg.trace(str(tmp_path / "t.json")):
        jg.eval(jg.ones(3) + 1)
    assert (tmp_path / "t.json").exists()


def test_trees_of_any_depth_are_evaluated():
    leaves = [jg.ones(2) + i for i in range(4)]
    jg.eval({"a": [leaves[0], (leaves[1], {"b": leaves[2]})]}, leaves[3], 5, None, "text")
    assert all(x.status == "available" for x in leaves)
    late = jg.ones(2) * 3
    jg.async_eval([{"x": (late,)}])
    assert late.tolist() == [3, 3]


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_are_pickled_and_copied(dtype):
    for x, reference in layouts(dtype):
        for made in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy([x])[0]):
            assert_same(made, reference)


def test_what_is_only_stored_is_pickled_too():
    x = jg.array(np.array([1, 2.5], ml_dtypes.float8_e5m2))
    made = pickle.loads(pickle.dumps(x))
    assert made.dtype == jg.float8_e5m2 and made.astype("float32").tolist() == [1, 2.5]
    assert bytes(jg.array([1], jg.int16)) == b"\1\0"
