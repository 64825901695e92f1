# SPDX-License-Identifier: Apache-2.0
"""Functions in files: what is read back computes the same bits, in any process."""

import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import vmap_cases
from vmap_cases import leaves

import joggle as jg


def through_a_file(folder, function, *arguments, **named):
    path = folder / "function.jgf"
    jg.export_function(path, lambda *a, **k: leaves(function(*a, **k)), *arguments, **named)
    return jg.import_function(path)


def same_bits(got, want):
    assert len(got) == len(want)
    for x, y in zip(got, want, strict=True):
        assert x.dtype == y.dtype and x.shape == y.shape
        np.testing.assert_array_equal(np.asarray(x), np.asarray(y))


def specimens(case):
    random = np.random.default_rng(0)
    return [jg.asarray(np.asarray(make(random))) for make in case[2:]]


@pytest.mark.parametrize("case", vmap_cases.CASES, ids=[case[0] for case in vmap_cases.CASES])
def test_each_op_has_the_same_bits_through_a_file(case, tmp_path):
    function, arguments = case[1], specimens(case)
    read = through_a_file(tmp_path, function, *arguments)
    same_bits(read(*arguments), leaves(jg.compile(function)(*arguments)))


@pytest.mark.parametrize("name", sorted(vmap_cases.ELEMENTWISE))
def test_each_elementwise_op_has_the_same_bits_through_a_file(name, tmp_path):
    op = getattr(jg, name)
    count = {"UNARY": 1, "BINARY": 2, "TERNARY": 3}[vmap_cases.OPS[name]]
    random, done = np.random.default_rng(1), 0
    for dtype in ("float32", "float64", "float16", "int32", "uint8", "bool", "complex64"):
        shapes = [(2, 3), (3,), (2, 1)][:count]
        arguments = [jg.asarray(random.uniform(0.1, 4, s).astype(dtype)) for s in shapes]
        try:
            want = op(*arguments)
        except TypeError:
            continue  # not of this dtype
        same_bits(through_a_file(tmp_path, op, *arguments)(*arguments), leaves(want))
        done += 1
    assert done > 0


def has_derivative(maker):
    return np.asarray(maker(np.random.default_rng(0))).dtype.kind in "fc"


REFUSED = {"random_beta", "random_gamma"}  # by their shapes
DIFFERENTIABLE = [
    case
    for case in vmap_cases.CASES
    if case[0] not in REFUSED and any(map(has_derivative, case[2:]))
]


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=[case[0] for case in DIFFERENTIABLE])
def test_each_gradient_has_the_same_bits_through_a_file(case, tmp_path):
    function, arguments = case[1], specimens(case)
    places = tuple(i for i, maker in enumerate(case[2:]) if has_derivative(maker))

    def loss(*given):
        return sum(
            jg.sum(jg.real(x) * 1.5 + jg.imag(x) if x.dtype in (jg.complex64, jg.complex128) else x)
            for x in leaves(function(*given))
            if jg.isdtype(x.dtype, ("real floating", "complex floating"))
        )

    if not isinstance(loss(*arguments), jg.array):
        return  # it gives integers
    gradient = jg.grad(loss, argnums=places)
    read = through_a_file(tmp_path, gradient, *arguments)
    same_bits(read(*arguments), leaves(jg.compile(gradient)(*arguments)))


def test_arguments_come_by_position_by_name_and_packed(tmp_path):
    x, y = jg.array([1.0, 2.0]), jg.array(3.0)
    read = through_a_file(
        tmp_path, lambda a, *, scale, shift: a * scale - shift, x, scale=y, shift=x
    )
    for got in (
        read(x, scale=y, shift=x),
        read(x, shift=x, scale=y),
        read((x,), {"shift": x, "scale": y}),
        read([x], {"scale": y, "shift": x}),
    ):
        assert isinstance(got, tuple) and got[0].tolist() == [2.0, 4.0]


def test_an_exporter_records_each_kind_of_arguments_once(tmp_path):
    def fun(x, y=None):
        return x * 2 if y is None else (x + y, x - y)

    path = tmp_path / "kinds.jgf"
    with jg.exporter(path, fun) as export:
        export(jg.ones(3))
        export(jg.ones((2, 2)))
        export(jg.ones(3, dtype=jg.float64))
        export(jg.ones(3), y=jg.ones(3))
        with pytest.raises(ValueError, match=r"fun has been exported for \(float32\(3,\)\)"):
            export(jg.zeros(3))
    read = jg.import_function(path)
    assert repr(read) == "<imported function fun, 4 kinds of arguments>"
    assert read(jg.ones((2, 2)))[0].tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert [x.tolist() for x in read(jg.ones(3), y=jg.ones(3))] == [[2.0] * 3, [0.0] * 3]
    assert read(jg.ones(3, dtype=jg.float64))[0].dtype == jg.float64
    with pytest.raises(
        ValueError,
        match=r"^\[fun\] arguments: got \(float32\(4,\)\), allowed are \(float32\(3,\)\), or .*"
        r"\(float32\(3,\), y=float32\(3,\)\)$",
    ):
        read(jg.ones(4))
    with pytest.raises(ValueError, match="y=float32"):
        read(jg.ones(3), z=jg.ones(3))


