# SPDX-License-Identifier: Apache-2.0
"""NumPy's ufuncs on arrays of ours: each gives what NumPy gives, as an array of ours."""

import operator

import numpy as np
import pytest
from numpys import random

import joggle as jg

# numexpr, which pandas imports, leaves one of its own in NumPy.
UFUNCS = sorted(name for name in np.__all__ if isinstance(getattr(np, name), np.ufunc))
# Ufuncs on matrices and vectors: the shapes of their operands.
SHAPES = {
    "matmul": [(2, 3), (3, 4)],
    "matvec": [(2, 3), (3,)],
    "vecdot": [(2, 3), (2, 3)],
    "vecmat": [(3,), (3, 4)],
}
FLOATS = {"ldexp": ["float64", "int64"]}
DTYPES = ["bool", "uint8", "int64", "float32", "float64", "complex128"]
DIVIDERS = {"floor_divide", "remainder", "mod", "fmod", "divmod"}
FOR_DATES = {"isnat"}
# NumPy computes some functions of small integers in half precision, ours in float32.
TOLERANCES = {"float16": 1e-3, "float32": 2e-6, "float64": 1e-13, "complex128": 1e-13}


def operands(name, dtype, seed=0):
    """NumPy's operands for a ufunc, and whether it takes them."""
    ufunc = getattr(np, name)
    shapes = SHAPES.get(name, [(2, 3), (3,)][: ufunc.nin])
    dtypes = FLOATS.get(name, [dtype] * ufunc.nin)
    pairs = zip(shapes, dtypes, strict=True)
    arrays = [random(shape, kind, seed + i) for i, (shape, kind) in enumerate(pairs)]
    if name in ("left_shift", "right_shift", "bitwise_left_shift", "bitwise_right_shift"):
        arrays = [np.abs(each) if each.dtype.kind == "i" else each for each in arrays]
    if name in ("power", "pow", "float_power", *DIVIDERS):
        arrays[1] = np.where(arrays[1] == 0, 1, np.abs(arrays[1])).astype(arrays[1].dtype)
    return arrays


def expect(ufunc, arrays, **keywords):
    with np.errstate(all="ignore"):
        return ufunc(*arrays, **keywords)


def assert_near(found, expected):
    """The values, and the shape; dtypes of results are ours where NumPy widens to float64."""
    assert isinstance(found, jg.array)
    assert found.shape == np.shape(expected)
    got, expected = np.asarray(found), np.asarray(expected)
    rtol = max(TOLERANCES.get(got.dtype.name, 0), TOLERANCES.get(expected.dtype.name, 0))
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol)


# Of integers NumPy's reciprocal is one, ours a float; spacing and nextafter go by the dtype.
DIFFER = {"reciprocal", "spacing", "nextafter"}


def is_taken(name, dtype):
    """Whether NumPy's ufunc and ours both take operands of the dtype, and mean the same."""
    if name in DIFFER and np.dtype(dtype).kind in "bui":
        return False
    try:
        arrays = operands(name, dtype)
        expect(getattr(np, name), arrays)
        getattr(jg, name)(*map(jg.asarray, arrays))
    except TypeError:
        return False
    return True


CASES = [(n, d) for n in UFUNCS if n not in FOR_DATES for d in DTYPES if is_taken(n, d)]


