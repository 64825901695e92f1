# SPDX-License-Identifier: Apache-2.0
"""Cases of the public functions that have no row of their own in op.def, by their names in joggle.

OTHERWISE names those that a case would say nothing of, with the reason."""

import choices as st
import numpy as np
from case_transforms import EVERYTHING, NORMS, SPECTRA, spectrum_dtype
from drawing import (
    ALL,
    INTEGERS,
    Case,
    array_of,
    axis_of,
    flag,
    near,
    numbers,
    shapes,
)
from elementwise import numpy_dtype

OTHERWISE = {
    "devices: test_devices.py": "default_device device_count device_info get_include "
    "get_library_dir get_num_threads is_available set_default_device set_num_threads",
    "streams: test_streams.py, devices/test_cuda.py": "from_stream async_eval "
    "clear_streams default_stream depends eval new_stream "
    "new_thread_local_stream new_thread_unsafe_stream set_default_stream stream synchronize",
    "memory: test_memory.py": "clear_cache get_active_memory get_array_buffer_size "
    "get_cache_limit get_cache_memory get_memory_limit get_peak_memory reset_peak_memory "
    "set_cache_limit set_memory_limit set_wired_limit",
    "files: test_files.py": "load save save_gguf save_safetensors savez savez_compressed",
    "what is done, not what comes of it": "explain export_dot export_to_dot get_option set_option "
    "get_printoptions printoptions set_printoptions trace",
    "of dtypes and shapes alone: test_dtype_queries.py, test_einsum_path.py": "broadcast_shapes "
    "can_cast einsum_path finfo iinfo isdtype issubdtype result_type dtype",
    "reshaped products: test_numpy_products.py": "linalg.tensorinv linalg.tensorsolve",
    "other names of ops: test_random_inverses.py": "random.shuffle random.standard_normal",
    "gives nothing: test_random.py": "random.seed",
    "fields and arrays of others: tests/interop": "from_dlpack",
    "of functions: tests/python/transform": "compile disable_compile enable_compile grad hessian "
    "checkpoint FunctionExporter export_function exporter import_function jacfwd jacrev jvp "
    "linearize value_and_grad vjp vmap",
}


def filled(draw):
    dtype = draw(st.sampled_from(ALL))
    return (shapes(draw), 1), {"dtype": dtype}


def shaped(draw):
    (shape, _), named = filled(draw)
    return (shape,), named


def like(draw):
    return (array_of(draw, ALL, special=True),), {}


def filled_like(draw):
    return (*like(draw)[0], 1), {}


def dtype_named(args, named):
    return named["dtype"]


def dtype_own(args, named):
    return args[0].dtype.name


def of_shape(value):
    return lambda shape, *rest, dtype: np.full(shape, value, numpy_dtype(dtype))


def of_likeness(value):
    return lambda x, *rest: np.full_like(x, value)


def has_shape(results, args, named):
    """Whatever lies in the memory."""
    shape = args[0].shape if isinstance(args[0], np.ndarray) else args[0]
    assert results[0].shape == shape


def range_of(draw):
    dtype = draw(st.sampled_from(["int8", "int64", "float32", "float64"]))
    step = draw(st.sampled_from([1, 2, -1, -3]))
    bounds = draw(st.integers(-9, 9)), draw(st.integers(-9, 9))
    return (*bounds, step), {"dtype": dtype}


def counted(draw):
    x = numbers(draw, draw(st.sampled_from(INTEGERS)), (draw(st.integers(0, 9)),), (0, 7))
    named = {"minlength": draw(st.integers(0, 9))}
    if flag(draw):
        named["weights"] = numbers(draw, "float64", x.shape)
    return (x,), named


def dtype_of_counts(args, named):
    return "float64" if named.get("weights") is not None else "int64"


def binned(draw):
    dtype = draw(st.sampled_from(["float32", "float64", "int16", "uint8"]))
    bounds = np.sort(numbers(draw, dtype, (draw(st.integers(1, 6)),)))
    bounds = np.unique(bounds)
    x = numbers(draw, dtype, shapes(draw), special=True)
    return (x, bounds[::-1].copy() if flag(draw) else bounds), {"right": flag(draw)}


