# SPDX-License-Identifier: Apache-2.0
"""xarray over arrays of ours: data stay ours, and hold what NumPy's would."""

import numpy as np
import pytest
import xarray as xr

import joggle as jg

ROWS = np.random.default_rng(0).standard_normal((4, 6))
WEIGHTS = xr.DataArray([1.0, 2.0, 3.0, 4.0], dims="t")
GROUPS = xr.DataArray([0, 0, 1, 1], dims="t", name="g")

CALLS = {
    "arithmetic": lambda d: 1 - d * d.isel(t=0) / 2,
    "ufunc": lambda d: np.maximum(np.sin(d), 0),
    "sum": lambda d: d.sum("t"),
    "mean": lambda d: d.mean("s"),
    "std": lambda d: d.std("t", ddof=1),
    "var": lambda d: d.var(),
    "max": lambda d: d.max("t"),
    "median": lambda d: d.median("t"),
    "quantile": lambda d: d.quantile(0.3, "t"),
    "argmax": lambda d: d.argmax("t"),
    "any": lambda d: (d > 0).any("t"),
    "missing": lambda d: xr.where(d > 0, d, np.nan).mean("t"),
    "count": lambda d: xr.where(d > 0, d, np.nan).count("t"),
    "cumsum": lambda d: d.cumsum("t"),
    "diff": lambda d: d.diff("t"),
    "dot": lambda d: xr.dot(d, d, dim="t"),
    "matmul": lambda d: d.T @ d,
    "isel": lambda d: d.isel(t=[0, 2], s=slice(1, 4)),
    "sel": lambda d: d.sel(s=2.2, method="nearest"),
    "where": lambda d: d.where(d > 0, 0.0),
    "transpose": lambda d: d.transpose("s", "t"),
    "stack": lambda d: d.stack(z=("t", "s")).unstack(),
    "concat": lambda d: xr.concat([d, d], "t"),
    "roll": lambda d: d.roll(t=1),
    "shift": lambda d: d.shift(t=1, fill_value=0.0),
    "pad": lambda d: d.pad(t=1, constant_values=0.0),
    "coarsen": lambda d: d.coarsen(t=2).mean(),
    "groupby": lambda d: d.groupby(GROUPS).mean(),
    "bins": lambda d: d.groupby_bins("s", [-1, 2, 6]).sum(),
    "align": lambda d: d + d.isel(t=slice(1, 3)),
    "integrate": lambda d: d.integrate("s"),
    "differentiate": lambda d: d.differentiate("s"),
    "apply": lambda d: xr.apply_ufunc(lambda v: v.sum(axis=-1), d, input_core_dims=[["s"]]),
    "dataset": lambda d: xr.Dataset({"a": d, "b": d * 2}).sum("t")["b"],
    "assign": lambda d: put(d.copy(), 5.0),
}


def put(d, value):
    d[{"t": 0}] = value
    return d


def labelled(data):
    return xr.DataArray(data, dims=("t", "s"), coords={"t": range(4), "s": np.arange(6.0)})


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_data_stay_ours_and_hold_the_numbers_of_numpys(call):
    found, expected = call(labelled(jg.asarray(ROWS))), call(labelled(ROWS))
    assert isinstance(found.data, jg.array) and found.dims == expected.dims
    assert found.data.dtype == expected.data.dtype
    np.testing.assert_allclose(np.asarray(found.data), expected.data, rtol=1e-12)


def test_data_are_the_array_itself_and_lazy():
    x = jg.asarray(ROWS)
    d = labelled(x)
    assert d.data is x and (d + 1).data.status == "unscheduled"
    assert d.to_numpy().__array_interface__["data"] == np.asarray(x).__array_interface__["data"]


def test_missing_values_need_a_number_of_the_caller():
    with pytest.raises(TypeError, match=r"dtype joggle\.float64 must be one of"):
        labelled(jg.asarray(ROWS)).shift(t=1)


def test_windows_are_refused():
    with pytest.raises(AttributeError, match="has no attribute 'lib'"):
        labelled(jg.asarray(ROWS)).rolling(t=2).sum()


def test_chunks_are_ours():
    d = labelled(jg.asarray(ROWS)).chunk({"t": 2}).sum("t").compute()
    assert isinstance(d.data, jg.array)
    np.testing.assert_allclose(np.asarray(d.data), ROWS.sum(0))
