# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on arrays of ours: each gives what NumPy gives, as arrays of ours."""

import io

import numpy as np
import pytest

import joggle as jg

RNG = np.random.default_rng(7)
X = RNG.standard_normal((4, 4))
V = np.array([3.0, 1.0, 2.0, 5.0, 4.0, 2.0])
W = np.array([1.0, 2.0, 4.0])
I = np.array([1, 3, 2, 3, 0])  # noqa: E741
B = np.array([True, False, True, False])
C = X + 1j * X.T
N = np.array([1.0, np.nan, 3.0, 2.0])
S = X @ X.T + np.eye(4)
T = RNG.standard_normal((2, 3, 4))
U = np.array([[1, 2], [3, 255]], "uint8")

# Calls by name; (x) is NumPy's array or ours. Several calls of a function are one tuple.
CASES = {
    "all": lambda x: (np.all(x(B)), np.all(x(X), axis=1, keepdims=True, where=x(B))),
    "allclose": lambda x: np.allclose(x(X), x(X) + 1e-9, rtol=1e-3),
    "amax": lambda x: (np.amax(x(X), 0), np.amax(x(X), initial=9.0, where=x(B))),
    "amin": lambda x: (np.amin(x(X), 0), np.amin(x(X), axis=1, keepdims=True)),
    "angle": lambda x: (np.angle(x(C)), np.angle(x(C), deg=True)),
    "any": lambda x: (np.any(x(B)), np.any(x(X) > 0, axis=0, where=x(B))),
    "append": lambda x: (np.append(x(V), x(W)), np.append(x(X), x(X), axis=1)),
    "apply_along_axis": lambda x: np.apply_along_axis(lambda v: v * 2, 0, x(X)),
    "apply_over_axes": lambda x: np.apply_over_axes(np.sum, x(T), [0, 2]),
    "argmax": lambda x: (np.argmax(x(X)), np.argmax(x(X), axis=1, keepdims=True)),
    "argmin": lambda x: (np.argmin(x(X)), np.argmin(x(X), 0)),
    "argpartition": lambda x: np.sort(np.argpartition(x(V), 2)[:3]),
    "argsort": lambda x: (np.argsort(x(V), kind="stable"), np.argsort(x(X), axis=0)),
    "argwhere": lambda x: np.argwhere(x(X) > 0),
    "around": lambda x: np.around(x(X), 2),
    "array_equal": lambda x: np.array_equal(x(N), x(N), equal_nan=True),
    "array_equiv": lambda x: np.array_equiv(x(W), x(np.array([W, W]))),
    "array_split": lambda x: np.array_split(x(V), 4),
    "astype": lambda x: (np.astype(x(X), np.float32), np.astype(x(I), float)),
    "atleast_1d": lambda x: np.atleast_1d(x(V), x(np.array(2.0))),
    "atleast_2d": lambda x: np.atleast_2d(x(V)),
    "atleast_3d": lambda x: np.atleast_3d(x(X)),
    "average": lambda x: np.average(x(X), axis=1, weights=x(np.arange(1.0, 5))),
    "bincount": lambda x: (np.bincount(x(I)), np.bincount(x(I), minlength=9)),
    "block": lambda x: np.block([[x(X), x(X)], [x(X), x(X)]]),
    "broadcast_arrays": lambda x: tuple(np.broadcast_arrays(x(W), x(W[:, None]))),
    "broadcast_to": lambda x: np.broadcast_to(x(W), (2, 3)),
    "choose": lambda x: np.choose(x(np.array([0, 1, 0])), [x(W), x(-W)]),
    "clip": lambda x: (np.clip(x(X), -1, 1), np.clip(x(X), a_min=0, a_max=None)),
    "column_stack": lambda x: np.column_stack([x(V), x(V)]),
    "compress": lambda x: np.compress(x(B), x(X), axis=1),
    "concat": lambda x: np.concat([x(V), W]),
    "concatenate": lambda x: (
        np.concatenate([x(X), x(X)], axis=1),
        np.concatenate([x(V), x(W)], dtype="float32", casting="same_kind"),
        np.concatenate((W, x(V))),
    ),
    "convolve": lambda x: np.convolve(x(V), x(W), "same"),
    "copy": lambda x: np.copy(x(X)),
    "corrcoef": lambda x: np.corrcoef(x(X)),
    "correlate": lambda x: np.correlate(x(V), x(W), mode="full"),
    "count_nonzero": lambda x: np.count_nonzero(x(X) > 0, axis=0),
    "cov": lambda x: (np.cov(x(X)), np.cov(x(X), rowvar=False, ddof=0)),
    "cross": lambda x: np.cross(x(W), x(W[::-1].copy())),
    "cumprod": lambda x: np.cumprod(x(X), axis=0),
    "cumsum": lambda x: (np.cumsum(x(X)), np.cumsum(x(I), dtype="float64")),
    "cumulative_prod": lambda x: np.cumulative_prod(x(V)),
    "cumulative_sum": lambda x: np.cumulative_sum(x(V), include_initial=True),
    "delete": lambda x: np.delete(x(V), [0, 2]),
    "diag": lambda x: (np.diag(x(X)), np.diag(x(W), k=1)),
    "diag_indices_from": lambda x: np.diag_indices_from(x(X)),
    "diagflat": lambda x: np.diagflat(x(W), 1),
    "diagonal": lambda x: np.diagonal(x(T), 1, 1, 2),
    "diff": lambda x: (np.diff(x(V), n=2), np.diff(x(X), axis=0, prepend=x(X[:1]))),
    "digitize": lambda x: np.digitize(x(V), x(W), right=True),
    "dot": lambda x: (np.dot(x(X), x(X)), np.dot(x(V), V)),
    "dsplit": lambda x: np.dsplit(x(T), 2),
    "dstack": lambda x: np.dstack((x(V), x(V))),
    "ediff1d": lambda x: np.ediff1d(x(V), to_end=9.0),
    "einsum": lambda x: np.einsum("ij,jk->ik", x(X), x(X), optimize=True),
    "einsum_path": lambda x: np.einsum_path("ij,jk->ik", x(X), x(X))[0],
    "empty_like": lambda x: np.shape(np.empty_like(x(X), shape=(2, 3))),
    "expand_dims": lambda x: np.expand_dims(x(X), (0, 2)),
    "extract": lambda x: np.extract(x(X) > 0, x(X)),
    "fix": lambda x: np.fix(x(X) * 3),
    "flatnonzero": lambda x: np.flatnonzero(x(X) > 0),
    "flip": lambda x: np.flip(x(X), 1),
    "fliplr": lambda x: np.fliplr(x(X)),
    "flipud": lambda x: np.flipud(x(X)),
    "full_like": lambda x: (np.full_like(x(X), 3), np.full_like(x(X), 2, dtype=int)),
    "geomspace": lambda x: np.geomspace(x(W), x(W * 8), 4),
    "gradient": lambda x: (np.gradient(x(V)), np.gradient(x(X), 2.0, axis=1)),
    "histogram": lambda x: np.histogram(x(V), bins=4, range=(0, 6), density=True),
    "histogram2d": lambda x: np.histogram2d(x(V), x(V[::-1].copy()), bins=3),
    "histogram_bin_edges": lambda x: np.histogram_bin_edges(x(V), 3),
    "histogramdd": lambda x: np.histogramdd(x(X[:, :2]), bins=2)[0],
    "hsplit": lambda x: np.hsplit(x(X), 2),
    "hstack": lambda x: np.hstack([x(X), x(X)], dtype="float32"),
    "i0": lambda x: np.i0(x(V)),
    "imag": lambda x: np.imag(x(C)),
    "inner": lambda x: np.inner(x(X), x(X)),
    "insert": lambda x: np.insert(x(V), 1, 9.0),
    "interp": lambda x: np.interp(x(np.array([1.5, 3.0])), x(W), x(W * 2)),
    "intersect1d": lambda x: np.intersect1d(x(V), x(W)),
    "isclose": lambda x: np.isclose(x(N), x(N), equal_nan=True),
    "iscomplex": lambda x: np.iscomplex(x(C)),
    "iscomplexobj": lambda x: (np.iscomplexobj(x(C)), np.iscomplexobj(x(X))),
    "isin": lambda x: np.isin(x(V), [1, 2], invert=True, assume_unique=False),
    "isneginf": lambda x: np.isneginf(x(X) / 0.0),
    "isposinf": lambda x: np.isposinf(x(X) / 0.0),
    "isreal": lambda x: np.isreal(x(C)),
    "isrealobj": lambda x: (np.isrealobj(x(C)), np.isrealobj(x(X))),
    "ix_": lambda x: np.ix_(x(I), x(I)),
    "kron": lambda x: np.kron(x(X), x(W)),
    "lexsort": lambda x: np.lexsort((x(V), x(V[::-1].copy()))),
    "linspace": lambda x: np.linspace(x(np.array(1.0)), 2.0, 5),
    "logspace": lambda x: np.logspace(x(np.array(1.0)), 2.0, 5),
    "matrix_transpose": lambda x: np.matrix_transpose(x(T)),
    "max": lambda x: (np.max(x(X)), np.max(x(X), axis=0, initial=0.0, where=x(B))),
    "may_share_memory": lambda x: np.may_share_memory(x(V), x(W)),
    "mean": lambda x: (
        np.mean(x(X)),
        np.mean(x(X), axis=(0, 1), keepdims=True),
        np.mean(x(X), 0, where=x(B[:, None])),
        np.mean(x(I), dtype=np.float64),
    ),
    "median": lambda x: np.median(x(X), axis=1, overwrite_input=True, keepdims=True),
    "meshgrid": lambda x: tuple(np.meshgrid(x(V), x(W), indexing="ij", copy=False)),
    "min": lambda x: (np.min(x(X)), np.min(x(X), 1, None, True)),
    "min_scalar_type": lambda x: np.dtype(np.min_scalar_type(x(X))),
    "moveaxis": lambda x: np.moveaxis(x(T), 0, -1),
    "nan_to_num": lambda x: np.nan_to_num(x(N), nan=7.0),
    "nanargmax": lambda x: np.nanargmax(x(N)),
    "nanargmin": lambda x: np.nanargmin(x(N)),
    "nancumprod": lambda x: np.nancumprod(x(N)),
    "nancumsum": lambda x: np.nancumsum(x(N)),
    "nanmax": lambda x: np.nanmax(x(N), keepdims=True),
    "nanmean": lambda x: np.nanmean(x(N)),
    "nanmedian": lambda x: np.nanmedian(x(N)),
    "nanmin": lambda x: np.nanmin(x(N)),
    "nanpercentile": lambda x: np.nanpercentile(x(N), 30),
    "nanprod": lambda x: np.nanprod(x(N)),
    "nanquantile": lambda x: np.nanquantile(x(N), [0.3, 0.5]),
    "nanstd": lambda x: np.nanstd(x(N), ddof=1),
    "nansum": lambda x: np.nansum(x(N), dtype=np.float64),
    "nanvar": lambda x: np.nanvar(x(N), correction=1),
    "ndim": lambda x: np.ndim(x(T)),
    "nonzero": lambda x: np.nonzero(x(X) > 0),
    "ones_like": lambda x: np.ones_like(x(X), order="C", subok=False),
    "outer": lambda x: (np.outer(x(V), x(W)), np.outer(x(X), W)),
    "packbits": lambda x: np.packbits(x(B), bitorder="little"),
    "pad": lambda x: (np.pad(x(X), 1), np.pad(x(V), (1, 2), "edge")),
    "pad by pairs": lambda x: np.pad(x(X), 1, constant_values=((5, 6), (7, 8))),
    "partition": lambda x: np.partition(x(V), 2, kind="introselect")[2],
    "percentile": lambda x: np.percentile(x(X), [20, 50], axis=1, method="lower"),
    "permute_dims": lambda x: np.permute_dims(x(T), (2, 0, 1)),
    "piecewise": lambda x: np.piecewise(x(X), [x(X) < 0, x(X) >= 0], [lambda v: -v, 1.0]),
    "poly": lambda x: np.poly(x(W)),
    "polyadd": lambda x: np.polyadd(x(V), x(W)),
    "polyder": lambda x: np.polyder(x(V), 2),
    "polydiv": lambda x: np.polydiv(x(V), x(W)),
    "polyfit": lambda x: np.polyfit(x(np.arange(6.0)), x(V), 2),
    "polyint": lambda x: np.polyint(x(V)),
    "polymul": lambda x: np.polymul(x(V), x(W)),
    "polysub": lambda x: np.polysub(x(V), x(W)),
    "polyval": lambda x: np.polyval(x(W), x(V)),
    "prod": lambda x: (np.prod(x(X), 0), np.prod(x(X), initial=2.0, where=x(B))),
    "ptp": lambda x: np.ptp(x(X), axis=1, keepdims=True),
    "quantile": lambda x: np.quantile(x(X), 0.3, axis=0, keepdims=True),
    "ravel": lambda x: (np.ravel(x(X)), np.ravel(x(X), order="C")),
    "ravel_multi_index": lambda x: np.ravel_multi_index((x(I), x(I)), (4, 4)),
    "real": lambda x: np.real(x(C)),
    "real_if_close": lambda x: np.real_if_close(x(X + 0j)),
    "repeat": lambda x: (np.repeat(x(V), 2), np.repeat(x(X), 2, axis=1)),
    "reshape": lambda x: np.reshape(x(X), (2, -1)),
    "resize": lambda x: np.resize(x(V), (2, 5)),
    "result_type": lambda x: np.dtype(np.result_type(x(X), np.float32)),
    "roll": lambda x: np.roll(x(X), 1, axis=0),
    "rollaxis": lambda x: np.rollaxis(x(T), 2),
    "roots": lambda x: np.sort_complex(np.roots(x(np.array([1.0, -6, 11, -6]))) + 0j),
    "rot90": lambda x: np.rot90(x(X), k=3),
    "round": lambda x: np.round(x(X), decimals=1),
    "searchsorted": lambda x: np.searchsorted(x(np.sort(V)), x(W), side="right"),
    "select": lambda x: np.select([x(X) > 0, x(X) < -1], [x(X), -x(X)], 5.0),
    "setdiff1d": lambda x: np.setdiff1d(x(V), x(W)),
    "setxor1d": lambda x: np.setxor1d(x(V), x(W)),
    "shape": lambda x: np.shape(x(T)),
    "shares_memory": lambda x: np.shares_memory(x(V), x(W)),
    "sinc": lambda x: np.sinc(x(X)),
    "size": lambda x: (np.size(x(T)), np.size(x(T), 1)),
    "sort": lambda x: (np.sort(x(X), axis=0), np.sort(x(V), kind="mergesort")),
    "sort_complex": lambda x: np.sort_complex(x(C)),
    "split": lambda x: np.split(x(V), [2, 3]),
    "squeeze": lambda x: np.squeeze(x(X[None])),
    "stack": lambda x: np.stack([x(V), V], axis=1),
    "std": lambda x: (
        np.std(x(X), ddof=1),
        np.std(x(X), 0, correction=1),
        np.std(x(X), axis=1, where=x(B), keepdims=True),
    ),
    "sum": lambda x: (
        np.sum(x(X), 0),
        np.sum(x(X), axis=-1, keepdims=True, initial=5.0, where=x(B)),
        np.sum(x(I), dtype=np.float64),
    ),
    "swapaxes": lambda x: np.swapaxes(x(T), 0, 2),
    "take": lambda x: (np.take(x(V), x(I)), np.take(x(X), [5, -1], axis=1, mode="wrap")),
    "take_along_axis": lambda x: np.take_along_axis(x(X), np.argsort(x(X), axis=1), axis=1),
    "tensordot": lambda x: np.tensordot(x(T), x(T), axes=([0, 1], [0, 1])),
    "tile": lambda x: (np.tile(x(V), 2), np.tile(x(X), reps=(2, 1))),
    "trace": lambda x: (np.trace(x(X)), np.trace(x(T), 1, 1, 2)),
    "transpose": lambda x: (np.transpose(x(T)), np.transpose(x(T), (0, 2, 1))),
    "trapezoid": lambda x: np.trapezoid(x(V), dx=0.5),
    "tril": lambda x: np.tril(x(X), -1),
    "tril_indices_from": lambda x: np.tril_indices_from(x(X)),
    "trim_zeros": lambda x: np.trim_zeros(x(np.array([0.0, 1, 0]))),
    "triu": lambda x: np.triu(x(X), k=1),
    "triu_indices_from": lambda x: np.triu_indices_from(x(X), 1),
    "union1d": lambda x: np.union1d(x(V), x(W)),
    "unique": lambda x: np.unique(x(V), return_counts=True, return_inverse=True),
    "unique_all": lambda x: np.unique_all(x(V)),
    "unique_counts": lambda x: np.unique_counts(x(V)).counts,
    "unique_inverse": lambda x: np.unique_inverse(x(V)).inverse_indices,
    "unique_values": lambda x: np.sort(np.unique_values(x(V))),
    "unpackbits": lambda x: np.unpackbits(x(U), axis=1),
    "unravel_index": lambda x: np.unravel_index(x(I), (2, 2)),
    "unstack": lambda x: np.unstack(x(X), axis=1),
    "unwrap": lambda x: np.unwrap(x(V * 3)),
    "vander": lambda x: np.vander(x(W), 3, increasing=True),
    "var": lambda x: (np.var(x(X)), np.var(x(X), 0, ddof=1, where=x(B[:, None]))),
    "vdot": lambda x: np.vdot(x(C), x(C)),
    "vsplit": lambda x: np.vsplit(x(X), 2),
    "vstack": lambda x: np.vstack([x(V), x(V)]),
    "where": lambda x: (np.where(x(X) > 0, x(X), 0.0), np.where(x(B))),
    "zeros_like": lambda x: (np.zeros_like(x(X)), np.zeros_like(x(X), shape=(2,))),
    "can_cast": lambda x: np.can_cast(x(W).dtype, np.float64),
}
# What writes into its first argument, and into files; see below.
WRITERS = {
    "copyto": lambda a, x: np.copyto(a, x(X[0]), where=x(B)),
    "fill_diagonal": lambda a, x: np.fill_diagonal(a, x(np.array([9.0]))),
    "place": lambda a, x: np.place(a, a > 0, x(W)),
    "put": lambda a, x: np.put(a, x(I), x(W)),
    "put_along_axis": lambda a, x: np.put_along_axis(a, x(np.array([[1]])), 9.0, axis=1),
    "putmask": lambda a, x: np.putmask(a, x(X) > 0, x(W)),
}
FILES = {"save", "savetxt", "savez", "savez_compressed"}
LINALG = {
    "cholesky": lambda x: np.linalg.cholesky(x(S)),
    "cond": lambda x: np.linalg.cond(x(S)),
    "cross": lambda x: np.linalg.cross(x(W), x(W[::-1].copy())),
    "det": lambda x: np.linalg.det(x(S)),
    "diagonal": lambda x: np.linalg.diagonal(x(X), offset=1),
    "eig": lambda x: np.sort(np.real(np.linalg.eig(x(S)).eigenvalues)),
    "eigh": lambda x: (np.linalg.eigh(x(S)).eigenvalues, np.linalg.eigh(x(S), UPLO="U")[0]),
    "eigvals": lambda x: np.sort(np.real(np.linalg.eigvals(x(S)))),
    "eigvalsh": lambda x: np.linalg.eigvalsh(x(S)),
    "inv": lambda x: np.linalg.inv(x(S)),
    "lstsq": lambda x: np.linalg.lstsq(x(X[:, :2]), x(X[:, 3]))[0],
    "matmul": lambda x: np.linalg.matmul(x(X), x(X)),
    "matrix_norm": lambda x: np.linalg.matrix_norm(x(X), ord="fro", keepdims=True),
    "matrix_power": lambda x: np.linalg.matrix_power(x(X), 3),
    "matrix_rank": lambda x: np.linalg.matrix_rank(x(S)),
    "matrix_transpose": lambda x: np.linalg.matrix_transpose(x(T)),
    "multi_dot": lambda x: np.linalg.multi_dot([x(X), x(X), x(X)]),
    "norm": lambda x: (np.linalg.norm(x(X)), np.linalg.norm(x(X), ord=1, axis=0)),
    "outer": lambda x: np.linalg.outer(x(V), x(W)),
    "pinv": lambda x: np.linalg.pinv(x(X[:, :2])),
    "qr": lambda x: np.abs(np.linalg.qr(x(X)).R),
    "slogdet": lambda x: np.linalg.slogdet(x(S)).logabsdet,
    "solve": lambda x: np.linalg.solve(x(S), x(X)),
    "svd": lambda x: np.linalg.svd(x(X), full_matrices=False).S,
    "svdvals": lambda x: np.linalg.svdvals(x(X)),
    "tensordot": lambda x: np.linalg.tensordot(x(X), x(X), axes=1),
    "tensorinv": lambda x: np.linalg.tensorinv(x(S.reshape(2, 2, 2, 2))),
    "tensorsolve": lambda x: np.linalg.tensorsolve(x(S.reshape(2, 2, 2, 2)), x(X[:2, :2])),
    "trace": lambda x: np.linalg.trace(x(X), offset=1),
    "vecdot": lambda x: np.linalg.vecdot(x(X), x(X)),
    "vector_norm": lambda x: np.linalg.vector_norm(x(X), axis=1, ord=1),
}
FFT = {
    "fft": lambda x: (np.fft.fft(x(V)), np.fft.fft(x(X), n=3, axis=0, norm="ortho")),
    "fft2": lambda x: np.fft.fft2(x(X)),
    "fftn": lambda x: np.fft.fftn(x(T), axes=(0, 1)),
    "fftshift": lambda x: np.fft.fftshift(x(V)),
    "hfft": lambda x: np.fft.hfft(x(C[0])),
    "ifft": lambda x: np.fft.ifft(x(C), norm="forward"),
    "ifft2": lambda x: np.fft.ifft2(x(C)),
    "ifftn": lambda x: np.fft.ifftn(x(C)),
    "ifftshift": lambda x: np.fft.ifftshift(x(X), axes=1),
    "ihfft": lambda x: np.fft.ihfft(x(V)),
    "irfft": lambda x: np.fft.irfft(x(C), 5),
    "irfft2": lambda x: np.fft.irfft2(x(C)),
    "irfftn": lambda x: np.fft.irfftn(x(C)),
    "rfft": lambda x: np.fft.rfft(x(V)),
    "rfft2": lambda x: np.fft.rfft2(x(X), s=(2, 2)),
    "rfftn": lambda x: np.fft.rfftn(x(T)),
}


