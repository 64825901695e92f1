# SPDX-License-Identifier: Apache-2.0
"""What makes `joggle` a namespace of the Array API standard beside its functions on arrays:
versions, constants, and what `__array_namespace_info__` tells. tests/conformance runs the
standard's own suite."""

import inspect
import itertools
import math

import numpy as np
import pytest

import joggle as jg

OLDER = ["2021.12", "2022.12", "2023.12", "2024.12"]


def test_an_array_leads_to_the_namespace_of_the_newest_version():
    x = jg.ones(2)
    assert x.__array_namespace__() is jg
    assert x.__array_namespace__(api_version=None) is jg
    assert x.__array_namespace__(api_version=jg.__array_api_version__) is jg
    assert jg.__array_api_version__ == "2025.12"


@pytest.mark.parametrize("version", OLDER)
def test_older_versions_get_lists_where_they_had_lists(version):
    xp = jg.ones(2).__array_namespace__(api_version=version)
    x, y = jg.ones(2), jg.zeros((3, 1))
    assert [each.shape for each in xp.broadcast_arrays(x, y)] == [(3, 2), (3, 2)]
    for function in (xp.broadcast_arrays, xp.meshgrid):
        assert type(function(x, x)) is list
    assert [each.tolist() for each in xp.meshgrid(x, x, indexing="ij")] == [[[1, 1]] * 2] * 2
    devices = xp.__array_namespace_info__().devices()
    assert type(devices) is list and devices == list(jg.__array_namespace_info__().devices())
    assert devices[0] == "cpu"
    assert xp.sin is jg.sin and xp.float32 is jg.float32 and "sin" in dir(xp)
    with pytest.raises(AttributeError):
        _ = xp.no_such_function


def test_a_version_that_is_not_known_is_refused():
    for version in ("2019.12", "latest", 2025):
        with pytest.raises(ValueError, match=r"api_version: got .*2024\.12, 2025\.12"):
            jg.ones(2).__array_namespace__(api_version=version)
    with pytest.raises(TypeError):
        jg.ones(2).__array_namespace__("2025.12")


def test_constants_are_python_floats():
    assert (jg.e, jg.pi, jg.inf, jg.euler_gamma) == (math.e, math.pi, math.inf, np.euler_gamma)
    assert math.isnan(jg.nan) and jg.newaxis is None
    assert jg.ones(2)[jg.newaxis].shape == (1, 2)
    assert {"e", "pi", "inf", "nan", "newaxis", "finfo", "iinfo"} <= set(jg.__all__)


def test_the_capabilities_are_those_that_arrays_have():
    capabilities = jg.__array_namespace_info__().capabilities()
    assert capabilities == {
        "boolean indexing": True,
        "data-dependent shapes": True,
        "max dimensions": 64,
    }
    assert jg.zeros((1,) * 64).ndim == 64
    with pytest.raises(ValueError):
        jg.zeros((1,) * 65)


def test_devices_can_be_named_in_creation_functions():
    info = jg.__array_namespace_info__()
    assert isinstance(info.devices(), tuple) and info.default_device() in info.devices()
    for device in info.devices():
        x = jg.empty(2, device=device)
        assert x.device == device and x.to_device(device).device == device
    for ask in (info.dtypes, info.default_dtypes):
        with pytest.raises(ValueError, match="device"):
            ask(device="metal")


def test_a_stream_for_a_move_is_refused_by_name():
    x = jg.arange(3)
    assert x.to_device("cpu", stream=None).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match=r"\[to_device\] stream: got 3"):
        x.to_device("cpu", stream=3)


def test_the_default_dtypes_are_those_of_results():
    defaults = jg.__array_namespace_info__().default_dtypes(device="cpu")
    assert defaults == {
        "real floating": jg.asarray(1.0).dtype,
        "complex floating": jg.asarray(1j).dtype,
        "integral": jg.asarray(1).dtype,
        "indexing": jg.argmax(jg.ones(2)).dtype,
    }
    defaults.clear()
    assert jg.__array_namespace_info__().default_dtypes()


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "bool",
        "signed integer",
        "unsigned integer",
        "integral",
        "real floating",
        "complex floating",
        "numeric",
        ("bool", "real floating"),
        (),
    ],
)
def test_the_dtypes_of_a_kind_are_numpys(kind):
    ours = jg.__array_namespace_info__().dtypes(kind=kind)
    theirs = np.__array_namespace_info__().dtypes(kind=kind)
    assert {name: dtype.name for name, dtype in ours.items()} == {
        name: np.dtype(dtype).name for name, dtype in theirs.items()
    }


def test_a_kind_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="kind"):
        jg.__array_namespace_info__().dtypes(kind="rational")


@pytest.mark.parametrize(
    "shapes",
    [(), ((),), ((2, 3),), ((2, 1), (3,)), ((0,), (1,)), ((4, 1, 2), (3, 1), ()), (5, (1, 5))],
)
def test_shapes_broadcast_as_numpys(shapes):
    assert jg.broadcast_shapes(*shapes) == np.broadcast_shapes(*shapes)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError):
        jg.broadcast_shapes((2,), (3,))
    with pytest.raises(ValueError):
        jg.broadcast_shapes((-1,))


def test_functions_can_be_inspected():
    assert list(inspect.signature(jg.astype).parameters)[:2] == ["x", "dtype"]
    assert "api_version" in inspect.signature(jg.ones(1).__array_namespace__).parameters
    assert jg.ones(2).astype(dtype=jg.int8).dtype is jg.int8


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_result_type_does_not_depend_on_the_order(order):
    for dtypes in (("int64", "uint64", "float32"), ("bool", "int8", "uint8"), ("int32", "float16")):
        kinds = [getattr(jg, dtypes[i]) for i in order if i < len(dtypes)]
        expected = jg.result_type(*(getattr(jg, name) for name in dtypes))
        assert jg.result_type(*kinds) == expected
    assert jg.result_type(jg.float32, jg.int64, jg.uint64) == jg.float64
    assert jg.result_type(jg.int8, 2.5, jg.uint8) == jg.float32
