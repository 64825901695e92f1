# SPDX-License-Identifier: Apache-2.0
"""Scalar expressions of kernels, against Python and NumPy."""

import math

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")

INTEGERS = [(7, 3), (-7, 3), (7, -3), (-7, -3), (0, 5)]


@pytest.mark.parametrize(("a", "b"), INTEGERS)
def test_integer_operators_are_those_of_python(a, b):
    @qd.kernel
    def function(a: int, b: int, out: qd.types.ndarray(qd.i32, 1)):
        out[0] = a + b
        out[1] = a - b
        out[2] = a * b
        out[3] = a // b
        out[4] = a % b
        out[5] = a & b
        out[6] = a | b
        out[7] = a ^ b
        out[8] = ~a
        out[9] = -b
        out[10] = a << 2
        out[11] = a >> 1
        out[12] = a**3
        out[13] = abs(a)
        out[14] = max(a, b, 2)
        out[15] = min(a, b, 2)

    out = np.zeros(16, np.int32)
    function(a, b, out)
    expected = [a + b, a - b, a * b, a // b, a % b, a & b, a | b, a ^ b, ~a, -b, a << 2, a >> 1]
    expected += [a**3, abs(a), max(a, b, 2), min(a, b, 2)]
    np.testing.assert_array_equal(out, expected)


def test_true_division_of_integers_is_of_floats():
    @qd.kernel
    def divide(a: int, b: int) -> float:
        return a / b

    assert divide(7, 2) == 3.5
    assert divide(-7, 2) == -3.5


def test_comparisons_chain_and_mix_dtypes():
    def function(a: int, b: int) -> int:
        return (1 < a <= b) + 2 * (a < b > 3) + 4 * (a == b) + 8 * (a != b) + 16 * (a >= 2.5)

    for pair in [(2, 5), (3, 3), (1, 1), (5, 2)]:
        assert qd.kernel(function)(*pair) == function(*pair)


def test_and_or_and_not_give_what_python_gives():
    def function(a: int, b: int) -> int:
        return 100 * (a and b) + 10 * (a or b) + (not a) + ((a > 1 and b > 1) or a == b)

    for pair in [(2, 5), (0, 3), (3, 0), (0, 0)]:
        assert qd.kernel(function)(*pair) == function(*pair)


def test_the_other_side_of_and_is_not_read_out_of_bounds():
    @qd.kernel
    def count(x: qd.types.ndarray(qd.i32, 1), first: int) -> int:
        i = first
        while i >= 0 and x[i] > 0:
            i -= 1
        y = x[i] if i >= 0 else 100
        return 1000 * (i + 1) + y

    x = np.array([1, 2, -5, 4], np.int32)
    assert count(x, 3) == 2995
    assert count(x, 1) == 100


def test_a_ternary_chooses_and_promotes():
    @qd.kernel
    def function(a: int, b: float) -> float:
        return a if a > b else b

    assert function(3, 2.5) == 3.0
    assert function(2, 2.5) == 2.5


FUNCTIONS = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "tanh": np.tanh,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "floor": np.floor,
    "ceil": np.ceil,
    "abs": np.abs,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_agree_with_numpy(name, dtype):
    function = getattr(qd, name)

    @qd.kernel
    def apply(x: qd.types.ndarray(ndim=1)):
        for i in x:
            x[i] = function(x[i])

    x = np.array([0.1, 0.25, 0.5, 0.75, 0.99], dtype)
    expected = FUNCTIONS[name](x)
    apply(x)
    np.testing.assert_allclose(x, expected, rtol=2e-6 if dtype == "float32" else 1e-14)


def test_round_goes_away_from_zero_and_pythons_round_to_even():
    @qd.kernel
    def function(x: float) -> float:
        return 100 * qd.round(x) + round(x)

    assert function(2.5) == 302
    assert function(-2.5) == -302
    assert function(0.49999997) == 0


def test_floor_takes_a_dtype():
    @qd.kernel
    def function(x: float) -> int:
        return qd.floor(x, int) * 10 + qd.ceil(x, qd.i32)

    assert function(-2.5) == -32


def test_powers_take_whole_and_broken_exponents():
    @qd.kernel
    def function(x: qd.f64, n: int, out: qd.types.ndarray(qd.f64, 1)):
        out[0] = x**2
        out[1] = x**-3
        out[2] = x**n
        out[3] = x**0.5
        out[4] = 2**n
        out[5] = qd.pow(x, 1.5)
        out[6] = x**0

    out = np.zeros(7)
    function(1.7, 5, out)
    np.testing.assert_allclose(
        out, [1.7**2, 1.7**-3, 1.7**5, 1.7**0.5, 32, 1.7**1.5, 1], rtol=1e-12
    )


def test_casts_truncate_and_wrap():
    @qd.kernel
    def function(x: float, out: qd.types.ndarray(qd.i32, 1)):
        out[0] = int(x)
        out[1] = qd.cast(x, qd.i8)
        out[2] = qd.u8(int(x * 100))
        out[3] = qd.i32(qd.i64(7000000000))
        out[4] = bool(x)
        out[5] = qd.bit_cast(qd.f32(1.0), qd.i32)

    out = np.zeros(6, np.int32)
    function(2.9, out)
    np.testing.assert_array_equal(
        out, [2, 2, 290 % 256, np.int64(7000000000).astype(np.int32), 1, 0x3F800000]
    )


def test_raw_div_and_raw_mod_round_as_c_does():
    @qd.kernel
    def function(a: int, b: int) -> int:
        return qd.raw_div(a, b) * 100 + qd.raw_mod(a, b)

    assert function(-7, 2) == -301
    assert function(7, 2) == 301


def test_atomics_give_the_old_value():
    @qd.kernel
    def function(x: qd.types.ndarray(qd.i32, 1)) -> int:
        y = 3
        a = qd.atomic_add(y, 4)
        b = qd.atomic_min(x[0], 2)
        c = qd.atomic_max(x[0], 9)
        d = qd.atomic_sub(x[0], 1)
        qd.atomic_or(x[0], 7)
        qd.atomic_and(x[0], 5)
        qd.atomic_xor(x[0], 1)
        qd.atomic_mul(x[0], 3)
        return a + 10 * b + 100 * c + 1000 * d + 10000 * y

    x = np.array([6], np.int32)
    assert function(x) == 3 + 60 + 200 + 9000 + 70000
    assert x[0] == (((9 - 1) | 7) & 5 ^ 1) * 3


def test_select_chooses_and_in_tests_membership():
    @qd.kernel
    def function(a: int) -> float:
        return qd.select(a > 2, 1, 2.5) + (10 if a in (1, 4, 9) else 20)

    assert function(4) == 11
    assert function(2) == 22.5


def test_random_numbers_lie_in_their_range():
    @qd.kernel
    def fill(x: qd.types.ndarray(qd.f32, 1)):
        for i in x:
            x[i] = qd.random()

    x = np.full(1000, -1, np.float32)
    fill(x)
    assert (x >= 0).all() and (x < 1).all() and len(set(x.tolist())) > 900


def test_constants_of_python_are_known_when_compiling():
    class Settings:
        scale, offsets = 3, (10, 20, 30)

    table = np.array([5, 6, 7])

    @qd.kernel
    def function(n: int) -> float:
        return (
            n * Settings.scale
            + Settings.offsets[1]
            + table[2]
            + math.tau * 3
            + len(Settings.offsets)
        )

    assert function(2) == pytest.approx(36 + 3 * math.tau)


def test_integers_wrap_and_bits_are_counted():
    @qd.kernel
    def function(a: int) -> int:
        return a + 2147483647

    assert function(2) == -2147483647
