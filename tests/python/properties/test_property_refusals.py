# SPDX-License-Identifier: Apache-2.0
"""Every op refuses what does not fit, at the call, with the exception and a message that names the
argument: axes that are not there or named twice, dtypes that its rule does not take, what is no
number or no array, names that it does not have."""

import pytest
from cases import CASES
from choices import by
from drawing import ALL, ROWS, TAKES, each, function_of, to_joggle
from elementwise import optable
from hypothesis import given, settings
from hypothesis import strategies as st

PROFILE = settings(settings.get_profile("properties"), max_examples=2)
FORMS = optable.forms()
AXES = {"AXIS", "AXIS_OR_NONE", "AXES"}
NUMBERS = {"INT", "INT_OR_NONE", "OFFSET", "REAL", "REAL_OR_NONE", "INTS", "INTS_OR_NONE", "SHAPE"}


def parameters(name, kinds):
    return [p for p in FORMS[ROWS[name]["form"]].parameters if p.kind in kinds]


def named(kinds):
    """Every op with each of its parameters of these kinds."""
    found = [(name, p.name) for name in CASES for p in parameters(name, kinds)]
    return pytest.mark.parametrize(("name", "parameter"), found)


def call(name, args, names, parameter=None, value=None):
    """Calls the op, with another value of a parameter."""
    args, names = list(each(to_joggle, args)), each(to_joggle, names)
    form = FORMS[ROWS[name]["form"]]
    order = [] if form.takes_each else [p.name for p in form.parameters]
    place = order.index(parameter) if parameter in order else len(args)
    if place < len(args):
        args[place] = value
    elif parameter:
        names[parameter] = value
    return function_of(name)(*args, **names)


def drawn(data, name):
    """Arguments that fit; without the extents of Fourier transforms, one for each axis."""
    args, names = CASES[name].draw(by(data))
    return args, {key: value for key, value in names.items() if key != "s"}


@named(AXES)
@PROFILE
@given(data=st.data(), sign=st.sampled_from([1, -1]))
def test_axes_that_are_not_there_are_index_errors(name, parameter, data, sign):
    args, names = drawn(data, name)
    with pytest.raises(IndexError, match=rf"{parameter}\b.*: got -?9+, allowed"):
        call(name, args, names, parameter, 99 * sign)


@named({"AXES"})
@PROFILE
@given(data=st.data())
def test_axes_named_twice_are_value_errors(name, parameter, data):
    args, names = drawn(data, name)
    if not args[0].ndim or name == "roll":  # which adds up what an axis is moved
        return
    with pytest.raises(ValueError, match=rf"{parameter}\b"):
        call(name, args, names, parameter, (0, -args[0].ndim))


@named(AXES | NUMBERS)
@PROFILE
@given(data=st.data())
def test_what_is_no_number_is_a_type_error(name, parameter, data):
    args, names = drawn(data, name)
    for wrong in ("two", [[]], 1.5j):
        with pytest.raises(TypeError, match=rf"{parameter}\b"):
            call(name, args, names, parameter, wrong)


@named({"TEXT"})
@PROFILE
@given(data=st.data())
def test_words_that_mean_nothing_are_value_errors(name, parameter, data):
    args, names = drawn(data, name)
    with pytest.raises(ValueError, match=rf"{parameter}\b"):
        call(name, args, names, parameter, "nonsense")
    with pytest.raises(TypeError, match=rf"{parameter}\b"):
        call(name, args, names, parameter, 7)


# Of random numbers the rule is about their own dtype; einsum of one operand may only move elements.
REFUSED = {
    name: [d for d in ALL if d not in TAKES[ROWS[name]["types"]]]
    for name in CASES
    if not name.startswith("random_") and name != "einsum"
}


@pytest.mark.parametrize("name", [name for name in REFUSED if REFUSED[name]])
@PROFILE
@given(data=st.data())
def test_dtypes_that_the_rule_refuses_are_type_errors(name, data):
    args, names = drawn(data, name)
    dtype = data.draw(st.sampled_from(REFUSED[name]))
    wrong = each(lambda a: a.astype(dtype), args)
    with pytest.raises(TypeError, match=r"allowed|refused|got"):
        call(name, wrong, names)


@pytest.mark.parametrize("name", CASES)
@PROFILE
@given(data=st.data())
def test_names_that_no_parameter_has_are_type_errors(name, data):
    args, names = drawn(data, name)
    with pytest.raises(TypeError, match="nonsense"):
        call(name, args, names | {"nonsense": 1})
