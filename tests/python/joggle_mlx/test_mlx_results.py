# SPDX-License-Identifier: Apache-2.0
"""The functions that mlx.core and joggle both have give the same results.

The list is dir(mlx.core): a function of one or two arrays is called with samples, another one has
calls in CALLS, and what cannot be compared is in OTHERWISE with the reason. So a function that MLX
or joggle gets later fails here until somebody looks at it.
"""

import mlx.core as mx
import numpy as np
import pytest
from mlx_signatures import functions, parameters

import joggle as jg

FLOATS = np.array([[0.25, 0.5, 0.75], [0.125, 0.875, 0.375]], "f4")
SAMPLES = {
    "floats": (FLOATS, FLOATS[:, ::-1] + 0.1),
    "integers": (np.array([[3, 0, 2], [1, 5, 4]], "i4"), np.array([[1, 2, 1], [3, 1, 2]], "i4")),
    "bytes": (np.array([3, 0, 200], "u1"), np.array([1, 2, 3], "u1")),
    "bools": (np.array([True, False, True]), np.array([True, True, False])),
    "complex": (np.array([1 + 2j, -0.5j], "c8"), np.array([0.5, 2 - 1j], "c8")),
    "special": (np.array([np.nan, np.inf, -np.inf, -0.0, 1], "f4"), np.ones(5, "f4")),
    "empty": (np.zeros((0, 3), "f4"), np.zeros((0, 3), "f4")),
}
X, I = SAMPLES["floats"][0], SAMPLES["integers"][0]  # noqa: E741

