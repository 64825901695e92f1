# SPDX-License-Identifier: Apache-2.0
"""An axis that an array does not have: every function that takes axes raises AxisError."""

import copy
import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest

import joggle as jg

X = np.arange(6.0).reshape(2, 3) + 1
# The arguments before those that name axes, where an array alone does not do.
FIRST = {
    "append": (X, X),
    "apply_along_axis": (jg.sum,),
    "apply_over_axes": (jg.sum, X),
    "argpartition": (X, 1),
    "argtopk": (X, 1),
    "array_split": (X, 1),
    "compress": ([True], X),
    "concat": ([X, X],),
    "concatenate": ([X, X],),
    "cross": (X, X),
    "delete": (X, 0),
    "gather": (X, [[0]]),
    "geomspace": (1, 2, 3),
    "insert": (X, 0, 1),
    "nanpercentile": (X, 50),
    "nanquantile": (X, 0.5),
    "packbits": (X.astype("uint8"),),
    "partition": (X, 1),
    "percentile": (X, 50),
    "put_along_axis": (X, [[0]], 1.0),
    "quantile": (X, 0.5),
    "repeat": (X, 2),
    "roll": (X, 1),
    "scatter": (X, [[0]], 1.0),
    "scatter_add": (X, [[0]], 1.0),
    "scatter_divide": (X, [[0]], 1.0),
    "scatter_max": (X, [[0]], 1.0),
    "scatter_min": (X, [[0]], 1.0),
    "scatter_multiply": (X, [[0]], 1.0),
    "scatter_power": (X, [[0]], 1.0),
    "scatter_subtract": (X, [[0]], 1.0),
    "slice": (X, jg.array([0])),
    "slice_update": (X, X, jg.array([0])),
    "split": (X, 1),
    "stack": ([X, X],),
    "take": (X, [0]),
    "take_along_axis": (X, [[0]]),
    "tensordot": (X, X),
    "topk": (X, 1),
    "unpackbits": (X.astype("uint8"),),
    "vecdot": (X, X),
}
# How the axis 7 is named where the parameter is no axis by itself.
NAMED = {
    "apply_along_axis": {"axis": 7, "arr": jg.asarray(X)},
    "flatten": {"start_axis": 7},
    "gather": {"axes": (7,)},
    "geomspace": {"axis": 7},
    "moveaxis": {"source": 7, "destination": 0},
    "permute": {"axes": (0, 7)},
    "permute_dims": {"axes": (0, 7)},
    "rot90": {"axes": (0, 7)},
    "slice": {"axes": (7,), "slice_size": (1, 1)},
    "slice_update": {"axes": (7,)},
    "swapaxes": {"axis1": 0, "axis2": 7},
    "tensordot": {"axes": ([7], [0])},
    "transpose": {"axes": (0, 7)},
    "unflatten": {"axis": 7, "shape": (2, 1)},
    "diagonal": {"axis1": 0, "axis2": 7},
}
PARAMETERS = {"axis", "axes", "axis1", "source", "start_axis"}


def takes_axes(module, name):
    function = getattr(module, name)
    if isinstance(function, type) or not callable(function):
        return False
    return bool(PARAMETERS & set(inspect.signature(function).parameters))


NAMES = [name for name in jg.__all__ if takes_axes(jg, name)]
FFT = [name for name in jg.fft.__all__ if takes_axes(jg.fft, name)]
LINALG = [name for name in jg.linalg.__all__ if takes_axes(jg.linalg, name)]


def check(function, name, first, named):
    if name.startswith("scatter"):
        named = {"axes": (7,)}
    with pytest.raises(jg.AxisError, match=r"(axis|axes|axis2|source).*7") as caught:
        function(*first, **named)
    for base in (ValueError, IndexError, np.exceptions.AxisError):
        assert isinstance(caught.value, base)


@pytest.mark.parametrize("name", NAMES)
def test_every_function_names_the_axis_that_is_not_there(name):
    function = getattr(jg, name)
    names = inspect.signature(function).parameters
    default = {"axis": 7} if "axis" in names else {"axes": (7,)}
    check(function, name, FIRST.get(name, (X,)), NAMED.get(name, default))


@pytest.mark.parametrize("name", FFT)
def test_functions_of_fft_name_the_axis_that_is_not_there(name):
    function = getattr(jg.fft, name)
    names = inspect.signature(function).parameters
    check(function, name, (X,), {"axis": 7} if "axis" in names else {"axes": (0, 7)})


@pytest.mark.parametrize("name", LINALG)
def test_functions_of_linalg_name_the_axis_that_is_not_there(name):
    function = getattr(jg.linalg, name)
    first = {"cross": (X, X), "vecdot": (X, X), "tensordot": (X, X)}.get(name, (X,))
    named = {"tensordot": {"axes": ([7], [0])}, "tensorsolve": {"axes": (7,)}}
    if name == "tensorsolve":
        first = (np.eye(4).reshape(2, 2, 2, 2), np.ones((2, 2)))
    check(function, name, first, named.get(name, {"axis": 7}))


def test_functions_of_random_name_the_axis_that_is_not_there():
    check(jg.random.permutation, "permutation", (X,), {"axis": 7})
    check(jg.random.choice, "choice", (X, (2,)), {"axis": 7})


def test_an_array_without_axes_has_none():
    with pytest.raises(jg.AxisError, match="axis: got 0, allowed is none"):
        jg.sum(jg.array(1.0), axis=0)


def test_numpys_error_is_ours_too_once_numpy_is_imported():
    code = """
import sys, joggle as jg
def raised():
    try:
        jg.ones(2).sum(axis=3)
    except jg.AxisError as error:
        return error
before = raised()
assert "numpy" not in sys.modules and type(before) is jg.AxisError
import numpy
try:
    jg.ones(2).sum(axis=3)
except numpy.exceptions.AxisError as error:
    print(type(error).__name__, error, sep=": ")
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    message = "[sum] axis: got 3, allowed for 1 axes is -1 to 0"
    assert result.stdout == f"AxisError: {message}\n", result.stderr


def test_the_error_can_be_copied_and_pickled():
    with pytest.raises(jg.AxisError) as caught:
        jg.ones(2).sum(axis=3)
    for again in (pickle.loads(pickle.dumps(caught.value)), copy.deepcopy(caught.value)):
        assert isinstance(again, jg.AxisError) and str(again) == str(caught.value)


def test_an_axis_named_twice_is_a_wrong_value():
    with pytest.raises(ValueError, match="axis: names axis 0 twice") as caught:
        jg.sum(X, axis=(0, -2))
    assert not isinstance(caught.value, jg.AxisError)
