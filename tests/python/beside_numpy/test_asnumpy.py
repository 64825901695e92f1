# SPDX-License-Identifier: Apache-2.0
"""asnumpy gives arrays of NumPy's on the host, of arrays from anywhere and of what is none yet."""

import numpy as np
import pytest

import joggle as jg

DEVICES = jg.__array_namespace_info__().devices()


def test_host_memory_is_shared():
    x = jg.arange(6).reshape((2, 3)) * 2
    for found in (jg.asnumpy(x), x.to_numpy()):
        assert type(found) is np.ndarray and found.tolist() == [[0, 2, 4], [6, 8, 10]]
        assert np.shares_memory(found, np.asarray(x))
    a = np.ones(3)
    assert jg.asnumpy(a) is a


@pytest.mark.parametrize("device", DEVICES, ids=str)
def test_arrays_of_any_device_come_to_the_host(device):
    x = jg.arange(5, device=device) + 1
    assert jg.asnumpy(x).tolist() == [1, 2, 3, 4, 5]


def test_lists_and_numbers_are_what_numpy_makes_of_them():
    assert jg.asnumpy([1.0, 2.0]).dtype == np.float64
    assert jg.asnumpy(3).shape == ()
    assert jg.asnumpy([jg.arange(2), jg.arange(2)]).tolist() == [[0, 1], [0, 1]]


def test_asnumpy_takes_an_order_and_writes_into_out():
    x = jg.arange(6).reshape((2, 3))
    assert jg.asnumpy(x, order="F").flags.f_contiguous
    assert jg.asnumpy(x.T).flags.f_contiguous is False
    out = np.zeros((2, 3))
    assert jg.asnumpy(x, out=out) is out and out.tolist() == x.tolist()


@pytest.mark.parametrize(
    ("error", "message", "given"),
    [
        (TypeError, r"stream: got 1, allowed are a Stream and a device", {"stream": 1}),
        (ValueError, r"\[asnumpy\] blocking: got False, allowed is True", {"blocking": False}),
        (TypeError, r"\[asnumpy\] out: got list, allowed are arrays of NumPy's", {"out": [0]}),
        (ValueError, r"\[asnumpy\] out: has shape \(2,\), allowed is \(3,\)", {"out": np.ones(2)}),
    ],
    ids=["stream", "blocking", "list", "shape"],
)
def test_what_is_not_done_is_refused(error, message, given):
    with pytest.raises(error, match=message):
        jg.asnumpy(jg.arange(3), **given)


@pytest.mark.parametrize("name", ["float128", "float4_e2m1fn_x2"])
def test_a_dtype_that_numpy_lacks_is_a_type_error(name):
    x = jg.zeros(16, dtype="uint8").view(name)
    for call in (np.asarray, jg.asnumpy, lambda x: np.dtype(x.dtype)):
        with pytest.raises(TypeError, match=f"NumPy has no dtype for {name}; use one that it has"):
            call(x)
