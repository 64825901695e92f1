# SPDX-License-Identifier: Apache-2.0
"""joggle.mlx.core has every public name of mlx.core, and its examples are true."""

import copy
import doctest
import inspect
import pickle
import typing

import mlx.core as mx
import pytest
from mlx_signatures import parameters

import joggle as jg
import joggle.mlx.core as ours

MODULES = ["random", "linalg", "fft", "fast", "metal", "cuda", "distributed"]


def public(module):
    return {name for name in dir(module) if not name.startswith("_")}


def test_every_name_of_mlx_core_is_here_and_no_other():
    assert public(ours) == public(mx)


@pytest.mark.parametrize("module", MODULES)
def test_every_name_of_a_submodule_is_here(module):
    assert public(getattr(mx, module)) - set(getattr(ours, module).__all__) == set()


def functions():
    found = [("", name) for name in public(mx)] + [
        (module, name) for module in MODULES for name in public(getattr(mx, module))
    ]
    return sorted(
        (module, name)
        for module, name in found
        if type(getattr(place(mx, module), name)).__name__ == "nb_func"
    )


def place(namespace, module):
    return getattr(namespace, module) if module else namespace


@pytest.mark.parametrize(("module", "name"), functions())
def test_parameters_that_mlx_names_are_taken_by_those_names(module, name):
    """In a call that lacks the others: only an unknown name is told of by name."""
    if name in ("contiguous", "einsum", "init", "precompiled_cuda_kernel"):
        return  # of which other tests tell
    for parameter, kind, _ in parameters(getattr(place(mx, module), name)):
        if kind in ("either", "keyword"):
            try:
                getattr(place(ours, module), name)(**{parameter: object()})
            except Exception as error:
                assert "unexpected keyword" not in str(error), parameter


def test_array_is_a_type_for_isinstance_and_annotations():
    x = ours.array([1.0])
    assert isinstance(x, ours.array) and isinstance(jg.zeros(2), ours.array)
    assert not isinstance([1.0], ours.array) and issubclass(type(x), ours.array)
    assert type(x) is jg.array and ours.array == jg.array and {jg.array: 1}[ours.array] == 1
    assert isinstance(None, ours.array | None) and isinstance(x, ours.array | int)

    def function(x: ours.array, y: ours.array | None = None) -> "ours.array": ...

    assert typing.get_type_hints(function, {"ours": ours})["return"] is ours.array
    assert ours.array.sum(x).item() == 1.0 and isinstance(ours.array, type)


def test_helpers_of_arrays_have_types():
    x = ours.array([1, 2])
    assert isinstance(x.at[0], ours.ArrayAt) and isinstance(iter(x), ours.ArrayIterator)

    class Like:
        def __mlx_array__(self):
            return x

    assert isinstance(Like(), ours.ArrayLike) and not isinstance(3, ours.ArrayLike)
    stream = ours.new_thread_local_stream(ours.cpu)
    assert isinstance(stream, ours.ThreadLocalStream) and isinstance(stream, ours.Stream)


def test_functions_are_copied_and_pickled_by_name():
    for function in (ours.argmax, ours.add, ours.random.normal):
        assert copy.deepcopy(function) is function
        assert pickle.loads(pickle.dumps(function)) is function
        assert inspect.signature(function) and function.__doc__
    assert ours.argmax.__name__ == "argmax" and ours.argmax.__module__ == "joggle.mlx.core"


@pytest.mark.parametrize("module", ["", *MODULES])
def test_examples_are_true(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    finder = doctest.DocTestParser()
    for name in sorted(public(place(ours, module))):
        thing = getattr(place(ours, module), name)
        if hasattr(thing, "__wrapped__"):
            continue  # has the text of joggle's own function
        if (getattr(thing, "__module__", "") or "").startswith("joggle.mlx.core") and (
            text := inspect.getdoc(thing)
        ):
            examples = finder.get_doctest(text, {"mx": ours}, name, None, 0)
            said = []
            assert doctest.DocTestRunner().run(examples, out=said.append).failed == 0, said
