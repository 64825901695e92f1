# SPDX-License-Identifier: Apache-2.0
"""The functions of joggle.mlx.core give what those of the mlx wheel give, dtypes included.

The functions are those of dir(mlx.core); the calls are those of test_mlx_results.py and
test_mlx_modules.py, and arrays and Python's numbers of all kinds.
"""

import mlx.core as mx
import numpy as np
import pytest
import test_mlx_modules as modules
import test_mlx_results as results

import joggle as jg
import joggle.mlx.core as ours

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "c8"]
MIXED = ["i4u4", "u8i4", "i8u8", "i1u1", "?i4", "u4?", "f2i4", "i4f4", "c8f4", "f2i8", "?f4"]
LEFT, RIGHT = np.array([[3, 1, 2], [1, 5, 4]]), np.array([[1, 2, 1], [3, 1, 2]])
SAMPLES = {
    **{d: (LEFT.astype(d), RIGHT.astype(d)) for d in DTYPES},
    **results.SAMPLES,
}
for _pair in MIXED:
    _first = _pair[0] if _pair[0] == "?" else _pair[:2]
    SAMPLES[_pair] = (LEFT.astype(_first), RIGHT.astype(_pair[len(_first) :]))
NUMBERS = [(3, 2), (True, True), (2.5, 1.5), (1j, 2.0)]
DIVIDING = ("divmod", "remainder", "floor_divide")  # MLX is ended by integers divided by 0

# Where joggle differs on purpose: docs/mlx.md.
OTHER = {  # by name: the samples with other values or dtypes
    "softmax": {"integers", "bytes", "bools", *DTYPES, *MIXED} - {"f2", "f4", "c8", "f2i4", "f2i8"},
    "logsumexp": {"u1", "u2", "u4", "u8", "u8i4", "u4?"},  # MLX's are wrong
    "to_fp8": {"special"},
    "empty": {"all"},
}


def name_of(dtype):
    return str(dtype).rpartition(".")[2]


def values_of(x):
    x = x.astype(x.dtype if name_of(x.dtype) != "bfloat16" else float32_of(x))
    return np.array(x)


def float32_of(x):
    return mx.float32 if isinstance(x, mx.array) else jg.float32


def assert_same(found, expected, what, values=True):
    """values=False: only types, dtypes and shapes are compared."""
    if isinstance(expected, (tuple, list)):
        assert isinstance(found, type(expected)) and len(found) == len(expected), what
        for pair in zip(found, expected, strict=True):
            assert_same(*pair, what, values)
    elif isinstance(expected, mx.array):
        assert isinstance(found, ours.array), what
        assert name_of(found.dtype) == name_of(expected.dtype), what
        assert tuple(found.shape) == tuple(expected.shape), what
        if not values:
            return
        rtol = 2e-3 if name_of(expected.dtype) in ("float16", "bfloat16") else 2e-5
        np.testing.assert_allclose(
            values_of(found), values_of(expected), rtol=rtol, atol=1e-6, err_msg=str(what)
        )
    else:
        assert found == expected or isinstance(found, type(expected)), what


def compare(call, what, arrays=None):
    """arrays: the call's only operands, where it has no others."""
    try:
        expected = call(mx)
        mx.eval([x for x in results.leaves(expected) if isinstance(x, mx.array)])
    except (ValueError, RuntimeError, TypeError, IndexError):
        return  # what MLX refuses is for other tests
    written = arrays is None or results.is_written(arrays, expected)
    assert_same(call(ours), expected, what, written)


def makers(module):
    return (lambda values: module.array(values)), (lambda name: getattr(module, name))


@pytest.mark.parametrize("name", results.CALLS)
def test_calls_give_what_they_give_in_mlx(name):
    for at, call in enumerate(results.CALLS[name]):
        if name not in OTHER or "all" not in OTHER[name]:
            compare(lambda m, call=call: call(m, *makers(m)), at)


@pytest.mark.parametrize("name", [*modules.CALLS])
def test_calls_of_modules_give_what_they_give_in_mlx(name):
    for at, call in enumerate(modules.CALLS[name]):
        compare(lambda m, call=call: call(m, modules.function_of(m, name), *makers(m)), at)


@pytest.mark.parametrize("name", modules.DRAWS)
def test_draws_have_the_dtype_and_shape_that_they_have_in_mlx(name):
    for call in modules.DRAWS[name]:
        found, expected = (call(m, modules.function_of(m, name), *makers(m)) for m in (ours, mx))
        assert tuple(found.shape) == tuple(expected.shape)
        assert name_of(found.dtype) == name_of(expected.dtype)


