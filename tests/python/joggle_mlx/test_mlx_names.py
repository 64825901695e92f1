# SPDX-License-Identifier: Apache-2.0
"""Names and parameters of mlx.core: each is ours too, or docs/mlx.md says why it is not."""

import inspect
import pathlib
import re

import mlx.core as mx
import pytest
from mlx_signatures import functions, parameters

import joggle as jg

DOCUMENT = (pathlib.Path(__file__).parents[3] / "docs/mlx.md").read_text()
ABSENT = set(re.findall(r"`(\w+)`", DOCUMENT.split("## What is absent")[1].split("\n## ")[0]))
OTHER_PARAMETERS = {  # in docs/mlx.md: the standard has a function of that name with others
    "contiguous": {"allow_col_major"},
    "cumulative_prod": {"reverse", "inclusive"},
    "cumulative_sum": {"reverse", "inclusive"},
    "einsum": {"subscripts"},
}


def names_of(mlx):
    return {name for name in dir(mlx) if not name.startswith("_")}


def test_every_name_is_ours_or_said_to_be_absent():
    assert names_of(mx) - set(jg.__all__) - ABSENT == set()


def test_what_is_said_to_be_absent_is():
    assert {name for name in ABSENT if hasattr(jg, name)} == set()


@pytest.mark.parametrize("module", ["random", "linalg", "fft", "fast", "metal", "cuda"])
def test_every_name_of_a_submodule_is_ours_or_said_to_be_absent(module):
    assert names_of(getattr(mx, module)) - names_of(getattr(jg, module)) - ABSENT == set()


def test_arrays_have_the_methods_and_attributes_of_mlx():
    assert names_of(mx.array) - names_of(jg.array) == set()
    assert names_of(mx.array([0]).at[0]) - names_of(jg.array([0]).at[0]) == set()


@pytest.mark.parametrize("name", functions())
def test_parameters_that_mlx_names_are_taken_by_those_names(name):
    """In a call that lacks the others: only an unknown name is told of by name."""
    for parameter, kind, _ in parameters(getattr(mx, name)):
        if kind not in ("either", "keyword") or parameter in OTHER_PARAMETERS.get(name, ()):
            continue
        try:
            getattr(jg, name)(**{parameter: object()})
        except Exception as error:
            assert "unexpected keyword" not in str(error), parameter


@pytest.mark.parametrize("name", functions())
def test_positional_parameters_stand_in_the_same_order(name):
    """Names apart: as many may be given by position, and those without defaults are no more."""
    theirs = [p for p in parameters(getattr(mx, name)) if p[1] in ("position", "either")]
    theirs = [p for p in theirs if p[0] != "stream"]
    ours = inspect.signature(getattr(jg, name)).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in ours):
        return
    places = [p for p in ours if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    theirs = [p for p in theirs if p[0] not in OTHER_PARAMETERS.get(name, ())]
    assert len(places) >= len(theirs)
    by_name = {p.name: i for i, p in enumerate(places)}
    assert [(p[0], i) for i, p in enumerate(theirs) if by_name.get(p[0], i) != i] == []
    required = [p for p in ours if p.default is p.empty]
    assert len(required) <= max(len([p for p in theirs if not p[2]]), 1)


def test_dtypes_compare_with_anything():
    for other in (None, "float64", 1, object(), mx.float32, float):
        assert (jg.float32 == other) is False and (jg.float32 != other) is True
    assert jg.float32 == jg.Dtype("float32") and hash(jg.float32) == hash(jg.dtype("float32"))
    assert isinstance(jg.int8, jg.Dtype) and jg.bool_ is jg.bool and jg.float16.size == 2


def test_categories_are_nested_as_in_mlx():
    dtypes = [n for n in dir(mx) if isinstance(getattr(mx, n), mx.Dtype)]
    categories = [n for n in dir(mx) if isinstance(getattr(mx, n), mx.DtypeCategory)]
    for a in dtypes + categories:
        for b in dtypes + categories:
            ours = jg.issubdtype(getattr(jg, a), getattr(jg, b))
            assert ours == mx.issubdtype(getattr(mx, a), getattr(mx, b)), (a, b)
    assert jg.DtypeCategory.floating is jg.floating and repr(jg.inexact) == repr(mx.inexact)
    with pytest.raises(TypeError):
        jg.issubdtype("no dtype", jg.generic)