def dispatched(module, ours):
    """The functions of NumPy's that ask arrays, as far as joggle has the name."""
    names = [name for name in module.__all__ if hasattr(getattr(module, name), "_implementation")]
    return {name for name in names if hasattr(ours, name)}


def assert_same(found, expected, path="result"):
    if isinstance(expected, (np.ndarray, np.generic)):
        assert isinstance(found, jg.array), f"{path}: {type(found)}"
        assert found.shape == expected.shape, path
        narrow = found.dtype in (jg.float32, jg.complex64) or expected.dtype == np.float32
        rtol = 1e-5 if narrow else 1e-9
        np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=rtol, err_msg=path)
    elif isinstance(expected, (list, tuple)):
        assert isinstance(found, (list, tuple)) and len(found) == len(expected), path
        for i, (one, other) in enumerate(zip(found, expected, strict=True)):
            assert_same(one, other, f"{path}[{i}]")
    elif isinstance(expected, bool):
        assert bool(found) is expected
    else:
        assert found == expected, path


@pytest.mark.parametrize(
    ("module", "ours", "cases"),
    [
        (np, jg, {*CASES, *WRITERS, *FILES}),
        (np.linalg, jg.linalg, {*LINALG}),
        (np.fft, jg.fft, {*FFT}),
    ],
    ids=["numpy", "linalg", "fft"],
)
def test_every_function_that_both_have_is_among_the_cases(module, ours, cases):
    assert dispatched(module, ours) - cases == set()