def operands_of(name):
    skipped = results.NOT_HERE - {"cumulative_sum", "cumulative_prod"}
    if name in skipped or not callable(getattr(mx, name)):
        return None
    if type(getattr(mx, name)).__name__ != "nb_func":
        return None
    return results.arity(name) or (1 if name in results.CALLS else None)


def functions(count=None):
    return [
        name
        for name in dir(mx)
        if not name.startswith("_")
        and (operands_of(name) or 0) == (count or operands_of(name))
        and operands_of(name)
    ]


@pytest.mark.parametrize("name", functions())
def test_functions_give_what_they_give_in_mlx_for_all_dtypes(name):
    for sample, pair in SAMPLES.items():
        arrays = list(pair[: operands_of(name)])
        if sample in OTHER.get(name, ()) or name == "empty":
            continue
        if name in DIVIDING and not np.all(arrays[-1]):
            continue
        if name == "matmul":
            arrays[1] = arrays[1].T.copy()
        compare(
            lambda m, arrays=arrays: getattr(m, name)(*map(m.array, arrays)),
            (name, sample),
            arrays,
        )


@pytest.mark.parametrize("name", functions())
def test_functions_of_numbers_give_what_they_give_in_mlx(name):
    for numbers in NUMBERS:
        numbers = numbers[: operands_of(name)]
        if name != "empty" and not (name == "softmax" and not isinstance(numbers[0], float)):
            compare(
                lambda m, numbers=numbers: getattr(m, name)(*numbers),
                (name, numbers),
            )


@pytest.mark.parametrize("name", functions(2))
def test_functions_of_an_array_and_a_number_give_what_they_give_in_mlx(name):
    for dtype in ("?", "i1", "i4", "u4", "i8", "f2", "f4", "c8"):
        values = np.array([1, 3, 2]).astype(dtype)
        for number in (2, True, 1.5, 1j):
            compare(
                lambda m, v=values, n=number: getattr(m, name)(m.array(v), n),
                (name, dtype, number),
            )
            compare(
                lambda m, v=values, n=number: getattr(m, name)(n, m.array(v)),
                (name, number, dtype),
            )


MADE = [
    *(1, True, 2.0, 1j, 2**31, 2**40, -(2**31) - 1, float("inf"), np.float64(1), np.int64(2)),
    *([1, 2], [], (), [[1, 2], [3, 4]], [True, 1], [1, 2.0], [1, 2**40], [np.float64(1)]),
    *(np.array([1.0]), np.array([1]), np.zeros(2, "f2"), np.zeros(2, "c16"), np.array(3, "u8")),
    np.bool_(True),
]


@pytest.mark.parametrize("value", MADE, ids=repr)
def test_array_has_the_dtype_that_it_has_in_mlx(value):
    compare(lambda m: m.array(value), value)
    for dtype in ("float16", "float32", "complex64"):
        compare(lambda m, dtype=dtype: m.array(value, getattr(m, dtype)), (value, dtype))


@pytest.mark.parametrize("dtype", ["uint8", "int32", "uint32", "int64"])
@pytest.mark.parametrize("value", [300, -1, 2**31, [1, 2**40]], ids=repr)
def test_array_keeps_the_low_bits_of_ints_beyond_the_dtype(value, dtype):
    compare(lambda m: m.array(value, getattr(m, dtype)), (value, dtype))


NUMPYS = [np.array([0.5]), np.array([3]), np.array([1], "f4"), np.float64(0.5), np.float32(0.5)]


@pytest.mark.parametrize("dtype", ["float16", "float32", "int32", "bool_"])
@pytest.mark.parametrize("other", [*NUMPYS, np.int64(3), np.array([1 + 2j])], ids=repr)
def test_what_is_numpys_takes_the_dtype_of_the_array_beside_it(dtype, other):
    for call in (
        lambda m, x: m.add(x, other),
        lambda m, x: m.add(other, x),
        lambda m, x: m.where(m.array([True]), x, other),
    ):
        compare(lambda m, call=call: call(m, m.array([1]).astype(getattr(m, dtype))), dtype)


def test_array_joins_arrays_and_numbers():
    compare(lambda m: m.array([m.array(1), 2]), "number")
    compare(lambda m: m.array([m.zeros((2,), m.float16), [1, 2]]), "row")
    compare(lambda m: m.array([m.zeros((2,)), m.ones((2,))], m.int32), "dtype")


