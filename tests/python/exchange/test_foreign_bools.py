# SPDX-License-Identifier: Apache-2.0
"""Bools in memory of others may be any byte: what is not 0 is true, and true equals true."""

import numpy as np
import pytest

import joggle as jg

BYTES = np.random.default_rng(0).integers(0, 256, (6, 300)).astype("u1")
BYTES[BYTES < 100] = 0
TRUTH = BYTES != 0

CALLS = {
    "cummax": lambda x: jg.cummax(x, axis=1),
    "cummin": lambda x: jg.cummin(x, axis=0, reverse=True),
    "cumsum": lambda x: jg.cumsum(x, axis=1),
    "cumprod": lambda x: jg.cumprod(x),
    "sort": lambda x: jg.sort(x, axis=1, descending=True),
    "sort_columns": lambda x: jg.sort(x, axis=0),
    "argsort": lambda x: jg.argsort(x, axis=1, stable=True),
    "partition": lambda x: jg.partition(x, 3)[:, 3],
    "topk": lambda x: jg.topk(x, 3),
    "argmax": lambda x: jg.argmax(x, axis=1),
    "argmin": lambda x: jg.argmin(x),
    "unique": lambda x: jg.unique_all(x)[0],
    "unique_counts": lambda x: jg.unique_counts(x)[1],
    "searchsorted": lambda x: jg.searchsorted(jg.array([False, True, True]), x),
    "sorted_by": lambda x: jg.searchsorted(jg.sort(x[0]), jg.array([True, False])),
    "isin": lambda x: jg.isin(jg.array([True, False]), x[:, :9]),
    "median": lambda x: jg.median(x, axis=1),
    "pooled": lambda x: jg.max_pool2d(x[None, :, :, None], 2),
    "moved": lambda x: jg.sort(jg.take(x, jg.array([3, 1, 2]), axis=0), axis=1),
    "nonzero": lambda x: jg.nonzero(x)[1],
    "summed": lambda x: x.sum(axis=0),
    "compared": lambda x: x == jg.array(TRUTH),
}


@pytest.mark.parametrize("name", CALLS)
def test_any_byte_but_zero_is_true(name):
    call = CALLS[name]
    found = np.asarray(call(jg.asarray(BYTES.view(bool), copy=False)))
    expected = np.asarray(call(jg.array(TRUTH)))
    assert found.tobytes() == expected.tobytes()
