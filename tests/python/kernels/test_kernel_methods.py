# SPDX-License-Identifier: Apache-2.0
"""Every public method of what fields, vectors and structs are: in a kernel it means the same as
outside, or it is refused by name. The names are found by looking, so that a new one is tested."""

import importlib.util
import inspect
import itertools

import numpy as np
import pytest

import joggle.fields as qd

_numbers = itertools.count()

HEAD = """
import joggle.fields as qd

def make(x, other, out):
    @qd.kernel
    def run(a: qd.types.ndarray(), v: qd.types.vector(3, qd.f32), m: qd.types.matrix(2, 2, qd.f32)):
        {statement}
    return run
"""


def make(statement, folder, x=None, other=None, out=None):
    """A kernel of one statement about x."""
    path = folder / f"one_statement_{next(_numbers)}.py"
    path.write_text(HEAD.format(statement=statement))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.make(x, other, out)


def run(statement, folder, x=None, other=None, out=None):
    array = np.zeros(3, np.float32)
    make(statement, folder, x, other, out)(array, [3, -1, 2], [[2, 1], [1, 3]])
    return array


STRUCT = qd.types.struct(a=qd.f32, v=qd.types.vector(2, qd.f32))
STORAGE = {
    "scalar field": lambda: qd.field(qd.f32, 3, needs_grad=True, name="x"),
    "vector field": lambda: qd.Vector.field(2, qd.f32, 3, needs_grad=True),
    "matrix field": lambda: qd.Matrix.field(2, 2, qd.f32, 3),
    "struct field": lambda: STRUCT.field(shape=3),
    "ndarray": lambda: qd.ndarray(qd.f32, 3),
    "vector ndarray": lambda: qd.Vector.ndarray(2, qd.f32, 3),
    "matrix ndarray": lambda: qd.Matrix.ndarray(2, 2, qd.f32, 3),
    "tensor": lambda: qd.tensor(qd.f32, 3),
    "vector tensor": lambda: qd.Vector.tensor(2, qd.f32, 3),
}
VALUES = {"vector": qd.Vector([3.0, -1.0, 2.0]), "matrix": qd.Matrix([[2.0, 1.0], [1.0, 3.0]])}

# Methods of storage that are lowered, with what they are called with here.
LOWERED = {
    "fill": "5",
    "get_scalar_field": "0",
    "get_member_field": "'a'",
    "has_grad": "",
    "has_dual": "",
    "parent": "",
}
# Methods of vectors and matrices, with their arguments; {} stands for the value itself.
OF_VALUES = {
    "all": "",
    "any": "",
    "cast": "qd.i32",
    "cross": "{}",
    "determinant": "",
    "dot": "{}",
    "fill": "7",
    "frobenius_inner": "{}",
    "inverse": "",
    "max": "",
    "min": "",
    "norm": "0.5",
    "norm_inv": "0.5",
    "norm_sqr": "",
    "normalized": "0.5",
    "outer_product": "{}",
    "sum": "",
    "trace": "",
    "transpose": "",
}
OF_VECTORS, OF_SQUARES = {"cross", "dot", "outer_product"}, {"determinant", "inverse", "trace"}
OF_CLASSES = {
    "cols": "[[1, 2], [3, 4]]",
    "diag": "2, 5",
    "identity": "qd.i32, 2",
    "one": "qd.i32, 2, 3",
    "rotation2d": "0.5",
    "rows": "[[1, 2], [3, 4]]",
    "unit": "3, 1",
    "zero": "qd.f32, 2",
}


def methods_of(x):
    """The names of public methods, those that are looked up by __getattr__ not among them."""
    return sorted(n for n in dir(type(x)) if n[0] != "_" and callable(getattr(type(x), n)))


def cases(things):
    return [(kind, name) for kind, x in things.items() for name in methods_of(x)]


STORAGE_CASES = cases({kind: make_() for kind, make_ in STORAGE.items()})


@pytest.mark.parametrize(("kind", "name"), STORAGE_CASES)
def test_a_method_of_storage_is_lowered_or_refused_by_name(tier, tmp_path, kind, name):
    x = STORAGE[kind]()
    call = f"x.{name}({LOWERED.get(name, '')})"
    if name == "get_scalar_field" and kind.startswith("matrix"):
        call = "x.get_scalar_field(0, 1)"
    if name in LOWERED:
        run(call, tmp_path, x)
        return
    with pytest.raises(TypeError, match=rf"(?s)\.{name} works outside of kernels only.*x\.{name}"):
        run(call, tmp_path, x)


