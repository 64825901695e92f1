# SPDX-License-Identifier: Apache-2.0
"""Every row of op.def that is not elementwise against NumPy, over the dtypes that its rule takes;
then Python's operators.

Values are compared with a reference in double precision. The tolerance is a few units in the last
place of the result's dtype; integers and bools must be equal.
"""

import operator
import re
from pathlib import Path

import elementwise
import numpy as np
import pytest
from elementwise import ALL, EPSILON, ROWS, TAKES, kind, optable, result_dtype, sample, wide

import joggle as jg

TOLERANCE = {name: 8 * epsilon for name, epsilon in EPSILON.items()}


def check(x, reference, dtype, scale=1.0):
    elementwise.check(x, reference, dtype, 2 * scale)


def logsumexp(a, axis, keepdims):
    return np.log(np.sum(np.exp(a.astype("f8")), axis=axis, keepdims=keepdims))


REFERENCES = {
    "astype": None,
    "sum": np.sum,
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "any": np.any,
    "all": np.all,
    "count_nonzero": np.count_nonzero,
    "mean": np.mean,
    "var": np.var,
    "std": np.std,
    "logsumexp": logsumexp,
    "matmul": np.matmul,
    "reshape": np.reshape,
    "broadcast_to": np.broadcast_to,
    "permute_dims": np.transpose,
    "squeeze": np.squeeze,
    "expand_dims": np.expand_dims,
    "matrix_transpose": lambda x: np.swapaxes(x, -1, -2),
}


# An attribute, or all of a short text.
NAMES = re.compile(r"""\.([a-z_]\w*)|["']([a-z_][\w.]*)["']""")


def named_in_other_files():
    """The attributes that tests use, and the texts that name some: x.sort(), "linalg.qr".

    Programs that a test starts in processes of their own count as its text.
    """
    names = set()
    folder = Path(__file__).parents[1]
    for path in [*folder.rglob("test_*.py"), *folder.rglob("program_*.py")]:
        if path.name not in (Path(__file__).name, "test_doc_strings.py"):
            for attribute, quoted in NAMES.findall(path.read_text()):
                names |= {attribute, *quoted.split(".")}
    return names


def of_form(*forms):
    return [
        (name, dtype)
        for name, row in ROWS.items()
        if row["form"] in forms and name in REFERENCES
        for dtype in TAKES[row["types"]]
    ]


def test_every_row_has_a_reference_or_a_test_elsewhere_and_every_form_a_test():
    named = named_in_other_files()
    for name in set(ROWS) - set(REFERENCES) - set(elementwise.REFERENCES):
        short = re.sub("^(linalg|fft|random|fast|distributed)_", "", name)
        assert named & {name, short}, f"{name}: no test names it"
    assert {row["form"] for row in ROWS.values()} == set(optable.forms())


@pytest.mark.parametrize("name", ["real", "imag"])
def test_an_attribute_is_the_function(name):
    x = jg.array([1 + 2j, 3])
    assert getattr(x, name).tolist() == getattr(jg, name)(x).tolist()
    bools = np.array([True, False])
    assert getattr(jg.asarray(bools), name).tolist() == getattr(bools, name).tolist()


@pytest.mark.part(3, of="name dtype")
@pytest.mark.parametrize(("name", "dtype"), of_form("REDUCTION", "ACCUMULATION", "SPREAD"))
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_a_reduction_gives_numpys_values_in_the_dtype_of_its_rule(name, dtype, axis, keepdims):
    a = sample(dtype, 60, seed=4).reshape(3, 4, 5)
    if name == "prod" and kind(dtype) in "fc":
        a = (a / 4).astype(a.dtype)  # sixty times seven is too much for float32
    exact = a if a.dtype.kind in "biu" else wide(a)
    reference = REFERENCES[name](exact, axis=axis, keepdims=keepdims)
    x = getattr(jg, name)(jg.array(a), axis=axis, keepdims=keepdims)
    result = "int64" if name == "count_nonzero" else result_dtype(ROWS[name]["types"], dtype)
    check(x, reference, result, scale=16)


@pytest.mark.parametrize("dtype", TAKES["numeric"])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((3, 4), (4, 5)),
        ((4,), (4, 5)),
        ((3, 4), (4,)),
        ((4,), (4,)),
        ((2, 3, 4), (4, 2)),
        ((2, 1, 3, 4), (3, 4, 2)),
    ],
)
def test_matmul_gives_numpys_values_for_every_shape(dtype, first, second):
    a, b = (
        sample(dtype, int(np.prod(first)), 1).reshape(first),
        sample(dtype, int(np.prod(second)), 2).reshape(second),
    )
    exact = a.dtype.kind in "biuc"
    reference = np.matmul(a, b) if exact else np.matmul(wide(a), wide(b))
    check(jg.matmul(jg.array(a), jg.array(b)), reference, dtype, scale=64)
    check(jg.array(a) @ jg.array(b), reference, dtype, scale=64)


