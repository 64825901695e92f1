# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms along several axes, shifts and frequencies, against NumPy's."""

import itertools

import numpy as np
import pytest
from layouts import to_numpy
from test_fft import COMPLEX, TOLERANCE, check, random, wide

import joggle as jg

NAMES = ("fftn", "ifftn", "rfftn", "irfftn")


def taken(name, rng, shape, dtype):
    return random(rng, shape, "rfft" if name.startswith("rfft") else "fft", dtype)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_every_choice_and_order_of_axes_is_transformed(name, dtype):
    x = taken(name, np.random.default_rng(0), (4, 6, 5, 8), dtype)
    shared = jg.asarray(x)
    for count in (1, 2, 3):
        for axes in itertools.permutations(range(-4, 0), count):
            found = getattr(jg.fft, name)(shared, axes=axes)
            check(found, getattr(np.fft, name)(wide(x), axes=axes), dtype)
    check(getattr(jg.fft, name)(shared), getattr(np.fft, name)(wide(x)), dtype)


@pytest.mark.parametrize("name", NAMES)
def test_lengths_cut_and_continue_each_axis(name):
    x = taken(name, np.random.default_rng(1), (4, 6, 8), "float64")
    for s, axes in (((3, 9), (0, 2)), ((8, 2, 16), (0, 1, 2)), ((5,), (1,)), ((7, 6), (-1, 0))):
        found = getattr(jg.fft, name)(jg.asarray(x), s=s, axes=axes, norm="ortho")
        check(found, getattr(np.fft, name)(x, s=s, axes=axes, norm="ortho"), "float64")


@pytest.mark.parametrize("name", NAMES)
def test_a_length_of_minus_one_means_all_there_are(name):
    x = taken(name, np.random.default_rng(2), (4, 6), "float64")
    found = getattr(jg.fft, name)(jg.asarray(x), s=(-1, 4), axes=(1, 0))
    whole = getattr(jg.fft, name)(jg.asarray(x), s=(6, 4), axes=(1, 0))
    np.testing.assert_array_equal(to_numpy(found), to_numpy(whole))


def test_lengths_without_axes_are_of_the_last_ones():
    x = random(np.random.default_rng(3), (3, 4, 5), "fft", "float64")
    found = jg.fft.fftn(jg.asarray(x), s=(6, 7))
    check(found, np.fft.fftn(x, s=(6, 7), axes=(1, 2)), "float64")


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2"])
def test_two_axes_are_the_last_ones_unless_named(name):
    x = taken(name, np.random.default_rng(4), (3, 6, 10), "float32")
    check(getattr(jg.fft, name)(jg.asarray(x)), getattr(np.fft, name)(wide(x)), "float32")
    found = getattr(jg.fft, name)(jg.asarray(x), s=(4, 4), axes=(0, 1))
    check(found, getattr(np.fft, name)(wide(x), s=(4, 4), axes=(0, 1)), "float32")


@pytest.mark.parametrize("shape", [(256, 512), (32, 32, 32), (100, 90)])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_images_and_volumes_come_back(shape, dtype):
    x = random(np.random.default_rng(5), shape, "fft", dtype)
    forward = jg.fft.fftn(jg.asarray(x))
    check(forward, np.fft.fftn(wide(x)), dtype)
    check(jg.fft.ifftn(forward), wide(x), dtype, factor=2)
    half = jg.fft.rfftn(jg.asarray(x.real))
    check(half, np.fft.rfftn(wide(x.real)), dtype)
    check(jg.fft.irfftn(half, s=shape, axes=range(len(shape))), wide(x.real), dtype, factor=2)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", NAMES)