# Each call gets the module and two functions: one that makes an array, one for a dtype's name.
CALLS = {
    "addmm": [lambda m, a, t: m.addmm(a(X), a(X[:, :2]), a(X), 2.0, 0.5)],
    "arange": [
        lambda m, a, t: m.arange(7.0),
        lambda m, a, t: m.arange(2, 9, 3, t("float32")),
        lambda m, a, t: m.arange(9, 2, -2),
    ],
    "array_equal": [
        lambda m, a, t: m.array_equal(a(X), a(X)),
        lambda m, a, t: m.array_equal(a(X), 1),
    ],
    "as_strided": [lambda m, a, t: m.as_strided(a(X), (2, 2), (1, 2), 1)],
    "asarray": [lambda m, a, t: m.asarray([1.0, 2.0]), lambda m, a, t: m.asarray(X, t("int32"))],
    "astype": [
        lambda m, a, t: m.astype(a(X * 9), t("int16")),
        lambda m, a, t: m.astype(a(I), t("bool_")),
    ],
    "atleast_1d": [lambda m, a, t: m.atleast_1d(a(np.float32(3)))],
    "atleast_2d": [lambda m, a, t: m.atleast_2d(a(X[0]))],
    "atleast_3d": [lambda m, a, t: m.atleast_3d(a(X))],
    "bartlett": [lambda m, a, t: m.bartlett(7)],
    "blackman": [lambda m, a, t: m.blackman(7)],
    "broadcast_arrays": [lambda m, a, t: m.broadcast_arrays(a(X), a(X[:1]))],
    "broadcast_to": [lambda m, a, t: m.broadcast_to(a(X), (4, 2, 3))],
    "clip": [
        lambda m, a, t: m.clip(a(X), 0.3, 0.6),
        lambda m, a, t: m.clip(a(X), a_min=0.3, a_max=None),
    ],
    "concat": [lambda m, a, t: m.concat([a(X), a(X)], axis=1)],
    "concatenate": [lambda m, a, t: m.concatenate([a(X), a(X[:1])])],
    "diag": [lambda m, a, t: m.diag(a(X), 1), lambda m, a, t: m.diag(a(X[0]), -1)],
    "diagonal": [lambda m, a, t: m.diagonal(a(X), 1, 0, 1)],
    "einsum": [lambda m, a, t: m.einsum("ij,kj->ik", a(X), a(X))],
    "empty": [lambda m, a, t: m.empty((0, 2))],
    "expand_dims": [lambda m, a, t: m.expand_dims(a(X), (0, -1))],
    "eye": [lambda m, a, t: m.eye(3, m=4, k=1), lambda m, a, t: m.eye(2, dtype=t("int32"))],
    "flatten": [lambda m, a, t: m.flatten(a(X), 0, 1)],
    "flip": [lambda m, a, t: m.flip(a(X), axis=1), lambda m, a, t: m.flip(a(X))],
    "from_dlpack": [lambda m, a, t: m.from_dlpack(X)],
    "full": [
        lambda m, a, t: m.full((2, 2), 1.5),
        lambda m, a, t: m.full(3, vals=2, dtype=t("int8")),
    ],
    "full_like": [lambda m, a, t: m.full_like(a(X), 3)],
    "hamming": [lambda m, a, t: m.hamming(7)],
    "hanning": [lambda m, a, t: m.hanning(7)],
    "identity": [lambda m, a, t: m.identity(3)],
    "left_shift": [lambda m, a, t: m.left_shift(a(I), 2)],
    "linspace": [lambda m, a, t: m.linspace(0, 1, 5), lambda m, a, t: m.linspace(1, 3, 4, False)],
    "meshgrid": [lambda m, a, t: m.meshgrid(a(X[0]), a(X[1]), indexing="ij")],
    "minmax": [lambda m, a, t: m.minmax(a(X), axis=0)],
    "moveaxis": [lambda m, a, t: m.moveaxis(a(X), 0, -1)],
    "nan_to_num": [lambda m, a, t: m.nan_to_num(a(SAMPLES["special"][0]), 1.0, 2.0, -2.0)],
    "ones": [lambda m, a, t: m.ones((2, 3)), lambda m, a, t: m.ones(2, t("int32"))],
    "pad": [
        lambda m, a, t: m.pad(a(X), 1),
        lambda m, a, t: m.pad(a(X), ((1, 0), (0, 2)), constant_values=7.0),
        lambda m, a, t: m.pad(a(X), (1, 1), mode="edge"),
        lambda m, a, t: m.pad(a(X), (1, 1), mode="reflect"),
    ],
    "permute_dims": [lambda m, a, t: m.permute_dims(a(X), (1, 0))],
    "put_along_axis": [
        lambda m, a, t: m.put_along_axis(a(X), a(np.array([[0], [2]])), a(np.float32(9)), 1)
    ],
    "repeat": [lambda m, a, t: m.repeat(a(X), 2), lambda m, a, t: m.repeat(a(X), 2, axis=0)],
    "reshape": [lambda m, a, t: m.reshape(a(X), (3, -1))],
    "right_shift": [lambda m, a, t: m.right_shift(a(I), 1)],
    "roll": [lambda m, a, t: m.roll(a(X), 1), lambda m, a, t: m.roll(a(X), (1, 2), (0, 1))],
    "round": [lambda m, a, t: m.round(a(X), 1)],
    "slice": [lambda m, a, t: m.slice(a(X), a(np.array([1])), (1,), (2, 2))],
    "slice_update": [lambda m, a, t: m.slice_update(a(X), a(-X[:, :2]), a(np.array([1])), (1,))],
    "softmax": [lambda m, a, t: m.softmax(a(X), -1), lambda m, a, t: m.softmax(a(X), precise=True)],
    "split": [lambda m, a, t: m.split(a(X), 3, axis=1), lambda m, a, t: m.split(a(X), [1], axis=1)],
    "stack": [lambda m, a, t: m.stack([a(X), a(X)], axis=-1)],
    "std": [lambda m, a, t: m.std(a(X), axis=0, ddof=1)],
    "swapaxes": [lambda m, a, t: m.swapaxes(a(X), 0, 1)],
    "take": [
        lambda m, a, t: m.take(a(X), a(np.array([2, 0])), axis=1),
        lambda m, a, t: m.take(a(X), 3),
    ],
    "take_along_axis": [lambda m, a, t: m.take_along_axis(a(X), a(np.array([[0], [2]])), axis=1)],
    "tensordot": [lambda m, a, t: m.tensordot(a(X), a(X.T.copy()), 1)],
    "tile": [lambda m, a, t: m.tile(a(X), (2, 1))],
    "trace": [lambda m, a, t: m.trace(a(X), offset=1)],
    "transpose": [lambda m, a, t: m.transpose(a(X)), lambda m, a, t: m.transpose(a(X), (1, 0))],
    "tri": [lambda m, a, t: m.tri(3, 4, 1)],
    "tril": [lambda m, a, t: m.tril(a(X), -1)],
    "triu": [lambda m, a, t: m.triu(a(X), k=1)],
    "unflatten": [lambda m, a, t: m.unflatten(a(X), 1, (3, 1))],
    "unstack": [lambda m, a, t: m.unstack(a(X), axis=1)],
    "var": [lambda m, a, t: m.var(a(X), ddof=1)],
    "view": [lambda m, a, t: m.view(a(X), t("int32")), lambda m, a, t: m.view(a(X), t("uint8"))],
    "where": [lambda m, a, t: m.where(a(X > 0.3), a(X), 0.0)],
    "zeros": [lambda m, a, t: m.zeros((2, 3)), lambda m, a, t: m.zeros((), t("bool_"))],
}
_LINE = X[None, :, :]  # one of two places with three channels
_PLANE = X[None, :, :, None]
CALLS |= {
    "argsort": [lambda m, a, t: m.argsort(a(X), axis=0), lambda m, a, t: m.argsort(a(X), None)],
    "conv1d": [lambda m, a, t: m.conv1d(a(_LINE), a(_LINE), padding=1)],
    "conv2d": [lambda m, a, t: m.conv2d(a(_PLANE), a(_PLANE), stride=1, padding=1)],
    "conv3d": [lambda m, a, t: m.conv3d(a(_PLANE[..., None]), a(_PLANE[..., None]), padding=1)],
    "conv_general": [lambda m, a, t: m.conv_general(a(_PLANE), a(_PLANE), padding=1, flip=True)],
    "conv_transpose1d": [lambda m, a, t: m.conv_transpose1d(a(_LINE), a(_LINE), stride=2)],
    "conv_transpose2d": [lambda m, a, t: m.conv_transpose2d(a(_PLANE), a(_PLANE), stride=2)],
    "conv_transpose3d": [
        lambda m, a, t: m.conv_transpose3d(a(_PLANE[..., None]), a(_PLANE[..., None]))
    ],
    "convolve": [lambda m, a, t: m.convolve(a(X[0]), a(X[1]), mode="same")],
    "diff": [lambda m, a, t: m.diff(a(X), axis=1), lambda m, a, t: m.diff(a(X), n=2)],
    "from_fp8": [lambda m, a, t: m.from_fp8(a(np.arange(256, dtype="u1")), t("float32"))],
    "kron": [lambda m, a, t: m.kron(a(X), a(X))],
    "median": [lambda m, a, t: m.median(a(X), axis=1), lambda m, a, t: m.median(a(X))],
    "searchsorted": [lambda m, a, t: m.searchsorted(a(np.sort(X[0])), a(X))],
    "sort": [lambda m, a, t: m.sort(a(X), axis=0), lambda m, a, t: m.sort(a(X), None)],
    "to_fp8": [lambda m, a, t: m.to_fp8(a(X * 100))],
    "unique": [lambda m, a, t: m.unique(a(I), 6)],
}
for _name in ("cummax", "cummin", "cumsum", "cumprod", "logcumsumexp"):
    CALLS[_name] = [
        lambda m, a, t, f=_name: getattr(m, f)(a(X), 1),
        lambda m, a, t, f=_name: getattr(m, f)(a(X)),
        lambda m, a, t, f=_name: getattr(m, f)(a(X), axis=0, reverse=True, inclusive=False),
    ]