CALLS = dict(CASES)
CALLS |= {f"linalg.{name}": call for name, call in LINALG.items()}
CALLS |= {f"fft.{name}": call for name, call in FFT.items()}


@pytest.mark.parametrize("name", CALLS)
def test_a_function_gives_arrays_of_ours_with_numpys_values(name):
    with np.errstate(all="ignore"):
        expected = CALLS[name](lambda a: a)
    assert_same(CALLS[name](jg.asarray), expected)


@pytest.mark.parametrize("name", WRITERS)
def test_functions_that_write_write_into_numpys_arrays_and_rebind_ours(name):
    expected = X.copy()
    WRITERS[name](expected, lambda a: a)
    theirs, ours = X.copy(), jg.array(X)
    held = jg.asarray(ours) + 0
    assert WRITERS[name](theirs, jg.asarray) is None
    np.testing.assert_array_equal(theirs, expected)
    assert WRITERS[name](ours, jg.asarray) is None
    np.testing.assert_array_equal(np.asarray(ours), expected)
    np.testing.assert_array_equal(np.asarray(held), X)


def test_files_are_numpys():
    x, file = jg.asarray(X), io.BytesIO()
    np.save(file, x)
    file.seek(0)
    np.testing.assert_array_equal(np.load(file), X)
    for save in (np.savez, np.savez_compressed):
        file = io.BytesIO()
        save(file, x, v=jg.asarray(V))
        file.seek(0)
        loaded = np.load(file)
        np.testing.assert_array_equal(loaded["arr_0"], X)
        np.testing.assert_array_equal(loaded["v"], V)
    file = io.StringIO()
    np.savetxt(file, x)
    file.seek(0)
    np.testing.assert_array_equal(np.loadtxt(file), X)


