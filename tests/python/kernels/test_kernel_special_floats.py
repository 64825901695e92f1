# SPDX-License-Identifier: Apache-2.0
"""Zeros, infinities, NaN and subnormal numbers in kernels with the default settings, fast_math
among them: only the reassociation of sums and products, and the sign of a zero, are left open."""

import os
import subprocess
import sys

import numpy as np
import pytest

import joggle.fields as qd

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 1e-45, 1.2e-38, 3e38, 1.0, 4.0, -1.0, 2.5]
# So many that loops have full vectors and a rest, each with every number.
REPEATS = 5


def check(found, expected, name):
    np.testing.assert_allclose(found, expected.astype(found.dtype), rtol=2e-5, err_msg=name)


@qd.kernel
def apply_each(x: qd.types.ndarray(), out: qd.types.ndarray()):
    for i in range(x.shape[0]):
        out[0, i] = 1 / qd.sqrt(x[i])
    for i in range(x.shape[0]):
        out[1, i] = qd.rsqrt(x[i])
    for i in range(x.shape[0]):
        out[2, i] = qd.sqrt(x[i])
        out[3, i] = 1 / qd.sqrt(x[i])
    for i in range(x.shape[0]):
        out[4, i] = qd.sqrt(x[i])
    for i in range(x.shape[0]):
        out[5, i] = x[i] / qd.sqrt(x[i])
    for i in range(x.shape[0]):
        out[6, i] = qd.sqrt(x[i]) * qd.sqrt(x[i])
    for i in range(x.shape[0]):
        out[7, i] = 1 / x[i]
    for i in range(x.shape[0]):
        out[8, i] = x[i] / 3
    for i in range(x.shape[0]):
        out[9, i] = 1 / (1 / x[i])
    for i in range(x.shape[0]):
        out[10, i] = x[i] / x[i]
    for i in range(x.shape[0]):
        out[11, i] = x[i] - x[i]
    for i in range(x.shape[0]):
        out[12, i] = 0.0 * x[i]
    for i in range(x.shape[0]):
        out[13, i] = qd.math.isnan(x[i] * 1.5)
    for i in range(x.shape[0]):
        out[14, i] = qd.math.isinf(x[i] + 1)
    for i in range(x.shape[0]):
        y = x[i] - 1
        out[15, i] = y != y
    for i in range(x.shape[0]):
        out[16, i] = qd.atan2(x[i], -x[i])
    for i in range(x.shape[0]):
        out[17, i] = qd.Vector([x[i], 0.0]).norm()


