# SPDX-License-Identifier: Apache-2.0
"""Cases of Fourier and Hadamard transforms, convolutions and pooling."""

import choices as st
import numpy as np
import scipy.linalg
import torch
from convolutions import convolution, first
from drawing import FLOATS, TAKES, Case, array_of, axis_of, flag, near, numbers, shapes

NORMS = ["backward", "ortho", "forward"]
SPECTRA = {name: ["float32", "float64", "int16", "bool"] for name in ("rfft", "ihfft", "rfftn")}
EVERYTHING = ["float32", "float64", "complex64", "complex128", "int16", "bool"]


def transformed(name):
    def draw(draw):
        a = array_of(draw, SPECTRA.get(name, EVERYTHING), min_ndim=1, least=1, most=6)
        least = 2 if name in ("irfft", "hfft") else 1
        axis = axis_of(draw, a.ndim)
        n = draw(st.integers(1, 9)) if a.shape[axis] < least or flag(draw) else None
        return (a,), {"n": n, "axis": axis, "norm": draw(st.sampled_from(NORMS))}

    return draw


def transformed_axes(name):
    def draw(draw):
        a = array_of(draw, SPECTRA.get(name, EVERYTHING), min_ndim=1, least=2, most=5)
        axes = draw(st.permutations(range(a.ndim)))[: draw(st.integers(1, a.ndim))]
        s = tuple(draw(st.integers(1, 6)) for _ in axes) if flag(draw) else None
        return (a,), {"s": s, "axes": tuple(axes), "norm": draw(st.sampled_from(NORMS))}

    return draw


def spectrum_dtype(name):
    is_real = name in ("irfft", "hfft", "irfftn")

    def dtype(args, named):
        double = args[0].dtype.name in ("float64", "complex128")
        return (
            ("float64" if double else "float32") if is_real else f"complex{128 if double else 64}"
        )

    return dtype


def shifted(draw):
    a = array_of(draw, EVERYTHING)
    axes = draw(st.none() | st.lists(st.integers(0, a.ndim - 1), unique=True)) if a.ndim else None
    return (a, tuple(axes) if axes else None), {}


def frequencies(draw):
    dtype = draw(st.sampled_from(["float32", "float64"]))
    return (draw(st.integers(1, 9)), draw(st.sampled_from([1.0, 0.25]))), {"dtype": dtype}


def hadamard(draw):
    n = draw(st.sampled_from([1, 2, 4, 8, 12, 16, 20, 28, 64]))
    return (numbers(draw, draw(st.sampled_from(FLOATS)), (*shapes(draw, max_ndim=2), n)),), {}


def is_hadamard(results, args, named):
    """Of extents that are no powers of two the matrix is not SciPy's, but it is orthogonal."""
    a, (y,) = args[0].astype("f8"), results
    n = a.shape[-1]
    if n & (n - 1) == 0:
        near(y, (a @ scipy.linalg.hadamard(n) / np.sqrt(n)).astype(y.dtype), 16)
    before, after = (np.sum(each.astype("f8") ** 2, axis=-1) for each in (a, y))
    np.testing.assert_allclose(after, before, rtol=0.1, atol=0.1)


def per_axis(draw, rank, low, high):
    return [draw(st.integers(low, high)) for _ in range(rank)]


def convolved(rank, general=False):
    def draw(draw):
        rank_here = rank or draw(st.integers(1, 3))
        dtype = draw(st.sampled_from(["float32", "float64", "float16", "complex64", "int8"]))
        groups, each, results = (draw(st.integers(1, 2)) for _ in range(3))
        kernel = per_axis(draw, rank_here, 1, 3)
        space = [n + draw(st.integers(2, 4)) for n in kernel]
        batch = draw(st.integers(0, 2))
        x = numbers(draw, dtype, (batch, *space, each * groups), (-2, 2))
        w = numbers(draw, dtype, (results * groups, *kernel, each), (-2, 2))
        named = {
            "stride": per_axis(draw, rank_here, 1, 3),
            "padding": per_axis(draw, rank_here, 0, 2),
            "groups": groups,
        }
        if not general:
            return (x, w), named | {"dilation": per_axis(draw, rank_here, 1, 2)}
        named["kernel_dilation"] = per_axis(draw, rank_here, 1, 2)
        named["input_dilation"] = per_axis(draw, rank_here, 1, 2)
        return (x, w), named | {"flip": flag(draw)}

    return draw


