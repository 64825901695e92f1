# SPDX-License-Identifier: Apache-2.0
"""What debug mode checks of atomics, negation, quotients, powers and casts."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("debug")


@pytest.fixture
def debug(compiler):
    qd.init(debug=True)


def refuse(kernel, arguments, kind, message):
    with pytest.raises(kind, match=message):
        kernel(*arguments)


@pytest.mark.parametrize("index", [-1, 4])
def test_the_index_of_an_atomic_is_in_range(index):
    x = qd.field(qd.i32, 4)

    @qd.kernel
    def add(i: qd.i32):
        qd.atomic_add(x[i], 1)

    @qd.kernel
    def swap(i: qd.i32):
        for _ in range(2):
            qd.atomic_cas(x[i], 0, 1)

    message = f"line .*: index 0 of x: got {index}, allowed 0 to below 4"
    for kernel in (add, swap):
        refuse(kernel, (index,), IndexError, message)
        kernel(3)
    assert x.to_numpy().tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("dtype", [qd.u8, qd.u32, qd.u64], ids=str)
def test_an_unsigned_number_is_not_negated(dtype):
    @qd.kernel
    def negate(x: qd.i32) -> dtype:
        return -qd.cast(x, dtype)

    assert negate(0) == 0
    refuse(negate, (3,), AssertionError, rf"line .*: {dtype.name} 0 - 3 overflows")


def test_the_lowest_number_has_no_magnitude():
    @qd.kernel
    def magnitude(x: qd.i32) -> qd.i32:
        return abs(x)

    assert magnitude(-5) == 5
    refuse(magnitude, (-(2**31),), AssertionError, "abs of int32 -2147483648 overflows")


CASTS = [
    (qd.f32, qd.i32, [-(2.0**31), 2.0**31 - 128, 0.5], [2.0**31, -(2.0**31) - 256, 1e20]),
    (qd.f64, qd.i32, [-(2.0**31) - 0.5, 2.0**31 - 0.5], [2.0**31, -(2.0**31) - 1]),
    (qd.f64, qd.i64, [-(2.0**63), 2.0**63 - 1024], [2.0**63, -(2.0**63) - 2048]),
    (qd.f32, qd.u8, [-0.5, 255.5, 0], [-1.0, 256.0]),
    (qd.f64, qd.u64, [2.0**64 - 2048], [2.0**64, -1.0]),
    (qd.f16, qd.i8, [-128.0, 127.0], [128.0, -129.0]),
]


@pytest.mark.parametrize(
    ("from_", "to", "fit", "overflow"), CASTS, ids=lambda x: getattr(x, "name", "")
)
def test_a_float_that_becomes_an_integer_fits(from_, to, fit, overflow):
    @qd.kernel
    def convert(x: qd.f64) -> to:
        return qd.cast(qd.cast(x, from_), to)

    for x in fit:
        assert convert(x) == int(x)
    for x in [*overflow, np.inf, -np.inf, np.nan]:
        refuse(convert, (x,), AssertionError, f"line .*: {from_.name} .* overflows {to.name}")


def test_a_float_that_is_stored_among_integers_fits():
    x = np.zeros(2, np.int16)

    @qd.kernel
    def store(x: qd.types.ndarray(), value: qd.f32):
        x[1] = value

    store(x, 12.75)
    assert x[1] == 12
    refuse(store, (x, 40000.0), AssertionError, "float32 40000 overflows int16")


@pytest.mark.parametrize("dtype", [qd.i8, qd.i32, qd.i64], ids=str)
def test_the_lowest_number_is_not_divided_by_minus_one(dtype):
    lowest = -(2 ** (dtype.bits - 1))

    @qd.kernel
    def divide(a: dtype, b: dtype) -> dtype:
        return a // b

    @qd.kernel
    def truncate(a: dtype, b: dtype) -> dtype:
        return qd.raw_div(a, b)

    for kernel in (divide, truncate):
        assert kernel(lowest, 1) == lowest and kernel(lowest + 1, -1) == -lowest - 1
        refuse(kernel, (lowest, -1), AssertionError, rf"{dtype.name} {lowest} .* -1 overflows")


@pytest.mark.parametrize("dtype", [qd.i8, qd.u16, qd.i32, qd.i64, qd.u64], ids=str)
def test_a_power_fits_or_is_refused_exactly_at_the_limits(dtype):
    signed = qd.types.is_signed(dtype)
    low = -(2 ** (dtype.bits - 1)) if signed else 0
    high = low + 2**dtype.bits - 1
    root = int(high**0.5)

    @qd.kernel
    def power(a: dtype, b: dtype) -> dtype:
        return a**b

    bases = [0, 1, 2, 3, 10, root, high] + [-2, -3, -8, low] * signed
    for base in bases:
        for exponent in (0, 1, 2, 3, 7, 8, 15, 16, 21, 31, 32, 39, 40, 62, 63, 64):
            exact = base**exponent
            if low <= exact <= high:
                assert power(base, exponent) == exact
            else:
                refuse(power, (base, exponent), AssertionError, rf"{base} \*\* {exponent} overf")


@pytest.mark.parametrize("tier", ["parallel", "in order"])
def test_updates_that_iterations_share_are_checked(tier):
    x = qd.field(qd.i32, shape=3)
    unsigned = qd.field(qd.u8, shape=())

    @qd.kernel
    def update(n: qd.i32):
        qd.loop_config(serialize=tier == "in order")
        for _ in range(n):
            x[0] += 2**29
            x[1] -= 2**29
            qd.atomic_mul(x[2], 2)

    @qd.kernel
    def take(n: qd.i32):
        qd.loop_config(serialize=tier == "in order")
        for _ in range(n):
            unsigned[None] -= 1

    x[2], unsigned[None] = 2**27, 3
    update(3)
    take(3)
    assert x.to_numpy().tolist() == [3 * 2**29, -3 * 2**29, 2**30] and unsigned[None] == 0
    refuse(update, (1,), AssertionError, "int32 .* overflows")
    refuse(take, (1,), AssertionError, "uint8 0 - 1 overflows")
