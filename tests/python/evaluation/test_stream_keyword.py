# SPDX-License-Identifier: Apache-2.0
"""stream=: every function that makes arrays takes it, and what it builds is computed there. What to
call a function with is taken from the example in its doc string."""

import ast
import doctest
import importlib
import inspect
import re

import pytest
from elementwise import ALIASES

import joggle as jg

MODULES = ("joggle", "joggle.linalg", "joggle.fft", "joggle.random", "joggle.fast")
# Of functions without it, those that are given arrays or give some: they hand on what is there.
WITHOUT = {"depends", "from_dlpack", "from_stream", "set_printoptions"}
MEANING = {alias: row["name"] for alias, row in ALIASES}


def public_functions():
    for module in MODULES:
        names = importlib.import_module(module).__all__
        for name in names:
            function = getattr(importlib.import_module(module), name)
            if inspect.isroutine(function):
                yield f"{module}.{name}", function


OF_FUNCTIONS = ("joggle.jvp", "joggle.linearize", "joggle.vjp")
FUNCTIONS = dict(public_functions())
TAKE = [path for path, it in FUNCTIONS.items() if "stream" in inspect.signature(it).parameters]
TAKE.remove("joggle.set_default_stream")
TAKE.remove("joggle.from_stream")
# What the caller's function builds is for the stream on which it is called.
FUNCTIONS = {path: it for path, it in FUNCTIONS.items() if path not in OF_FUNCTIONS}


def calls_of(source, name):
    """The calls of a function of that name, or of which it is an alias, in a statement."""
    for node in ast.walk(ast.parse(source)):
        called = getattr(node.func, "attr", None) if isinstance(node, ast.Call) else None
        if called in (name, MEANING.get(name, name)):
            yield node


def example_of(path):
    """Positional and named arguments, evaluated, of the first call in the function's example."""
    function, name = FUNCTIONS[path], path.rsplit(".")[-1]
    names = {"jg": jg}

    def value(node):
        return eval(compile(ast.Expression(node), path, "eval"), names)

    for each in doctest.DocTestParser().get_examples(inspect.getdoc(function)):
        for call in calls_of(each.source, name):
            positional = []
            for argument in call.args:
                starred = isinstance(argument, ast.Starred)
                positional += value(argument.value) if starred else [value(argument)]
            return positional, {each.arg: value(each.value) for each in call.keywords}
        exec(each.source, names)
    raise AssertionError(f"{path}: its example does not call it")


def streams_of(*arrays):
    """The streams that compute what is not evaluated yet."""
    boxes = [line for line in jg.export_dot(*arrays).split("\n") if "shape=box" in line]
    found = [re.search(r"stream (\d+)", line) for line in boxes]
    return {int(match.group(1)) if match else 0 for match in found}


def arrays_in(tree):
    """The arrays of nested lists, tuples and dicts."""
    if isinstance(tree, jg.array):
        return [tree]
    inner = tree.values() if isinstance(tree, dict) else tree
    several = isinstance(tree, (list, tuple, dict))
    return [array for each in inner for array in arrays_in(each)] if several else []


@pytest.fixture(scope="module")
def stream():
    return jg.new_stream()


@pytest.mark.parametrize("path", TAKE)
def test_what_a_function_builds_is_computed_on_its_stream(path, stream, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some read files that their example writes
    positional, named = example_of(path)
    jg.eval(arrays_in((positional, named)))
    result = FUNCTIONS[path](*positional, **named | {"stream": stream})
    assert streams_of(*arrays_in(result)) <= {stream.index}
    jg.eval(arrays_in(result))
    assert jg.default_stream().index == 0
    with pytest.raises(TypeError, match="stream: got 3"):
        FUNCTIONS[path](*positional, **named | {"stream": 3})


@pytest.mark.parametrize("path", sorted(FUNCTIONS.keys() - TAKE))
def test_a_function_without_a_stream_computes_nothing(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    if path.removeprefix("joggle.") not in WITHOUT:
        positional, named = example_of(path)
        assert not arrays_in(FUNCTIONS[path](*positional, **named))


def test_work_on_two_streams_is_told_apart(stream):
    assert streams_of(jg.add(jg.ones(3) * 2, 1, stream=stream)) == {0, stream.index}


@pytest.mark.parametrize("name", ["det", "slogdet"])
def test_determinants_of_halves_are_cast_on_their_stream_as_well(name, stream):
    x = jg.eye(2, dtype="float16")
    jg.eval(x)
    result = getattr(importlib.import_module("joggle.mlx.core.linalg"), name)(x, stream=stream)
    assert streams_of(*arrays_in(result)) == {stream.index}
