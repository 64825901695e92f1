# SPDX-License-Identifier: Apache-2.0
"""Every elementwise row of op.def against its reference, over the dtypes that its rule takes and
over odd layouts. A row without a reference fails in test_array_operators.py."""

import numpy as np
import pytest
from elementwise import (
    ALIASES,
    ALL,
    ELEMENTWISE,
    EPSILON,
    FLOATS,
    FORMS,
    REFERENCES,
    TAKES,
    check,
    kind,
    numpy_dtype,
    of_form,
    operands_for,
    reference_of,
    result_dtype,
    sample,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import joggle as jg

# Units in the last place, where 2 are too few: a constant that the dtype rounds, terms that cancel.
ULPS = {"pow": 4, "degrees": 4, "radians": 4, "gelu": 16, "gelu_approx": 16}


def arrays(result):
    return result if isinstance(result, tuple) else (result,)


def compare(name, dtype, operands, arguments):
    rule = ELEMENTWISE[name]["types"]
    results = arrays(getattr(jg, name)(*arguments))
    references = arrays(reference_of(name, operands))
    for result, reference in zip(results, references, strict=True):
        check(result, reference, result_dtype(rule, dtype), ULPS.get(name, 2))


CASES = [case for case in of_form(*FORMS) if REFERENCES[case[0]]]


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_an_elementwise_op_gives_the_values_of_its_reference(name, dtype):
    operands = operands_for(name, dtype)
    compare(name, dtype, operands, list(map(jg.array, operands)))


# Imported memory and views of it: transposed, turned round, with gaps, repeated, 0-d, empty.
LAYOUTS = {
    "imported": lambda a: a,
    "transposed": lambda a: a.reshape(4, 6).T,
    "reversed": lambda a: a[::-1],
    "steps": lambda a: a.reshape(2, 12)[:, 1::3],
    "repeated": lambda a: np.broadcast_to(a.reshape(4, 1, 6)[:, :, :1], (4, 3, 2)),
    "0-d": lambda a: a[3:4].reshape(()),
    "empty": lambda a: a[:0].reshape(0, 5),
}


@pytest.mark.part(2, of="name")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", [name for name in ELEMENTWISE if REFERENCES[name]])
def test_odd_layouts_give_the_values_of_the_reference(name, layout):
    rule = TAKES[ELEMENTWISE[name]["types"]]
    dtype = "float32" if "float32" in rule else "int32"
    operands = [LAYOUTS[layout](a) for a in operands_for(name, dtype)]
    compare(name, dtype, operands, list(map(jg.from_dlpack, operands)))


@pytest.mark.parametrize("name", [name for name, row in ELEMENTWISE.items() if row["types"]])
def test_refused_dtypes_are_type_errors(name):
    row = ELEMENTWISE[name]
    for dtype in [dtype for dtype in ALL if dtype not in TAKES[row["types"]]]:
        count = len(operands_for(name, "int32" if "int32" in TAKES[row["types"]] else "bool"))
        with pytest.raises(TypeError, match=r"\[\w+\] x"):
            getattr(jg, name)(*[jg.ones(2, dtype)] * count)


@st.composite
def broadcastable(draw, count):
    """Shapes that broadcast together: each leaves out or repeats axes of a common one."""
    full = draw(st.lists(st.integers(0, 4), max_size=4))
    shapes = []
    for _ in range(count):
        first = draw(st.integers(0, len(full)))
        shapes.append(tuple(draw(st.sampled_from([1, extent])) for extent in full[first:]))
    return shapes


@settings(max_examples=150)
@given(st.data())
def test_operands_of_any_shape_are_broadcast(data):
    several = sorted(name for name, row in ELEMENTWISE.items() if row["form"] != "UNARY")
    name = data.draw(st.sampled_from([each for each in several if REFERENCES[each]]))
    dtype = "float64" if "float64" in TAKES[ELEMENTWISE[name]["types"]] else "int16"
    shapes = data.draw(broadcastable(len(operands_for(name, dtype))))
    operands = [
        np.resize(operand, shape)
        for operand, shape in zip(operands_for(name, dtype), shapes, strict=True)
    ]
    compare(name, dtype, operands, list(map(jg.array, operands)))


@pytest.mark.parametrize("dtype", FLOATS)
def test_nextafter_steps_in_its_own_dtype(dtype):
    numbers = [0.0, -0.0, 1.0, -1.0, 1.5, 2.0, -2.0, float("inf"), -float("inf"), 1e-4]
    a, b = (np.ravel(grid) for grid in np.meshgrid(numbers, numbers))
    a, b = a.astype(numpy_dtype(dtype)), b.astype(numpy_dtype(dtype))
    reference = np.nextafter(a, b)
    result = np.asarray(jg.nextafter(a, b))
    assert np.array_equal(result, reference)
    differs = a != b  # where NumPy's float16 keeps the first operand's zero
    assert np.array_equal(np.signbit(result)[differs], np.signbit(reference)[differs])


def test_clip_takes_either_bound_and_lets_the_upper_one_win():
    x = jg.array([-5, 0, 5], dtype="int8")
    assert jg.clip(x, -1, 2).tolist() == [-1, 0, 2]
    assert jg.clip(x, min=1).tolist() == [1, 1, 5] and x.clip(max=1).tolist() == [-5, 0, 1]
    assert jg.clip(x).tolist() == [-5, 0, 5]
    assert jg.clip(x, 3, 1).tolist() == [1, 1, 1]
    assert jg.clip(x, -1, 2).dtype is jg.int8 and jg.clip(x, 0.5).dtype is jg.float32
    with pytest.raises(TypeError):
        jg.clip(jg.array([True]))
    with pytest.raises(OverflowError):
        jg.clip(x, -1000, 0)


def test_isclose_judges_as_numpy_does():
    inf, nan = float("inf"), float("nan")
    a = np.array([1, 1, 1, inf, inf, -inf, 1, nan, nan, 0, 1e-9])
    b = np.array([1, 1 + 1e-6, 1.1, inf, -inf, -inf, inf, nan, 1, 1e-9, 0])
    for options in ({}, {"equal_nan": True}, {"rtol": 0.2}, {"atol": 1.0}, {"rtol": 0, "atol": 0}):
        assert jg.isclose(a, b, **options).tolist() == np.isclose(a, b, **options).tolist()
    assert jg.isclose([2**53, 1], [2**53 - 1, 2], rtol=0, atol=0.5).tolist() == [False, False]


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_to_num_replaces_by_what_it_is_given_or_the_largest_number(dtype):
    a = np.array([float("nan"), float("inf"), -float("inf"), 1.5]).astype(numpy_dtype(dtype))
    largest = float(np.nextafter(a[1], a[3]))
    assert np.asarray(jg.nan_to_num(a).astype("float64")).tolist() == [0, largest, -largest, 1.5]
    assert jg.nan_to_num(a, 1, posinf=2, neginf=-3).tolist() == [1, 2, -3, 1.5]


def test_divmod_is_an_operator():
    quotient, rest = divmod(jg.array([7, -7]), 2)
    assert (quotient.tolist(), rest.tolist()) == ([3, -4], [1, 1])
    assert [part.tolist() for part in divmod(9, jg.array([2.0, 4.0]))] == [[4, 2], [1, 1]]
    with pytest.raises(TypeError):
        divmod(jg.array([1]), "a")


def test_an_alias_is_the_op():
    for alias, row in ALIASES:
        assert alias not in ELEMENTWISE
        if row["name"] not in ELEMENTWISE:
            assert getattr(jg, alias).__doc__ == getattr(jg, row["name"]).__doc__
            continue
        operands = operands_for(row["name"], "int32")
        ours, named = getattr(jg, alias)(*operands), getattr(jg, row["name"])(*operands)
        assert np.array_equal(np.asarray(ours), np.asarray(named), equal_nan=True)


@pytest.mark.parametrize("name", ["gelu", "gelu_approx", "silu", "softplus", "sigmoid", "rsqrt"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_activations_of_half_precision_round_once(name, dtype):
    a = sample(dtype, 500, within=(0.125, 6))
    with np.errstate(all="ignore"):
        exact = REFERENCES[name](a.astype("f8"))
    result = np.asarray(getattr(jg, name)(a)).astype("f8")
    unit = EPSILON[dtype] / 2
    assert np.max(np.abs(result - exact) / np.abs(exact)) <= 1.01 * unit


def test_kinds_of_dtypes_cover_the_table():
    assert all(kind(dtype) for rule in TAKES.values() for dtype in rule)