def convolve(x, w, stride, padding, groups, dilation):
    return convolution(x, w, stride, padding, None, dilation, 1, groups)


def convolve_general(x, w, stride, padding, groups, kernel_dilation, input_dilation, flip):
    return convolution(x, w, stride, padding, None, kernel_dilation, input_dilation, groups, flip)


def turned(rank):
    def draw(draw):
        groups, each, results = (draw(st.integers(1, 2)) for _ in range(3))
        kernel, space = per_axis(draw, rank, 1, 3), per_axis(draw, rank, 1, 4)
        x = numbers(draw, "float64", (draw(st.integers(1, 2)), *space, each * groups), (-2, 2))
        w = numbers(draw, "float64", (results * groups, *kernel, each), (-2, 2))
        return (x, w), {"stride": per_axis(draw, rank, 1, 3), "groups": groups}

    return draw


def turn(x, w, stride, groups):
    function = getattr(torch.nn.functional, f"conv_transpose{x.ndim - 2}d")
    parts = [np.moveaxis(part, -1, 0) for part in np.split(w, groups)]
    weight = np.concatenate(parts)
    y = function(
        torch.tensor(first(x).copy()), torch.tensor(weight.copy()), None, stride, groups=groups
    )
    return np.moveaxis(y.numpy(), 1, -1)


def pooled(rank, dtypes):
    def draw(draw):
        window = per_axis(draw, rank, 1, 3)
        space = [n + draw(st.integers(0, 4)) for n in window]
        shape = (draw(st.integers(1, 2)), *space, draw(st.integers(1, 3)))
        x = numbers(draw, draw(st.sampled_from(dtypes)), shape, special=dtypes is not MEANS)
        padding = [draw(st.integers(0, n // 2)) for n in window]
        return (x, window, per_axis(draw, rank, 1, 3), padding), {}

    return draw


MEANS = ["float32", "float64", "float16"]


def pool(kind_of):
    def reference(x, window, stride, padding):
        function = getattr(torch.nn.functional, f"{kind_of}_pool{x.ndim - 2}d")
        x = torch.tensor(first(x).astype("f8"))
        return np.moveaxis(function(x, window, stride, padding).numpy(), 1, -1)

    return reference


def two_vectors(draw):
    dtype = draw(st.sampled_from(["int8", "uint16", "int64", "float32", "float64", "complex64"]))
    both = tuple(numbers(draw, dtype, (draw(st.integers(1, 9)),)) for _ in range(2))
    return (*both, draw(st.sampled_from(["full", "same", "valid"]))), {}


LINES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
CASES = {
    f"fft_{name}": Case(
        transformed(name), getattr(np.fft, name), dtype=spectrum_dtype(name), ulps=32
    )
    for name in LINES
}
CASES |= {
    f"fft_{name}": Case(
        transformed_axes(name), getattr(np.fft, name), dtype=spectrum_dtype(name), ulps=32
    )
    for name in ("fftn", "ifftn", "rfftn", "irfftn")
}
NAMED = {"dtype": lambda a, n: n["dtype"]}
CASES |= {
    "fft_fftshift": Case(shifted, lambda a, axes: np.fft.fftshift(a, axes) if a.ndim else a),
    "fft_ifftshift": Case(shifted, lambda a, axes: np.fft.ifftshift(a, axes) if a.ndim else a),
    "fft_fftfreq": Case(frequencies, lambda n, d, dtype: np.fft.fftfreq(n, d), **NAMED),
    "fft_rfftfreq": Case(frequencies, lambda n, d, dtype: np.fft.rfftfreq(n, d), **NAMED),
    "hadamard_transform": Case(hadamard, check=is_hadamard),
    "convolve": Case(two_vectors, np.convolve, exact=True, ulps=16),
    "conv_general": Case(convolved(0, True), convolve_general, ulps=64),
}
for _rank in (1, 2, 3):
    CASES[f"conv{_rank}d"] = Case(convolved(_rank), convolve, ulps=64)
    CASES[f"conv_transpose{_rank}d"] = Case(turned(_rank), turn, ulps=64)
    CASES[f"max_pool{_rank}d"] = Case(pooled(_rank, TAKES["real"]), pool("max"))
    CASES[f"avg_pool{_rank}d"] = Case(pooled(_rank, MEANS), pool("avg"), ulps=16)