EACH = {
    "1 / sqrt(x)": lambda x: 1 / np.sqrt(x),
    "rsqrt(x)": lambda x: 1 / np.sqrt(x),
    "sqrt(x) beside its reciprocal": np.sqrt,
    "1 / sqrt(x) beside the root": lambda x: 1 / np.sqrt(x),
    "sqrt(x)": np.sqrt,
    "x / sqrt(x)": lambda x: x / np.sqrt(x),
    "sqrt(x) * sqrt(x)": lambda x: np.sqrt(x) * np.sqrt(x),
    "1 / x": lambda x: 1 / x,
    "x / 3": lambda x: x / 3,
    "1 / (1 / x)": lambda x: 1 / (1 / x),
    "x / x": lambda x: x / x,
    "x - x": lambda x: x - x,
    "0 * x": lambda x: 0 * x,
    "isnan(1.5 * x)": np.isnan,
    "isinf(x + 1)": np.isinf,
    "NaN differs from itself": np.isnan,
    "atan2(x, -x)": lambda x: np.arctan2(x, -x),
    "norm": lambda x: np.sqrt(x * x),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_of_special_numbers_are_right_in_every_lane(compiler, dtype):
    x = np.array(SPECIAL * REPEATS, dtype)
    out = np.zeros((len(EACH), len(x)), dtype)
    apply_each(x, out)
    for (name, function), found in zip(EACH.items(), out, strict=True):
        with np.errstate(all="ignore"):
            check(found, function(x), name)


@qd.kernel
def combine(x: qd.types.ndarray(), y: qd.types.ndarray(), out: qd.types.ndarray()):
    for i in range(x.shape[0]):
        out[0, i] = x[i] / y[i]
    for i in range(x.shape[0]):
        out[1, i] = x[i] % y[i]
    for i in range(x.shape[0]):
        out[2, i] = qd.atan2(x[i], y[i])
    for i in range(x.shape[0]):
        out[3, i] = max(x[i], y[i])
    for i in range(x.shape[0]):
        out[4, i] = min(x[i], y[i])
    for i in range(x.shape[0]):
        out[5, i] = x[i] ** y[i]
    for i in range(x.shape[0]):
        out[6, i] = x[i] // y[i]


def floor_divide(x, y):
    """As of arrays: of infinities, too, the floor of the quotient."""
    infinite = np.isinf(x) | np.isinf(y)
    return np.where(infinite, np.floor(x / y), np.floor_divide(x, y))


COMBINED = {
    "x / y": np.divide,
    "x % y": np.remainder,
    "atan2(x, y)": np.arctan2,
    "max(x, y)": np.maximum,
    "min(x, y)": np.minimum,
    "x ** y": np.power,
    "x // y": floor_divide,
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_operators_of_special_numbers_are_right_in_every_lane(compiler, dtype):
    x, y = (v.ravel().astype(dtype) for v in np.meshgrid(SPECIAL, [*SPECIAL, -2.5, 7.0]))
    out = np.zeros((len(COMBINED), len(x)), dtype)
    combine(x, y, out)
    for (name, function), found in zip(COMBINED.items(), out, strict=True):
        with np.errstate(all="ignore"):
            check(found, function(x, y), name)


@pytest.mark.parametrize("divisor", [0.0, np.inf, np.nan, 1e-40, 3e38, 3.0])
def test_a_divisor_that_stays_is_divided_by(compiler, divisor):
    """Its reciprocal may be infinite or subnormal where the quotients are not."""
    x = np.array(SPECIAL * REPEATS, np.float32)
    y = np.zeros_like(x)

    @qd.kernel
    def divide(x: qd.types.ndarray(), y: qd.types.ndarray(), d: qd.f32):
        for i in range(x.shape[0]):
            y[i] = x[i] / d

    divide(x, y, divisor)
    with np.errstate(all="ignore"):
        check(y, x / np.float32(divisor), "x / d")


@pytest.mark.parametrize("special", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_under_conditions_keep_what_is_not_finite(compiler, dtype, special):
    x = np.ones(1000, dtype)
    x[[700, 990]] = special, -special

    @qd.kernel
    def collect(x: qd.types.ndarray(), out: qd.types.ndarray()):
        for _ in range(1):
            s = x[0] * 0
            for j in range(x.shape[0]):
                if x[j] != 2:
                    s += x[j]
            out[0] = s
            out[1] = float(qd.math.isnan(s))
        for i in x:
            if x[i] != 2:
                out[2] += x[i]

    out = np.zeros(3, dtype)
    collect(x, out)
    np.testing.assert_array_equal(out, [np.nan, 1, np.nan])


def test_sums_in_branches_are_those_of_the_branches_taken(compiler):
    """With another side, nested, with loops inside, left early, read in between."""
    x = np.random.default_rng(0).integers(-8, 8, 1001).astype(np.float32)

    @qd.kernel
    def sums(x: qd.types.ndarray(), out: qd.types.ndarray()):
        for _ in range(1):
            both, nested, inner, early, read = 0.0, 0.0, 0.0, 0.0, 0.0
            for i in range(x.shape[0]):
                if x[i] > 0:
                    both += x[i]
                else:
                    both -= 2 * x[i]
                if x[i] > 1:
                    if x[i] < 5:
                        nested -= x[i]
                    elif x[i] > 6:
                        nested += 100
                if x[i] > 2:
                    for j in range(3):
                        inner += x[i] * j
                if x[i] > 3:
                    read += x[i]
                    read += read > 1000
            for i in range(x.shape[0]):
                if x[i] > 0:
                    early += x[i]
                    if early > 50:
                        break
            out[0], out[1], out[2] = both, nested, inner
            out[3], out[4] = early, read

    def reference():
        both = nested = inner = early = read = 0.0
        for v in x.tolist():
            both += v if v > 0 else -2 * v
            nested += (-v if v < 5 else 100 if v > 6 else 0) if v > 1 else 0
            inner += 3 * v if v > 2 else 0
            if v > 3:
                read += v
                read += read > 1000
        for v in x.tolist():
            early += max(v, 0)
            if early > 50:
                break
        return [both, nested, inner, early, read]

    out = np.zeros(5, np.float32)
    sums(x, out)
    np.testing.assert_array_equal(out, reference())


@pytest.mark.parametrize("isa", ["baseline", "avx2"])
def test_special_numbers_are_right_at_lower_levels(isa):
    """The tests above, in a process of that level."""
    if os.environ.get("JOGGLE_ISA") == isa:
        return
    environment = {**os.environ, "JOGGLE_ISA": isa}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    command += ["-k", "not lower_levels and not float64"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:]