def test_strides_of_arguments_are_nobodys_business(tmp_path):
    x = jg.asarray(np.arange(24.0).reshape(2, 3, 4))
    read = through_a_file(tmp_path, lambda x: x[:, ::-1] + 1, x.mT)
    np.testing.assert_array_equal(
        np.asarray(read(x.mT)[0]), np.asarray(x).transpose(0, 2, 1)[:, ::-1] + 1
    )
    dense = jg.asarray(np.ascontiguousarray(np.asarray(x).transpose(0, 2, 1)))
    np.testing.assert_array_equal(
        np.asarray(read(dense)[0]), np.asarray(x).transpose(0, 2, 1)[:, ::-1] + 1
    )


def test_constants_of_every_dtype_come_back(tmp_path):
    x = jg.ones(3)
    constants = [
        jg.asarray(np.array([0, 1, 2]).astype(d)) for d in ("?", "i1", "u8", "f2", "c8", "c16")
    ]
    constants += [jg.astype(x, jg.bfloat16), jg.array(2.5), jg.zeros((0, 3))]
    read = through_a_file(tmp_path, lambda x: [x] + [c + c for c in constants] + constants, x)
    same_bits(read(x), [x] + [c + c for c in constants] + constants)


def test_constants_stay_in_the_file_and_views_take_the_room_of_their_roots(tmp_path):
    weights = jg.asarray(np.arange(1 << 16, dtype=np.float32).reshape(256, 256))
    row = jg.asarray(np.arange(256, dtype=np.float32))
    wide = jg.broadcast_to(row, (4096, 256))
    x = jg.ones((1, 256))
    read = through_a_file(tmp_path, lambda x: (x @ weights.T, jg.sum(x * wide), weights[3]), x)
    assert os.path.getsize(tmp_path / "function.jgf") < 4 * (1 << 16) + 4 * 256 + 4 * 256 + 8192
    same_bits(read(x), [x @ weights.T, jg.sum(x * wide), weights[3]])


def test_numbers_ranges_and_arguments_may_be_results(tmp_path):
    x = jg.ones(3)
    read = through_a_file(tmp_path, lambda x: [x, jg.full((2, 2), 7), jg.arange(4.0), x[::2]], x)
    same_bits(read(x), [x, jg.full((2, 2), 7), jg.arange(4.0), x[::2]])


def test_keys_are_drawn_anew_by_each_call(tmp_path):
    read = through_a_file(tmp_path, lambda x: x + jg.random.normal((3,)), jg.zeros(3))
    jg.random.seed(5)
    first, second = (read(jg.zeros(3))[0].tolist() for _ in range(2))
    assert first != second
    jg.random.seed(5)
    assert read(jg.zeros(3))[0].tolist() == first


def test_rules_checkpoints_and_compiled_functions_are_what_they_computed(tmp_path):
    @jg.custom_function
    def doubled(x):
        return x * 2

    doubled.vjp(lambda primals, cotangents, outputs: [cotangents * 100])

    def fun(x):
        return jg.checkpoint(lambda y: jg.sin(y) * doubled(y))(jg.compile(jg.exp)(x)), doubled(x)

    x = jg.array([0.5, 1.5])
    read = through_a_file(tmp_path, fun, x)
    same_bits(read(x), leaves(jg.compile(fun)(x)))
    assert jg.grad(lambda x: jg.sum(read(x)[1]))(x).tolist() == [2.0, 2.0]


def test_results_of_one_call_are_computed_together(tmp_path):
    x = jg.asarray(np.random.default_rng(0).normal(size=(4, 3, 3)))

    def fun(x):
        q, r = jg.linalg.qr(x)
        sign, logarithm = jg.linalg.slogdet(x)
        return q @ r, r, q, logarithm, sign, jg.linalg.det(x) * jg.linalg.det(x + 1)

    read = through_a_file(tmp_path, fun, x)
    same_bits(read(x), leaves(jg.compile(fun)(x)))