def test_every_ufunc_is_among_the_cases():
    assert {name for name, _ in CASES} | FOR_DATES == set(UFUNCS)


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_a_ufunc_gives_arrays_of_ours_with_numpys_values(name, dtype):
    arrays = operands(name, dtype)
    ufunc = getattr(np, name)
    expected = expect(ufunc, arrays)
    calls = [[jg.asarray(each) for each in arrays]]
    if len(arrays) == 2:  # one of the two may be NumPy's
        calls += [[arrays[0], calls[0][1]], [calls[0][0], arrays[1]]]
    for call in calls:
        found = ufunc(*call)
        assert isinstance(found, tuple) == isinstance(expected, tuple)
        pairs = zip(found, expected, strict=True) if ufunc.nout > 1 else [(found, expected)]
        for one, other in pairs:
            assert_near(one, other)


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_out_and_where_write_into_numpys_arrays(name, dtype):
    arrays = operands(name, dtype)
    ufunc = getattr(np, name)
    expected = expect(ufunc, arrays)
    expected = expected if isinstance(expected, tuple) else (expected,)
    x = [jg.asarray(each) for each in arrays]
    outs = tuple(np.full(each.shape, 7).astype(each.dtype) for each in expected)
    found = ufunc(*x, out=outs)
    found = found if isinstance(found, tuple) else (found,)
    assert all(one is out for one, out in zip(found, outs, strict=True))
    for out, other in zip(outs, expected, strict=True):
        assert_near(jg.asarray(out), other)
    if name in SHAPES:
        return
    where = np.arange(expected[0].size).reshape(expected[0].shape) % 2 == 0
    outs = tuple(np.full(each.shape, 7).astype(each.dtype) for each in expected)
    ufunc(*x, out=outs, where=jg.asarray(where))
    for out, other in zip(outs, expected, strict=True):
        assert_near(jg.asarray(out), np.where(where, other, np.full(1, 7).astype(out.dtype)))


@pytest.mark.parametrize("name", [n for n in UFUNCS if getattr(np, n).nout == 2])
def test_some_of_several_outs_may_be_left_to_us(name):
    arrays = operands(name, "float64")
    expected = expect(getattr(np, name), arrays)
    out = np.empty(expected[1].shape, expected[1].dtype)
    found = getattr(np, name)(*map(jg.asarray, arrays), out=(None, out))
    assert found[1] is out
    assert_near(found[0], expected[0])
    np.testing.assert_array_equal(out, expected[1])


def test_out_may_be_an_array_of_ours_which_then_holds_the_result():
    x, out = jg.array([1.0, 2.0]), jg.zeros(2)
    before = out.copy()
    held = jg.asarray(out + 0)
    assert np.add(x, 1, out=out) is out
    assert out.tolist() == [2, 3] and held.tolist() == before.tolist() == [0, 0]
    assert np.add(np.ones(2), 1, out=out) is out and out.tolist() == [2, 2]
    np.add(x, 1, out=out, where=[True, False])
    assert out.tolist() == [2, 2]
    assert np.add(x, 1, out=x) is x and x.tolist() == [2, 3]


IN_PLACE = [
    operator.iadd,
    operator.isub,
    operator.imul,
    operator.itruediv,
    operator.ifloordiv,
    operator.imod,
    operator.ipow,
    operator.imatmul,
]


@pytest.mark.parametrize("change", IN_PLACE)
def test_numpys_arrays_are_changed_in_place_by_ours(change):
    a, b = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[2.0, 1.0], [1.0, 3.0]])
    expected = change(a.copy(), b)
    address = a.ctypes.data
    found = change(a, jg.asarray(b))
    assert found is a and a.ctypes.data == address
    np.testing.assert_allclose(a, expected, rtol=1e-15)


def test_integers_are_changed_in_place_by_bitwise_operators():
    for change in (operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift):
        a, b = np.array([5, 9]), np.array([1, 2])
        expected = change(a.copy(), b)
        assert change(a, jg.asarray(b)) is a and a.tolist() == expected.tolist()


def test_numpys_rules_of_casting_hold_for_out():
    a = np.array([1, 2])
    with pytest.raises(TypeError, match="same_kind"):
        a += jg.array([0.5, 1.5])
    assert a.tolist() == [1, 2]
    np.add(a, jg.array([0.5, 1.5]), out=a, casting="unsafe")
    assert a.tolist() == [1, 3]
    with pytest.raises(TypeError, match="same_kind"):
        np.add(jg.array([1.5]), 1, out=jg.zeros(1, dtype="int64"))
    with pytest.raises(ValueError):
        np.add(jg.ones((3, 2)), 1, out=np.zeros(2))
    with pytest.raises(ValueError, match=r"out: has shape \(2,\)"):
        np.add(jg.ones((3, 2)), 1, out=jg.zeros(2))
    wide = np.zeros((3, 2))
    assert np.add(jg.ones(2), 1, out=wide) is wide and (wide == 2).all()


def test_where_without_out_gives_zeros_elsewhere():
    found = np.add(jg.array([1, 2]), 1, where=[True, False])
    assert found.tolist() == [2, 0]


