# SPDX-License-Identifier: Apache-2.0
"""Short-time Fourier transforms, against MLX's and SciPy's."""

import numpy as np
import pytest
from layouts import to_numpy

import joggle as jg

mx = pytest.importorskip("mlx.core")
TOLERANCE = 2e-6  # of float32, in units of the largest value


def close(found, reference):
    found, reference = to_numpy(found), np.asarray(reference)
    assert found.shape == reference.shape
    np.testing.assert_allclose(found, reference, rtol=0, atol=TOLERANCE * np.abs(reference).max())


def signal(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("shape", [(100,), (3, 100), (2, 3, 64)])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"hop_length": 5},
        {"hop_length": 16, "win_length": 10},
        {"center": False},
        {"pad_mode": "constant"},
        {"pad_mode": "edge", "norm": "ortho"},
        {"onesided": False},
    ],
)
def test_frames_are_transformed_as_in_mlx(shape, more):
    x = signal(*shape)
    close(jg.fft.stft(jg.asarray(x), 16, **more), mx.fft.stft(mx.array(x), 16, **more))
    window = np.hanning(12).astype(np.float32)
    found = jg.fft.stft(jg.asarray(x), 16, window=window, **more)
    close(found, mx.fft.stft(mx.array(x), 16, window=mx.array(window), **more))


def test_frames_of_complex_numbers_have_all_frequencies():
    x = (signal(2, 50) + 1j * signal(2, 50)[::-1]).astype(np.complex64)
    close(jg.fft.stft(jg.asarray(x), 8), mx.fft.stft(mx.array(x), 8))
    with pytest.raises(ValueError, match="onesided: got True"):
        jg.fft.stft(jg.asarray(x), 8, onesided=True)


@pytest.mark.parametrize("hop_length", [1, 3, 4, 8])
@pytest.mark.parametrize("onesided", [True, False])
def test_the_inverse_gives_back_what_the_frames_were_taken_from(hop_length, onesided):
    x = signal(2, 96)
    window = np.hanning(18)[1:-1].astype(np.float32)
    spectra = jg.fft.stft(jg.asarray(x), 16, hop_length, window=window, onesided=onesided)
    found = jg.fft.istft(
        spectra, 16, hop_length, window=window, onesided=onesided, length=x.shape[1]
    )
    close(found[:, :80], x[:, :80])


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"length": 90},
        {"length": 120},
        {"center": False},
        {"n_fft": 16, "hop_length": 5},
        {"n_fft": 15},
        {"win_length": 10},
    ],
)
def test_spectra_are_put_together_as_in_mlx(more):
    spectra = mx.fft.stft(mx.array(signal(2, 100)), 16)
    close(jg.fft.istft(jg.asarray(np.array(spectra)), **more), mx.fft.istft(spectra, **more))


def test_where_no_window_is_the_result_is_zero():
    spectra = jg.fft.stft(jg.asarray(signal(64)), 16, window=np.hanning(16).astype("f4"))
    found = jg.fft.istft(spectra, window=np.hanning(16).astype("f4"), center=False)
    assert found[0].item() == 0 and np.isfinite(to_numpy(found)).all()


def test_frames_that_cannot_be_are_refused():
    x = jg.ones((20,))
    with pytest.raises(ValueError, match="n_fft: got 0"):
        jg.fft.stft(x, 0)
    with pytest.raises(ValueError, match="hop_length: got 0"):
        jg.fft.stft(x, 8, 0)
    with pytest.raises(ValueError, match="window: has shape"):
        jg.fft.stft(x, 8, window=jg.ones((9,)))
    with pytest.raises(ValueError, match="x: has 20 numbers"):
        jg.fft.stft(x, 32, center=False)
    with pytest.raises(ValueError, match="x: has no axes"):
        jg.fft.stft(jg.array(1.0), 4)


@pytest.mark.parametrize("n_fft", [1, 2, 3])
def test_short_frames_are_one_number_apart(n_fft):
    x = signal(1, 10)[0]
    found = np.asarray(jg.fft.stft(jg.asarray(x), n_fft, center=False))
    frames = np.lib.stride_tricks.sliding_window_view(x, n_fft)
    np.testing.assert_allclose(found, np.fft.rfft(frames).T, rtol=1e-5, atol=1e-5)


X, SPECTRA = np.ones(64, np.float32), np.ones((3, 4), np.complex64)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.fft.stft(X, 16.0), TypeError, r"\[fft_stft\] n_fft: got 16.0"),
        (lambda: jg.fft.stft(X, 16, 0), ValueError, r"\[fft_stft\] hop_length: got 0"),
        (lambda: jg.fft.stft(X[0], 16), ValueError, r"\[fft_stft\] x: has no axes"),
        (lambda: jg.fft.stft(X, 16, window=X), ValueError, r"\[fft_stft\] window: has shape"),
        (lambda: jg.fft.istft(SPECTRA, 4, 0), ValueError, r"\[fft_istft\] hop_length: got 0"),
        (lambda: jg.fft.istft(SPECTRA, 4, length=-3), ValueError, r"\[fft_istft\] length: got -3"),
        (lambda: jg.fft.istft(SPECTRA[:, :0], 4), ValueError, r"\[fft_istft\] .*has no frames"),
    ],
)
def test_what_makes_no_frames_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
