# SPDX-License-Identifier: Apache-2.0
"""The parts of complex numbers: views where the numbers are in memory, ops where they are not."""

import numpy as np
import pytest

import joggle as jg

COMPLEX = ["complex64", "complex128"]
NAN, INF = float("nan"), float("inf")


def numbers(dtype, *shape, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)


def layouts(a):
    """One array of two axes in every kind of layout, imported in place."""
    yield from (a, a.T, a[::-2, 1:], a[:0], a[2, 3], a[:, ::-1], np.broadcast_to(a[0], (3, 7)))
    yield np.frombuffer(b"x" * 4 + a.tobytes(), a.dtype, offset=4).reshape(a.shape)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ["real", "imag", "conj", "abs"])
def test_parts_of_every_layout_are_numpys(name, dtype):
    rtol = {"abs": np.finfo(dtype).eps}.get(name, 0)
    for a in layouts(numbers(dtype, 5, 7)):
        x, reference = jg.asarray(a), getattr(np, name)(a)
        for got in (getattr(jg, name)(x), getattr(jg, name)(x + 0)):
            assert got.dtype.name == reference.dtype.name
            np.testing.assert_allclose(np.asarray(got), reference, rtol=rtol)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_parts_of_what_is_in_memory_share_it(dtype):
    a = numbers(dtype, 4, 6)
    x = jg.asarray(a)
    for part in (x.real, x.imag, x.T[1:].real, jg.imag(x)[::2]):
        assert part.status == "available"
        assert np.shares_memory(np.asarray(part), a)
    assert x.imag.strides == (6 * a.itemsize, a.itemsize) == a.imag.strides
    a[0, 0] = 5 + 7j
    assert (x.real[0, 0].item(), x.imag[0, 0].item()) == (5, 7)
    assert np.array_equal(
        np.asarray(x.real[1:, ::-1].T + x.imag[1:, ::-1].T), (a.real + a.imag)[1:, ::-1].T
    )


@pytest.mark.parametrize("dtype", COMPLEX)
def test_parts_of_what_is_not_computed_yet_fuse_with_it(dtype):
    a = numbers(dtype, 100)
    x = jg.asarray(a) * 2
    power = x.real * x.real + x.imag * x.imag
    assert power.status == "unscheduled"
    np.testing.assert_allclose(np.asarray(power), abs(2 * a) ** 2, rtol=8 * np.finfo(dtype).eps)


def test_real_numbers_have_zero_imaginary_parts():
    x = jg.array([1.5, -2])
    assert jg.real(x).tolist() == [1.5, -2] and jg.conj(x).tolist() == [1.5, -2]
    assert jg.imag(x).tolist() == [0, 0] and x.imag.dtype == jg.float32
    assert jg.array([1, 2]).imag.dtype == jg.int64
    for name in ("real", "imag", "conj", "abs"):
        with pytest.raises(TypeError, match="bool"):
            getattr(jg, name)(jg.array([True]))


def test_the_imaginary_part_of_an_update_is_that_of_the_new_value():
    x = jg.array([1 + 2j, 3 + 4j])
    before = x.imag
    x[0] = 7j
    assert before.tolist() == [2, 4] and x.imag.tolist() == [7, 4]


@pytest.mark.parametrize("dtype", COMPLEX)
def test_abs_neither_overflows_nor_underflows(dtype):
    limits = np.finfo(dtype)
    for size in (limits.max / 2, limits.tiny, limits.smallest_subnormal * 8, 1e-30, 1e30):
        a = np.array([3 + 4j, 1 + 0j, -1j, 1e-9 + 1j]).astype(dtype) * limits.dtype.type(size / 5)
        np.testing.assert_allclose(
            np.asarray(jg.abs(jg.array(a))), np.abs(a), rtol=2 * limits.eps, atol=0
        )


@pytest.mark.parametrize("dtype", COMPLEX)
def test_abs_is_infinite_where_a_part_is(dtype):
    x = jg.array([complex(INF, NAN), complex(NAN, -INF), complex(-INF, 1), complex(NAN, 1)], dtype)
    assert str(jg.abs(x).tolist()) == "[inf, inf, inf, nan]"
    zero = jg.abs(jg.array([complex(-0.0, -0.0)], dtype)).item()
    assert zero == 0 and np.copysign(1, zero) == 1


@pytest.mark.parametrize("library", ["torch", "jax.numpy"])
@pytest.mark.parametrize("dtype", COMPLEX)
def test_parts_of_memory_of_other_libraries_are_exchanged(library, dtype):
    module = pytest.importorskip(library)
    a = numbers(dtype, 6)
    foreign = module.from_numpy(a) if library == "torch" else module.asarray(a.astype("c8"))
    x = jg.asarray(foreign)
    assert np.array_equal(np.asarray(x.imag), np.asarray(foreign).imag)
    back = module.from_dlpack(x.imag)
    assert np.array_equal(np.asarray(back), np.asarray(foreign).imag)