def test_array_copies_what_it_is_made_of():
    memory = np.zeros(3, "f4")
    x = ours.array(memory)
    memory[:] = 1
    assert x.tolist() == [0, 0, 0]
    y = ours.array(x)
    y[0] = 5
    assert x.tolist() == [0, 0, 0] and y.tolist() == [5, 0, 0]


def test_array_keeps_the_graph_of_what_it_joins():
    gradient = jg.grad(lambda x: ours.array([x * 2, x * 3]).sum())(ours.array(1.0))
    assert gradient.item() == 5.0


MORE = {
    "arange of large numbers": lambda m: m.arange(2**40, 2**40 + 2),
    "where of numbers": lambda m: m.where(m.array([True, False]), 1, 0),
    "where of a number": lambda m: m.where(m.array([True, False]), m.array([1, 2], m.int8), 0),
    "full of an int": lambda m: m.full((2,), 7),
    "clip of bools": lambda m: m.clip(m.array([True, False]), 0, 1),
    "argpartition": lambda m: m.argpartition(m.array([3.0, 1.0, 2.0]), 0)[:1],
    "sum of an axis": lambda m: m.sum(m.array([[1, 2], [3, 4]], m.int8), 0),
    "sum of int64": lambda m: m.sum(m.array([1, 2], m.int64)),
    "concatenate of rows": lambda m: m.concatenate(m.array([[1, 2], [3, 4]])),
    "stack of rows": lambda m: m.stack(m.array([[1, 2], [3, 4]]), axis=1),
    "meshgrid of rows": lambda m: m.meshgrid(m.array([[1, 2]]), m.array([3])),
    "norm": lambda m: m.matrix_norm(m.array([[1.0, 2.0], [3.0, 4.0]]), 1, (0, 1)),
    "svd": lambda m: m.linalg.svd(m.array([[1.0, 2.0]]), False),
    "cross of two": lambda m: m.linalg.cross(m.array([1.0, 2.0, 3.0]), m.array([4.0, 5.0])),
    "cross of two and two": lambda m: m.linalg.cross(m.array([[1.0, 2.0]]), m.array([[3.0, 5.0]])),
    "cross of columns": lambda m: m.linalg.cross(m.ones((2, 4)), m.array([[3.0], [5.0]]), axis=0),
    "det of halves": lambda m: [
        (m.linalg.det(x, stream=m.cpu), tuple(m.linalg.slogdet(x, stream=m.cpu)))
        for x in (m.array([[2.0, 1.0], [1.0, 3.0]], t) for t in (m.float16, m.bfloat16))
    ],
    "bools and NumPy's numbers": lambda m: [
        f(m.array([True, False]), x)
        for x in (np.float32(2), np.int64(0), np.bool_(True), np.array(2.0), np.array([0, 3]))
        for f in (m.subtract, m.floor_divide, m.remainder, m.power, m.left_shift)
        if bool(np.all(x)) or f in (m.subtract, m.power, m.left_shift)
    ],
    "fft on a stream": lambda m: m.fft.fft(m.array([1.0, 2.0]), 2, -1, "backward", m.cpu),
    "NumPy's arrays": lambda m: m.add(m.array([1.0], m.float16), np.array([0.5])),
    "NumPy's floats": lambda m: m.multiply(m.array([1.0], m.float16), np.float64(0.5)),
    "unique": lambda m: m.unique(m.array([3, 1, 3]), 3),
    "unique with places": lambda m: m.unique(m.array([3, 1, 3], m.int64), 3, True, True, True),
    "unique with counts": lambda m: m.unique(m.array([3, 1, 3]), 2, return_counts=True),
    "asarray": lambda m: m.asarray([1, 2]),
    "asarray of NumPy's": lambda m: m.asarray(np.zeros(2)),
    "topk": lambda m: m.sort(m.topk(m.array([3, 1, 4, 1, 5]), 2)),
    "iinfo": lambda m: (m.iinfo(m.int8).min, m.finfo(m.float16).max),
    "format": lambda m: f"{m.array(3)} {m.array(1.5):.2f} {m.array(True)}",
    "group": lambda m: (m.distributed.init().size(), m.distributed.init().rank()),
    "all_sum": lambda m: m.distributed.all_sum(m.array([1, 2])),
    "all_gather": lambda m: m.distributed.all_gather(m.array([[1, 2]])),
    "keys": lambda m: m.random.split(m.random.key(3), 4) * 0,
    "key": lambda m: m.random.key(3) * 0,
    "state": lambda m: (m.random.state[0] * 0, len(m.random.state)),
    "draws with a key": lambda m: m.random.normal((2,), key=m.random.key(0)).shape,
    "categorical": lambda m: m.random.categorical(m.array([0.0, 1000.0])),
    "permutation": lambda m: m.sort(m.random.permutation(5)),
}


