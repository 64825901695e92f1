# SPDX-License-Identifier: Apache-2.0
"""packbits and unpackbits against NumPy's, and who shares memory."""

import numpy as np
import pytest
from numpys import assert_numpys, ours, random

import joggle as jg

AXES = [None, 0, 1, -1]
ORDERS = ["big", "little"]


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("bitorder", ORDERS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64"])
def test_bits_are_packed(axis, bitorder, dtype):
    for shape in ((3, 17), (8, 2), (0, 3), (2, 0)):
        x = random(shape, dtype)
        assert_numpys("packbits", x, axis=axis, bitorder=bitorder)
        assert_numpys("packbits", x.T[::-1], axis=axis, bitorder=bitorder)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("bitorder", ORDERS)
@pytest.mark.parametrize("count", [None, 0, 5, 40, 70, -3])
def test_bits_are_unpacked(axis, bitorder, count):
    for shape in ((3, 4), (2, 1)):
        x = random(shape, "uint8", 3) * np.uint8(77)
        assert_numpys("unpackbits", x, axis=axis, count=count, bitorder=bitorder)
        assert_numpys("unpackbits", x.T[::-1], axis=axis, count=count, bitorder=bitorder)


@pytest.mark.parametrize("bitorder", ORDERS)
def test_bits_go_through_one_launch_each_way(bitorder):
    every = np.arange(256, dtype="uint8")
    bits = jg.unpackbits(jg.array(every), bitorder=bitorder)
    assert "launches: 1;" in jg.explain(bits)
    assert_numpys("unpackbits", every, bitorder=bitorder)
    jg.eval(bits)
    packed = jg.packbits(bits.astype("bool"), bitorder=bitorder)
    assert "launches: 1;" in jg.explain(jg.packbits(bits, bitorder=bitorder))
    assert np.array_equal(np.asarray(packed), every)
    foreign = np.array([0, 2, 128, 0, 255, 1, 0, 0, 7], "uint8")  # any byte but 0 is true
    assert_numpys("packbits", foreign.view("bool")[1:], bitorder=bitorder)
    assert_numpys("packbits", foreign.view("bool"), bitorder=bitorder)


X = np.arange(60, dtype="int32").reshape(3, 4, 5)
VIEWS = [
    (X, X),
    (X, X.copy()),
    (X[0], X[1]),
    (X[:, 0], X[:, 1]),
    (X[..., ::2], X[..., 1::2]),
    (X[..., ::2], X[..., ::-3]),
    (X[:, :2, 1:], X.T[0, 1:, ::2]),
    (X.view("int16")[..., 1::2], X.view("int16")[..., ::2]),
    (X.view("int16")[..., 1::2], X),
    (X.view("int8")[:, :, 3::8], X[..., ::2]),
    (X[:0], X),
    (X[1, 2, 3:4].reshape(()), X),
    (np.broadcast_to(X[0, 0, :1], (4, 5)), X[:1]),
]


@pytest.mark.parametrize("pair", range(len(VIEWS)))
def test_who_shares_memory_is_found_out(pair):
    one, other = VIEWS[pair]
    for first, second in ((one, other), (other, one)):
        mine = ours(first), ours(second)
        assert jg.shares_memory(*mine) == np.shares_memory(first, second)
        assert jg.may_share_memory(*mine) == np.may_share_memory(first, second)
        assert jg.shares_memory(*mine, max_work=0) == np.may_share_memory(first, second)
        assert jg.may_share_memory(*mine, max_work=-1) == np.shares_memory(first, second)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "complex64", "bool"])
def test_memory_of_any_dtype_is_compared(dtype):
    x = jg.ones((4, 4), dtype=dtype)
    assert jg.shares_memory(x, x.T) and not jg.shares_memory(x[0], x[1])
    assert not jg.shares_memory(x, jg.array(x, copy=True))


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.packbits([0.5]), TypeError, r"\[packbits\] a: got float32"),
        (lambda: jg.packbits([1], 1), IndexError, r"\[packbits\] axis: got 1"),
        (lambda: jg.packbits([1], bitorder="x"), ValueError, r"\[packbits\] bitorder: got 'x'"),
        (lambda: jg.unpackbits([1]), TypeError, r"\[unpackbits\] a: got int64"),
        (
            lambda: jg.unpackbits(jg.ones(1, dtype="uint8"), count=-9),
            ValueError,
            r"\[unpackbits\] count: got -9, allowed is -8",
        ),
        (lambda: jg.shares_memory("a", [1]), TypeError, "got str"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
