# SPDX-License-Identifier: Apache-2.0
"""Columns of pandas and pyarrow, in and out: numbers, and whether the memory is shared."""

import gc
import operator

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import joggle as jg

NUMBERS = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
NUMBERS += ["float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", NUMBERS)
def test_columns_of_pyarrow_share_their_memory_both_ways(dtype, address):
    column = pa.array(np.arange(6).astype(dtype))
    start = column.buffers()[1].address
    for read in (jg.asarray, jg.from_dlpack):
        x = read(column[1:])
        assert address(x) == start + x.itemsize and x.dtype.name == dtype
        assert x.tolist() == [1, 2, 3, 4, 5]
    x = jg.arange(1, 6, dtype=dtype)
    out = pa.array(x)
    assert out.buffers()[1].address == address(x) and str(out.type) == str(column.type)
    out.validate(full=True)
    del x
    gc.collect()
    assert out.to_pylist() == [1, 2, 3, 4, 5]


def test_what_does_not_lie_as_arrow_has_it_is_copied():
    bools = [True, False, True] * 7
    assert pa.array(jg.asarray(bools)).to_pylist() == bools
    assert pa.array(jg.arange(10)[::-3]).to_pylist() == [9, 6, 3, 0]
    assert pa.array(jg.zeros((0,))).to_pylist() == []
    assert pa.array(jg.arange(3), type=pa.float32()).type == pa.float32()
    table = pa.table({"a": jg.arange(3.0) * 2, "b": jg.arange(3)})
    assert table.to_pydict() == {"a": [0, 2, 4], "b": [0, 1, 2]}


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (jg.ones((2, 2)), ValueError, r"shape \(2, 2\), allowed is one axis"),
        (jg.ones(2, dtype="bfloat16"), TypeError, "got bfloat16, allowed are bool, integers"),
        (jg.ones(2, dtype="complex64"), TypeError, "got complex64"),
    ],
    ids=["axes", "bfloat16", "complex"],
)
def test_what_arrow_has_no_column_for_is_refused(x, error, message):
    with pytest.raises(error, match=message):
        pa.array(x)


@pytest.mark.parametrize("read", [jg.asarray, jg.from_dlpack])
def test_columns_with_nulls_and_packed_bools_are_refused(read):
    with pytest.raises(TypeError, match="no nulls"):
        read(pa.array([1.0, None]))
    with pytest.raises(TypeError, match="Bit-packed"):
        read(pa.array([True, False]))


def test_several_chunks_and_tables_come_in_as_one_array():
    assert jg.asarray(pa.chunked_array([[1, 2], [3]])).tolist() == [1, 2, 3]
    found = jg.asarray(pa.table({"a": [1, 2], "b": [0.5, 1.5]}))
    assert found.tolist() == [[1, 0.5], [2, 1.5]]
    tensor = pa.Tensor.from_numpy(np.arange(6.0).reshape(2, 3))
    assert jg.asarray(tensor).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert pa.Tensor.from_numpy(jg.asnumpy(jg.ones((2, 3)))).shape == (2, 3)


def test_columns_of_pandas_share_their_memory(address):
    frame = pd.DataFrame({"a": np.arange(4.0), "b": np.arange(4)})
    x = jg.asarray(frame["a"])
    assert address(x) == frame["a"].to_numpy().__array_interface__["data"][0]
    assert jg.asarray(frame).tolist() == frame.to_numpy().tolist()
    assert jg.asarray(pd.Series([1, 2], dtype="Int64")).tolist() == [1, 2]
    assert jg.asarray(pd.Series([1, 2], dtype="int64[pyarrow]")).tolist() == [1, 2]
    with pytest.raises(TypeError, match="allowed are bool, integers, floats"):
        jg.asarray(pd.Series(["a", "b"]))


def test_pandas_makes_columns_of_arrays():
    rows = np.arange(12.0).reshape(4, 3)
    x = jg.asarray(rows)
    series = pd.Series(x[:, 0] * 2)
    assert series.dtype == np.float64 and series.tolist() == [0, 6, 12, 18]
    assert np.shares_memory(pd.Series(x[:, 0]).to_numpy(), np.asarray(x))
    frame = pd.DataFrame(x, columns=list("abc"))
    pd.testing.assert_frame_equal(frame, pd.DataFrame(rows, columns=list("abc")))
    frame["d"] = x[:, 0] + 1
    assert frame["d"].tolist() == [1, 4, 7, 10]
    assert (frame["a"] * x[:, 1]).tolist() == (rows[:, 0] * rows[:, 1]).tolist()
    assert (x[:, 1] * frame["a"]).tolist() == (rows[:, 0] * rows[:, 1]).tolist()
    assert frame[jg.asnumpy(x[:, 0] > 3)]["a"].tolist() == [6, 9]


def test_tables_of_pandas_meet_arrays_as_their_right_operands():
    rows = np.arange(6.0).reshape(2, 3)
    x, frame = jg.asarray(rows), pd.DataFrame(rows + 1, columns=list("abc"))
    for call in (operator.add, operator.sub, operator.eq, operator.lt, operator.pow):
        pd.testing.assert_frame_equal(call(x, frame), call(rows, frame))
    pd.testing.assert_frame_equal(x.T @ frame, rows.T @ frame)
    series = frame["a"]
    series += x[:, 0]
    assert series.tolist() == [1, 7]
    with pytest.raises(ValueError, match="Unable to coerce list"):
        frame + x
