# SPDX-License-Identifier: Apache-2.0
"""Derivatives of every public op: against differences, forward against reverse, twice.

Each op has a case here or a line in no_derivative.txt that says why it has none.
"""

import re
from pathlib import Path

import numpy as np
import pytest
import vmap_cases
from checks import check
from derivative_cases import (
    CASES,
    COARSE,
    EAGER,
    WITHOUT,
    arguments_of,
    elementwise,
    is_inexact,
    of_floats,
    specimens,
    takes,
)

import joggle as jg

# Vectors are told up to a phase, so differences tell nothing: test_linalg_derivatives.py.
UP_TO_A_PHASE = {"linalg_eig"}


@pytest.mark.parametrize("name", sorted(vmap_cases.ELEMENTWISE - WITHOUT.keys()))
def test_elementwise_ops_have_the_derivatives_of_differences(name):
    op, arguments = getattr(jg, name), elementwise(name)
    assert takes(op, *arguments)
    check(op, *arguments)
    turned = [x + 0.3j for x in arguments]
    if takes(op, *turned):
        check(op, *turned)


@pytest.mark.parametrize("case", EAGER, ids=[f"{i}-{case[0]}" for i, case in enumerate(EAGER)])
def test_ops_have_the_derivatives_of_differences(case):
    function, arguments = of_floats(case[1], arguments_of(case))
    if not function(*map(jg.asarray, arguments)):
        assert case[0] in {other[0] for other in CASES if other is not case} or case[0] == "astype"
    elif case[0] in COARSE:
        # Tangents of numbers of eight bits have eight bits.
        forward_is_reverse(function, arguments, 0.3 if case[0] == "from_fp8" else 1e-3)
    elif case[0] not in UP_TO_A_PHASE:
        check(function, *arguments)


def forward_is_reverse(function, arguments, rtol):
    random = np.random.default_rng(1)
    primals = list(map(jg.asarray, arguments))
    tangents = [random.normal(size=x.shape).astype(x.dtype) for x in arguments]
    outputs, pushed = jg.jvp(function, primals, [*map(jg.asarray, tangents)])
    cotangents = [random.normal(size=x.shape).astype(np.asarray(x).dtype) for x in outputs]
    pulled = jg.vjp(function, primals, [*map(jg.asarray, cotangents)])[1]
    left = sum(np.vdot(a, np.asarray(b)) for a, b in zip(cotangents, pushed, strict=True))
    right = sum(np.vdot(np.asarray(a), b) for a, b in zip(pulled, tangents, strict=True))
    assert abs(left) > 0
    np.testing.assert_allclose(left, right, rtol=rtol)


@pytest.mark.parametrize("case", CASES, ids=[f"{i}-{case[0]}" for i, case in enumerate(CASES)])
def test_a_compiled_gradient_is_the_gradient(case):
    function, arguments = of_floats(case[1], arguments_of(case))
    primals = list(map(jg.asarray, arguments))

    def slope(*given):
        cotangents = [jg.cos(x) if x.ndim else jg.ones_like(x) for x in function(*given)]
        return jg.vjp(function, list(given), cotangents)[1]

    for got, want in zip(jg.compile(slope)(*primals), slope(*primals), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-9, atol=1e-9)


NARROW = ["float32", "float16", "bfloat16"]


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("name", sorted(vmap_cases.ELEMENTWISE - WITHOUT.keys()))
def test_a_gradient_has_the_dtype_of_its_argument(name, dtype):
    op, arguments = getattr(jg, name), elementwise(name)
    narrow = [jg.astype(jg.asarray(x), getattr(jg, dtype)) for x in arguments]
    try:
        op(*narrow)
    except TypeError:
        return

    def loss(*given):
        return jg.sum(jg.astype(op(*given), jg.float32))

    everything = tuple(range(len(narrow)))
    slopes = jg.grad(loss, argnums=everything)(*narrow)
    wide = jg.grad(lambda *given: jg.sum(jg.astype(op(*given), jg.float64)), argnums=everything)(
        *[jg.astype(x, jg.float64) for x in narrow]
    )
    tolerance = {"float32": 1e-4, "float16": 2e-2, "bfloat16": 1e-1}[dtype]
    for slope, expected in zip(slopes, wide, strict=True):
        assert slope.dtype.name == dtype
        expected = np.asarray(expected)
        np.testing.assert_allclose(
            np.asarray(jg.astype(slope, jg.float64)),
            expected,
            rtol=tolerance,
            atol=tolerance * np.abs(expected).max(initial=1e-3),
        )