def test_planes_of_large_arrays_are_those_of_small_ones(name, dtype):
    x = taken(name, np.random.default_rng(6), (36, 40, 67), dtype)
    views = (x, x.transpose(1, 2, 0), x[::-1, :, ::-1], x[:, ::2])
    for view in views:
        shared = jg.asarray(view, copy=False)
        for axes in itertools.permutations(range(3), 2):
            found = getattr(jg.fft, name)(shared, axes=axes, norm="ortho")
            check(found, getattr(np.fft, name)(wide(view), axes=axes, norm="ortho"), dtype)
    found = getattr(jg.fft, name)(jg.asarray(x) * 2, s=(30, 50), axes=(1, 2))
    check(found, getattr(np.fft, name)(wide(x) * 2, s=(30, 50), axes=(1, 2)), dtype)


def test_two_axes_at_once_have_the_bits_of_one_after_the_other():
    for shape in ((64, 32, 48), (4, 256, 128), (2, 16, 24)):
        x = jg.asarray(random(np.random.default_rng(7), shape, "fft", "float32"))
        for first, second in itertools.permutations(range(3), 2):
            both = jg.fft.fftn(x, axes=(second, first))
            apart = jg.fft.fft(jg.fft.fft(x, axis=first), axis=second)
            np.testing.assert_array_equal(to_numpy(both), to_numpy(apart))


def test_axes_that_do_not_fit_are_refused():
    x = jg.ones((3, 4))
    with pytest.raises(ValueError, match="s: got 1 lengths for 2 axes"):
        jg.fft.fftn(x, s=(3,), axes=(0, 1))
    with pytest.raises(ValueError, match="s: got 3 lengths"):
        jg.fft.fftn(x, s=(3, 3, 3))
    with pytest.raises(ValueError, match="axes"):
        jg.fft.fftn(x, axes=(0, 0))
    with pytest.raises(IndexError, match="axes"):
        jg.fft.rfft2(jg.ones((3,)))
    for name in NAMES:
        with pytest.raises(ValueError, match="axes: got none"):
            getattr(jg.fft, name)(x, axes=())


@pytest.mark.parametrize("shape", [(1,), (5,), (6,), (4, 5), (3, 2, 7)])
def test_shifts_move_zero_to_the_middle_and_back(shape):
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    axes = [None, 0, -1, tuple(range(len(shape)))]
    for axis in axes:
        shifted = jg.fft.fftshift(jg.asarray(x), axis)
        np.testing.assert_array_equal(to_numpy(shifted), np.fft.fftshift(x, axis))
        np.testing.assert_array_equal(to_numpy(jg.fft.ifftshift(shifted, axis)), x)
    with pytest.raises(IndexError, match="axes"):
        jg.fft.fftshift(jg.asarray(x), len(shape))


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_are_numpys(name):
    for n in (1, 2, 3, 8, 9, 100):
        for d in (1.0, 0.1, 3):
            found = getattr(jg.fft, name)(n, d, dtype=jg.float64)
            np.testing.assert_array_equal(to_numpy(found), getattr(np.fft, name)(n, d))
    assert getattr(jg.fft, name)(4).dtype == jg.float32
    assert getattr(jg.fft, name)(4, device="cpu").shape == ((4,) if name == "fftfreq" else (3,))
    with pytest.raises(ValueError, match="n: got 0"):
        getattr(jg.fft, name)(0)
    with pytest.raises(TypeError, match="dtype: got int32"):
        getattr(jg.fft, name)(4, dtype=jg.int32)


def test_results_have_the_dtype_of_their_precision():
    for dtype, complex_dtype in COMPLEX.items():
        x = jg.ones((4, 4), dtype=getattr(jg, dtype))
        assert jg.fft.fftn(x).dtype == getattr(jg, complex_dtype)
        assert jg.fft.irfftn(x).dtype == getattr(jg, dtype)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_lines_of_one_number_that_is_broadcast_are_transformed_as_any(name, dtype):
    for rows, n in itertools.product((1, 2, 3, 4, 17), (2, 3, 4, 8, 16, 30)):
        column = np.linspace(-1, 1, rows, dtype=dtype)[:, None]
        dense = np.broadcast_to(column, (rows, n)).copy()
        found = getattr(jg.fft, name)(jg.broadcast_to(jg.array(column), (rows, n)))
        np.testing.assert_allclose(np.asarray(found), getattr(np.fft, name)(dense), atol=1e-4)
