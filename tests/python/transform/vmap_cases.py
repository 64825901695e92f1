# SPDX-License-Identifier: Apache-2.0
"""For each public op, calls of it whose arguments can be mapped: (name, function, specimens).

A specimen makes the array of one element of a batch from a generator of random numbers.
"""

import sys
from pathlib import Path

import numpy as np

import joggle as jg

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))
import optable

# Messages between processes are tried in tests/python/distributed.
OPS = {
    row["name"]: row["form"] for row in optable.ops() if not row["name"].startswith("distributed_")
}

# Elementwise: their cases are made here, and their bits are those of the loop.
# Without arrays among their arguments.
WITHOUT_ARRAYS = {
    "arange",
    "bartlett",
    "blackman",
    "empty",
    "eye",
    "fft_fftfreq",
    "fft_rfftfreq",
    "hamming",
    "hanning",
    "identity",
    "ones",
    "random_key",
    "tri",
    "zeros",
}

# They ask for values, which there are none of: the call is refused.
ASKS_FOR_VALUES = {
    "argwhere": lambda x: jg.argwhere(x),
    "compress": lambda x: jg.compress(x > 0, x),
    "extract": lambda x: jg.extract(x > 0, x),
    "flatnonzero": lambda x: jg.flatnonzero(x),
    "digitize": lambda x: jg.digitize(x, x),
    "linalg_lstsq": lambda x: jg.linalg.lstsq(x[:, None], x),
    "nonzero": lambda x: jg.nonzero(x),
    "repeat": lambda x: jg.repeat(x, jg.astype(x, jg.int64)),
    "unique_all": lambda x: jg.unique_all(x),
    "unique_counts": lambda x: jg.unique_counts(x),
    "unique_inverse": lambda x: jg.unique_inverse(x),
    "unique_values": lambda x: jg.unique_values(x),
}


def floats(*shape):
    return lambda random: random.normal(size=shape)


def parts(*shape):
    """Between 0 and 1, neither of which is there."""
    return lambda random: random.uniform(0.1, 0.9, size=shape)


def complexes(*shape):
    return lambda random: random.normal(size=shape) + 1j * random.normal(size=shape)


def ints(low, high, *shape):
    return lambda random: random.integers(low, high, size=shape)


def bools(*shape):
    return lambda random: random.integers(0, 2, size=shape).astype(bool)


def singles(*shape):
    return lambda random: random.normal(size=shape).astype(np.float32)


def nans(*shape):
    def make(random):
        x = random.normal(size=shape)
        x[random.uniform(size=shape) < 0.3] = np.nan
        return x

    return make


def definite(n):
    def make(random):
        x = random.normal(size=(n, n))
        return x @ x.T + n * np.eye(n)

    return make


def ordered(*shape):
    return lambda random: np.sort(random.normal(size=shape), axis=-1)


def keys():
    return lambda random: random.integers(0, 2**63, size=()).astype(np.uint64)


def quantized(w, **how):
    return jg.quantize(w, group_size=32, bits=8, **how)


