# SPDX-License-Identifier: Apache-2.0
"""Derivatives of every public op, forward and reverse, are on an OpenCL device those of the CPU.

PoCL takes longest to compile what is new, so a few ops are evaluated at once, and without --all
every third group of them is.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

TESTS = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TESTS / "python/transform"))

import vmap_cases  # noqa: E402
from derivative_cases import EAGER, WITHOUT, arguments_of, elementwise, of_floats  # noqa: E402

import joggle as jg  # noqa: E402

AT_ONCE = 8
# As in tests/c/meson.build: a short header, and nothing optimized.
DECLARATIONS = TESTS / "conformance/declarations.h"
QUICK = f"-D_OPENCL_H_ -DDECLARATIONS=<{DECLARATIONS}> -cl-opt-disable"
NARROW = {"float64": "float32", "complex128": "complex64"}


@pytest.fixture(autouse=True)
def quick_builds(monkeypatch):
    if " " not in str(DECLARATIONS):
        monkeypatch.setenv("POCL_EXTRA_BUILD_FLAGS", QUICK)
    fallback = jg.get_option("device_fallback")
    yield
    jg.set_option("device_fallback", fallback)
    jg.set_default_device("cpu")


def of_elements():
    for name in sorted(vmap_cases.ELEMENTWISE - WITHOUT.keys()):
        yield name, getattr(jg, name), elementwise(name)


def of_others():
    for name, function, *rest in EAGER:
        if name == "empty_like":  # gives whatever lies in memory
            continue
        yield name, *of_floats(function, arguments_of((name, function, *rest)))


def groups(cases):
    cases = list(cases)
    starts = range(0, len(cases), AT_ONCE)
    return [pytest.param(cases[i : i + AT_ONCE], id=f"{i}-{cases[i][0]}") for i in starts]


def draw(like, random):
    """As many numbers, of one sort whatever device the array is on."""
    values = random.normal(size=like.shape)
    if like.dtype.name.startswith("complex"):
        values = values + 1j * random.normal(size=like.shape)
    return jg.astype(jg.asarray(values), like.dtype)


def listed(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


def derivatives(function, arguments, device):
    """Results, tangents and gradients at the arguments, in single precision."""
    jg.set_default_device(device)
    random = np.random.default_rng(0)
    primals = [jg.asarray(x.astype(NARROW.get(x.dtype.name, x.dtype))) for x in arguments]
    outputs, pushed = jg.jvp(function, primals, [draw(x, random) for x in primals])
    pulled = jg.vjp(function, primals, [draw(x, random) for x in listed(outputs)])[1]
    return [*listed(outputs), *listed(pushed), *pulled]


def check(cases):
    there = [derivatives(function, arguments, "opencl:0") for _, function, arguments in cases]
    jg.eval(*(x for results in there for x in results))
    for (name, function, arguments), results in zip(cases, there, strict=True):
        here = derivatives(function, arguments, "cpu")
        for got, wanted in zip(results, here, strict=True):
            assert got.device == "opencl:0" and got.dtype == wanted.dtype, name
            wide = np.asarray(jg.astype(wanted, jg.complex128))
            scale = np.abs(wide).max(initial=0, where=np.isfinite(wide))
            given = np.asarray(jg.astype(got.to_device("cpu"), jg.complex128))
            np.testing.assert_allclose(given, wide, 1e-5, 1e-5 * scale, err_msg=name)


@pytest.mark.part(3)
@pytest.mark.parametrize("cases", groups(of_elements()))
def test_of_ops_of_elements(cases):
    jg.set_option("device_fallback", "error")  # the host runs none of them
    check(cases)


@pytest.mark.part(3)
@pytest.mark.parametrize("cases", groups(of_others()))
def test_of_other_ops(cases):
    check(cases)