@pytest.mark.parametrize("source", ALL)
@pytest.mark.parametrize("target", ALL)
def test_astype_converts_as_numpy_does(source, target):
    a = sample(source, within=(0 if kind(target) == "u" else -7, 8))
    reference = wide(a)
    if kind(source) == "c" and kind(target) not in "cb":
        reference = reference.real  # as NumPy does it, which warns
    if kind(target) in "iu":
        reference = np.trunc(reference.astype("f8"))
    elif kind(target) in "fc":
        reference = reference.astype("c16" if kind(target) == "c" else "f8")
    check(
        jg.array(a).astype(target),
        reference.astype(bool) if target == "bool" else reference,
        target,
    )


def test_complex_numbers_are_true_if_either_part_is():
    x = jg.array([0j, 1j, 1 + 0j])
    assert x.astype("bool").tolist() == [False, True, True]
    assert jg.logical_not(x).tolist() == [True, False, False]
    assert jg.where(x, 1, 0).tolist() == [0, 1, 1]


def test_methods_give_the_views_of_numpy():
    a = np.arange(24).reshape(2, 3, 4)
    x = jg.array(a)
    for shape in ((4, 6), (-1,), (2, -1, 2), (24, 1)):
        check(jg.reshape(x, shape), a.reshape(shape), "int64")
        check(x.reshape(*shape), a.reshape(shape), "int64")
    check(x.T.reshape(-1) if x.ndim == 2 else x[0].T.reshape(-1), a[0].T.reshape(-1), "int64")
    check(jg.broadcast_to(x[:, :1], (5, 2, 3, 4)), np.broadcast_to(a[:, :1], (5, 2, 3, 4)), "int64")
    check(jg.permute_dims(x, (2, 0, 1)), a.transpose(2, 0, 1), "int64")
    check(x.transpose(), a.T, "int64")
    check(x.transpose(1, 0, 2), a.transpose(1, 0, 2), "int64")
    check(jg.squeeze(x[:, :1, None]), a[:, :1, None].squeeze(), "int64")
    check(jg.squeeze(x[:1, :1], axis=1), a[:1, :1].squeeze(1), "int64")
    for axis in (0, 3, -1, (0, 2), (-1, 1), ()):
        check(jg.expand_dims(x, axis=axis), np.expand_dims(a, axis), "int64")
    check(x.mT, np.swapaxes(a, -1, -2), "int64")
    with pytest.raises(ValueError, match="T: the array has 3 axes"):
        _ = x.T
    with pytest.raises(ValueError):
        x.reshape(5, 5)
    with pytest.raises(ValueError):
        x.squeeze(0)
    with pytest.raises(IndexError):
        jg.expand_dims(x, axis=9)
    with pytest.raises(ValueError, match="twice"):
        jg.expand_dims(x, axis=(1, -4))
    with pytest.raises(ValueError, match="allowed are at most 64"):
        jg.expand_dims(x, axis=tuple(range(62)))


def test_dtypes_outside_a_rule_are_type_errors_naming_op_and_argument():
    for name, row in ROWS.items():
        refused = [dtype for dtype in ALL if dtype not in TAKES[row["types"]]]
        for dtype in refused[:1] + refused[-1:]:
            arguments = [jg.ones(2, dtype)] * {"BINARY": 2, "TERNARY": 3}.get(row["form"], 1)
            if row["form"] in ("UNARY", "BINARY", "REDUCTION"):
                with pytest.raises(TypeError, match=rf"\[{name}\]|x"):
                    jg.eval(getattr(jg, name)(*arguments))


BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
]
BITWISE = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]


@pytest.mark.parametrize("function", BINARY + BITWISE, ids=lambda function: function.__name__)
def test_an_operator_takes_arrays_numbers_and_arrays_of_numpy_on_either_side(function):
    a, b = np.array([7, 3, 5]), np.array([2, 1, 3])
    x, y = jg.array(a), jg.array(b)
    reference = function(a, b)
    for result in (function(x, y), function(x, b), function(a, y)):
        assert isinstance(result, jg.array)
        np.testing.assert_allclose(np.asarray(result), reference, rtol=1e-6)
    np.testing.assert_allclose(np.asarray(function(x, 2)), function(a, 2), rtol=1e-6)
    np.testing.assert_allclose(np.asarray(function(9, y)), function(9, b), rtol=1e-6)


def test_unary_operators_give_what_numpy_gives():
    a = np.array([1, -2, 3])
    x = jg.array(a)
    for function in (operator.neg, operator.pos, operator.abs, operator.invert):
        assert np.array_equal(np.asarray(function(x)), function(a))
    assert (+x) is not x


@pytest.mark.parametrize("stranger", ["a", None, [1, 2, 3], (1,), {1}, object(), b"abc"])
def test_strangers_are_left_to_the_other_side(stranger):
    x = jg.array([1, 2, 3])
    with pytest.raises(TypeError):
        x + stranger
    with pytest.raises(TypeError):
        _ = stranger < x
    assert (x == stranger) is False and (x != stranger) is True

    class Other:
        def __radd__(self, other):
            return "radd"

    assert x + Other() == "radd"