OUTS = {
    "argmax": lambda x, **out: np.argmax(x, axis=1, **out),
    "concatenate": lambda x, **out: np.concatenate([x, x], **out),
    "cumsum": lambda x, **out: np.cumsum(x, axis=0, **out),
    "clip": lambda x, **out: np.clip(x, -1, 1, **out),
    "einsum": lambda x, **out: np.einsum("ij->ji", x, **out),
    "fft": lambda x, **out: np.fft.fft(x, **out),
    "max": lambda x, **out: np.max(x, axis=0, keepdims=True, **out),
    "mean": lambda x, **out: np.mean(x, axis=0, **out),
    "median": lambda x, **out: np.median(x, axis=0, **out),
    "round": lambda x, **out: np.round(x, 1, **out),
    "stack": lambda x, **out: np.stack([x, x], **out),
    "std": lambda x, **out: np.std(x, axis=0, **out),
    "sum": lambda x, **out: np.sum(x, axis=(0, 1), **out),
    "take": lambda x, **out: np.take(x, [0, 2], axis=1, **out),
    "trace": lambda x, **out: np.trace(x, **out),
}


@pytest.mark.parametrize("name", OUTS)
def test_out_is_written_and_given_back(name):
    expected = np.asarray(OUTS[name](X))
    out = np.zeros(expected.shape, expected.dtype)
    assert OUTS[name](jg.asarray(X), out=out) is out
    np.testing.assert_allclose(out, expected, rtol=1e-12)
    mine = jg.zeros(expected.shape, dtype=expected.dtype)
    assert OUTS[name](jg.asarray(X), out=mine) is mine
    np.testing.assert_allclose(np.asarray(mine), expected, rtol=1e-12)
    with pytest.raises(ValueError, match="out"):
        OUTS[name](jg.asarray(X), out=np.zeros((7, *expected.shape)))


