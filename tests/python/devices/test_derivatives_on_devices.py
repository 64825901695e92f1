# SPDX-License-Identifier: Apache-2.0
"""Derivatives of every public op, forward and reverse, are on a device those of the CPU. The device
is one of OpenCL's; test_cuda.py runs this file again for the fake driver's.

Compilers take longest to begin, so a few ops are evaluated at once.
"""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

TESTS = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TESTS / "python/transform"))

import vmap_cases  # noqa: E402
from derivative_cases import EAGER, WITHOUT, arguments_of, elementwise, of_floats  # noqa: E402

import joggle as jg  # noqa: E402

DEVICE = os.environ.get("JOGGLE_TESTED_DEVICE", "opencl:0")
pytestmark = pytest.mark.usefixtures("quick_builds")
AT_ONCE = 16
NARROW = {"float64": "float32", "complex128": "complex64"}


@pytest.fixture(autouse=True)
def settings_as_they_were():
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
    there = [derivatives(function, arguments, DEVICE) for _, function, arguments in cases]
    jg.eval(*(x for results in there for x in results))
    for (name, function, arguments), results in zip(cases, there, strict=True):
        here = derivatives(function, arguments, "cpu")
        for got, wanted in zip(results, here, strict=True):
            assert got.device == DEVICE and got.dtype == wanted.dtype, name
            wide = np.asarray(jg.astype(wanted, jg.complex128))
            scale = np.abs(wide).max(initial=0, where=np.isfinite(wide))
            given = np.asarray(jg.astype(got.to_device("cpu"), jg.complex128))
            np.testing.assert_allclose(given, wide, 1e-5, 1e-5 * scale, err_msg=name)


@pytest.mark.parametrize("cases", groups(of_elements()))
def test_ops_of_elements_have_the_cpus_derivatives(cases):
    jg.set_option("device_fallback", "error")  # the host runs none of them
    check(cases)


@pytest.mark.parametrize("cases", groups(of_others()))
def test_other_ops_have_the_cpus_derivatives(cases):
    check(cases)


def test_every_op_with_a_derivative_is_among_them():
    tried = {name for name, *_ in [*of_elements(), *of_others()]}
    assert vmap_cases.OPS.keys() - WITHOUT.keys() - vmap_cases.WITHOUT_ARRAYS <= tried