@pytest.mark.parametrize("name", methods_of(qd.ndarray(qd.f32, 3)))
@pytest.mark.parametrize("kind", ["array of NumPy", "ndarray"])
def test_a_method_of_an_argument_is_lowered_or_refused_by_name(tier, tmp_path, name, kind):
    argument = qd.ndarray(qd.f32, 3) if kind == "ndarray" else np.ones(3, np.float32)
    kernel = make(f"a.{name}({LOWERED.get(name, '')})", tmp_path)
    if name == "fill":
        kernel(argument, [0] * 3, [[0] * 2] * 2)
        assert np.asarray(argument).tolist() == [5, 5, 5]
        return
    with pytest.raises(TypeError, match=name):
        kernel(argument, [0] * 3, [[0] * 2] * 2)


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind, x in VALUES.items() for name in methods_of(x)],
)
def test_a_method_of_a_value_gives_what_it_gives_outside_or_is_refused(tier, tmp_path, kind, name):
    letter, x = kind[0], VALUES[kind]
    if name not in OF_VALUES or name in OF_CLASSES:
        with pytest.raises(TypeError, match=rf"(?s)has no attribute {name} in kernels"):
            run(f"{letter}.{name}()", tmp_path)
        return
    wrong = (name in OF_VECTORS and kind == "matrix") or (name in OF_SQUARES and kind == "vector")
    if wrong:
        with pytest.raises(TypeError, match=name):
            run(f"{letter}.{name}({OF_VALUES[name].format(letter)})", tmp_path)
        return
    arguments = eval(f"({OF_VALUES[name].format('x')},)" if OF_VALUES[name] else "()")
    copy = type(x)(x)
    expected = getattr(copy, name)(*arguments)
    expected = np.asarray(copy.to_list() if name == "fill" else _plain(expected), float).ravel()
    out = qd.field(qd.f64, 16)
    call = f"r = {letter}.{name}({OF_VALUES[name].format(letter)})"
    if name == "fill":
        call = f"r = {letter} + 0; r.fill(7)"
    count = len(expected)
    flat = _flat("r", getattr(expected if name == "fill" else None, "shape", None), copy, name)
    run(f"{call}; w = {flat}; {_stores('w', count)}", tmp_path, out=out)
    np.testing.assert_allclose(out.to_numpy()[:count], expected, rtol=1e-6)


def _plain(x):
    return x.to_list() if isinstance(x, qd.Matrix) else x


def _flat(name, _, like, method):
    """An expression of a tuple of the numbers of a result."""
    result = like.to_list() if method == "fill" else None
    if result is None:
        arguments = eval(f"({OF_VALUES[method].format('like')},)" if OF_VALUES[method] else "()")
        result = _plain(getattr(like, method)(*arguments))
    if not isinstance(result, list):
        return f"[{name}]"
    if isinstance(result[0], list):
        places = itertools.product(range(len(result)), range(len(result[0])))
        return "[" + ", ".join(f"{name}[{i}, {j}]" for i, j in places) + "]"
    return "[" + ", ".join(f"{name}[{i}]" for i in range(len(result))) + "]"


def _stores(name, count):
    return "; ".join(f"out[{i}] = {name}[{i}]" for i in range(count))


CLASS_METHODS = sorted(
    n for n in dir(qd.Matrix) if n[0] != "_" and inspect.ismethod(getattr(qd.Matrix, n))
)


@pytest.mark.parametrize("name", CLASS_METHODS)
def test_a_method_of_the_class_makes_what_it_makes_outside_or_is_refused(tier, tmp_path, name):
    if name not in OF_CLASSES:
        with pytest.raises(TypeError, match=f"{name} works outside of kernels only"):
            run(f"qd.Matrix.{name}(2, 2, qd.f32, 3)", tmp_path)
        return
    expected = eval(f"qd.Matrix.{name}({OF_CLASSES[name]})").to_list()
    flat = np.asarray(expected, float).ravel()
    out = qd.field(qd.f64, 16)
    rows = isinstance(expected[0], list)
    size = (len(expected), len(expected[0])) if rows else (len(expected),)
    places = [", ".join(map(str, place)) for place in np.ndindex(size)]
    stores = "; ".join(f"out[{n}] = r[{place}]" for n, place in enumerate(places))
    run(f"r = qd.Matrix.{name}({OF_CLASSES[name]}); {stores}", tmp_path, out=out)
    np.testing.assert_allclose(out.to_numpy()[: len(flat)], flat, rtol=1e-6)