def cases_without():
    """Those with an argument that is no integer."""
    for name in WITHOUT:
        found = [
            (name, case[1], specimens(case, np.random.default_rng(3)))
            for case in vmap_cases.CASES
            if case[0] == name
        ]
        if name in vmap_cases.ELEMENTWISE:
            found.append((name, getattr(jg, name), elementwise(name)))
        yield from (case for case in found if any(map(is_inexact, case[2])))


@pytest.mark.parametrize(
    ("name", "function", "arguments"),
    [pytest.param(*row, id=f"{i}-{row[0]}") for i, row in enumerate(cases_without())],
)
def test_what_has_no_derivative_gives_zero(name, function, arguments):
    try:
        inner, given = of_floats(function, arguments)
        primals = list(map(jg.asarray, given))
        tangents = jg.jvp(inner, primals, primals)[1]
    except (TypeError, NotImplementedError) as error:
        assert name in str(error) or "has no derivative" in str(error)
        return
    for tangent in tangents:
        np.testing.assert_array_equal(np.asarray(tangent), np.zeros(tangent.shape))


def test_every_op_is_in_one_of_the_lists():
    here = {case[0] for case in EAGER} | (vmap_cases.ELEMENTWISE - WITHOUT.keys())
    every = set(vmap_cases.OPS)
    assert not WITHOUT.keys() - every - {case[0] for case in vmap_cases.CASES}
    assert not every - here - WITHOUT.keys() - vmap_cases.WITHOUT_ARRAYS


def test_one_primitive_alone_has_no_rule():
    table = Path(__file__).parents[3] / "src" / "op" / "primitive.def"
    rows = re.findall(r"^JG_\w+\((\w+),.*MISSING", table.read_text(), re.MULTILINE)
    assert rows == ["refuse"]


def test_derivatives_of_logaddexp2_are_right_where_both_are_equal():
    two = jg.array(2.0, dtype=jg.float64)
    slopes = jg.grad(jg.logaddexp2, argnums=(0, 1))(two, two)
    np.testing.assert_allclose(slopes, [0.5, 0.5], rtol=1e-15)
    rows = jg.hessian(jg.logaddexp2, argnums=(0, 1))(two, two)
    bend = np.log(2) / 4
    np.testing.assert_allclose(rows, [[bend, -bend], [-bend, bend]], rtol=1e-14)


@pytest.mark.parametrize("x", [0.0, 1e-9, 1e-3, -0.1249, 0.125, 0.3])
def test_derivatives_of_sinc_are_those_of_the_limit_at_zero(x):
    x = np.float64(x)
    slope, bend = jg.grad(jg.sinc)(jg.asarray(x)), jg.hessian(jg.sinc)(jg.asarray(x))
    # sinc(x) is the mean of cos(pi x t) over t from 0 to 1.
    t, weights = np.polynomial.legendre.leggauss(30)
    t, weights = (t + 1) / 2, weights / 2
    np.testing.assert_allclose(slope, -weights @ (np.pi * t * np.sin(np.pi * x * t)), atol=1e-14)
    np.testing.assert_allclose(bend, -weights @ ((np.pi * t) ** 2 * np.cos(np.pi * x * t)), 1e-13)


@pytest.mark.parametrize("x", [0.0, -0.0, 0.5, -0.5, 3.0, -3.5])
def test_the_derivative_of_fmod_is_one_at_zero_too(x):
    assert float(jg.grad(lambda x: jg.fmod(x, 2))(jg.array(x, dtype=jg.float64))) == 1.0


