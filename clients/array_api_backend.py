# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that runs the array API tests of SciPy and scikit-learn on one namespace.

    SUITE_BACKEND=joggle SUITE_RESULTS=FILE python -m pytest -p array_api_backend --pyargs scipy.fft

Only tests that take a namespace are kept. FILE gets a line of JSON for each: where it is, how it
ended, and the last line of what it told. SciPy's tests count on float64 for Python's floats, as
conftest.py asks of PyTorch; so here joggle's functions that make arrays of them do the same.
"""

import functools
import importlib
import json
import os

import pytest

BACKEND = os.environ["SUITE_BACKEND"]
WIDE = {"float32": "float64", "complex64": "complex128"}


def has_floats(value):
    """Whether a number is a float or complex, or one in nested lists is."""
    if isinstance(value, (list, tuple)):
        return any(map(has_floats, value))
    return type(value) in (float, complex)


def has_floats_in(*args):
    return has_floats(args)


def has_none(value):
    """Whether no dtype stands in it: Python's numbers alone, in lists or not."""
    if isinstance(value, (list, tuple)):
        return all(map(has_none, value))
    return type(value) in (bool, int, float, complex)


def widen(module, name, is_default):
    """Makes a function give float64 where its arguments say nothing of a dtype."""
    function = getattr(module, name)

    @functools.wraps(function)
    def wide(*args, **kwargs):
        if kwargs.get("dtype") is None and is_default(*args):
            found = function(*args, **kwargs)
            kwargs["dtype"] = WIDE.get(found.dtype.name, found.dtype)
        return function(*args, **kwargs)

    setattr(module, name, wide)


def promote_to_float64(module):
    """The same of Python's floats beside integers."""
    function = module.result_type

    @functools.wraps(function)
    def result_type(*args):
        found = function(*args)
        others = [each for each in args if type(each) not in (bool, int, float, complex)]
        is_default = has_floats(args) and all(
            module.isdtype(getattr(each, "dtype", each), ("bool", "integral")) for each in others
        )
        return getattr(module, WIDE.get(found.name, found.name)) if is_default else found

    module.result_type = result_type


def prefer_float64():
    import joggle
    from joggle import _array_api_2024_12 as edition

    for name in ("asarray", "array"):
        widen(joggle, name, lambda x=0, *rest: has_none(x) and not rest)
    for name in ("zeros", "ones", "empty"):
        widen(joggle, name, lambda shape=0, *rest: not rest)
    widen(joggle, "full", lambda shape=0, value=1.0, *rest: has_floats(value) and not rest)
    widen(joggle, "arange", has_floats_in)
    widen(joggle, "linspace", lambda *args: True)
    widen(joggle, "eye", lambda *args: True)
    for name in ("fftfreq", "rfftfreq"):
        widen(joggle.fft, name, lambda *args: True)
    promote_to_float64(joggle)

    class Info(type(edition.__array_namespace_info__())):
        """SciPy counts on the list that this edition of the standard asks for."""

        def devices(self):
            return [self.default_device()]

        def default_dtypes(self, *, device=None):
            found = super().default_dtypes(device=device)
            wide = {kind: getattr(joggle, WIDE.get(d.name, d.name)) for kind, d in found.items()}
            return found | wide

    joggle.__array_namespace_info__ = Info


def pytest_configure(config):
    config.addinivalue_line("markers", "fail_asan: SciPy's, whose wheel leaves its settings out")
    if BACKEND == "joggle":
        prefer_float64()
    try:
        arrays = importlib.import_module("sklearn.utils._array_api")
    except ImportError:
        return
    arrays.yield_namespace_device_dtype_combinations = lambda **_: combinations()


def combinations():
    """What scikit-learn's tests are run with: a namespace, a device, and a dtype."""
    device = "CPU_DEVICE" if BACKEND == "array_api_strict" else None
    yield from ((BACKEND, device, dtype) for dtype in ("float64", "float32"))


def pytest_plugin_registered(plugin):
    known = getattr(plugin, "xp_known_backends", None)
    if known is not None:  # what SciPy's tests may be told to skip
        known.add(BACKEND)


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc):
    """A mark comes before the values that SciPy's fixture has."""
    if "xp" not in metafunc.fixturenames or "scipy" not in metafunc.module.__name__:
        return
    param = pytest.param(importlib.import_module(BACKEND), id=BACKEND)
    metafunc.definition.add_marker(pytest.mark.parametrize("xp", [param], indirect=True))


def is_asked_for(item):
    params = getattr(item, "callspec", None)
    return params is not None and any(
        value == BACKEND or getattr(value, "__name__", None) == BACKEND
        for value in params.params.values()
        if isinstance(value, str) or hasattr(value, "__array_namespace_info__")
    )


def pytest_collection_modifyitems(config, items):
    others = [item for item in items if not is_asked_for(item)]
    items[:] = [item for item in items if is_asked_for(item)]
    config.hook.pytest_deselected(items=others)


def pytest_runtest_logreport(report):
    is_skipped = report.when == "setup" and report.skipped
    if report.when != "call" and not is_skipped and not report.failed:
        return
    outcome = "xfailed" if hasattr(report, "wasxfail") and report.skipped else report.outcome
    crash = getattr(report.longrepr, "reprcrash", None)
    told = crash.message if crash else str(report.longrepr[-1]) if is_skipped else ""
    line = {"test": report.nodeid, "outcome": outcome, "told": told[:400]}
    with open(os.environ["SUITE_RESULTS"], "a") as file:
        file.write(json.dumps(line) + "\n")
