# SPDX-License-Identifier: Apache-2.0
"""Numbers of few bits: what fields of them hold, written by kernels and from outside."""

import math

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")

quant = qd.types.quant


def wrapped(x, bits, signed):
    low = x & ((1 << bits) - 1)
    return low - (1 << bits) if signed and low >> (bits - 1) else low


def stepped(x, bits, signed, scale):
    steps = math.floor(abs(x) / scale + 0.5) * (1 if x >= 0 else -1)
    return wrapped(steps, bits, signed) * scale


def cut(x, exponent, digits):
    """The nearest of m * 2**e with so many digits after the leading one, by frexp."""
    if x == 0:
        return 0.0
    m, e = math.frexp(abs(x))
    m = math.floor(m * 2 ** (digits + 1) + 0.5) / 2 ** (digits + 1)
    if m == 1:
        m, e = 0.5, e + 1
    bias = (1 << (exponent - 1)) - 1
    if e - 1 < 1 - bias:
        return math.copysign(0.0, x)
    largest = (2 - 2.0**-digits) * 2.0 ** ((1 << exponent) - 1 - bias)
    return math.copysign(min(math.ldexp(m, e), largest), x)


@qd.kernel
def copy(to: qd.template(), source: qd.types.ndarray()):
    for i in to:
        to[i] = source[i]


INTEGERS = [(5, True), (5, False), (2, True), (1, False), (13, True), (31, False)]


@pytest.mark.parametrize(("bits", "signed"), INTEGERS)
def test_integers_keep_their_low_bits(bits, signed):
    values = np.random.default_rng(bits).integers(-(2**20), 2**20, 50, dtype=np.int32)
    x = qd.field(quant.int(bits, signed), 50)
    expected = [wrapped(int(v), bits, signed) for v in values]
    copy(x, values)
    assert x.to_numpy().tolist() == expected
    x.fill(0)
    x.from_numpy(values)
    assert x.to_numpy().tolist() == expected
    x[0] = -77
    assert x[0] == wrapped(-77, bits, signed)


@pytest.mark.parametrize("given", [{}, {"max_value": 4.0}, {"signed": False}, {"scale": 0.125}])
def test_fixed_numbers_are_whole_steps(given):
    type_ = quant.fixed(10, **given)
    signed = given.get("signed", True)
    scale = given.get("scale", given.get("max_value", 1.0) / 2 ** (9 if signed else 10))
    values = np.random.default_rng(1).uniform(-0.9 if signed else 0, 0.9, 64).astype(np.float32)
    x = qd.field(type_, 64)
    expected = [np.float32(stepped(float(v), 10, signed, scale)) for v in values]
    copy(x, values)
    assert x.to_numpy().tolist() == expected
    x.from_numpy(values[::-1].copy())
    assert x.to_numpy().tolist() == expected[::-1]


@pytest.mark.parametrize(("exponent", "frac"), [(5, 11), (6, 13), (3, 4), (8, 24)])
def test_floats_have_few_digits_and_exponents(exponent, frac):
    generator = np.random.default_rng(frac)
    values = generator.normal(size=200) * 2.0 ** generator.integers(-20, 20, 200)
    values = np.array([0.0, -0.0, 1.0, -1.5, *values], np.float32)
    x = qd.field(quant.float(exponent, frac), values.size)
    copy(x, values)
    expected = np.array([cut(float(v), exponent, frac - 1) for v in values], np.float32)
    assert np.array_equal(x.to_numpy(), expected)
    x.from_numpy(values)
    assert np.array_equal(x.to_numpy(), expected)
    if (exponent, frac) == (5, 11):
        small = np.abs(values) < 60000
        normal = small & (np.abs(values) > 1e-4)
        assert np.array_equal(expected[normal], values[normal].astype(np.float16))


def test_floats_without_a_sign_hold_no_negative_numbers():
    x = qd.field(quant.float(5, 10, signed=False), 3)
    copy(x, np.array([-2.0, 1.00049, 3.0], np.float32))
    assert x.to_numpy().tolist() == [0.0, 1 + 2**-10, 3.0]


