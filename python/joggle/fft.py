# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms, as in the Array API standard, NumPy and mlx.core.fft.

float64 and complex128 are transformed in double precision, everything else in single precision. n
(or s, a number for each axis) is the length of a transform: longer inputs are cut, shorter ones
padded with zeros. norm says which way is divided by n: "backward", "forward", or both by its root:
"ortho".
"""

from joggle import _core
from joggle._integers import integer_of

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "istft",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
    "stft",
]


def fft(a, n=None, axis=-1, norm="backward", *, stream=None):
    """The discrete Fourier transform of a along an axis.

    >>> jg.fft.fft(jg.array([1.0, 0.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    return _core.fft_fft(a, n, axis, norm or "backward", stream=stream)


def ifft(a, n=None, axis=-1, norm="backward", *, stream=None):
    """The inverse of fft.

    >>> jg.fft.ifft(jg.array([4.0, 0.0, 0.0, 0.0]))
    array([1.+0.j, 1.-0.j, 1.-0.j, 1.-0.j], dtype=complex64)
    """
    return _core.fft_ifft(a, n, axis, norm or "backward", stream=stream)


def rfft(a, n=None, axis=-1, norm="backward", *, stream=None):
    """The first n // 2 + 1 numbers of fft of a real array; the others are their conjugates.

    >>> jg.fft.rfft(jg.array([1.0, 1.0, 1.0, 1.0]))
    array([4.+0.j, 0.+0.j, 0.-0.j], dtype=complex64)
    """
    return _core.fft_rfft(a, n, axis, norm or "backward", stream=stream)


def irfft(a, n=None, axis=-1, norm="backward", *, stream=None):
    """The inverse of rfft: n real numbers, 2 * (m - 1) of m if n is left out.

    >>> jg.fft.irfft(jg.array([4.0, 0.0, 0.0]))
    array([1., 1., 1., 1.], dtype=float32)
    """
    return _core.fft_irfft(a, n, axis, norm or "backward", stream=stream)


def hfft(a, n=None, axis=-1, norm="backward", *, stream=None):
    """fft, n real numbers, of a Hermitian sequence whose first n // 2 + 1 are given.

    >>> jg.fft.hfft(jg.array([1.0, 0.0, 0.0]))
    array([1., 1., 1., 1.], dtype=float32)
    """
    return _core.fft_hfft(a, n, axis, norm or "backward", stream=stream)


def ihfft(a, n=None, axis=-1, norm="backward", *, stream=None):
    """The inverse of hfft: the first n // 2 + 1 numbers of ifft of a real array.

    >>> jg.fft.ihfft(jg.array([4.0, 4.0, 4.0, 4.0])).shape
    (3,)
    """
    return _core.fft_ihfft(a, n, axis, norm or "backward", stream=stream)


def fftn(a, s=None, axes=None, norm="backward", *, stream=None):
    """fft along several axes: all of them, or the last ones that s has lengths for.

    >>> jg.fft.fftn(jg.ones((2, 2))).real
    array([[4., 0.],
           [0., 0.]], dtype=float32)
    """
    return _core.fft_fftn(a, s, axes, norm or "backward", stream=stream)


def ifftn(a, s=None, axes=None, norm="backward", *, stream=None):
    """The inverse of fftn.

    >>> jg.fft.ifftn(jg.ones((2, 2))).real
    array([[1., 0.],
           [0., 0.]], dtype=float32)
    """
    return _core.fft_ifftn(a, s, axes, norm or "backward", stream=stream)


def rfftn(a, s=None, axes=None, norm="backward", *, stream=None):
    """rfft along the last of several axes, then fft along the others.

    >>> jg.fft.rfftn(jg.ones((4, 4))).shape
    (4, 3)
    """
    return _core.fft_rfftn(a, s, axes, norm or "backward", stream=stream)


def irfftn(a, s=None, axes=None, norm="backward", *, stream=None):
    """The inverse of rfftn.

    >>> jg.fft.irfftn(jg.ones((4, 3))).shape
    (4, 4)
    """
    return _core.fft_irfftn(a, s, axes, norm or "backward", stream=stream)


def fft2(a, s=None, axes=(-2, -1), norm="backward", *, stream=None):
    """fft along two axes.

    >>> jg.fft.fft2(jg.ones((2, 2))).real
    array([[4., 0.],
           [0., 0.]], dtype=float32)
    """
    return fftn(a, s, axes, norm, stream=stream)


def ifft2(a, s=None, axes=(-2, -1), norm="backward", *, stream=None):
    """The inverse of fft2.

    >>> jg.fft.ifft2(jg.ones((2, 2))).real
    array([[1., 0.],
           [0., 0.]], dtype=float32)
    """
    return ifftn(a, s, axes, norm, stream=stream)


def rfft2(a, s=None, axes=(-2, -1), norm="backward", *, stream=None):
    """rfft along the second of two axes, then fft along the first.

    >>> jg.fft.rfft2(jg.ones((4, 4))).shape
    (4, 3)
    """
    return rfftn(a, s, axes, norm, stream=stream)


def irfft2(a, s=None, axes=(-2, -1), norm="backward", *, stream=None):
    """The inverse of rfft2.

    >>> jg.fft.irfft2(jg.ones((4, 3))).shape
    (4, 4)
    """
    return irfftn(a, s, axes, norm, stream=stream)


def fftshift(a, axes=None, *, stream=None):
    """a with the element at zero of each axis moved to the middle.

    >>> jg.fft.fftshift(jg.arange(4))
    array([2, 3, 0, 1], dtype=int64)
    """
    return _core.fft_fftshift(a, axes, stream=stream)


def ifftshift(a, axes=None, *, stream=None):
    """The inverse of fftshift.

    >>> jg.fft.ifftshift(jg.arange(4))
    array([2, 3, 0, 1], dtype=int64)
    """
    return _core.fft_ifftshift(a, axes, stream=stream)


def fftfreq(n, d=1.0, *, dtype=None, device=None, stream=None):
    """The frequencies that fft of n numbers, d apart, gives; the negative ones last.

    >>> jg.fft.fftfreq(4)
    array([ 0.  ,  0.25, -0.5 , -0.25], dtype=float32)
    """
    return _core.fft_fftfreq(n, d, dtype, device=device, stream=stream)


def rfftfreq(n, d=1.0, *, dtype=None, device=None, stream=None):
    """The frequencies that rfft of n numbers, d apart, gives.

    >>> jg.fft.rfftfreq(4)
    array([0.  , 0.25, 0.5 ], dtype=float32)
    """
    return _core.fft_rfftfreq(n, d, dtype, device=device, stream=stream)


def _check_lengths(caller, **lengths):
    for name, length in lengths.items():
        number = integer_of(length)
        if number is None:
            raise TypeError(f"[{caller}] {name}: got {length!r:.60}, allowed is an int")
        if number < 1:
            raise ValueError(f"[{caller}] {name}: got {number}, allowed is 1 and above")


def _frame_window(caller, window, win_length, n_fft, stream):
    """The window, in the middle of n_fft numbers."""
    if window is None:
        window = _core.ones((win_length,), stream=stream)
    window = _core.asarray(window, stream=stream)
    if window.ndim != 1 or window.shape[0] > n_fft:
        raise ValueError(
            f"[{caller}] window: has shape {window.shape}, allowed are vectors of at most n_fft, "
            f"{n_fft}"
        )
    left = (n_fft - window.shape[0]) // 2
    right = n_fft - window.shape[0] - left
    return _core.pad(window, (left, right), stream=stream) if left + right else window


def stft(
    x,
    n_fft=2048,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    pad_mode="reflect",
    norm="backward",
    onesided=None,
    *,
    stream=None,
):
    """The transforms of frames of n_fft numbers, hop_length apart: (..., frequencies, frames).

    Frames are of the last axis; hop_length is n_fft // 4 unless given, at least 1. A window of
    win_length numbers (ones unless given) is centred in a frame. center pads both ends by pad_mode,
    so that frames are centred at their numbers. onesided gives the frequencies from zero on, of
    real numbers unless it is False.

    >>> jg.fft.stft(jg.ones((64,)), n_fft=16).shape
    (9, 17)
    """
    x = _core.asarray(x, stream=stream)
    _check_lengths("fft_stft", n_fft=n_fft)
    hop_length = max(n_fft // 4, 1) if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    _check_lengths("fft_stft", hop_length=hop_length, win_length=win_length)
    is_complex = x.dtype in (_core.complex64, _core.complex128)
    onesided = not is_complex if onesided is None else onesided
    if is_complex and onesided:
        raise ValueError(f"[fft_stft] onesided: got True for {x.dtype}, allowed for real numbers")
    if x.ndim == 0:
        raise ValueError("[fft_stft] x: has no axes, allowed is one or more")
    if center:
        widths = [(0, 0)] * (x.ndim - 1) + [(n_fft // 2, n_fft // 2)]
        x = _core.pad(x, widths, pad_mode, stream=stream)
    *lead, count = x.shape
    if count < n_fft:
        raise ValueError(f"[fft_stft] x: has {count} numbers, allowed is n_fft, {n_fft}, or more")
    window = _frame_window("fft_stft", window, win_length, n_fft, stream)
    frames = _frames(x, lead, count, 1 + (count - n_fft) // hop_length, n_fft, hop_length, stream)
    frames = _core.multiply(frames, window, stream=stream)
    found = (rfft if onesided else fft)(frames, norm=norm, stream=stream)
    return _core.swapaxes(found, -1, -2, stream=stream)


def _frames(x, lead, count, frames, n_fft, hop_length, stream):
    """Windows of the last axis, without a copy if x is dense."""
    rows = _core.reshape(x, (-1, count), stream=stream)
    shape = (rows.shape[0], frames, n_fft)
    found = _core.as_strided(rows, shape, (count, hop_length, 1), stream=stream)
    return _core.reshape(found, (*lead, frames, n_fft), stream=stream)


def _overlap_add(frames, hop_length, stream):
    """The sum of frames (rows, frames, numbers), each hop_length further on than the one before.

    A frame is cut into pieces of hop_length. Piece k of frame t is added to position t + k: with
    frames of zeros around them, the pieces of a position are a window whose steps go back a frame
    and on a piece.
    """
    rows, count, length = frames.shape
    pieces = -(-length // hop_length)
    size = pieces * hop_length
    widths = ((0, 0), (pieces - 1, pieces - 1), (0, size - length))
    padded = _core.pad(frames, widths, stream=stream)
    places = count + pieces - 1
    shape = (rows, places, pieces, hop_length)
    strides = ((places + pieces - 1) * size, size, hop_length - size, 1)
    skewed = _core.as_strided(padded, shape, strides, (pieces - 1) * size, stream=stream)
    total = _core.sum(skewed, axis=2, stream=stream)
    total = _core.reshape(total, (rows, places * hop_length), stream=stream)
    return total[:, : length + (count - 1) * hop_length]


def istft(
    stft_matrix,
    n_fft=None,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    norm="backward",
    onesided=None,
    length=None,
    *,
    stream=None,
):
    """The inverse of stft, real numbers: frames are added where they overlap, and divided by the
    sum of the squares of their windows; where that is zero, so is the result. length cuts the
    result, or pads it with zeros. n_fft, if left out, is even.

    >>> jg.fft.istft(jg.fft.stft(jg.ones((64,)), n_fft=16), n_fft=16).shape
    (64,)
    """
    spectra = _core.swapaxes(_core.asarray(stft_matrix, stream=stream), -1, -2, stream=stream)
    onesided = True if onesided is None else onesided
    *lead, frames, bins = spectra.shape
    if n_fft is None:
        n_fft = 2 * (bins - 1) if onesided else bins
    _check_lengths("fft_istft", n_fft=n_fft)
    hop_length = max(n_fft // 4, 1) if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    _check_lengths("fft_istft", hop_length=hop_length, win_length=win_length)
    if frames == 0:
        raise ValueError("[fft_istft] stft_matrix: has no frames, allowed is one or more")
    if length is not None and length < 0:
        raise ValueError(f"[fft_istft] length: got {length}, allowed is 0 and above")
    if onesided:
        numbers = irfft(spectra, n_fft, norm=norm, stream=stream)
    else:
        numbers = _core.real(ifft(spectra, n_fft, norm=norm, stream=stream), stream=stream)
    window = _frame_window("fft_istft", window, win_length, n_fft, stream)
    weighted = _core.multiply(numbers, window, stream=stream)
    weighted = _core.reshape(weighted, (-1, frames, n_fft), stream=stream)
    squares = _core.broadcast_to(_core.square(window, stream=stream), (1, frames, n_fft))
    total = _overlap_add(weighted, hop_length, stream)
    weight = _overlap_add(squares, hop_length, stream)
    present = _core.greater(weight, 1e-11, stream=stream)
    divisor = _core.where(present, weight, 1, stream=stream)
    result = _core.where(present, _core.divide(total, divisor, stream=stream), 0, stream=stream)
    result = _cut(result, n_fft // 2 if center else 0, length, stream)
    return _core.reshape(result, (*lead, result.shape[-1]), stream=stream)


def _cut(x, margin, length, stream):
    """x without so much at both ends, or `length` numbers after that much at the beginning."""
    if length is None:
        return x[:, margin : x.shape[1] - margin]
    x = x[:, margin : margin + length]
    missing = length - x.shape[1]
    return _core.pad(x, ((0, 0), (0, missing)), stream=stream) if missing > 0 else x