def test_shapes_that_do_not_fit_are_a_value_error_with_both():
    with pytest.raises(ValueError, match=r"2.*3"):
        jg.zeros((2,)) + jg.zeros((3,))


def test_in_place_operators_change_the_handle_and_nothing_else():
    x = jg.array([1, 2, 3])
    same, view = x, x[1:]
    x += 1
    x *= jg.array([1, 2, 3])
    assert same is x and x.tolist() == [2, 6, 12]
    assert view.tolist() == [2, 3]
    x //= 2
    x -= 1
    x %= 4
    x **= 2
    x <<= 1
    x |= 1
    assert x.tolist() == [((((v // 2) - 1) % 4) ** 2 << 1) | 1 for v in (2, 6, 12)]


def test_in_place_operators_keep_dtype_and_shape():
    x = jg.array([1, 2, 3])
    with pytest.raises(TypeError, match="float32"):
        x += 1.5
    with pytest.raises(TypeError):
        x /= 2
    with pytest.raises(ValueError, match="broadcast"):
        x += jg.zeros((2, 3), "int64")
    assert x.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("mine", "other"), [("int8", "int64"), ("float16", "float64"), ("uint8", "uint32"),
                        ("complex64", "complex128"), ("float16", "bfloat16")]
)  # fmt: skip
def test_in_place_operators_take_in_a_wider_dtype_of_the_same_kind(mine, other):
    x = jg.ones(3, mine)
    x += jg.array([1, 2, 3], dtype=other)
    assert x.dtype.name == mine and x.tolist() == [2, 3, 4]
    unsigned = jg.ones(3, "uint8")
    with pytest.raises(TypeError, match="the result is int16, allowed is the array's kind, uint8"):
        unsigned += jg.ones(3, "int8")


def test_an_array_of_one_element_converts_to_a_number():
    assert bool(jg.array(3)) and not bool(jg.array([[0.0]])) and bool(jg.array(1j))
    assert (
        float(jg.array(2.5)) == 2.5
        and int(jg.array(2.75)) == 2
        and complex(jg.array(1 + 2j)) == 1 + 2j
    )
    assert "abc"[jg.array(2)] == "c"
    with pytest.raises(ValueError, match="ambiguous"):
        bool(jg.array([1, 2]))
    for call in (float, int, complex):
        with pytest.raises((TypeError, ValueError)):
            call(jg.array([1, 2]))
    with pytest.raises(TypeError):
        float(jg.array(1j))
    for bad in (jg.array(1.0), jg.array([1]), jg.array(True)):
        with pytest.raises(TypeError):
            operator.index(bad)


def test_nothing_is_computed_before_it_is_asked_for():
    x = jg.ones(3) + 1
    y = x * 2
    assert (x.status, y.status) == ("unscheduled", "unscheduled")
    jg.eval([{"y": (y,)}, 3])
    assert y.status == "available"
    z = y + 1
    jg.async_eval(z)
    jg.synchronize()
    assert z.status == "available" and z.tolist() == [5, 5, 5]


def test_functions_take_what_array_takes_and_name_bad_arguments():
    assert jg.add([1, 2], 3).tolist() == [4, 5]
    assert jg.add(1, 2).item() == 3
    assert jg.sum(np.ones(4)).item() == 4
    with pytest.raises(TypeError, match=r"exp\(\) takes at most 1"):
        jg.exp(1, 2)
    told = (
        r"^sum\(\) got an unexpected keyword argument 'axes', allowed: 'axis', 'keepdims', 'dtype'$"
    )
    with pytest.raises(TypeError, match=told):
        jg.sum([1], axes=0)
    with pytest.raises(TypeError, match=r"add\(\) missing required argument 'x2'"):
        jg.add(1)
    with pytest.raises(TypeError, match="multiple values"):
        jg.sum([1], 0, axis=0)
    with pytest.raises(IndexError):
        jg.sum([1], axis=1)
    with pytest.raises(ValueError):
        jg.sum([[1]], axis=(0, 0))


def test_the_graph_can_be_drawn():
    text = jg.export_dot((jg.ones(3) + 1) * 2)
    assert text.startswith("digraph") and "add" in text and "multiply" in text
    assert jg.get_active_memory() >= 0 and jg.get_peak_memory() >= jg.get_active_memory()
    jg.clear_cache()
    assert jg.get_cache_memory() == 0


@pytest.mark.parametrize("name", ["add", "less", "matmul", "power", "where", "vecdot", "diff"])
def test_none_is_no_operand(name):
    x = jg.ones(3)
    calls = {"where": [(x > 0, None, x), (x > 0, x, None)], "diff": [(None,)]}
    for call in calls.get(name, [(x, None), (None, x), (None, None)]):
        with pytest.raises(TypeError, match="None"):
            getattr(jg, name)(*call)


def test_plus_gives_a_value_of_its_own():
    a = np.arange(3.0)
    y = +jg.asarray(a)
    jg.eval(y)
    a[:] = 9
    assert y.tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(TypeError, match="positive"):
        +jg.array([True])
