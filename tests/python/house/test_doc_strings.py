# SPDX-License-Identifier: Apache-2.0
"""Every public function tells what it takes, and its example gives what it says."""

import doctest
import importlib
import inspect
import re

import numpy as np
import pytest

import joggle as jg

MODULES = (
    "joggle",
    "joggle.linalg",
    "joggle.fft",
    "joggle.random",
    "joggle.fast",
    "joggle.nn",
    "joggle.nn.init",
    "joggle.nn.layers.distributed",
    "joggle.nn.layers.upsample",
    "joggle.nn.losses",
    "joggle.nn.utils",
    "joggle.optimizers",
    "joggle.utils",
)
CLASSES_OF = ("joggle.nn", "joggle.optimizers", "joggle.utils")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")
FACTS = ("dtypes: ", "shape: ")


def public_functions():
    """All functions by their full names; types and objects are documented as classes."""
    for name in MODULES:
        module = importlib.import_module(name)
        for attribute in getattr(module, "__all__", dir(module)):
            thing = getattr(module, attribute)
            if attribute[0] != "_" and inspect.isroutine(thing):
                yield pytest.param(thing, id=f"{name}.{attribute}")


def public_methods():
    """The classes of some modules, and the methods that they define themselves."""
    for name in CLASSES_OF:
        module = importlib.import_module(name)
        for kind in filter(inspect.isclass, map(vars(module).get, module.__all__)):
            yield pytest.param(kind, id=f"{name}.{kind.__name__}")
            for attribute, value in vars(kind).items():
                if (
                    attribute[0] != "_"
                    and not isinstance(value, property)
                    and callable(getattr(kind, attribute))
                ):
                    yield pytest.param(
                        getattr(kind, attribute), id=f"{name}.{kind.__name__}.{attribute}"
                    )


class NearlyEqual(doctest.OutputChecker):
    """Numbers may differ in their last digits, from one processor to another; spaces count not."""

    def check_output(self, want, got, optionflags):
        skeletons = ["".join(NUMBER.sub("0", text).split()) for text in (want, got)]
        numbers = [list(map(float, NUMBER.findall(text))) for text in (want, got)]
        return skeletons[0] == skeletons[1] and np.allclose(*numbers, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("function", [*public_methods()])
def test_a_class_and_its_methods_have_doc_strings_of_their_own(function):
    assert function.__doc__  # inspect.getdoc takes that of the class above


@pytest.mark.parametrize("function", [*public_functions(), *public_methods()])
def test_doc_string_has_an_example_that_gives_what_it_says(function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    examples = doctest.DocTestParser().get_doctest(
        inspect.getdoc(function) or "", {"jg": jg}, function.__name__, None, None
    )
    assert examples.examples, "no example"
    said = []
    failed, _ = doctest.DocTestRunner(checker=NearlyEqual()).run(examples, out=said.append)
    assert failed == 0, "".join(said)


def test_what_is_compared_of_examples_tells_wrong_numbers_from_right_ones():
    same = NearlyEqual().check_output
    assert same("array([1., 2.])", "array([1.       , 2.0000001])", 0)
    assert not same("array([1., 2.])", "array([1., 2.1])", 0)
    assert not same("array([1, 2], dtype=int64)", "array([1, 2], dtype=int32)", 0)


def test_doc_strings_of_ops_name_dtypes_and_shapes():
    for function in (jg.add, jg.cumsum, jg.take, jg.reshape, jg.einsum):
        assert all(fact in function.__doc__ for fact in FACTS), function.__name__
    assert "raises: TypeError, AxisError" in jg.cumsum.__doc__
