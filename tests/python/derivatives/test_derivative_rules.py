# SPDX-License-Identifier: Apache-2.0
"""Each row of derivative.def and inst.def, in both modes, against finite differences in float64."""

import re
from pathlib import Path

import numpy as np
import pytest

from joggle import _core
from joggle._kernel.ir import launches

pytestmark = pytest.mark.usefixtures("tier")

SOURCE = Path(__file__).parents[3] / "src"
TABLES = [SOURCE / name for name in ("derive/derivative.def", "program/inst.def")]
TEXT = "".join(table.read_text() for table in TABLES)
ROWS = re.findall(r"^JG_DERIVATIVE\((\w+), (\d),", TEXT, re.MULTILINE)
ARITY = {name: max(int(o) for n, o in ROWS if n == name) + 1 for name, _ in ROWS}
ARITY |= {"COPYSIGN": 2, "SELECT": 3}

# Where functions are defined and smooth; (low, high) of each operand.
DOMAINS = {"ACOSH": (1.2, 3), "ATANH": (-0.8, 0.8), "ASIN": (-0.8, 0.8), "ACOS": (-0.8, 0.8)}
DOMAINS |= {"ERFINV": (-0.8, 0.8), "REMAINDER": (0.6, 0.9), "TRUNC_REMAINDER": (0.6, 0.9)}
DEFAULT = (0.3, 1.7)


def kernel_of(name):
    """y[i] = name(x[0, i], x[1, i], ...)."""
    loads, operands = [], []
    for place in range(ARITY[name]):
        loads += [f"%c{place}:int64 = const {place}", f"%x{place}:float64 = load x [%c{place}, %i]"]
        operands.append(f"%x{place}")
    if name == "SELECT":
        loads += ["%bound:float64 = const 1", "%which:bool = less %x0 %bound"]
        operands[0] = "%which"
    body = "\n".join(loads)
    return f"""kernel rule
array x float64 [*, *] [*, *]
array y float64 [*] [*]
{{
%zero:int64 = const 0
%n:int64 = extent y 0
parallel %i:int64 = %zero to %n {{
{body}
%v:float64 = {name.lower()} {" ".join(operands)}
store y [%i] = %v
}}
}}
"""


@pytest.mark.parametrize("name, operand", ROWS)
def test_the_rule_is_the_derivative(name, operand):
    text, operand, size, step = kernel_of(name), int(operand), 9, 1e-6
    random = np.random.default_rng(3)
    x = random.uniform(*DOMAINS.get(name, DEFAULT), (ARITY[name], size))
    if name in ("REMAINDER", "TRUNC_REMAINDER"):
        x[0] += 4
    if name in ("COPYSIGN", "ABS"):
        x *= np.where(np.arange(size) % 2, 1, -1)
    run = launches.load(text)
    values = []
    for sign in (1, -1):
        moved, y = x.copy(), np.zeros(size)
        moved[operand] += sign * step
        run(moved, y)
        values.append(y)
    expected = (values[0] - values[1]) / (2 * step)

    gradient, seed = np.zeros_like(x), np.ones(size)
    launches.load(_core._kernel_adjoint(text, (1, 1))[0])(x, y, gradient, seed)
    np.testing.assert_allclose(gradient[operand], expected, rtol=2e-7, atol=1e-9)
    assert not seed.any()

    tangent, result = np.zeros_like(x), np.zeros(size)
    tangent[operand] = 1
    launches.load(_core._kernel_tangent(text, (1, 1))[0])(x, y, tangent, result)
    np.testing.assert_allclose(result, expected, rtol=2e-7, atol=1e-9)


@pytest.mark.parametrize("name", re.findall(r"^JG_CONSTANT\((\w+)\)", TEXT, re.M))
def test_what_jumps_has_the_derivative_zero(name):
    operands = "%a" if name in ("FLOOR", "CEIL", "TRUNC", "ROUND", "SIGN") else "%a %a"
    text = f"""kernel rule
array x float64 []
{{
%a:float64 = load x []
%v:float64 = {name.lower()} {operands}
store x [] = %v
}}
"""
    gradient = np.ones(())
    launches.load(_core._kernel_adjoint(text, (1,))[0])(np.full((), 1.5), gradient)
    assert gradient == 0