@pytest.mark.parametrize("name", ["add", "sin", "true_divide", "floor", "power", "hypot"])
def test_dtype_is_that_of_the_computation(name):
    ufunc = getattr(np, name)
    arrays = [np.array([1, 2], "int8"), np.array([3, 1], "int8")][: ufunc.nin]
    expected = ufunc(*arrays, dtype=np.float64)
    for asked in (np.float64, float, "float64", np.dtype("f8"), jg.float64):
        found = ufunc(*map(jg.asarray, arrays), dtype=asked)
        assert found.dtype == jg.float64
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-15)


def test_a_dtype_that_the_operands_may_not_become_is_refused():
    with pytest.raises(TypeError, match="float32 to int64"):
        np.add(jg.ones(2), 1, dtype=np.int64)
    assert np.add(jg.array([1.5]), 1, dtype=np.int64, casting="unsafe").tolist() == [2]
    with pytest.raises(TypeError, match="dtype"):
        np.less(jg.ones(2), 1, dtype=np.float64)
    with pytest.raises(TypeError, match="dtype"):
        np.ldexp(jg.ones(2), 1, dtype=np.float64)
    assert np.less(jg.ones(2), 1, dtype=bool).dtype == jg.bool


@pytest.mark.parametrize(
    "keywords",
    [
        {"order": "F"},
        {"casting": "no"},
        {"casting": "sometimes"},
        {"signature": "dd->d"},
        {"axes": [(-1,), (-1,), (-1,)]},
        {"keepdims": True},
    ],
)
def test_what_is_not_done_is_refused_by_name(keywords):
    (name,) = keywords
    with pytest.raises((TypeError, ValueError), match="sig" if name == "signature" else name):
        np.add(jg.ones(2), 1, **keywords)
    with pytest.raises(TypeError, match="order"):
        np.sin(jg.ones(2), order="F")
    assert np.add(jg.ones(2), 1, order="C", subok=False, casting="unsafe").tolist() == [2, 2]


REDUCED = ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or"]


@pytest.mark.parametrize("name", [*REDUCED, "bitwise_xor", "subtract", "logaddexp", "gcd"])
@pytest.mark.parametrize("keywords", [{}, {"axis": 1}, {"axis": 0, "keepdims": True}])
def test_reductions_of_ufuncs_give_numpys_values(name, keywords):
    dtype = "int64" if name in ("bitwise_xor", "gcd") else "float64"
    a = random((3, 4), dtype)
    ufunc = getattr(np, name)
    expected = ufunc.reduce(a, **keywords)
    assert_near(ufunc.reduce(jg.asarray(a), **keywords), expected)
    out = np.zeros_like(expected)
    assert ufunc.reduce(jg.asarray(a), out=out, **keywords) is out
    np.testing.assert_allclose(out, expected, rtol=1e-13)


@pytest.mark.parametrize("name", REDUCED[:4])
def test_reductions_of_ufuncs_take_where_and_initial(name):
    a, where = random((3, 4)), random((3, 4), "bool", seed=1)
    ufunc = getattr(np, name)
    keywords = {"where": where, "initial": 2.0, "axis": (0, 1)}
    assert_near(ufunc.reduce(jg.asarray(a), **keywords), ufunc.reduce(a, **keywords))


@pytest.mark.parametrize("name", [*REDUCED[:4], "subtract", "logical_or"])
@pytest.mark.parametrize("axis", [0, 1])
def test_accumulations_of_ufuncs_give_numpys_values(name, axis):
    a = random((3, 4))
    ufunc = getattr(np, name)
    assert_near(ufunc.accumulate(jg.asarray(a), axis), ufunc.accumulate(a, axis))


@pytest.mark.parametrize("name", ["add", "subtract", "less", "power"])
def test_outer_products_of_ufuncs_give_numpys_values(name):
    a, b = random((2, 3)), np.abs(random((4,), seed=1))
    ufunc = getattr(np, name)
    expected = expect(ufunc.outer, (a, b))
    assert_near(ufunc.outer(jg.asarray(a), jg.asarray(b)), expected)
    assert_near(ufunc.outer(a, jg.asarray(b)), expected)