for _name in ("sum", "prod", "max", "min", "mean", "all", "any", "logsumexp", "count_nonzero"):
    CALLS[_name] = [
        lambda m, a, t, f=_name: getattr(m, f)(a(X)),
        lambda m, a, t, f=_name: getattr(m, f)(a(X), axis=1, keepdims=True),
        lambda m, a, t, f=_name: getattr(m, f)(a(X), axis=(0, 1)),
        lambda m, a, t, f=_name: getattr(m, f)(a(I), axis=-1),
    ]
for _name in ("argmax", "argmin"):
    CALLS[_name] = [
        lambda m, a, t, f=_name: getattr(m, f)(a(X)),
        lambda m, a, t, f=_name: getattr(m, f)(a(X), axis=1, keepdims=True),
    ]

OTHERWISE = {
    "files: test_files.py": "load save savez savez_compressed save_gguf save_safetensors",
    "nothing to compare": "empty_like depends async_eval eval export_to_dot synchronize issubdtype",
    "devices: test_devices.py": "device_count device_info is_available default_device new_stream "
    "default_stream set_default_device set_default_stream stream new_thread_local_stream "
    "new_thread_unsafe_stream clear_streams",
    "memory: test_memory.py": "clear_cache get_active_memory get_cache_memory get_memory_limit "
    "get_peak_memory reset_peak_memory set_cache_limit set_memory_limit set_wired_limit "
    "get_array_buffer_size",
    "printing: test_printing.py": "get_printoptions printoptions set_printoptions",
    "the standard has another function of that name": "cumulative_prod cumulative_sum",
    "the order in a part is free": "argpartition partition topk",
    "of dtypes: test_mlx_names.py": "can_cast finfo iinfo isdtype result_type",
    "by those who have them": "block_masked_mm dequantize gather_mm gather_qmm gather_qqmm "
    "hadamard_transform matrix_norm qqmm quantize quantized_matmul segmented_mm broadcast_shapes",
    "other text, same path: test_einsum_path.py": "einsum_path",
    "of functions: tests/python/transform": "checkpoint compile custom_function disable_compile "
    "enable_compile export_function exporter import_function grad jvp value_and_grad vjp vmap",
}
NOT_HERE = {name for names in OTHERWISE.values() for name in names.split()}

