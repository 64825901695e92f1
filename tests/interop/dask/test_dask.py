# SPDX-License-Identifier: Apache-2.0
"""Dask over arrays of ours: the chunks stay ours, and the numbers are those of NumPy's chunks."""

import operator
import subprocess
import sys

import dask.array as da
import numpy as np
import pytest

import joggle as jg

ROWS = np.random.default_rng(0).standard_normal((40, 30))

CALLS = {
    "add": lambda d: d + d * 2 - 1,
    "sine": lambda d: np.sin(d),
    "where": lambda d: da.where(d > 0, d, 0),
    "clip": lambda d: d.clip(-1, 1),
    "sum": lambda d: d.sum(axis=0),
    "mean": lambda d: d.mean(axis=1),
    "var": lambda d: d.var(axis=0),
    "std": lambda d: d.std(),
    "max": lambda d: d.max(axis=0),
    "min": lambda d: d.min(),
    "prod": lambda d: d.prod(axis=1),
    "argmax": lambda d: d.argmax(axis=0),
    "any": lambda d: (d > 2).any(axis=0),
    "nanmean": lambda d: da.nanmean(d, axis=0),
    "cumsum": lambda d: d.cumsum(axis=0),
    "moment": lambda d: da.reductions.moment(d, 3, axis=0),
    "matmul": lambda d: d @ d.T,
    "tensordot": lambda d: da.tensordot(d, d, axes=((0,), (0,))),
    "einsum": lambda d: da.einsum("ij,ik->jk", d, d),
    "rechunk": lambda d: d.rechunk((7, 30)),
    "map_blocks": lambda d: d.map_blocks(lambda block: block + 1),
    "reflect": lambda d: d.map_overlap(lambda block: block * 2, depth=1, boundary="reflect"),
    "periodic": lambda d: d.map_overlap(np.negative, depth=(1, 2), boundary="periodic"),
    "nearest": lambda d: d.map_overlap(lambda block: block + 1, depth=2, boundary="nearest"),
    "constant": lambda d: d.map_overlap(lambda block: block + 1, depth=1, boundary=0.0),
    "slice": lambda d: d[3:20, ::2],
    "rows": lambda d: d[[1, 20, 3]],
    "mask": lambda d: d[d[:, 0] > 0],
    "reshape": lambda d: d.reshape(1200),
    "concatenate": lambda d: da.concatenate([d, d.T.T], axis=1),
    "median": lambda d: da.median(d, axis=0),
    "topk": lambda d: da.topk(d, 3, axis=0),
    "cov": lambda d: da.cov(d),
    "svd": lambda d: da.linalg.svd(d.rechunk((10, 30)))[1],
    "fft": lambda d: da.fft.fft(d.rechunk((40, 15)), axis=0),
}


@pytest.fixture(scope="module")
def chunked():
    return da.from_array(jg.asarray(ROWS), chunks=(10, 15), asarray=False)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_chunks_stay_ours_and_hold_the_numbers_of_numpys(chunked, call):
    expected = call(da.from_array(ROWS, chunks=(10, 15))).compute()
    lazy = call(chunked)
    found = lazy.compute()
    assert isinstance(found, jg.array) and found.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-9, atol=1e-9)
    blocks = lazy.to_delayed().ravel()
    assert {type(block.compute()) for block in blocks} == {jg.array}


def test_an_assignment_replaces_the_chunks(chunked):
    d = chunked.copy()
    d[3:15, 4] = 0.0
    expected = ROWS.copy()
    expected[3:15, 4] = 0.0
    found = d.compute()
    assert isinstance(found, jg.array) and np.array_equal(found, expected)
    assert np.array_equal(chunked.compute(), ROWS)


def test_chunks_of_numpys_and_ours_meet_as_ours(chunked):
    found = (chunked + da.from_array(ROWS, chunks=(10, 15))).compute()
    assert isinstance(found, jg.array)
    np.testing.assert_array_equal(np.asarray(found), 2 * ROWS)


def test_what_dask_has_no_function_for_is_refused_by_its_name(chunked):
    with pytest.raises(TypeError, match=r"No dispatch for .*joggle\.array"):
        da.percentile(chunked[:, 0], [10, 50]).compute()


MEETINGS = [
    "x + d",
    "d + x",
    "x == d",
    "d < x",
    "x @ d.T",
    "d.T @ x",
    "x ** d",
    "divmod(x, d + 9)[1]",
    "operator.iadd(x, d)",
    "np.concatenate([x, d])",
    "np.concatenate([d, x])",
    "np.where(d > 0, x, d)",
    "np.maximum(d, x)",
    "np.hypot(x, d)",
]
PROGRAM = """
import operator, sys
import joggle as jg
assert "dask" not in sys.modules and "numpy" not in sys.modules
import dask.array as da, numpy as np
call = lambda x, d: {call}
rows = abs(np.random.default_rng(0).standard_normal((4, 6)))
found = call(jg.array(rows), da.from_array(rows, chunks=3))
assert isinstance(found, da.Array), type(found)
np.testing.assert_allclose(np.asarray(found.compute()), call(rows.copy(), rows), rtol=1e-12)
"""


@pytest.mark.parametrize("call", ["x == d", "d + x", "np.maximum(d, x)", *MEETINGS[-5:-3]])
def test_the_first_meeting_of_a_process_gives_an_array_of_dask(call):
    command = [sys.executable, "-c", PROGRAM.format(call=call)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("call", MEETINGS)
def test_arrays_of_ours_and_of_dask_give_those_of_dask(call):
    call = eval(f"lambda x, d: {call}", {"np": np, "operator": operator})
    rows = abs(ROWS)
    found = call(jg.array(rows), da.from_array(rows, chunks=(10, 15)))
    assert isinstance(found, da.Array)
    np.testing.assert_allclose(np.asarray(found.compute()), call(rows.copy(), rows), rtol=1e-12)


def test_arrays_of_dask_are_indices_and_ours_are_indices_of_them(chunked):
    x = jg.asarray(ROWS)
    places = da.from_array(np.array([3, 0, 3]), chunks=2)
    assert np.array_equal(x[places], ROWS[[3, 0, 3]])
    assert np.array_equal(x[:, places], ROWS[:, [3, 0, 3]])
    assert np.array_equal(x[places[:1]], ROWS[[3]]) and np.array_equal(x[places[1]], ROWS[0])
    assert np.array_equal(x[:3][places > 1], ROWS[[0, 2]])
    assert np.array_equal(chunked[jg.array([3, 0])].compute(), ROWS[[3, 0]])
    mask = ROWS[:, 0] > 0
    assert np.array_equal(chunked[jg.asarray(mask)].compute(), ROWS[mask])