@pytest.mark.parametrize("name", MORE)
def test_further_functions_give_what_they_give_in_mlx(name):
    assert_same(MORE[name](ours), MORE[name](mx), name)


@pytest.mark.parametrize("argnums", [0, [0], (0,), [0, 1]])
def test_one_argument_has_a_gradient_and_no_tuple(argnums):
    found, wanted = (
        [
            module.grad(lambda a, b: (a * a * b).sum(), argnums)(module.ones(2), module.ones(2)),
            module.value_and_grad(lambda a, b: (a * b).sum(), argnums=argnums)(
                module.ones(2), module.ones(2)
            )[1],
        ]
        for module in (ours, mx)
    )
    for mine, theirs in zip(found, wanted, strict=True):
        assert isinstance(mine, tuple) == isinstance(theirs, tuple)
        np.testing.assert_array_equal(np.asarray(mine), np.asarray(theirs))


def test_arrays_pass_between_both_namespaces():
    x = ours.arange(3)
    assert x.dtype == jg.int32 and jg.sum(x).dtype == jg.int64
    assert ours.sum(jg.arange(3)).dtype == ours.int64
    assert ours.add(x, jg.ones((3,), jg.int32)).dtype == ours.int32
    assert jg.arange(3).dtype == jg.int64 and jg.add(1, 2).dtype == jg.int64
    assert jg.array([1]).dtype == jg.int64


def test_a_dtype_that_is_asked_for_stays():
    x = ours.array([1, 2])
    assert ours.sum(x, dtype=ours.int64).dtype == ours.int64
    assert ours.cumsum(x, dtype=ours.int64).dtype == ours.int64
    assert ours.arange(3, dtype=ours.int64).dtype == ours.int64


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.array("text"),
        lambda m: m.array(["text"]),
        lambda m: m.add(m.ones((2,)), "text"),
        lambda m: m.take(m.ones((2,)), m.array([0.5])),
        lambda m: m.add(m.ones((2,)), m.ones((3,))),
        lambda m: m.reshape(m.ones((2,)), (3,)),
        lambda m: m.sum(m.ones((2,)), axis=2),
        lambda m: m.sum(m.ones((2,)), colour=1),
        lambda m: m.sum(),
    ],
)
def test_mistakes_raise_what_they_raise_in_mlx(call):
    with pytest.raises((TypeError, ValueError, IndexError)) as theirs:
        mx.eval(call(mx))
    with pytest.raises(theirs.type):
        call(ours)


def test_what_needs_another_process_says_so():
    for call in (
        lambda m: m.distributed.send(m.zeros((2,)), 0),
        lambda m: m.distributed.recv((2,), m.float32, 0),
        lambda m: m.distributed.recv_like(m.zeros((2,)), 0),
    ):
        for m in (mx, ours):
            with pytest.raises(ValueError):
                call(m)
    for m in (mx, ours):
        with pytest.raises(RuntimeError):
            m.distributed.init().split(0)
        with pytest.raises(RuntimeError):
            m.distributed.init(strict=True)


def test_other_floats_are_loaded_as_they_were(tmp_path):
    expected = np.linspace(-1, 1, 6).reshape(2, 3)
    np.savez(tmp_path / "x.npz", x=expected)
    jg.save_safetensors(str(tmp_path / "x.safetensors"), {"x": jg.array(expected)})
    jg.save_gguf(str(tmp_path / "x.gguf"), {"x": jg.array(expected)})
    for suffix in ("npz", "safetensors", "gguf"):
        x = ours.load(str(tmp_path / f"x.{suffix}"))["x"]
        assert x.dtype == ours.float64, suffix
        np.testing.assert_array_equal(np.array(x), expected)