def test_what_is_read_back_is_a_function_like_others(tmp_path):
    x = jg.array([0.5, 1.5])
    read = through_a_file(tmp_path, lambda x: jg.sin(x) * x, x)

    def of(x):
        return jg.sum(read(x)[0])

    want = jg.grad(lambda x: jg.sum(jg.sin(x) * x))
    np.testing.assert_allclose(jg.grad(of)(x).tolist(), want(x).tolist(), rtol=1e-6)
    np.testing.assert_allclose(
        jg.hessian(of)(x).tolist(), jg.jacfwd(want)(x).tolist(), rtol=1e-5, atol=1e-6
    )
    batch = jg.stack([x, x * 2, x - 1])
    got = jg.vmap(lambda x: read(x)[0])(batch)
    np.testing.assert_allclose(got.tolist(), (jg.sin(batch) * batch).tolist(), rtol=1e-6)
    same_bits([jg.compile(of)(x)], [of(x)])
    again = through_a_file(tmp_path, lambda x: read(x)[0] + 1, x)
    same_bits(again(x), [jg.sin(x) * x + 1])


def test_a_gradient_can_be_a_file(tmp_path):
    weights = {"w": jg.asarray(np.random.default_rng(0).normal(size=(3, 2)))}

    def loss(x):
        return jg.sum(jg.tanh(x @ weights["w"]) ** 2)

    x = jg.asarray(np.random.default_rng(1).normal(size=(5, 3)))
    read = through_a_file(tmp_path, jg.value_and_grad(loss), x)
    # The weights lie in another order in the file, and another library may multiply them.
    for got, want in zip(read(x), leaves(jg.compile(jg.value_and_grad(loss))(x)), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-13)


def test_calls_are_those_of_mlx(tmp_path):
    mx = pytest.importorskip("mlx.core")

    def results(xp, path):
        def fun(x, y=None, *, z=None):
            return (x * x if y is None else x - y) if z is None else [x * z, z]

        x = xp.array([1.0, 2.0])
        with xp.exporter(str(path), fun) as export:
            export(x)
            export(x, x)
            export(x, z=xp.array(3.0))  # MLX takes (x, z=x) for (x, x)
        read, text = xp.import_function(str(path), return_metadata=True)
        calls = [
            read(x),
            read((x,)),
            read(x, x),
            read(x, z=xp.array(3.0)),
            read((x,), {"z": xp.array(3.0)}),
            text,
        ]
        xp.export_function(str(path), fun, x, metadata="told")
        calls.append(xp.import_function(str(path), return_metadata=True)[1])
        for given, named in [((xp.ones(3),), {}), ((x, x), {}), ((x, x), {"z": x}), ((3.0,), {})]:
            with pytest.raises(ValueError):
                xp.import_function(str(path))(*given, **named)
        return [[x.tolist() for x in c] if isinstance(c, tuple) else c for c in calls]

    assert results(jg, tmp_path / "a.jgf") == results(mx, tmp_path / "a.mlxfn")


def test_another_process_needs_no_source(tmp_path):
    c = jg.asarray(np.arange(12.0).reshape(3, 4))
    path = tmp_path / "other.jgf"
    jg.export_function(
        path, lambda x: jg.softmax(x @ c, axis=-1), jg.ones((2, 3), dtype=jg.float64)
    )
    code = (
        "import sys, joggle as jg; f, m = jg.import_function(sys.argv[1], return_metadata=True);"
        "print(f(jg.ones((2, 3), dtype=jg.float64))[0].tolist(), repr(m))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, timeout=120, check=True
    )
    want = jg.softmax(jg.ones((2, 3), dtype=jg.float64) @ c, axis=-1)
    assert done.stdout.strip() == f"{want.tolist()} ''"


def test_metadata_is_a_text_of_its_own(tmp_path):
    path, text = tmp_path / "m.jgf", json.dumps({"layers": 2, "name": 'a "model"\n'})
    jg.export_function(path, lambda x: x, jg.ones(2), metadata=text)
    read, metadata = jg.import_function(path, return_metadata=True)
    assert metadata == text and read(jg.ones(2))[0].tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match="metadata: got dict, allowed are str and None"):
        jg.export_function(path, lambda x: x, jg.ones(2), metadata={})


def test_the_file_is_one_of_safetensors(tmp_path):
    path = tmp_path / "f.jgf"
    c = jg.array([0.0, 1.0, 2.0])
    jg.export_function(path, lambda x: x + c, jg.ones(3))
    arrays, metadata = jg.load(path, format="safetensors", return_metadata=True)
    assert list(arrays) == ["constant.0"] and metadata["format"] == "joggle function 1"
    described = json.loads(metadata["function"])
    assert {p["name"] for p in described["primitives"]} == {"add"}
    assert all(p["version"] == 1 for p in described["primitives"])


