# SPDX-License-Identifier: Apache-2.0
"""Dtypes that are stored and not computed with: casts, copies and creation."""

import ml_dtypes
import numpy as np
import pytest
import torch

import joggle as jg

SMALL = [
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
]
COMPUTED = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
COMPUTED += ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
CODES = np.arange(256, dtype="u1")


def numpy_dtype(name):
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def code_of(x):
    return np.asarray(x).view("u1")


@pytest.mark.parametrize("small", SMALL)
@pytest.mark.parametrize("computed", COMPUTED)
def test_every_code_reads_as_ml_dtypes_does(small, computed):
    a = CODES.view(numpy_dtype(small))
    x = jg.asarray(a).astype(computed)
    values = a.astype("f4")
    if computed[0] in "iu":  # what is outside the range is C's to decide, and ours elsewhere
        limits = np.iinfo(computed)
        inside = (values > limits.min) & (values < limits.max)
        assert np.array_equal(np.asarray(x)[inside], values[inside].astype(computed))
        return
    with np.errstate(over="ignore"):
        reference = values.astype(numpy_dtype(computed))
    np.testing.assert_array_equal(np.asarray(x).astype("c16"), reference.astype("c16"))


@pytest.mark.parametrize("small", SMALL)
def test_every_rounding_is_ml_dtypes(small):
    values = CODES.view(numpy_dtype(small)).astype("f4")
    values = np.sort(values[np.isfinite(values)])
    middles = (values[1:] + values[:-1]) / 2
    rng = np.random.default_rng(0)
    spread = rng.normal(size=5000) * 10.0 ** rng.integers(-12, 8, 5000)
    special = [0, -0.0, np.nan, np.inf, -np.inf, 3e38, -3e38]
    around = [np.nextafter(middles, np.float32(side)) for side in (np.inf, -np.inf)]
    a = np.concatenate([values, middles, *around, spread, special]).astype("f4")
    if small == "float8_e8m0fnu":  # where float32 is subnormal, ml_dtypes rounds one tie too many
        a = a[(a <= 0) | (a >= 2.0**-126)]
    for source in (a, a.astype("f8"), a.astype("c8")):
        wanted = a.astype(numpy_dtype(small)).view("u1")
        assert np.array_equal(code_of(jg.asarray(source).astype(small)), wanted)
    whole = np.arange(-600, 600)
    wanted = whole.astype("f4").astype(numpy_dtype(small)).view("u1")
    assert np.array_equal(code_of(jg.asarray(whole).astype(small)), wanted)


@pytest.mark.parametrize("small", ["float8_e4m3fn", "float8_e5m2", "float8_e3m4"])
def test_a_double_is_rounded_once(small):
    values = np.unique(CODES.view(numpy_dtype(small)).astype("f8")[:100])
    middles = (values[1:] + values[:-1]) / 2
    above = jg.asarray(np.nextafter(middles, np.inf)).astype(small).astype("float64")
    below = jg.asarray(np.nextafter(middles, -np.inf)).astype(small).astype("float64")
    assert np.array_equal(np.asarray(above), values[1:])
    assert np.array_equal(np.asarray(below), values[:-1])


@pytest.mark.parametrize("small", SMALL)
def test_arrays_of_them_are_made_copied_and_updated(small):
    dtype = getattr(jg, small)
    a = CODES.reshape(16, 16).view(numpy_dtype(small))
    x = jg.asarray(a).T[::-1]
    assert np.array_equal(code_of(jg.copy(x)), CODES.reshape(16, 16).T[::-1])
    assert np.array_equal(code_of(x.reshape(-1)), CODES.reshape(16, 16).T[::-1].reshape(-1))
    for made in (jg.full(2, 4, dtype), jg.array([4, 4.0], dtype), jg.full((2,), 4.0, dtype)):
        assert made.dtype is dtype and made.astype("int32").tolist() == [4, 4]
    made[0] = 2
    assert made.astype("float32").tolist() == [2, 4]
    assert jg.zeros(2, "float8_e5m2").astype("float32").tolist() == [0, 0]


def test_stored_dtypes_are_not_computed_with():
    x = jg.ones(2, "float8_e5m2")
    for call in (lambda: x + x, lambda: jg.exp(x), lambda: jg.sum(x), lambda: x == x):
        with pytest.raises(TypeError, match="float8_e5m2"):
            call()
    with pytest.raises(TypeError, match="int4"):
        jg.ones(2).astype("int4")


def test_casts_fuse_with_what_is_computed():
    a = np.random.default_rng(1).normal(size=(37, 65)).astype("f4")
    x = jg.asarray(a).astype("float8_e4m3fn")
    y = (x.astype("float32").T * 2 + 1).astype("float8_e5m2")
    reference = a.astype(ml_dtypes.float8_e4m3fn).astype("f4").T * 2 + 1
    assert np.array_equal(code_of(y), reference.astype(ml_dtypes.float8_e5m2).view("u1"))


def test_half_complex_numbers_are_torchs():
    z = torch.randn(100, dtype=torch.complex64) * 100
    narrow = z.to(torch.complex32)
    x = jg.from_dlpack(narrow)
    assert np.array_equal(np.asarray(x.astype("complex64")), narrow.to(torch.complex64).numpy())
    back = torch.from_dlpack(jg.from_dlpack(z).astype("complex32"))
    assert torch.equal(torch.view_as_real(back), torch.view_as_real(narrow))


def test_quadruple_precision_holds_every_double():
    special = [5e-324, 2**-1022, np.inf, -np.inf, np.nan]
    a = np.array([0, -0.0, 1, -1.5, np.pi, 1e300, -1e-300, *special])
    x = jg.asarray(a).astype("float128")
    assert (x.dtype, x.nbytes) == (jg.float128, 16 * a.size)
    np.testing.assert_array_equal(np.asarray(x.astype("float64")), a)
    assert x[:5].tolist() == a[:5].tolist()


@pytest.mark.parametrize(
    "small", ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"]
)
def test_torch_reads_what_we_wrote(small):
    values = torch.randn(1000)
    x = jg.from_dlpack(values).astype(small)
    wanted = values.to(getattr(torch, small)).view(torch.uint8)
    assert torch.equal(torch.from_dlpack(x).view(torch.uint8), wanted)