@pytest.mark.parametrize(
    "call",
    [
        *(
            lambda m, f=f: getattr(m.linalg, f)(m.eye(2).astype(m.float16), stream=m.cpu)
            for f in [
                "cholesky",
                "eig",
                "eigh",
                "eigvals",
                "eigvalsh",
                "inv",
                "lu",
                "lu_factor",
                "pinv",
                "qr",
                "svd",
            ]
        ),
        lambda m: m.linalg.norm(m.ones((3,)), "nuc"),
        lambda m: m.linalg.norm(m.ones((3, 3)), "nuc", axis=0),
        lambda m: m.linalg.solve(*[m.eye(2).astype(m.float16)] * 2, stream=m.cpu),
    ],
)
def test_linear_algebra_refuses_with_mlxs_error(call):
    for m in (mx, ours):
        with pytest.raises(ValueError):
            call(m)


@pytest.mark.parametrize("key", [3, [1, 2]])
def test_a_key_that_is_none_is_refused(key):
    for m in (mx, ours):
        with pytest.raises(TypeError):
            m.random.normal((2,), key=key)
        with pytest.raises(TypeError):
            m.random.split(key)
    with pytest.raises(TypeError, match=rf"key: got {type(key).__name__}"):
        ours.random.uniform(key=key)


def test_floats_of_8_bits_are_loaded_as_bytes(tmp_path):
    path = str(tmp_path / "x.safetensors")
    jg.save_safetensors(path, {"x": jg.array([1.0, 2.0]).astype(jg.float8_e4m3fn)})
    x = ours.load(path)["x"]
    assert x.dtype == ours.uint8 and ours.from_fp8(x, ours.float32).tolist() == [1.0, 2.0]
    x, metadata = ours.load(path, return_metadata=True)
    assert x["x"].dtype == ours.uint8 and metadata == {}
    ours.save(str(tmp_path / "y.npy"), ours.array([1]))
    assert ours.load(str(tmp_path / "y.npy")).dtype == ours.int32


OF_BITS = [
    *((name, (x, y)) for name in ("bitwise_and", "bitwise_or", "bitwise_xor") for x, y in
      (("f4", "f4"), ("f4", "i4"), ("i4", 2.5), ("?", "f4"), ("c8", 1))),
    *((name, (x, y)) for name in ("left_shift", "right_shift") for x, y in
      (("f4", "f4"), ("?", 2.5), ("?", "f4"), (2.5, "?"), ("c8", 1))),
    ("bitwise_invert", ("f4",)),
]  # fmt: skip


@pytest.mark.parametrize("name, kinds", OF_BITS)
def test_bits_of_floats_are_refused_by_errors_of_mlx(name, kinds):
    """Code that was written for MLX catches one kind, code that was written for joggle another."""
    for module, also in ((mx, ()), (ours, (TypeError,))):
        operands = [
            module.array(np.ones(2, kind)) if isinstance(kind, str) else kind for kind in kinds
        ]
        with pytest.raises((RuntimeError, ValueError)) as caught:
            getattr(module, name)(*operands)
        if module is mx:
            expected = caught.type
        assert all(issubclass(caught.type, kind) for kind in (expected, *also))
    assert str(caught.value).startswith(f"[{name}] x")


def test_what_has_no_bits_at_all_is_a_type_error():
    with pytest.raises(TypeError, match=r"\[bitwise_and\] x: got str"):
        ours.bitwise_and("a", 1)


@pytest.mark.parametrize("name", ["bitwise_and", "left_shift", "subtract", "greater", "maximum"])
def test_a_missing_operand_is_told_by_its_name(name):
    with pytest.raises(TypeError, match=rf"{name}\(\) missing required argument 'x2'"):
        getattr(ours, name)(True)


@pytest.mark.parametrize("name", ["erf", "erfinv", "sigmoid", "from_fp8", "to_fp8"])
def test_complex_numbers_are_refused_by_a_value_error_too(name):
    for module in (mx, ours):
        with pytest.raises(ValueError):
            getattr(module, name)(module.array([1 + 1j]))
    with pytest.raises(TypeError, match=rf"\[{name}\] x: got complex64"):
        getattr(ours, name)(ours.array([1 + 1j]))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "complex64"])
def test_metadata_that_gguf_has_no_type_for_is_refused_by_a_value_error(tmp_path, dtype):
    for module in (mx, ours):
        metadata = {"m": module.array([1.0], dtype=getattr(module, dtype))}
        with pytest.raises(ValueError):
            module.save_gguf(str(tmp_path / "x.gguf"), {"a": module.ones((2,))}, metadata)
    with pytest.raises(TypeError, match=rf"metadata 'm': got {dtype}"):
        ours.save_gguf(str(tmp_path / "x.gguf"), {"a": ours.ones((2,))}, metadata)