def test_averages_of_integers_are_exact_in_numpys_arrays():
    a = np.array([16777217, 16777219, 5])
    for function in (np.mean, np.std, np.var):
        out = np.zeros(())
        function(jg.asarray(a), out=out)
        assert out == pytest.approx(function(a), rel=1e-15)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("order", lambda x: np.ravel(x, order="F")),
        ("order", lambda x: np.reshape(x, (2, 8), order="F")),
        ("axisa", lambda x: np.cross(x[:3], x[:3], axisa=0)),
        ("weights", lambda x: np.quantile(x, 0.5, weights=x, method="inverted_cdf")),
        ("axis", lambda x: np.unique(x, axis=0)),
        ("where", lambda x: np.nansum(x, where=x > 0)),
        ("initial", lambda x: np.nanmax(x, initial=1.0)),
        ("hermitian", lambda x: np.linalg.svd(x, hermitian=True)),
        ("retstep", lambda x: np.linspace(x, 2, 3, retstep=True)),
        ("stat_length", lambda x: np.pad(x, 1, "mean", stat_length=2)),
        ("copy", lambda x: np.nan_to_num(x, copy=False)),
        ("mean", lambda x: np.var(x, mean=x.mean())),
        ("casting", lambda x: np.concatenate([x, x], dtype="int64")),
        ("order", lambda x: np.sort(x, order="a")),
    ],
)
def test_an_argument_that_is_not_taken_is_refused_by_name(name, call):
    with pytest.raises(TypeError, match=name):
        call(jg.asarray(X))


