# SPDX-License-Identifier: Apache-2.0
"""mlx.nn, its parts, mlx.optimizers and mlx.utils: joggle's have every public name that is MLX's
own, with the same parameters, kinds and default values."""

import importlib
import inspect

import pytest

pytest.importorskip("mlx.core")

MODULES = ["nn", "nn.init", "nn.layers", "nn.losses", "nn.utils", "optimizers", "utils"]


def module(package, name):
    return importlib.import_module(f"{package}.{name}")


def own_names(theirs):
    """Without what a module has imported for itself."""
    return [
        name
        for name, thing in vars(theirs).items()
        if not name.startswith("_")
        and callable(thing)
        and (getattr(thing, "__module__", "") or "").startswith("mlx.")
        and (theirs.__name__.count(".") == 1 or thing.__module__.startswith(theirs.__name__))
    ]


def places():
    for name in MODULES:
        theirs = module("mlx", name)
        for thing in own_names(theirs):
            home = getattr(theirs, thing).__module__
            if name.startswith("nn") or home.startswith(f"mlx.{name}"):
                yield name, thing


def parameters(function):
    """(name, kind, default); defaults that are functions or dtypes by name."""
    return [
        (p.name, p.kind, shown(p.default)) for p in inspect.signature(function).parameters.values()
    ]


def shown(default):
    if isinstance(default, (list, tuple)):
        return tuple(default)
    if callable(default) and default is not inspect.Parameter.empty:
        return "a function"
    return default if default is None or isinstance(default, (int, str)) else repr(default)


def without_package(listed):
    return [
        (name, kind, default.rpartition(".")[2] if isinstance(default, str) else default)
        for name, kind, default in listed
    ]


def is_activation(thing):
    """MLX makes those of a template, so that their only parameter has no name of its own."""
    return list(inspect.signature(thing).parameters)[:1] == ["_"]


@pytest.mark.parametrize(("name", "thing"), list(places()))
def test_names_have_the_parameters_that_they_have_in_mlx(name, thing):
    theirs, ours = (getattr(module(package, name), thing) for package in ("mlx", "joggle"))
    assert without_package(parameters(ours)) == without_package(parameters(theirs))
    if not inspect.isclass(theirs):
        return
    for method in ["__call__", *(n for n in vars(theirs) if not n.startswith("_"))]:
        function = inspect.getattr_static(theirs, method, None)
        if inspect.isfunction(function) and not is_activation(function):
            taken, expected = (
                [p[:2] for p in parameters(f)] for f in (getattr(ours, method), function)
            )
            # MLX passes on (*args, **kwargs) in methods that only call those of a base.
            assert taken == expected or ("args", inspect.Parameter.VAR_POSITIONAL) in expected