def test_the_derivative_of_cbrt_is_infinite_at_zero():
    x = np.array([0.0, -0.0, 1.0, -8.0, np.inf, -np.inf])
    slopes = jg.grad(lambda x: jg.sum(jg.cbrt(x)))(jg.asarray(x))
    np.testing.assert_allclose(np.asarray(slopes), [np.inf, np.inf, 1 / 3, 1 / 12, 0, 0])


def test_interp_has_the_slope_of_the_line_to_the_right_at_samples():
    xp, fp = (jg.array(v, dtype=jg.float64) for v in ([-1.0, 0.0, 1.0], [0.0, 1.0, 5.0]))
    x = jg.array([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0], dtype=jg.float64)
    slopes = jg.grad(lambda x: jg.sum(jg.interp(x, xp, fp)))(x)
    assert slopes.tolist() == [0.0, 1.0, 1.0, 4.0, 4.0, 4.0, 0.0]
    shares = jg.grad(lambda fp: jg.sum(jg.interp(x, xp, fp)))(fp)
    np.testing.assert_allclose(np.asarray(shares), [2.5, 2.0, 2.5], rtol=1e-15)


def test_derivatives_of_softplus_are_right_at_zero():
    zeros = jg.array([0.0, -0.0], dtype=jg.float64)
    assert jg.grad(lambda x: jg.sum(jg.softplus(x)))(zeros).tolist() == [0.5, 0.5]
    bends = jg.hessian(lambda x: jg.sum(jg.softplus(x)))(zeros)
    np.testing.assert_allclose(np.diag(np.asarray(bends)), [0.25, 0.25], rtol=1e-15)


def test_the_angle_of_real_numbers_has_no_derivative_but_zero():
    x = jg.array([0.0, -0.0, 2.0, -2.0], dtype=jg.float64)
    assert jg.grad(lambda x: jg.sum(jg.angle(x)))(x).tolist() == [0.0] * 4


def test_bounds_of_a_histogram_move_with_the_extrema():
    x = jg.array([0.5, -1.0, 2.0, 0.0], dtype=jg.float64)
    weights = jg.array([1.0, 10.0, 100.0], dtype=jg.float64)
    for bounds in (
        lambda x: jg.histogram_bin_edges(x, bins=2),
        lambda x: jg.histogram(x, bins=2)[1],
    ):
        slope = jg.grad(lambda x, bounds=bounds: jg.sum(bounds(x) * weights))(x)
        assert slope.tolist() == [0.0, 6.0, 105.0, 0.0]


# Functions that are no power series, or have branches that ask which number is larger.
NO_COMPLEX_STEP = {"abs", "absolute", "angle", "conj", "conjugate", "imag", "real", "sign"}


def of_complex_step(name):
    """The arguments, if the op takes complex numbers and gives some."""
    arguments = elementwise(name)
    turned = [x + 0j for x in arguments]
    if not takes(getattr(jg, name), *turned):
        return None
    made = getattr(jg, name)(*map(jg.asarray, turned))
    return arguments if made.dtype == jg.complex128 else None


def check_complex_step(op, arguments, name, step=1e-30):
    for number in range(len(arguments)):
        moved = [jg.asarray(a + (1j * step if i == number else 0)) for i, a in enumerate(arguments)]
        tangents = [jg.asarray(np.full_like(a, i == number)) for i, a in enumerate(arguments)]
        pushed = jg.jvp(op, [*map(jg.asarray, arguments)], tangents)[1][0]
        want = np.asarray(op(*moved)).imag / step
        np.testing.assert_allclose(np.asarray(pushed), want, rtol=1e-13, atol=1e-13, err_msg=name)


def test_ops_of_elements_have_the_derivative_of_a_complex_step():
    done = 0
    for name in sorted(vmap_cases.ELEMENTWISE - WITHOUT.keys() - NO_COMPLEX_STEP):
        arguments = of_complex_step(name)
        if arguments is not None:
            check_complex_step(getattr(jg, name), arguments, name)
            done += 1
    assert done >= 30, done