def distributed(draw):
    x = array_of(draw, ["float32", "float64", "int16", "uint8", "int64"])
    bins, named = draw(st.integers(1, 6)), {}
    if flag(draw):
        named["range"] = (-4.0, 3.0)
        if x.dtype.kind == "f":
            x = numbers(draw, x.dtype.name, x.shape, special=True)
            x[np.isinf(x)] = 9
    elif flag(draw):
        bins = np.unique(numbers(draw, x.dtype.name, (5,))) if x.dtype.kind == "f" else bins
        bins = bins if np.size(bins) > 1 else 3
    if flag(draw):
        named["weights"] = numbers(draw, "float64", x.shape)
    return (x, bins), named


def dtypes_of_histogram(args, named):
    bounds = args[0].dtype.name if args[0].dtype.kind == "f" else "float64"
    return [dtype_of_counts(args, named), bounds]


def is_histogram(results, args, named):
    counts, bounds = results
    (x, bins), weights = args, named.get("weights")
    if isinstance(bins, int):
        near(bounds, np.histogram_bin_edges(x, bins, named.get("range")).astype(bounds.dtype), 8)
    else:
        near(bounds, bins, 0)
    x = x[~np.isnan(x)] if weights is None else np.where(np.isnan(x), 1e9, x)
    near(counts, np.histogram(x, bounds, weights=weights)[0], 64)


def distinct(draw):
    flags = {f"return_{part}": flag(draw) for part in ("index", "inverse", "counts")}
    return (array_of(draw, ALL, (-2, 2), special=True),), flags


def dtypes_of_distinct(args, named):
    return [args[0].dtype.name] + ["int64"] * sum(named.values())


def unique(x, **named):
    found = np.unique(x, equal_nan=False, **named)
    if not named["return_inverse"]:
        return found
    place = 1 + named["return_index"]
    parts = list(found)
    parts[place] = parts[place].reshape(x.shape)
    return tuple(parts)


def transposed(draw):
    (x,), _ = like(draw)
    axes = draw(st.permutations(range(x.ndim)))
    return (x, tuple(axes)) if flag(draw) else (x,), {}


def cut(axis, least):
    """The pieces of hsplit and its kin: as many as a divisor of the extent, or at indices."""

    def draw(draw):
        x = array_of(draw, ALL, min_ndim=least, max_ndim=4, least=1)
        extent = x.shape[min(axis, x.ndim - 1)]
        if flag(draw):
            return (x, draw(st.sampled_from([n for n in (1, 2, 3, 4) if extent % n == 0]))), {}
        return (x, sorted(draw(st.lists(st.integers(0, extent), max_size=3)))), {}

    return draw


def window(draw):
    """An array, where a window begins along some axes, and its extents."""
    a = array_of(draw, ALL)
    extents = tuple(draw(st.integers(0, n)) for n in a.shape)
    axes = [axis for axis in range(a.ndim) if flag(draw)]
    starts = [draw(st.integers(0, a.shape[axis] - extents[axis])) for axis in axes]
    return a, np.array(starts, "i8"), axes, extents


def sliced(draw):
    return window(draw), {}


def updated(draw):
    a, starts, axes, extents = window(draw)
    return (a, numbers(draw, a.dtype.name, extents), starts, axes), {}


def window_of(a, starts, axes, extents):
    first = np.zeros(a.ndim, int)
    first[list(axes)] = starts
    return tuple(slice(at, at + n) for at, n in zip(first, extents, strict=True))


def slice_update(a, update, starts, axes):
    a = a.copy()
    a[window_of(a, starts, axes, update.shape)] = update
    return a


def normed(draw):
    a = array_of(draw, ["float32", "float64", "complex64", "int32"], least=1, min_ndim=1)
    axis = draw(st.none() | st.just(axis_of(draw, a.ndim)))
    return (a,), {"axis": axis, "keepdims": flag(draw)}


def norm(a, axis, keepdims):
    return np.linalg.norm(a * 1.0, axis=axis, keepdims=keepdims)


def real_part(args, named):
    name = args[0].dtype.name
    return {"complex64": "float32", "float64": "float64", "complex128": "float64"}.get(
        name, "float32"
    )


def planes(name):
    def draw(draw):
        dtypes = SPECTRA.get(name[:-1] + "n", EVERYTHING)
        a = array_of(draw, dtypes, min_ndim=2, least=2, most=5)
        s = (draw(st.integers(1, 6)), draw(st.integers(1, 6))) if flag(draw) else None
        return (a,), {"s": s, "norm": draw(st.sampled_from(NORMS))}

    return draw