CASES = [
    ("all", lambda x: jg.all(x, axis=1), bools(3, 4)),
    ("any", lambda x: jg.any(x, axis=0, keepdims=True), bools(3, 4)),
    ("sum", lambda x: jg.sum(x, axis=(0, 2)), floats(3, 4, 2)),
    ("sum", lambda x: jg.sum(x), ints(-9, 9, 3, 4)),
    ("prod", lambda x: jg.prod(x, axis=-1, keepdims=True), floats(3, 4)),
    ("max", lambda x: jg.max(x, axis=0), floats(3, 4)),
    ("min", lambda x: jg.min(x), ints(-9, 9, 3, 4)),
    ("count_nonzero", lambda x: jg.count_nonzero(x, axis=0), ints(0, 2, 3, 4)),
    ("ptp", lambda x: jg.ptp(x, axis=0), floats(3, 4)),
    ("mean", lambda x: jg.mean(x, axis=0), floats(3, 4)),
    ("var", lambda x: jg.var(x, axis=0, correction=1), floats(3, 4)),
    ("std", lambda x: jg.std(x), floats(3, 4)),
    ("logsumexp", lambda x: jg.logsumexp(x, axis=0), floats(3, 4)),
    *[
        (name, lambda x, name=name: getattr(jg, name)(x, axis=0), nans(4, 3))
        for name in ("nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nancumsum", "nancumprod")
    ],
    *[
        (
            name,
            lambda x, name=name: getattr(jg, name)(jg.where(jg.isnan(x[0]), 1.0, x), axis=0),
            nans(4, 3),
        )
        for name in ("nanmax", "nanmin", "nanargmax", "nanargmin")
    ],
    ("argmax", lambda x: jg.argmax(x, axis=1, keepdims=True), floats(3, 4)),
    ("argmin", lambda x: jg.argmin(x), floats(3, 4)),
    ("cumsum", lambda x: jg.cumsum(x, axis=1, reverse=True), floats(3, 4)),
    ("cumprod", lambda x: jg.cumprod(x, axis=0, inclusive=False), floats(3, 4)),
    ("cummax", lambda x: jg.cummax(x, axis=0), ints(-9, 9, 3, 4)),
    ("cummin", lambda x: jg.cummin(x), floats(3, 4)),
    ("logcumsumexp", lambda x: jg.logcumsumexp(x, axis=0), floats(3, 4)),
    ("cumulative_sum", lambda x: jg.cumulative_sum(x, axis=0, include_initial=True), floats(3, 4)),
    ("cumulative_prod", lambda x: jg.cumulative_prod(x, axis=1), floats(3, 4)),
    ("softmax", lambda x: jg.softmax(x, axis=0), floats(3, 4)),
    ("log_softmax", lambda x: jg.log_softmax(x, axis=-1), floats(3, 4)),
    ("rms_norm", lambda x, w: jg.rms_norm(x, w, 1e-5), floats(3, 4), floats(4)),
    (
        "layer_norm",
        lambda x, w, b: jg.layer_norm(x, w, b, 1e-5),
        floats(3, 4),
        floats(4),
        floats(4),
    ),
    ("cross_entropy", lambda x, t: jg.cross_entropy(x, t), floats(3, 4), ints(0, 4, 3)),
    ("rope", lambda x: jg.rope(x, 4, False, 10000.0, 1.0, 0), floats(1, 2, 3, 4)),
    ("rope", lambda x, at: jg.rope(x, 4, True, 10000.0, 1.0, at), floats(1, 2, 3, 4), ints(0, 9)),
    (
        "scaled_dot_product_attention",
        lambda q, k, v: jg.scaled_dot_product_attention(q, k, v, scale=0.5),
        singles(1, 2, 3, 4),
        singles(1, 2, 5, 4),
        singles(1, 2, 5, 4),
    ),
    ("gather", lambda x, i: jg.gather(x, [i], [0]), floats(5, 3), ints(-5, 5, 2, 2)),
    (
        "gather",
        lambda x, i, j: jg.gather(x, [i, j], [2, 0]),
        floats(3, 2, 4),
        ints(0, 4, 3),
        ints(0, 3, 3),
    ),
    ("take", lambda x, i: jg.take(x, i, axis=1), floats(3, 4), ints(-4, 4, 2, 3)),
    ("take", lambda x, i: jg.take(x, i), floats(3, 4), ints(0, 12)),
    (
        "take_along_axis",
        lambda x, i: jg.take_along_axis(x, i, axis=0),
        floats(3, 4),
        ints(0, 3, 2, 4),
    ),
    (
        "put_along_axis",
        lambda x, i, v: jg.put_along_axis(x, i, v, axis=1),
        floats(3, 4),
        ints(0, 4, 3, 1),
        floats(3, 1),
    ),
    *[
        (
            f"scatter{mode}",
            lambda x, i, u, mode=mode: getattr(jg, f"scatter{mode}")(x, [i], u, [0]),
            parts(5, 3),
            ints(0, 5, 4),
            parts(4, 3),
        )
        for mode in ("", "_add", "_subtract", "_multiply", "_divide", "_power", "_max", "_min")
        if mode
    ],
    ("scatter", lambda x, u: jg.scatter(x, [jg.array([3, 1])], u, [1]), floats(3, 4), floats(2, 3)),
    (
        "scatter",
        lambda x, i, u: jg.scatter(x, [i], u, [0]),
        floats(5, 3),
        ints(0, 5, 1),
        floats(1, 3),
    ),
    ("matmul", lambda x, y: x @ y, floats(3, 4), floats(4, 2)),
    ("matmul", lambda x, y: x @ y, floats(4), floats(4)),
    ("matmul", lambda x, y: x @ y, floats(3, 4), floats(4)),
    ("matmul", lambda x, y: x @ y, floats(2, 1, 3, 4), floats(5, 4, 2)),
    ("matmul", lambda x, y: x @ y, ints(-9, 9, 3, 4), ints(-9, 9, 2, 4, 2)),
    ("matmul", lambda x, y: x @ y, complexes(40, 3), complexes(3, 40)),
    ("matmul", lambda x, y: x.mT @ y, floats(3, 40), floats(3, 2)),
    (
        "addmm",
        lambda c, x, y: jg.addmm(c, x, y, alpha=2.0, beta=0.5),
        floats(2),
        floats(3, 4),
        floats(4, 2),
    ),
    ("outer", lambda x, y: jg.outer(x, y), floats(3), floats(4)),
    ("inner", lambda x, y: jg.inner(x, y), floats(3, 4), floats(2, 4)),
    ("vecdot", lambda x, y: jg.vecdot(x, y), complexes(3, 4), complexes(4)),
    ("tensordot", lambda x, y: jg.tensordot(x, y, axes=1), floats(3, 4), floats(4, 2)),
    ("einsum", lambda x, y: jg.einsum("ij,kj->ki", x, y), floats(3, 4), floats(2, 4)),
    ("einsum", lambda x: jg.einsum("ii->i", x), floats(3, 3)),
    ("vander", lambda x: jg.vander(x, 3), floats(4)),
    ("tril", lambda x: jg.tril(x, 1), floats(3, 4)),
    ("triu", lambda x: jg.triu(x), floats(3, 4)),
    ("diag", lambda x: jg.diag(x, 1), floats(3)),
    ("diag", lambda x: jg.diag(x), floats(3, 3)),
    ("concat", lambda x, y: jg.concat([x, y], axis=1), floats(3, 4), floats(3, 2)),
    ("stack", lambda x, y: jg.stack([x, y], axis=1), floats(3), floats(3)),
    ("hstack", lambda x, y: jg.hstack([x, y]), floats(3), floats(2)),
    ("vstack", lambda x, y: jg.vstack([x, y]), floats(2, 3), floats(1, 3)),
    ("pad", lambda x: jg.pad(x, ((1, 2), (0, 1)), constant_values=3.0), floats(3, 4)),
    ("pad", lambda x, fill: jg.pad(x, 1, constant_values=fill), floats(3, 4), floats()),
    ("pad", lambda x: jg.pad(x, ((2, 2), (0, 0)), "reflect"), floats(3, 4)),
    ("roll", lambda x: jg.roll(x, 2, 1), floats(3, 4)),
    ("roll", lambda x: jg.roll(x, 5), floats(3, 4)),
    ("tile", lambda x: jg.tile(x, (2, 1, 3)), floats(3, 4)),
    ("repeat", lambda x: jg.repeat(x, 3, axis=0), floats(3, 4)),
    ("repeat", lambda x: jg.repeat(x, jg.array([1, 0, 2]), axis=0), floats(3, 4)),
    ("reshape", lambda x: jg.reshape(x.T, (2, 6)), floats(3, 4)),
    ("broadcast_to", lambda x: jg.broadcast_to(x, (2, 3, 4)), floats(3, 1)),
    ("broadcast_arrays", lambda x, y: jg.broadcast_arrays(x, y), floats(3, 1), floats(4)),
    ("permute_dims", lambda x: jg.permute_dims(x, (2, 0, 1)), floats(3, 4, 2)),
    ("squeeze", lambda x: jg.squeeze(x), floats(3, 1, 4)),
    ("expand_dims", lambda x: jg.expand_dims(x, 1), floats(3, 4)),
    ("matrix_transpose", lambda x: jg.matrix_transpose(x), floats(3, 4)),
    ("swapaxes", lambda x: jg.swapaxes(x, 0, 2), floats(3, 4, 2)),
    ("moveaxis", lambda x: jg.moveaxis(x, 0, -1), floats(3, 4, 2)),
    ("flip", lambda x: jg.flip(x, 0) + jg.flip(x), floats(3, 4)),
    ("rot90", lambda x: jg.rot90(x), floats(3, 4)),
    ("flatten", lambda x: jg.flatten(x), floats(3, 4)),
    ("unflatten", lambda x: jg.unflatten(x, 1, (2, 2)), floats(3, 4)),
    ("ravel", lambda x: jg.ravel(x.T), floats(3, 4)),
    ("diagonal", lambda x: jg.diagonal(x, 1), floats(3, 4)),
    ("as_strided", lambda x: jg.as_strided(x, (2, 3), (3, 1)), floats(3, 4)),
    ("bitcast", lambda x: jg.bitcast(x, jg.int64), floats(3, 4)),
    ("view", lambda x: jg.view(x, jg.int64), floats(3, 4)),
    ("view", lambda x: jg.view(x[:4], jg.float64) + jg.view(x[1:5], jg.float64), singles(5)),
    ("view", lambda x: jg.view((x + 1)[2:4], jg.float64), singles(5)),
    ("contiguous", lambda x: jg.contiguous(x.T), floats(3, 4)),
    ("split", lambda x: jg.split(x, 2, axis=1), floats(3, 4)),
    ("array_split", lambda x: jg.array_split(x, 2), floats(3, 4)),
    ("unstack", lambda x: jg.unstack(x, axis=1), floats(3, 2)),
    ("atleast_1d", lambda x: jg.atleast_1d(x), floats()),
    ("atleast_2d", lambda x: jg.atleast_2d(x), floats(3)),
    ("atleast_3d", lambda x: jg.atleast_3d(x), floats(3, 4)),
    ("meshgrid", lambda x, y: jg.meshgrid(x, y), floats(3), floats(4)),
    ("trace", lambda x: jg.trace(x, offset=1), floats(3, 4)),
    ("diff", lambda x: jg.diff(x, axis=0), floats(3, 4)),
    ("astype", lambda x: jg.astype(x, jg.int8), parts(3, 4)),
    ("copy", lambda x: jg.copy(x.T), floats(3, 4)),
    ("where", lambda c, x, y: jg.where(c, x, y), bools(3, 1), floats(4), floats(3, 4)),
    ("real", lambda x: jg.real(x), complexes(3, 4)),
    ("imag", lambda x: jg.imag(x.T)[1:], complexes(3, 4)),
    ("imag", lambda x: jg.imag(x * 2), complexes(3, 4)),
    ("modf", lambda x: jg.modf(x), floats(3, 4)),
    ("frexp", lambda x: jg.frexp(x), floats(3, 4)),
    ("ldexp", lambda x, y: jg.ldexp(x, y), floats(3, 1), ints(-3, 3, 4)),
    ("divmod", lambda x, y: jg.divmod(x, y), floats(3, 1), floats(4)),
    ("nan_to_num", lambda x: jg.nan_to_num(x, 7.0), nans(3, 4)),
    ("isclose", lambda x, y: jg.isclose(x, y, 0.5), floats(3, 1), floats(4)),
    ("clip", lambda x, low: jg.clip(x, low, 0.5), floats(3, 4), parts(4)),
    ("round", lambda x: jg.round(x, 2), floats(3, 4)),
    ("full", lambda x: jg.full((2, 3), x[0]), floats(3)),
    ("full_like", lambda x: jg.full_like(x, x[0, 1]), floats(3, 4)),
    ("linspace", lambda x: jg.linspace(x[0], x[1], 5, dtype=x.dtype), floats(3)),
    ("logspace", lambda x: jg.logspace(x[0], x[1], 5, 2.0, dtype=x.dtype), floats(3)),
    ("zeros_like", lambda x: jg.zeros_like(x) + x, floats(3, 4)),
    ("ones_like", lambda x: jg.ones_like(x), floats(3, 4)),
    ("empty_like", lambda x: jg.empty_like(x) * 0 + x, floats(3, 4)),
    ("sort", lambda x: jg.sort(x, axis=0, descending=True), floats(3, 4)),
    ("argsort", lambda x: jg.argsort(x, axis=1), ints(0, 3, 3, 4)),
    ("partition", lambda x: jg.partition(x, 1, axis=0)[1], floats(3, 4)),
    ("argpartition", lambda x: jg.argpartition(x, 1)[:, 1], floats(3, 4)),
    ("topk", lambda x: jg.sort(jg.topk(x, 2)), floats(3, 4)),
    ("argtopk", lambda x: jg.sort(jg.argtopk(x, 2, axis=0), axis=0), floats(3, 4)),
    ("searchsorted", lambda x, y: jg.searchsorted(x, y), ordered(5), floats(3, 4)),
    ("digitize", lambda x: jg.digitize(x, jg.array([-0.5, 0.1, 0.7])), floats(3, 4)),
    ("isin", lambda x, y: jg.isin(x, y), ints(0, 9, 3, 4), ints(0, 9, 2, 2)),
    ("isin", lambda x, y: jg.isin(jg.round(x), jg.round(y)), floats(3, 4), floats(4)),
    ("median", lambda x: jg.median(x, axis=0), floats(4, 3)),
    ("quantile", lambda x: jg.quantile(x, jg.array([0.3, 0.7]), axis=0), floats(4, 3)),
    ("percentile", lambda x: jg.percentile(x, 30), floats(4, 3)),
    ("nanmedian", lambda x: jg.nanmedian(x, axis=0), nans(4, 3)),
    ("nanquantile", lambda x: jg.nanquantile(x, 0.3, axis=0), nans(4, 3)),
    ("nanpercentile", lambda x: jg.nanpercentile(x, 30, axis=1), nans(4, 3)),
    ("kron", lambda x, y: jg.kron(x, y), floats(2, 3), floats(2, 2)),
    ("cross", lambda x, y: jg.cross(x, y), floats(2, 3), floats(3)),
    ("allclose", lambda x, y: jg.allclose(x, y), floats(3), floats(3)),
    ("array_equal", lambda x, y: jg.array_equal(x, y), ints(0, 2, 1), ints(0, 2, 1)),
    ("minmax", lambda x: jg.minmax(x, axis=0), floats(3, 4)),
    ("conv1d", lambda x, w: jg.conv1d(x, w, padding=1), floats(2, 6, 4), floats(6, 3, 4)),
    ("conv1d", lambda x, w: jg.conv1d(x, w, groups=2), floats(2, 6, 4), floats(6, 3, 2)),
    ("conv2d", lambda x, w: jg.conv2d(x, w, stride=2), floats(2, 5, 6, 3), floats(4, 2, 2, 3)),
    ("conv2d", lambda x, w: jg.conv2d(x, w), floats(2, 3, 3, 3), floats(4, 1, 1, 3)),
    (
        "conv2d",
        lambda x, w: jg.conv2d(x, w, data_format="channels_first", groups=2),
        floats(2, 4, 5, 6),
        floats(6, 2, 2, 2),
    ),
    ("conv3d", lambda x, w: jg.conv3d(x, w), floats(1, 3, 3, 3, 2), floats(4, 2, 2, 2, 2)),
    (
        "conv_general",
        lambda x, w: jg.conv_general(x, w, flip=True),
        floats(1, 5, 2),
        floats(3, 2, 2),
    ),
    ("conv_transpose1d", lambda x, w: jg.conv_transpose1d(x, w), floats(2, 4, 3), floats(4, 3, 3)),
    (
        "conv_transpose2d",
        lambda x, w: jg.conv_transpose2d(x, w, 2),
        floats(1, 3, 3, 2),
        floats(3, 2, 2, 2),
    ),
    (
        "conv_transpose3d",
        lambda x, w: jg.conv_transpose3d(x, w),
        floats(1, 2, 2, 2, 2),
        floats(3, 2, 2, 2, 2),
    ),
    ("convolve", lambda x, y: jg.convolve(x, y, mode="same"), floats(6), floats(3)),
    ("max_pool1d", lambda x: jg.max_pool1d(x, 2), floats(2, 6, 3)),
    ("max_pool2d", lambda x: jg.max_pool2d(x, 2, 1, 1), floats(2, 5, 4, 3)),
    ("max_pool3d", lambda x: jg.max_pool3d(x, 2), floats(1, 4, 4, 4, 2)),
    ("avg_pool1d", lambda x: jg.avg_pool1d(x, 2, data_format="channels_first"), floats(2, 3, 6)),
    ("avg_pool2d", lambda x: jg.avg_pool2d(x, 2), floats(2, 5, 4, 3)),
    ("avg_pool3d", lambda x: jg.avg_pool3d(x, 2), floats(1, 4, 4, 4, 2)),
    ("quantize", lambda w: jg.quantize(w, group_size=32, bits=4), singles(2, 64)),
    ("dequantize", lambda w: jg.dequantize(*quantized(w), group_size=32, bits=8), singles(2, 64)),
    (
        "quantized_matmul",
        lambda x, w: jg.quantized_matmul(x, *quantized(w), group_size=32, bits=8),
        singles(3, 64),
        singles(5, 64),
    ),
    (
        "quantized_matmul",
        lambda x, w: jg.quantized_matmul(x, *quantized(w), group_size=32, bits=8),
        singles(2, 3, 64),
        singles(2, 5, 64),
    ),
    (
        "gather_qmm",
        lambda x, w, i: jg.gather_qmm(x, *quantized(w), rhs_indices=i, group_size=32, bits=8),
        singles(1, 64),
        singles(3, 5, 64),
        ints(0, 3, 2),
    ),
    (
        "qqmm",
        lambda x, w: jg.qqmm(x, w, group_size=32, bits=8, mode="mxfp8"),
        singles(2, 64),
        singles(3, 64),
    ),
    (
        "gather_qqmm",
        lambda x, w, i: jg.gather_qqmm(
            x,
            *jg.quantize(w, group_size=32, bits=8, mode="mxfp8"),
            rhs_indices=i,
            group_size=32,
            bits=8,
            mode="mxfp8",
        ),
        singles(1, 64),
        singles(3, 5, 64),
        ints(0, 3, 2),
    ),
    ("to_fp8", lambda x: jg.to_fp8(x), floats(3, 4)),
    ("from_fp8", lambda x: jg.from_fp8(jg.to_fp8(x), jg.float32), floats(3, 4)),
    ("hadamard_transform", lambda x: jg.hadamard_transform(x, 0.5), floats(3, 24)),
    (
        "gather_mm",
        lambda x, w, i: jg.gather_mm(x, w, rhs_indices=i),
        floats(1, 2),
        floats(3, 2, 4),
        ints(0, 3, 5),
    ),
    (
        "gather_mm",
        lambda x, w, i, j: jg.gather_mm(x, w, lhs_indices=i, rhs_indices=j),
        floats(2, 2, 3, 2),
        floats(3, 2, 4),
        ints(-4, 4, 5),
        ints(-3, 3, 5),
    ),
    (
        "segmented_mm",
        lambda x, w: jg.segmented_mm(x, w, jg.array([[0, 2], [1, 4]])),
        floats(2, 4),
        floats(4, 3),
    ),
    (
        "block_masked_mm",
        lambda x, y: jg.block_masked_mm(x, y, 32),
        singles(32, 32),
        singles(32, 32),
    ),
    ("fft_fft", lambda x: jg.fft.fft(x, axis=0), complexes(3, 4)),
    ("fft_ifft", lambda x: jg.fft.ifft(x, 6), complexes(3, 4)),
    ("fft_rfft", lambda x: jg.fft.rfft(x), floats(3, 4)),
    ("fft_irfft", lambda x: jg.fft.irfft(x, axis=0), complexes(3, 4)),
    ("fft_hfft", lambda x: jg.fft.hfft(x), complexes(3, 4)),
    ("fft_ihfft", lambda x: jg.fft.ihfft(x), floats(3, 4)),
    ("fft_fftn", lambda x: jg.fft.fftn(x), complexes(3, 4, 2)),
    ("fft_ifftn", lambda x: jg.fft.ifftn(x, axes=(1, 0)), complexes(3, 4)),
    ("fft_rfftn", lambda x: jg.fft.rfftn(x), floats(3, 4, 2)),
    ("fft_irfftn", lambda x: jg.fft.irfftn(x), complexes(3, 4)),
    ("fft_fftshift", lambda x: jg.fft.fftshift(x), floats(3, 4)),
    ("fft_ifftshift", lambda x: jg.fft.ifftshift(x, axes=0), floats(3, 4)),
    ("linalg_cholesky", lambda x: jg.linalg.cholesky(x), definite(3)),
    ("linalg_cholesky_inv", lambda x: jg.linalg.cholesky_inv(x), definite(3)),
    (
        "linalg_cholesky_solve",
        lambda b, x: jg.linalg.cholesky_solve(b, x),
        floats(3, 2),
        definite(3),
    ),
    ("linalg_cond", lambda x: jg.linalg.cond(x), definite(3)),
    ("linalg_det", lambda x: jg.linalg.det(x), floats(2, 3, 3)),
    ("linalg_eig", lambda x: jg.linalg.eig(x), definite(3)),
    ("linalg_eigh", lambda x: jg.linalg.eigh(x), definite(3)),
    ("linalg_eigvals", lambda x: jg.linalg.eigvals(x), definite(3)),
    ("linalg_eigvalsh", lambda x: jg.linalg.eigvalsh(x), definite(3)),
    ("linalg_inv", lambda x: jg.linalg.inv(x), floats(3, 3)),
    ("linalg_lu", lambda x: jg.linalg.lu(x), floats(3, 4)),
    ("linalg_lu_factor", lambda x: jg.linalg.lu_factor(x), floats(3, 3)),
    ("linalg_matrix_norm", lambda x: jg.linalg.matrix_norm(x, ord="nuc"), floats(3, 4)),
    ("linalg_matrix_power", lambda x: jg.linalg.matrix_power(x, 3), floats(3, 3)),
    ("linalg_matrix_rank", lambda x: jg.linalg.matrix_rank(x), floats(3, 4)),
    (
        "linalg_multi_dot",
        lambda x, y, z: jg.linalg.multi_dot([x, y, z]),
        floats(3, 4),
        floats(4, 2),
        floats(2, 5),
    ),
    ("linalg_pinv", lambda x: jg.linalg.pinv(x), floats(3, 4)),
    ("linalg_qr", lambda x: jg.linalg.qr(x), floats(4, 3)),
    ("linalg_slogdet", lambda x: jg.linalg.slogdet(x), floats(3, 3)),
    ("linalg_solve", lambda x, b: jg.linalg.solve(x, b), definite(3), floats(3, 2)),
    ("linalg_solve", lambda x, b: jg.linalg.solve(x, b), definite(3), floats(3)),
    ("linalg_solve", lambda x, b: jg.linalg.solve(x, b), definite(3), floats(2, 3, 2)),
    (
        "linalg_solve_triangular",
        lambda x, b: jg.linalg.solve_triangular(x, b, upper=True),
        definite(3),
        floats(3, 2),
    ),
    ("linalg_svd", lambda x: jg.linalg.svd(x, full_matrices=False), floats(4, 3)),
    ("linalg_svdvals", lambda x: jg.linalg.svdvals(x), floats(4, 3)),
    ("linalg_tri_inv", lambda x: jg.linalg.tri_inv(x), definite(3)),
    ("linalg_vector_norm", lambda x: jg.linalg.vector_norm(x, axis=0, ord=3), floats(3, 4)),
    ("random_bernoulli", lambda k, p: jg.random.bernoulli(p, key=k), keys(), parts(3)),
    ("random_categorical", lambda k, x: jg.random.categorical(x, key=k), keys(), floats(3, 4)),
    *(
        (
            f"random_{name}",
            lambda k, x, draw=draw: draw((4, 3), "float64", x, key=k),
            keys(),
            parts(3),
        )
        for name, draw in (
            ("exponential", jg.random.exponential),
            ("laplace", jg.random.laplace),
            ("normal", jg.random.normal),
            ("rayleigh", jg.random.rayleigh),
        )
    ),
    *(
        (
            f"random_{name}",
            lambda k, x, draw=draw: draw(x, (4, 3), "float64", key=k),
            keys(),
            parts(3),
        )
        for name, draw in (("pareto", jg.random.pareto), ("weibull", jg.random.weibull))
    ),
    (
        "random_beta",
        lambda k, a, b: jg.random.beta(a, b, (4, 3), "float64", key=k),
        keys(),
        parts(3),
        parts(3),
    ),
    (
        "random_choice",
        lambda k, x: jg.random.choice(x, (2,), axis=1, key=k),
        keys(),
        floats(3, 4),
    ),
    (
        "random_gamma",
        lambda k, a, x: jg.random.gamma(a, (4, 3), "float64", x, key=k),
        keys(),
        parts(3),
        parts(3),
    ),
    ("random_gumbel", lambda k: jg.random.gumbel((3,), key=k), keys()),
    (
        "random_logistic",
        lambda k, x, y: jg.random.logistic((4, 3), "float64", x, y, key=k),
        keys(),
        floats(3),
        parts(3),
    ),
    (
        "random_multivariate_normal",
        lambda k, x, a: jg.random.multivariate_normal(x, a, (4,), "float64", key=k),
        keys(),
        floats(3),
        definite(3),
    ),
    ("random_permutation", lambda k, x: jg.random.permutation(x, 1, key=k), keys(), floats(3, 4)),
    ("random_standard_cauchy", lambda k: jg.random.standard_cauchy((3,), key=k), keys()),
    ("random_randint", lambda k, x: jg.random.randint(x, 100, (3,), key=k), keys(), ints(0, 50, 3)),
    ("random_split", lambda k: jg.random.split(k, 3), keys()),
    (
        "random_truncated_normal",
        lambda k, x: jg.random.truncated_normal(x, 3.0, key=k),
        keys(),
        parts(3),
    ),
    ("random_uniform", lambda k: jg.random.uniform(0, 1, (3,), key=k), keys()),
]

# Elementwise: the tests make their arguments, and their bits are those of the loop.
ELEMENTWISE = {name for name, form in OPS.items() if form in ("UNARY", "BINARY", "TERNARY")}
ELEMENTWISE -= {case[0] for case in CASES} | ASKS_FOR_VALUES.keys()


def leaves(tree):
    """What lists and tuples hold, at any depth, in order."""
    return [x for part in tree for x in leaves(part)] if isinstance(tree, (list, tuple)) else [tree]
