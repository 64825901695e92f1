# SPDX-License-Identifier: Apache-2.0
"""Functions of complex numbers: accuracy against mpmath, the special values of the Array API and
C99, branch cuts, and powers.

Accuracy is of the number as a whole: |got - exact| / (eps |exact|).
"""

import os
import subprocess
import sys

import mpmath
import numpy as np
import pytest

import joggle as jg

COMPLEX = ["complex64", "complex128"]
NAN, INF, PI = float("nan"), float("inf"), np.pi
NAMES = ["exp", "expm1", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sign"]
NAMES += ["asin", "acos", "atan", "asinh", "acosh", "atanh"]
EXACT = {name: getattr(mpmath, name) for name in NAMES}
EXACT |= {
    "log1p": lambda z: mpmath.log(1 + z),
    "log2": lambda z: mpmath.log(z) / mpmath.log(2),
    "log10": mpmath.log10,
    "abs": abs,
    "angle": mpmath.arg,
    "square": lambda z: z * z,
    "reciprocal": lambda z: 1 / z,
}
# Of complex128; complex64 is computed in double precision, and its bound is 1.
BOUNDS = dict.fromkeys(EXACT, 2) | {"expm1": 2.5, "tan": 3, "tanh": 3}


def samples(dtype):
    """Numbers of all sizes, near the axes and near the unit circle."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=150) + 1j * rng.normal(size=150)
    circle = np.exp(1j * rng.uniform(-3, 3, 50)) * (1 + rng.normal(size=50) * 1e-5)
    near = [z.real + 1e-7j * z.imag, 1e-7 * z.real + 1j * z.imag, circle]
    return np.concatenate([z, z * 8, z * 1e-3, z * 1e-9, *near]).astype(dtype)


def number(z):
    return mpmath.mpc(float(z.real), float(z.imag))


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", EXACT)
def test_functions_are_accurate(name, dtype):
    a = samples(dtype)
    got = np.asarray(getattr(jg, name)(jg.array(a)))
    bound = 2 if name in ("square", "reciprocal") else BOUNDS[name] if dtype == "complex128" else 1
    with mpmath.workprec(200):
        for z, result in zip(a, got, strict=True):
            exact = EXACT[name](number(z))
            error = abs(number(result) - exact) / (float(np.finfo(dtype).eps) * abs(exact))
            assert error <= bound, (z, result, exact)


@pytest.mark.parametrize("name", ["exp", "sinh", "cosh"])
def test_results_near_the_end_of_the_range_are_finite(name):
    a = np.array([709.9 + 0.785j, -709.9 + 1.5707j, 709.9 - 0.8j, 709 + 1.5707j])
    got = np.asarray(getattr(jg, name)(jg.array(a)))
    with mpmath.workprec(200):
        for z, result in zip(a, got, strict=True):
            exact = EXACT[name](number(z))
            assert abs(number(result) - exact) <= 4 * 2**-52 * abs(exact)


@pytest.mark.parametrize("name", ["exp", "sinh", "cosh"])
def test_the_smallest_angles_keep_their_digits_beside_large_exponents(name):
    a = np.array([complex(x, n * 5e-324) for x in (50.0, 709.5, 710.4) for n in (1, -1, 3)])
    got = np.asarray(getattr(jg, name)(jg.array(a)))
    with mpmath.workprec(200):
        for z, part in zip(a, got.imag, strict=True):
            exact = EXACT[name](number(z)).imag
            assert abs(mpmath.mpf(float(part)) - exact) <= 4 * 2**-52 * abs(exact) + 5e-324
    far = np.array([complex(1e30, 5e-324), complex(-1e30, -5e-324)])
    got = np.asarray(getattr(jg, name)(jg.array(far)))
    assert not np.isnan(got).any() and np.isinf(got[0].real) and np.isinf(got[0].imag)


# (argument, result) of the Array API's tables; ANY stands for a sign that is not specified.
ANY = object()
SPECIAL = {
    "exp": [
        ((0, 0), (1, 0)),
        ((1, INF), (NAN, NAN)),
        ((1, NAN), (NAN, NAN)),
        ((INF, 0), (INF, 0)),
        ((-INF, 1), (0, 0)),
        ((INF, 1), (INF, INF)),
        ((INF, 2), (-INF, INF)),
        ((-INF, INF), (ANY, ANY)),
        ((INF, INF), (INF, NAN)),
        ((-INF, NAN), (ANY, ANY)),
        ((INF, NAN), (INF, NAN)),
        ((NAN, 0), (NAN, 0)),
        ((NAN, 1), (NAN, NAN)),
        ((NAN, NAN), (NAN, NAN)),
    ],
    "expm1": [
        ((0, 0), (0, 0)),
        ((1, INF), (NAN, NAN)),
        ((1, NAN), (NAN, NAN)),
        ((INF, 0), (INF, 0)),
        ((-INF, 1), (-1, 0)),
        ((INF, 2), (-INF, INF)),
        ((-INF, INF), (-1, ANY)),
        ((INF, INF), (INF, NAN)),
        ((-INF, NAN), (-1, ANY)),
        ((INF, NAN), (INF, NAN)),
        ((NAN, 0), (NAN, 0)),
        ((NAN, 1), (NAN, NAN)),
    ],
    "log": [
        ((-0.0, 0), (-INF, PI)),
        ((0, 0), (-INF, 0)),
        ((1, INF), (INF, PI / 2)),
        ((1, NAN), (NAN, NAN)),
        ((-INF, 1), (INF, PI)),
        ((INF, 1), (INF, 0)),
        ((-INF, INF), (INF, 3 * PI / 4)),
        ((INF, INF), (INF, PI / 4)),
        ((INF, NAN), (INF, NAN)),
        ((NAN, 1), (NAN, NAN)),
        ((NAN, INF), (INF, NAN)),
    ],
    "log1p": [
        ((-1, 0), (-INF, 0)),
        ((1, INF), (INF, PI / 2)),
        ((1, NAN), (NAN, NAN)),
        ((-INF, 1), (INF, PI)),
        ((INF, 1), (INF, 0)),
        ((-INF, INF), (INF, 3 * PI / 4)),
        ((INF, INF), (INF, PI / 4)),
        ((INF, NAN), (INF, NAN)),
        ((NAN, 1), (NAN, NAN)),
        ((NAN, INF), (INF, NAN)),
    ],
    "sqrt": [
        ((0, 0), (0, 0)),
        ((1, INF), (INF, INF)),
        ((NAN, INF), (INF, INF)),
        ((1, NAN), (NAN, NAN)),
        ((-INF, 1), (0, INF)),
        ((INF, 1), (INF, 0)),
        ((-INF, NAN), (NAN, ANY)),
        ((INF, NAN), (INF, NAN)),
        ((NAN, 1), (NAN, NAN)),
        ((-4, 0), (0, 2)),
        ((-4, -0.0), (0, -2)),
    ],
    "sinh": [
        ((0, 0), (0, 0)),
        ((0, INF), (ANY, NAN)),
        ((0, NAN), (ANY, NAN)),
        ((1, INF), (NAN, NAN)),
        ((INF, 0), (INF, 0)),
        ((INF, 2), (-INF, INF)),
        ((INF, INF), (INF, NAN)),
        ((INF, NAN), (INF, NAN)),
        ((NAN, 0), (NAN, 0)),
        ((NAN, 1), (NAN, NAN)),
    ],
    "cosh": [
        ((0, 0), (1, 0)),
        ((0, INF), (NAN, ANY)),
        ((0, NAN), (NAN, ANY)),
        ((1, INF), (NAN, NAN)),
        ((INF, 0), (INF, 0)),
        ((INF, 2), (-INF, INF)),
        ((INF, INF), (INF, NAN)),
        ((INF, NAN), (INF, NAN)),
        ((NAN, 0), (NAN, ANY)),
        ((NAN, 1), (NAN, NAN)),
    ],
    "tanh": [
        ((0, 0), (0, 0)),
        ((1, INF), (NAN, NAN)),
        ((0, INF), (0, NAN)),
        ((0, NAN), (0, NAN)),
        ((INF, 1), (1, 0)),
        ((INF, 2), (1, 0)),
        ((INF, INF), (1, ANY)),
        ((INF, NAN), (1, ANY)),
        ((NAN, 0), (NAN, 0)),
        ((NAN, 1), (NAN, NAN)),
    ],
    "acos": [
        ((0, 0), (PI / 2, -0.0)),
        ((0, NAN), (PI / 2, NAN)),
        ((1, INF), (PI / 2, -INF)),
        ((1, NAN), (NAN, NAN)),
        ((-INF, 1), (PI, -INF)),
        ((INF, 1), (0, -INF)),
        ((-INF, INF), (3 * PI / 4, -INF)),
        ((INF, INF), (PI / 4, -INF)),
        ((NAN, INF), (NAN, -INF)),
        ((NAN, NAN), (NAN, NAN)),
    ],
    "asinh": [
        ((0, 0), (0, 0)),
        ((1, INF), (INF, PI / 2)),
        ((INF, 1), (INF, 0)),
        ((INF, INF), (INF, PI / 4)),
        ((INF, NAN), (INF, NAN)),
        ((NAN, 0), (NAN, 0)),
        ((NAN, 1), (NAN, NAN)),
    ],
    "acosh": [
        ((0, 0), (0, PI / 2)),
        ((1, INF), (INF, PI / 2)),
        ((-INF, 1), (INF, PI)),
        ((INF, 1), (INF, 0)),
        ((-INF, INF), (INF, 3 * PI / 4)),
        ((NAN, INF), (INF, NAN)),
        ((NAN, NAN), (NAN, NAN)),
    ],
    "atanh": [
        ((0, 0), (0, 0)),
        ((0, NAN), (0, NAN)),
        ((1, 0), (INF, 0)),
        ((0.5, INF), (0, PI / 2)),
        ((INF, 1), (0, PI / 2)),
        ((INF, INF), (0, PI / 2)),
        ((INF, NAN), (0, NAN)),
        ((NAN, 1), (NAN, NAN)),
    ],
    "sign": [
        ((0, 0), (ANY, ANY)),
        ((-0.0, -0.0), (ANY, ANY)),
        ((NAN, 1), (NAN, NAN)),
        ((1, NAN), (NAN, NAN)),
        ((INF, 1), (1, ANY)),
        ((2, -INF), (ANY, -1)),
        ((1e30, 0), (1, 0)),
    ],
}
CASES = [(name, *case) for name, cases in SPECIAL.items() for case in cases]


def check_part(got, wanted):
    if wanted is ANY:
        assert got == 0 or np.isinf(got)
    elif np.isnan(wanted):
        assert np.isnan(got)
    else:
        assert got == pytest.approx(wanted, rel=1e-6, abs=0)
        assert wanted != 0 or np.signbit(got) == np.signbit(wanted)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize(("name", "argument", "wanted"), CASES)
def test_special_values_are_those_of_c99(name, argument, wanted, dtype):
    z = jg.array([complex(*argument)] * 17, dtype)  # more than one vector
    for conjugated in (False, True):
        if conjugated and ANY in wanted:
            continue
        got = np.asarray(getattr(jg, name)(jg.conj(z) if conjugated else z))
        sign = -1.0 if conjugated else 1.0
        for result in got[[0, 8, 16]]:
            check_part(result.real, wanted[0])
            check_part(result.imag, ANY if wanted[1] is ANY else sign * wanted[1])


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("log", [-2, -0.5]),
        ("log2", [-2]),
        ("log10", [-2]),
        ("log1p", [-3, -1.5]),
        ("sqrt", [-2, -1e-3]),
        ("asin", [-2, 1.5]),
        ("acos", [-2, 1.5]),
        ("acosh", [-2, -0.5, 0.5]),
        ("atanh", [-2, 1.5]),
    ],
)
def test_branch_cuts_are_continuous_from_the_side_of_zeros_sign(name, points, dtype):
    for side in (1.0, -1.0):
        on = jg.array([complex(x, side * 0.0) for x in points], dtype)
        beside = jg.array([complex(x, side * 1e-30) for x in points], dtype)
        function = getattr(jg, name)
        np.testing.assert_allclose(np.asarray(function(on)), np.asarray(function(beside)), 1e-6)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ["atan", "asinh"])
def test_branch_cuts_on_the_imaginary_axis_are_continuous_from_one_side(name, dtype):
    function = getattr(jg, name)
    for side in (1.0, -1.0):
        on = jg.array([complex(side * 0.0, y) for y in (-2, 1.5)], dtype)
        beside = jg.array([complex(side * 1e-30, y) for y in (-2, 1.5)], dtype)
        np.testing.assert_allclose(np.asarray(function(on)), np.asarray(function(beside)), 1e-6)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 5, 17, -1, -2, 0.5, -1.5, 2 + 1j, 1j, 200])
def test_powers_are_accurate(exponent, dtype):
    z = samples(dtype)[:150]
    got = np.asarray(jg.array(z) ** exponent)
    assert got.dtype.name == dtype
    with mpmath.workprec(200):
        for x, result in zip(z, got, strict=True):
            exact = number(x) ** mpmath.mpmathify(exponent)
            if not 1e-30 < abs(exact) < 1e30:
                continue
            size = abs(complex(exponent)) * (1 + abs(np.log(complex(x)))) + 4
            bound = float(np.finfo(dtype).eps) * (size if dtype == "complex128" else 1)
            assert abs(number(result) - exact) <= bound * abs(exact), (x, exponent)


def test_powers_of_zero_and_by_arrays_are_numpys():
    zero = jg.array([0j] * 3)
    assert (zero ** jg.array([0, 2, 1.5])).tolist() == [1, 0, 0]
    a, b = samples("complex128")[:150], samples("complex128")[150:300] / 8
    np.testing.assert_allclose(np.asarray(jg.array(a) ** jg.array(b)), a**b, rtol=1e-13)
    np.testing.assert_allclose(np.asarray(2 ** jg.array(a)), 2**a, rtol=1e-13)
    real = np.array([2.0, 3])
    np.testing.assert_allclose(np.asarray(jg.array(real) ** 1j), real**1j, rtol=1e-13)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_a_number_is_what_its_parts_are(dtype):
    parts = [0.0, 1.0, float(np.finfo(dtype).max), INF, -INF, NAN]
    a = np.array([complex(x, y) for x in parts for y in parts], dtype)
    for name in ("isnan", "isinf", "isfinite"):
        assert np.array_equal(np.asarray(getattr(jg, name)(jg.array(a))), getattr(np, name)(a))
    b = np.array([1 + 1j, 2, 3j, complex(INF, 0), 1e-9j], dtype)
    c = np.array([1 + 1.000001j, 2 + 1e-9j, 3.1j, complex(INF, 0), 0], dtype)
    assert np.array_equal(np.asarray(jg.isclose(jg.array(b), jg.array(c))), np.isclose(b, c))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_angle_and_round_are_numpys(dtype):
    a = np.array([1 + 1j, -1, complex(-1, -0.0), -2j, 0, complex(-0.0, 0), 2.5 + 3.5j, NAN], dtype)
    np.testing.assert_allclose(np.asarray(jg.angle(jg.array(a))), np.angle(a), rtol=1e-6)
    assert np.array_equal(np.asarray(jg.round(jg.array(a[:7]))), np.round(a[:7]))
    assert jg.angle(jg.array([1.0, -1.0])).tolist() == pytest.approx([0, PI])
    assert jg.angle(jg.array([1, -1])).dtype is jg.float32


CHAIN = """
import joggle as jg, numpy as np
z = jg.array((np.arange(3000) % 61 - 30 + 1j * (np.arange(3000) % 47)).astype("{dtype}") / 7)
y = jg.exp(z / 9) * jg.conj(z) + jg.sqrt(z) ** 3 - jg.sin(z) / (jg.abs(z) + 1)
y = jg.where(y.real > 0, y, jg.log(y) * 1j)
print(np.asarray(y).tobytes().hex(), jg.sum(y).item(), jg.mean(jg.abs(y)).item())
"""


@pytest.mark.parametrize("dtype", COMPLEX)
def test_fused_chains_have_the_bits_of_unfused_ones(dtype):
    code = CHAIN.format(dtype=dtype)
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"JOGGLE_FUSE": fuse},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for fuse in ("0", "1")
    }
    assert len(outputs) == 1