# What the standard leaves to numbers, or to real ones: docs/mlx.md.
REFUSED = {
    "bools": "abs bitwise_left_shift bitwise_right_shift ceil conj conjugate divmod floor "
    "floor_divide imag positive pow power real remainder sign subtract trunc vecdot negative",
    "complex": "degrees radians floor_divide greater greater_equal isneginf isposinf less "
    "less_equal logaddexp maximum minimum",
}
# NaN where MLX has another number: the sign of NaN.
DIFFERENT = {("sign", "special")}


def make(module):
    return jg.array if module is jg else mx.array


def dtype(module):
    return lambda name: getattr(module, name)


def leaves(result):
    return (
        [leaf for part in result for leaf in leaves(part)]
        if isinstance(result, (tuple, list))
        else [result]
    )


def is_written(arrays, result):
    """False where MLX reduces no elements: it leaves what the result's memory held before."""
    return any(x.size for x in arrays) or not any(np.size(x) for x in leaves(result))


def assert_alike(ours, theirs, name, values=True):
    """values=False: only the shapes and kinds of dtypes are compared."""
    ours, theirs = leaves(ours), leaves(theirs)
    assert len(ours) == len(theirs)
    for x, y in zip(ours, theirs, strict=True):
        assert tuple(x.shape) == tuple(y.shape)
        kinds = np.asarray(x).dtype.kind, np.array(y).dtype.kind
        assert kinds[0] == kinds[1] or set(kinds) == {"i", "u"}
        if values:
            np.testing.assert_allclose(
                np.asarray(x), np.array(y), rtol=2e-5, atol=1e-6, err_msg=name
            )


def arity(name):
    """How many arrays a function of arrays alone takes; None for another one."""
    required = [p for p in parameters(getattr(mx, name)) if not p[2]]
    if all(p[0] in ("a", "b", "x", "y", "array") for p in required):
        return len(required) or None
    return None


@pytest.mark.parametrize("name", functions())
def test_every_function_is_compared_or_said_not_to_be(name):
    assert name in CALLS or name in NOT_HERE or arity(name) is not None


@pytest.mark.parametrize("name", [n for n in functions() if n in CALLS])
def test_calls_give_what_they_give_in_mlx(name):
    for call in CALLS[name]:
        ours, theirs = (call(m, make(m), dtype(m)) for m in (jg, mx))
        assert_alike(ours, theirs, name)


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize(
    "name", [n for n in functions() if n not in CALLS and n not in NOT_HERE and arity(n)]
)
def test_functions_of_arrays_give_what_they_give_in_mlx(name, sample):
    arrays = SAMPLES[sample][: arity(name)]
    if name in ("matmul", "inner"):
        arrays = (arrays[0], arrays[1].T.copy() if name == "matmul" else arrays[1])
    try:
        theirs = getattr(mx, name)(*map(mx.array, arrays))
        mx.eval(theirs)
    except (ValueError, RuntimeError, TypeError):
        return  # what MLX refuses is for the tests of the standard
    if (name, sample) in DIFFERENT:
        with pytest.raises(AssertionError, match="nan location"):
            assert_alike(getattr(jg, name)(*map(jg.array, arrays)), theirs, name)
        return
    if name in REFUSED.get(sample, "").split():
        with pytest.raises(TypeError, match="allowed are"):
            getattr(jg, name)(*map(jg.array, arrays))
        return
    ours = getattr(jg, name)(*map(jg.array, arrays))
    assert_alike(ours, theirs, name, is_written(arrays, theirs))