def test_an_exporter_writes_nothing_when_a_block_fails(tmp_path):
    path = tmp_path / "none.jgf"
    with pytest.raises(KeyError), jg.exporter(path, jg.sin) as export:
        export(jg.ones(3))
        raise KeyError
    assert not path.exists()
    export = jg.exporter(path, jg.sin)
    with pytest.raises(ValueError, match="sin was not called"):
        export.close()
    export(jg.ones(3))
    export.close()
    export.close()
    with pytest.raises(ValueError, match="is closed, allowed is an open one"):
        export(jg.ones(4))
    assert jg.import_function(path)(jg.zeros(3))[0].tolist() == [0.0] * 3


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda p: jg.export_function(p, 3, jg.ones(2)), TypeError, r"\[exporter\] fun: got int"),
        (lambda p: jg.export_function(p, jg.sin, 3.0), ValueError, r"arguments: got float"),
        (lambda p: jg.export_function(p, lambda x: {"a": x}, jg.ones(2)), ValueError, "gives dict"),
        (lambda p: jg.export_function(p, jg.sin, jg.ones(2), shapeless=True), ValueError, "shapel"),
        (lambda p: jg.exporter(3, jg.sin), TypeError, r"\[exporter\] file: got int"),
        (lambda p: jg.import_function(3), TypeError, r"\[import_function\] file: got int"),
        (lambda p: jg.import_function(p), FileNotFoundError, "absent"),
    ],
)
def test_wrong_arguments_are_refused_by_name(tmp_path, call, error, message):
    with pytest.raises(error, match=message):
        call(tmp_path / "absent.jgf")
    assert not (tmp_path / "absent.jgf").exists()


def test_an_argument_of_another_function_has_no_place_in_a_file(tmp_path):
    path = tmp_path / "leak.jgf"

    def outer(y):
        jg.export_function(path, lambda x: x + y, jg.ones(2))
        return y

    with pytest.raises(ValueError, match="which has no values"):
        jg.vmap(outer)(jg.ones((2, 2)))


def test_threads_call_one_function(tmp_path):
    x = jg.asarray(np.random.default_rng(0).normal(size=(64, 64)))
    read = through_a_file(tmp_path, lambda x: jg.sum(jg.tanh(x @ x.T), axis=0), x)
    want, failed = np.asarray(read(x)[0]), []

    def work():
        for _ in range(50):
            if not np.array_equal(np.asarray(read(x)[0]), want):
                failed.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_what_an_op_refuses_of_a_damaged_file_is_a_value_error_that_names_the_node(tmp_path):
    path = tmp_path / "bits.jgf"
    jg.export_function(path, lambda x: x & x, jg.ones(10, dtype=jg.uint32))
    was, becomes = rb"uint32\",\"shape\":[10]", rb"float32\",\"shape\":[9]"
    assert path.read_bytes().count(was) == 2  # the argument and the result
    path.write_bytes(path.read_bytes().replace(was, becomes))
    with pytest.raises(ValueError, match=r"a node 'bitwise_and': .*: got float32, allowed"):
        jg.import_function(path)


def test_a_dtype_that_a_damaged_file_names_is_a_value_error(tmp_path):
    path = tmp_path / "scaled.jgf"
    weights = jg.asarray(np.arange(6.0))
    jg.export_function(path, lambda x: x * weights, jg.ones(6))
    path.write_bytes(path.read_bytes().replace(b'"F64"', b'"F67"', 1))
    with pytest.raises(ValueError, match=r"\[import_function\].*F67"):
        jg.import_function(path)


@pytest.mark.parametrize("text", [b"some metadata", b"the_name"])
def test_a_text_that_is_no_utf_8_is_a_value_error_that_names_the_file(tmp_path, text):
    def the_name(x):
        return x + 1

    path = tmp_path / "damaged.jgf"
    jg.export_function(path, the_name, jg.ones(2), metadata="some metadata")
    path.write_bytes(path.read_bytes().replace(text, b"\xff" + text[1:]))
    with pytest.raises(ValueError, match=r"\[import_function\] '.*damaged.jgf'.* UTF-8") as caught:
        jg.import_function(path)
    assert caught.type is ValueError


def _write_in_empty(x):
    y = x + 0
    y[:, 1:2] = 5.0
    return y


EMPTIES = {
    "part": lambda x: x[:, 2:] * 2,
    "flipped rows": lambda x: jg.flip(x, axis=0) + 1,
    "flipped columns": lambda x: jg.flip(x, axis=1) + 1,
    "split": lambda x: jg.split(x, [2], axis=1)[1],
    "written": _write_in_empty,
    "multiplied": lambda x: x.at[:, 2:].multiply(3.0),
    "reversed column": lambda x: x[::-1, 3] * 2,
}


@pytest.mark.parametrize("name", EMPTIES)
def test_a_part_of_an_array_without_elements_is_read_back(name, tmp_path):
    x = jg.zeros((0, 5))
    jg.export_function(tmp_path / "f.jgf", EMPTIES[name], x)
    (found,) = jg.import_function(tmp_path / "f.jgf")(x)
    assert found.shape == EMPTIES[name](x).shape