def test_functions_that_joggle_lacks_are_computed_by_numpy():
    x = jg.asarray(X)
    windows = np.lib.stride_tricks.sliding_window_view(x, 2, axis=0)
    assert isinstance(windows, jg.array) and windows.shape == (3, 4, 2)
    assert_same(np.emath.sqrt(x), np.emath.sqrt(X))
    assert np.array2string(x) == np.array2string(X)
    assert np.array_repr(jg.asarray(V)) == np.array_repr(V)


def test_numpy_cannot_write_through_what_it_is_handed():
    x = jg.array([1.0, 2.0]) + 0
    seen = []
    np.frompyfunc(lambda value: seen.append(value) or value, 1, 1)(x)
    windows = np.lib.stride_tricks.sliding_window_view(x, 1, writeable=True)
    windows[0, 0] = 9
    assert seen == [1, 2] and x.tolist() == [1, 2]


@pytest.mark.parametrize(
    "make",
    [
        lambda like: np.zeros((2, 3), like=like),
        lambda like: np.ones(3, dtype=np.float64, like=like),
        lambda like: np.full((2,), 7.0, like=like),
        lambda like: np.arange(5, like=like),
        lambda like: np.eye(3, like=like),
        lambda like: np.identity(2, like=like),
        lambda like: np.asarray([1, 2], like=like),
        lambda like: np.array([1.0, 2.0], like=like),
        lambda like: np.array([], ndmin=3, like=like),
        lambda like: np.array([[1.0]], ndmin=1, like=like),
    ],
)
def test_like_makes_arrays_of_ours(make):
    found, expected = make(jg.ones(1)), make(np.ones(1))
    assert isinstance(found, jg.array)
    np.testing.assert_array_equal(np.asarray(found), expected)