@pytest.mark.parametrize("name", ["seed", "key"])
def test_seeds_are_numbers_from_0_and_below_2_to_the_64(name):
    for module in (mx, ours):
        function = getattr(module.random, name)
        function(0)
        function(2**64 - 1)
        for seed in (-1, 2**64, 1.5, "a"):
            with pytest.raises(TypeError):
                function(seed)


def test_the_state_of_random_numbers_says_that_it_cannot_be_set():
    for module in (mx, ours):
        with pytest.raises(TypeError) as caught:
            module.random.state[0] = module.random.key(1)
    assert str(caught.value).startswith("[random.state] cannot be set")


def test_an_array_fills_a_shape_that_it_broadcasts_to():
    compare(lambda m: m.full((2, 2), m.array([1, 2])), 0)
    compare(lambda m: m.full((2, 3), m.array([[1.5], [2.0]]), stream=m.cpu), 1)
    assert ours.full(2, ours.array([1, 2]), ours.float16).dtype == ours.float16
    with pytest.raises(ValueError, match="full"):
        ours.full((2, 2), ours.array([1, 2, 3]))


def test_keywords_and_kinds_of_results_are_those_of_mlx():
    for call in (
        lambda m: m.can_cast(from_=m.int32, to=m.float32),
        lambda m: m.can_cast(from_=m.float32, to=m.int32),
        lambda m: m.quantize(m.ones((32, 64))),
        lambda m: m.quantize(m.ones((32, 64)), mode="mxfp4"),
        lambda m: m.divmod(m.array(7), 2),
        lambda m: m.broadcast_arrays(m.ones(2), m.ones((3, 1)), stream=m.cpu),
    ):
        compare(call, 0)


COMPLEX = [
    "clip(C, 0, 1",
    "cummax(C",
    "floor_divide(C, C",
    "greater(C, 1",
    "logaddexp(C, C",
    "logcumsumexp(C",
    "logsumexp(C",
    "max(C",
    "maximum(C, 1",
    "median(C",
    "softmax(C",
    "abs(B",
]


@pytest.mark.parametrize("call", COMPLEX)
def test_what_is_computed_in_other_functions_refuses_options_as_ever(call):
    names = {
        "ours": ours,
        "C": ours.array([1 + 2j, 3 - 1j]),
        "B": ours.array([True, False]),
        "stream": ours.new_stream(ours.cpu),
    }
    wanted = np.asarray(eval(f"ours.{call})", names))
    assert np.array_equal(np.asarray(eval(f"ours.{call}, stream=stream)", names)), wanted)
    with pytest.raises(ValueError, match="device: got 'bad', allowed is cpu"):
        eval(f"ours.{call}, stream='bad')", names)
    with pytest.raises(TypeError, match="bogus"):
        eval(f"ours.{call}, bogus=1)", names)


@pytest.mark.parametrize("name", ["cummax", "logsumexp", "max", "median", "softmax"])
def test_axes_of_complex_numbers_are_refused_by_the_functions_name(name):
    with pytest.raises(ValueError, match=rf"\[{name}\] axis: got 5, allowed"):
        getattr(ours, name)(ours.array([1 + 2j]), axis=5)


LONG = 2**40
OF_LONG_INTS = [
    lambda m: m.where(m.array([True, False]), 0, LONG),
    lambda m: m.where(m.array([True, False]), LONG, 0),
    lambda m: m.add(1, LONG),
    lambda m: m.add(-LONG, 1),
    lambda m: m.equal(0, LONG),
    lambda m: m.floor_divide(7, LONG),
    lambda m: m.add(LONG, 0.5),
]


@pytest.mark.parametrize("call", OF_LONG_INTS)
def test_an_int_that_follows_a_longer_one_is_as_long(call):
    found, wanted = call(ours), call(mx)
    assert found.dtype.name == str(wanted.dtype).rpartition(".")[2]
    assert found.tolist() == wanted.tolist()


def test_bounds_of_random_numbers_may_be_long_ints():
    for dtype in ("uint32", "int64"):
        high = 2**32 - 1 if dtype == "uint32" else LONG
        found = ours.random.randint(0, high, (100,), getattr(ours, dtype))
        assert found.dtype.name == dtype and 0 <= min(found.tolist()) <= max(found.tolist()) < high
    found = ours.random.uniform(0, LONG, (100,))
    assert found.dtype == jg.float32 and 2**33 < max(found.tolist()) <= LONG