def test_packed_fields_and_arrays_of_bits_lie_in_trees():
    a, b = qd.field(quant.int(13)), qd.field(quant.fixed(19, max_value=2.0))
    v = qd.Vector.field(2, quant.fixed(16, max_value=8.0))
    bits = qd.field(quant.int(1, signed=False))
    packed = qd.BitpackedFields(max_num_bits=32)
    packed.place(a, b)
    more = qd.BitpackedFields(32).place(v)
    qd.root.dense(qd.i, 8).place(packed).place(more)
    qd.root.dense(qd.i, 4).quant_array(qd.i, 32, max_num_bits=32).place(bits)

    @qd.kernel
    def write():
        for i in a:
            a[i] = 1000 * i - 3000
            b[i] = a[i] / 2000
            v[i] = [i + 0.3, -i]
        for i in bits:
            bits[i] = i // 2

    write()
    assert a.to_numpy().tolist() == [wrapped(1000 * i - 3000, 13, True) for i in range(8)]
    scale = 2.0 / 2**18
    expected = [stepped(float(np.float32(n) / 2000), 19, True, scale) for n in a.to_numpy()]
    assert np.allclose(b.to_numpy(), expected, atol=scale / 2)
    expected = [
        [stepped(i + 0.3, 16, True, 8 / 2**15), stepped(-i, 16, True, 8 / 2**15)] for i in range(8)
    ]
    assert np.allclose(v.to_numpy(), expected, atol=1e-6)
    assert bits.shape == (128,) and bits.to_numpy().tolist() == [i // 2 % 2 for i in range(128)]
    v[3] = [0.1, 7.9]
    assert np.allclose(v[3].to_list(), [stepped(x, 16, True, 8 / 2**15) for x in (0.1, 7.9)])


def test_updates_of_many_iterations_at_one_place_all_count():
    count = qd.field(quant.int(10), 4)
    total = qd.field(quant.fixed(24, max_value=4096.0), 4)

    @qd.kernel
    def run():
        for i in range(20000):
            count[i % 4] += 3
            total[i % 4] += 0.1
            qd.atomic_max(count[3], i % 512)

    run()
    held = stepped(0.1, 24, True, 4096 / 2**23)
    assert count.to_numpy().tolist()[:3] == [wrapped(15000, 10, True)] * 3
    assert np.allclose(total.to_numpy(), 5000 * held, rtol=1e-6)


def test_each_of_several_updates_is_rounded():
    x = qd.field(quant.float(5, 6), 2)

    @qd.kernel
    def run() -> float:
        qd.loop_config(serialize=True)
        for i in range(2):
            x[i] += 1.01
            x[i] *= 3.0
        return x[0]

    expected = cut(float(np.float32(cut(1.01, 5, 5)) * 3), 5, 5)
    assert run() == expected and x.to_numpy().tolist() == [expected] * 2


def test_gradients_are_not_rounded():
    x = qd.field(quant.fixed(4, max_value=2.0), 3, needs_grad=True)
    loss = qd.field(qd.f32, (), needs_grad=True)
    x.from_numpy(np.array([0.3, 0.6, 0.9], np.float32))

    @qd.kernel
    def run():
        for i in x:
            loss[None] += 0.1 * (i + 1) * x[i]

    with qd.ad.Tape(loss):
        run()
    assert np.allclose(x.grad.to_numpy(), [0.1, 0.2, 0.3])


def test_the_same_kernel_takes_fields_of_other_bits():
    for bits in (4, 6, 4):
        x = qd.field(quant.int(bits), 3)
        copy(x, np.array([7, 8, 40], np.int32))
        assert x.to_numpy().tolist() == [wrapped(v, bits, True) for v in (7, 8, 40)]


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="bits: got 33, allowed are 2 to 32"):
        quant.int(33)
    with pytest.raises(ValueError, match="scale: got 0, allowed are positive numbers"):
        quant.fixed(8, scale=0)
    with pytest.raises(TypeError, match="compute: got float32, allowed are integers"):
        quant.int(8, compute=qd.f32)
    with pytest.raises(ValueError, match="exp: got 9, allowed are 2 to 8"):
        quant.float(9, 10)
    with pytest.raises(ValueError, match="max_num_bits: got 33, allowed are 8, 16, 32 and 64"):
        qd.BitpackedFields(33)
    packed = qd.BitpackedFields(16)
    with pytest.raises(ValueError, match="place: got 20 bits, allowed are 16 together"):
        packed.place(qd.field(quant.int(10)), qd.field(quant.int(10)))
    with pytest.raises(TypeError, match=r"place: got .*, allowed are fields of quantised"):
        packed.place(qd.field(qd.i32))
    with pytest.raises(NotImplementedError, match="shared_exponent: got True, allowed is False"):
        packed.place(qd.field(quant.float(5, 5)), shared_exponent=True)
    with pytest.raises(ValueError, match="place: got 40 bits, allowed are 32 together"):
        qd.root.quant_array(qd.i, 8, 32).place(qd.field(quant.int(5)))
    with pytest.raises(
        TypeError, match="for an ndarray, allowed for numbers of few bits is a field"
    ):
        qd.ndarray(quant.int(5), 3)

    @qd.kernel
    def take(x: qd.types.ndarray()):
        x[0] = 1

    with pytest.raises(
        TypeError, match=r"x: got a field of numbers of few bits, allowed .*template"
    ):
        take(qd.field(quant.int(5), 3))
    x = qd.field(quant.float(5, 6), 2)

    @qd.kernel
    def add():
        for _ in range(4):
            x[0] += 1.0

    with pytest.raises(TypeError, match=r"an update of quant.float\(5, 6\): other iterations"):
        add()
