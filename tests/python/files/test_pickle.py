# SPDX-License-Identifier: Apache-2.0
"""Arrays and dtypes in pickles, and copies of them by the module copy."""

import copy
import math
import pickle

import numpy as np
import pytest
from fake_producer import LEGACY, DLDataType, FakeProducer, FakeTensor

import joggle as jg

# Opaque elements are addresses of somebody's objects, which no array is made of.
DTYPES = [x for x in vars(jg).values() if isinstance(x, jg.dtype) and x is not jg.opaque]
STORED = {
    "float4_e2m1fn": (17, 4, 1),
    "float4_e2m1fn_x2": (17, 4, 2),
    "float6_e2m3fn": (15, 6, 1),
    "float6_e3m2fn": (16, 6, 1),
    "int1": (0, 1, 1),
    "int2": (0, 2, 1),
    "int4": (0, 4, 1),
    "uint1": (1, 1, 1),
    "uint2": (1, 2, 1),
    "uint4": (1, 4, 1),
}


def stored(name, shape):
    """An array of a dtype that no op makes: memory of that many elements, through DLPack."""
    code, bits, lanes = STORED[name]
    memory = np.arange(8 * math.prod(shape) + 8, dtype="uint8")
    tensor = FakeTensor(memory, LEGACY)
    tensor.tensor.dtype = DLDataType(code, bits, lanes)
    tensor.shape(shape)
    tensor.strides(None)
    return jg.from_dlpack(FakeProducer(tensor))


def make(dtype, shape):
    if dtype.name in STORED:
        return stored(dtype.name, shape)
    return jg.arange(math.prod(shape)).astype(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda each: each.name)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2)])
def test_arrays_of_every_dtype_come_back(dtype, shape):
    x = make(dtype, shape)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        y = pickle.loads(pickle.dumps(x, protocol))
        assert y.dtype is dtype and y.shape == shape and y.tobytes() == x.tobytes()
    for y in (copy.copy(x), copy.deepcopy(x), copy.deepcopy({"x": [x]})["x"][0]):
        assert y is not x
        assert y.dtype is dtype and y.shape == shape and y.tobytes() == x.tobytes()


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda each: each.name)
def test_dtypes_come_back_as_themselves(dtype):
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert copy.copy(dtype) is dtype and copy.deepcopy(dtype) is dtype


def test_copies_are_snapshots_of_what_is_shared():
    source = np.arange(3.0)
    x = jg.asarray(source)
    copies = [copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))]
    source[0] = 9
    assert [each.tolist() for each in copies] == [[0, 1, 2]] * 3