OF_FIELDS = [
    "qd.field(qd.f32, 3)",
    "qd.ndarray(qd.f32, 3)",
    "qd.tensor(qd.f32, 3)",
    "qd.types.vector(3, qd.f32).field(shape=2)",
    "qd.types.struct(a=qd.f32).field(shape=2)",
    "qd.init()",
    "qd.reset()",
    "qd.sync()",
    "qd.root.dense(qd.i, 3)",
    "qd.root.place(x)",
    "qd.root.lazy_grad()",
    "qd.ad.clear_all_gradients()",
    "qd.ad.Tape(x)",
    "qd.algorithms.parallel_sort(x)",
    "qd.linalg.MatrixFreeCG(x, x, x)",
    "qd.create_stream()",
    "qd.set_logging_level('info')",
    "qd.dump_compile_config()",
    "x.parent().place(x)",
]


@pytest.mark.parametrize("statement", OF_FIELDS)
def test_what_makes_or_changes_fields_is_refused_in_kernels(tier, tmp_path, statement):
    with pytest.raises(TypeError, match="works outside of kernels only"):
        run(statement, tmp_path, qd.field(qd.f32, 3))


@pytest.mark.parametrize("name", ["fill", "sort", "put", "resize", "setflags"])
def test_methods_that_write_into_an_array_of_others_are_refused(tier, tmp_path, name):
    with pytest.raises(TypeError, match=f"{name} of an array of numpy works outside of kernels"):
        run(f"other.{name}(2)", tmp_path, other=np.zeros(3))


@pytest.mark.parametrize("name", ["str", "repr", "type", "id", "hash", "callable", "sorted"])
def test_functions_of_python_do_not_see_what_stands_for_a_value(tier, tmp_path, name):
    with pytest.raises(
        TypeError, match=f"{name}: got a value of float32, allowed is what is known"
    ):
        run(f"r = {name}(a[0])", tmp_path)


@pytest.mark.parametrize("name", sorted(qd._kernel.FUNCTIONS))
def test_a_keyword_that_a_function_has_not_is_refused_in_both_scopes(tier, tmp_path, name):
    function = getattr(qd, name)
    count = required(function)
    with pytest.raises((TypeError, RuntimeError), match=r"no_such|works in kernels only"):
        function(*[1] * count, no_such=2)
    if name == "static":
        with pytest.raises(TypeError, match="no_such"):
            run("qd.static(1, no_such=2)", tmp_path)
        return
    with pytest.raises(TypeError, match="no_such"):
        run(f"qd.{name}({'a[0], ' * count}no_such=2)", tmp_path)


def required(function):
    """How many arguments a call needs."""
    parameters = inspect.signature(function).parameters.values()
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)
    return sum(p.kind in plain and p.default is p.empty for p in parameters)


@pytest.mark.parametrize(
    "call",
    [
        "qd.Vector([1, 2], no_such=2)",
        "qd.Matrix.identity(qd.f32, 2, no_such=2)",
        "qd.types.vector(2, qd.f32)(1, 2, no_such=2)",
        "qd.types.struct(a=qd.f32)(no_such=2)",
        "qd.f32(1, no_such=2)",
        "v.norm(no_such=2)",
        "v.fill(no_such=2)",
        "x.fill(no_such=2)",
        "x.fill(1, no_such=2)",
        "abs(v, no_such=2)",
        "max(v, no_such=2)",
        "round(v[0], no_such=2)",
        "sum(v, no_such=2)",
        "len(v, no_such=2)",
        "range(3, no_such=2)",
        "enumerate(v, no_such=2)",
        "zip(v, no_such=2)",
        "isinstance(v, int, no_such=2)",
        "list(v, no_such=2)",
        "any(v, no_such=2)",
        "print(v, no_such=2)",
        "(lambda y: y)(1, no_such=2)",
    ],
)
def test_a_keyword_that_is_not_there_is_refused_in_kernels(tier, tmp_path, call):
    with pytest.raises((TypeError, SyntaxError), match=r"no_such|lambda"):
        run(call, tmp_path, qd.field(qd.f32, 3))


STORAGE_METHODS = [(kind, name) for kind, name in STORAGE_CASES if name != "parent"]


@pytest.mark.parametrize(("kind", "name"), STORAGE_METHODS)
def test_a_keyword_that_a_method_has_not_is_refused_outside(kind, name):
    with pytest.raises(TypeError, match=r"no_such|keyword"):
        getattr(STORAGE[kind](), name)(no_such=2)


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind, x in VALUES.items() for name in methods_of(x)],
)
def test_a_keyword_that_a_method_of_a_value_has_not_is_refused_outside(kind, name):
    method = getattr(VALUES[kind], name)
    given = {"dtype": qd.f32, "dt": qd.f32, "shape": 4, "n": 2, "m": 3}
    names = list(inspect.signature(method).parameters)[: required(method)]
    arguments = [given.get(parameter, 1) for parameter in names]
    with pytest.raises(TypeError, match="no_such"):
        method(*arguments, no_such=2)
