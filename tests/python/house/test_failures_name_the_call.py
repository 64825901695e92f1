# SPDX-License-Identifier: Apache-2.0
"""Every failure of a call names the public function that was called, in brackets.

The functions come from the op table and the public modules, so that a new one is tried as well.
"""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import joggle as jg

ROOT = Path(__file__).resolve().parents[3]
MODULES = {
    "": jg,
    "fast_": jg.fast,
    "fft_": jg.fft,
    "linalg_": jg.linalg,
    "random_": jg.random,
}
# They change the settings of the process, or begin something that lasts.
LEFT_OUT = {"random_seed", "set_num_threads", "trace", "set_option"}


def public_functions():
    for prefix, module in MODULES.items():
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value) and not inspect.isclass(value) and prefix + name not in LEFT_OUT:
                yield prefix + name, value


FUNCTIONS = dict(public_functions())
EMPTY, MATRIX, WIDE = jg.zeros((0,)), jg.ones((2, 3)), jg.ones((5, 7))
WHOLE, COMPLEX = jg.ones((2, 2), dtype=jg.int32), jg.ones((2, 2), dtype=jg.complex64)
STORED = jg.zeros((2, 2)).astype(jg.float8_e4m3fn)  # no op computes on it

WRONG = [
    *(((x,) * count, {}) for x in (EMPTY, MATRIX, WHOLE, COMPLEX, STORED) for count in (1, 2, 3)),
    *(((thing,), {}) for thing in (object(), None, "a", -3)),
    *(((MATRIX, thing), {}) for thing in (object(), None, "a", -3, 2**70, WIDE, STORED)),
    ((MATRIX, WIDE, MATRIX), {}),
    ((MATRIX, MATRIX, object()), {}),
    ((MATRIX, MATRIX, MATRIX, object()), {}),
    ((MATRIX, MATRIX, MATRIX, 1.0, object()), {}),
    *(((MATRIX,), {"axis": axis}) for axis in (7, "x", (0, 0), 2**70)),
    *(((MATRIX, MATRIX), {"axis": axis}) for axis in (7, "x")),
    *(((MATRIX,), {"dtype": dtype}) for dtype in ("x", jg.float8_e4m3fn)),
    ((MATRIX,), {"no_such_keyword": 1}),
    ((MATRIX,) * 12, {}),
    ((), {}),
]


def failures(function):
    """The messages of the wrong calls; what a call gives is not evaluated."""
    for args, kwargs in WRONG:
        try:
            function(*args, **kwargs)
        except Exception as error:
            yield str(error)


def named_in(message):
    """The name in brackets at the head of the message, or that of Python's own messages."""
    found = re.match(r"\[([a-z0-9_]+)\] |([a-z0-9_]+)\(\) (?:got|takes|missing) ", message)
    return found and (found[1] or found[2])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_failure_names_the_function_that_was_called(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # "a" is a path to those that write files
    short = re.sub("^(fast|fft|linalg|random)_", "", name)
    others = {
        named: message
        for message in failures(FUNCTIONS[name])
        if (named := named_in(message)) and named not in (name, short)
    }
    assert not others


def ops_of_the_table():
    text = (ROOT / "docs/ops.md").read_text()
    ops, aliases = text.split("## Other names")
    found = re.findall(r"^(?:- `(\w+)\(|\| `(\w+)` \|)", ops + aliases, re.M)
    return [op or alias for op, alias in found]


@pytest.mark.parametrize("name", ops_of_the_table())
def test_each_op_of_the_table_fails_under_its_own_name(name):
    function = getattr(jg._core, name)
    assert name in {named_in(message) for message in failures(function)}


def message_of(call, *args, **kwargs):
    with pytest.raises(Exception) as caught:
        call(*args, **kwargs)
    return str(caught.value)


def test_the_ops_inside_are_not_named_by_functions_written_in_python():
    assert message_of(jg.average, STORED).startswith("[average] ")
    assert message_of(jg.dot, STORED, STORED).startswith("[dot] ")
    assert message_of(jg.linalg.norm, STORED).startswith("[linalg_norm] ")
    assert message_of(jg.sum, STORED, where=MATRIX > 0).startswith("[sum] ")
    assert message_of(np.mean, STORED).startswith("[mean] ")


def test_methods_and_operators_are_named_as_their_functions():
    assert message_of(STORED.conjugate).startswith("[conjugate] ")
    assert message_of(MATRIX.sum, axis=5).startswith("[sum] axis: ")
    assert message_of(lambda: MATRIX > STORED).startswith("[greater] x2: ")
    assert message_of(lambda: ~MATRIX).startswith("[bitwise_invert] x: ")


def test_an_argument_is_called_as_the_function_that_was_called_has_it():
    assert message_of(jg.greater, MATRIX, STORED).startswith("[greater] x2: ")
    assert message_of(jg.greater_equal, STORED, MATRIX).startswith("[greater_equal] x1: ")
    assert message_of(jg.isnan, STORED).startswith("[isnan] x: ")
    assert message_of(jg.where, STORED, 1, 2).startswith("[where] condition: ")


def singular():
    """Evaluating it fails, as that of a matrix without an inverse."""
    return jg.linalg.inv(jg.zeros((2, 2)))


def test_what_fails_in_an_evaluation_keeps_its_name():
    times = jg.astype(jg.sum(singular()), jg.int64)
    assert message_of(jg.repeat, jg.arange(1), times).startswith("[linalg_inv] ")
    assert message_of(jg.nonzero, singular()).startswith("[linalg_inv] ")
    assert message_of(jg.ravel_multi_index, (times,), (3,)).startswith("[linalg_inv] ")


def test_what_a_callers_function_calls_is_named_as_the_caller_called_it():
    def reduce(row):
        return jg.max(row[:0])

    assert message_of(jg.apply_along_axis, reduce, 0, MATRIX).startswith("[max] ")


def test_an_error_of_the_callers_object_stays_as_it_is():
    class Refusing:
        def __index__(self):
            raise ValueError("not this one")

    assert message_of(jg.sum, MATRIX, axis=Refusing()) == "not this one"