class Stranger:
    def __array_function__(self, function, types, args, kwargs):
        return f"stranger's {function.__name__}"


def test_other_classes_that_override_functions_are_asked():
    assert np.concatenate([jg.ones(2), Stranger()]) == "stranger's concatenate"
    assert np.concatenate([Stranger(), jg.ones(2)]) == "stranger's concatenate"


def test_nothing_is_computed_before_it_is_asked_for():
    x = jg.ones((100, 100))
    for found in (np.mean(x), np.concatenate([x, np.ones((1, 100))]), np.std(x, axis=0, ddof=1)):
        assert found.status == "unscheduled"


def test_dtypes_become_numpys():
    for name in ("bool", "int8", "uint64", "float16", "float32", "complex128"):
        dtype = getattr(jg, name)
        assert np.dtype(dtype) == np.dtype(name) and np.zeros(1, dtype).dtype == name
        assert np.dtype(name) == dtype and np.ones(2).astype(dtype).dtype == name
    assert np.dtype(jg.bfloat16).name == "bfloat16"
    assert np.issubdtype(jg.float32, np.floating)
    with pytest.raises(TypeError, match="NumPy has no dtype for float128"):
        np.dtype(jg.float128)


def test_einsum_takes_a_dtype_that_its_operands_can_be_cast_to():
    a = np.arange(6, dtype="float32").reshape(2, 3)
    found = np.einsum("ij,kj->ik", jg.asarray(a), jg.asarray(a), dtype="float64")
    expected = np.einsum("ij,kj->ik", a, a, dtype="float64")
    assert found.dtype == expected.dtype and found.tolist() == expected.tolist()
    assert np.einsum("ij->i", jg.asarray(a), dtype=None).dtype == jg.float32
    with pytest.raises(TypeError, match="float32 to float16 is not allowed by 'safe'"):
        np.einsum("ij->i", jg.asarray(a), dtype="float16")
    halves = np.einsum("ij->i", jg.asarray(a), dtype="float16", casting="same_kind")
    assert halves.dtype == jg.float16


def test_none_is_an_object_of_numpys():
    ours, none = np.broadcast_arrays(jg.asarray(V), None)
    assert isinstance(ours, jg.array) and ours.tolist() == V.tolist()
    assert none.dtype == object and none.shape == V.shape and none[0] is None


def test_each_nan_is_one_as_equal_nan_may_ask_for():
    found = np.unique(jg.array([np.nan, 1.0, np.nan]), equal_nan=False)
    assert isinstance(found, jg.array) and found.shape == (3,)