def framed(draw):
    n_fft, hop_length = draw(st.sampled_from([4, 8])), draw(st.integers(1, 4))
    count = draw(st.integers(n_fft, 24))
    dtype = draw(st.sampled_from(["float32", "float64"]))
    x = numbers(draw, dtype, (*shapes(draw, max_ndim=2, least=1, most=2), count))
    window = numbers(draw, dtype, (n_fft,), (1, 2))
    return (x, n_fft, hop_length), {"window": window, "center": flag(draw)}


def stft(x, n_fft, hop_length, window, center):
    widths = [(0, 0)] * (x.ndim - 1) + [(n_fft // 2, n_fft // 2)]
    x = np.pad(x, widths, mode="reflect") if center else x
    frames = np.lib.stride_tricks.sliding_window_view(x, n_fft, -1)[..., ::hop_length, :]
    return np.swapaxes(np.fft.rfft(frames * window), -1, -2)


def spectra(draw):
    """Of frames that cover each number twice or more, of which all have a way back."""
    (x, n_fft, _), named = framed(draw)
    hop_length = n_fft // 2
    y = stft(x.astype("f8"), n_fft, hop_length, named["window"].astype("f8"), True)
    y = y.astype("c8" if x.dtype == "f4" else "c16")
    return (y, n_fft, hop_length), {"window": named["window"]}


def istft(y, n_fft, hop_length, window):
    frames = np.fft.irfft(np.swapaxes(y, -1, -2), n_fft) * window
    count = frames.shape[-2]
    total = np.zeros((*y.shape[:-2], n_fft + (count - 1) * hop_length))
    weight = np.zeros(total.shape[-1])
    for i in range(count):
        at = slice(i * hop_length, i * hop_length + n_fft)
        total[..., at] += frames[..., i, :]
        weight[at] += window**2
    margin = n_fft // 2
    return (total / np.where(weight > 0, weight, 1))[..., margin : total.shape[-1] - margin]


CASES = {
    "arange": Case(range_of, lambda *args, dtype: np.arange(*args, dtype=dtype), dtype=dtype_named),
    "empty": Case(shaped, check=has_shape, dtype=dtype_named),
    "empty_like": Case(like, check=has_shape, dtype=dtype_own),
    "full": Case(filled, of_shape(1), dtype=dtype_named),
    "full_like": Case(filled_like, of_likeness(1), dtype=dtype_own),
    "ones": Case(shaped, of_shape(1), dtype=dtype_named),
    "ones_like": Case(like, of_likeness(1), dtype=dtype_own),
    "zeros": Case(shaped, of_shape(0), dtype=dtype_named),
    "zeros_like": Case(like, of_likeness(0), dtype=dtype_own),
    "asarray": Case(like, np.asarray, dtype=dtype_own),
    "bincount": Case(
        counted, lambda x, **n: np.bincount(x.astype("i8"), **n), dtype=dtype_of_counts
    ),
    "digitize": Case(binned, np.digitize, dtype="int64"),
    "histogram": Case(distributed, check=is_histogram, dtype=dtypes_of_histogram),
    "unique": Case(distinct, unique, dtype=dtypes_of_distinct),
    "slice": Case(sliced, lambda a, s, x, e: a[window_of(a, s, x, e)], dtype=dtype_own),
    "slice_update": Case(updated, slice_update, dtype=dtype_own),
    "transpose": Case(transposed, np.transpose, dtype=dtype_own),
    "hsplit": Case(cut(1, 1), np.hsplit, dtype=dtype_own),
    "vsplit": Case(cut(0, 2), np.vsplit, dtype=dtype_own),
    "dsplit": Case(cut(2, 3), np.dsplit, dtype=dtype_own),
    "linalg.norm": Case(normed, norm, dtype=real_part, ulps=64),
    "fft.stft": Case(
        framed,
        stft,
        dtype=lambda a, n: "complex128" if a[0].dtype == "f8" else "complex64",
        ulps=64,
    ),
    "fft.istft": Case(spectra, istft, dtype=real_part, ulps=64),
}
CASES |= {
    f"fft.{name}": Case(
        planes(name), getattr(np.fft, name), dtype=spectrum_dtype(name[:-1] + "n"), ulps=32
    )
    for name in ("fft2", "ifft2", "rfft2", "irfft2")
}