def test_reduceat_is_computed_by_numpy():
    a = random((8,))
    assert_near(np.add.reduceat(jg.asarray(a), [0, 4, 1]), np.add.reduceat(a, [0, 4, 1]))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "power", "negative"])
def test_at_writes_into_numpys_arrays_and_rebinds_ours(name):
    a, at, values = np.abs(random((5,))) + 1, np.array([0, 1, 1, 4]), np.array([2.0, 3, 2, 1])
    ufunc = getattr(np, name)
    rest = (values,) if ufunc.nin == 2 else ()
    expected = a.copy()
    ufunc.at(expected, at, *rest)
    theirs = a.copy()
    ufunc.at(theirs, jg.asarray(at), *map(jg.asarray, rest))
    np.testing.assert_allclose(theirs, expected, rtol=1e-15)
    ours = jg.array(a)
    held = jg.asarray(ours) + 0
    assert ufunc.at(ours, at, *rest) is None
    np.testing.assert_allclose(np.asarray(ours), expected, rtol=1e-15)
    assert held.tolist() == a.tolist()


def test_nothing_is_computed_before_it_is_asked_for():
    x = jg.ones(1000)
    assert np.sin(x).status == np.add(x, np.ones(1000)).status == "unscheduled"
    assert np.add.reduce(x).status == "unscheduled"


def test_promotion_is_ours():
    assert np.add(jg.array([1], dtype="int64"), jg.array([1.0])).dtype == jg.float32
    assert np.sin(jg.array([1])).dtype == jg.float32
    assert np.add(jg.ones(2), 1.5).dtype == jg.float32
    assert np.add(jg.ones(2), np.float64(1.5)).dtype == jg.float64


class Stranger:
    """What another library's array says to ufuncs."""

    values = np.ones(2)
    __array_interface__ = values.__array_interface__

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return f"stranger's {ufunc.__name__}"

    def __radd__(self, other):
        return "stranger's radd"


class Refuser:
    values = np.ones(2)
    __array_interface__ = values.__array_interface__
    __array_ufunc__ = None

    def __radd__(self, other):
        return "refuser's radd"


class Subclass(np.ndarray):
    pass


class LoudSubclass(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return "loud"


def test_other_classes_that_override_ufuncs_are_asked():
    x = jg.ones(2)
    assert np.add(x, Stranger()) == np.add(Stranger(), x) == "stranger's add"
    assert x + Stranger() == "stranger's radd"
    assert np.add.reduce(x, out=None).item() == 2
    loud = np.ones(2).view(LoudSubclass)
    assert np.add(x, loud) == x + loud == loud + x == "loud"
    with pytest.raises(TypeError):
        np.add(x, Refuser())
    assert x + Refuser() == "refuser's radd"


def test_subclasses_that_do_not_are_arrays():
    x, a = jg.ones(2), np.ones(2).view(Subclass)
    for found in (x + a, a + x, np.add(a, x), np.add(x, a)):
        assert isinstance(found, jg.array) and found.tolist() == [2, 2]


def test_masks_are_kept_by_operators_and_else_refused():
    x, masked = jg.array([1.0, 2.0]), np.ma.masked_array([1.0, 2.0], mask=[True, False])
    for found in (x + masked, masked + x):
        assert isinstance(found, np.ma.MaskedArray) and found.mask.tolist() == [True, False]
        assert found[1] == 4
    with pytest.raises(TypeError, match="mask"):
        np.add(x, masked)


def test_arrays_of_objects_and_strings_are_refused():
    for a in (np.array([object()]), np.array(["a"])):
        for call in (np.add, np.equal, operator.add):
            with pytest.raises(TypeError, match="dtype"):
                call(jg.ones(1), a)
            with pytest.raises(TypeError, match="dtype"):
                call(a, jg.ones(1))


def test_ufuncs_that_joggle_lacks_are_computed_by_numpy():
    twice = np.frompyfunc(lambda value: 2 * value, 1, 1)
    found = twice(jg.array([1.5, 2.0]))
    assert isinstance(found, np.ndarray) and found.dtype == object and found.tolist() == [3, 4]
    with pytest.raises(TypeError):
        np.isnat(jg.ones(2))
