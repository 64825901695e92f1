# SPDX-License-Identifier: Apache-2.0
"""Plain Python functions and lambdas that a kernel calls with its values."""

import math

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


def wave(x, k=1):
    return qd.sin(x * k) + qd.sqrt(abs(x)) - qd.max(x, 0.25)


def length(a, b):
    return (a - b).norm() + a[0] * b.y - (2 * -a)[1] + a.dot(b)


@qd.func
def positive(x):
    r = 0.0
    if x > 0:
        r = x
    return r


def clipped(x):
    return positive(x) + 10 * positive(-x)


@qd.dataclass
class Body:
    place: qd.math.vec2
    mass: qd.f32

    @qd.func
    def weight(self):
        return self.mass * 9.5


def energy(body, height):
    return body.weight() * height + body.place.x + body.place[1]


@qd.kernel
def computed(a: qd.f32) -> qd.types.vector(6, qd.f32):
    v, w = qd.Vector([a, 2.0]), qd.Vector([1.0, 3.0])
    body = Body(place=v, mass=a)
    return qd.Vector(
        [
            wave(a),
            wave(a, k=3),
            length(v, w),
            clipped(a),
            (lambda t: qd.exp(t) * 2)(a),
            energy(body, 2.0),
        ]
    )


@pytest.mark.parametrize("a", [0.5, -1.25])
def test_plain_functions_compute_as_the_kernel_would(a):
    def wave_of(k):
        return math.sin(a * k) + math.sqrt(abs(a)) - max(a, 0.25)

    wanted = [
        wave_of(1),
        wave_of(3),
        math.hypot(a - 1, 2 - 3) + a * 3 - (2 * -2.0) + (a + 6),
        max(a, 0) + 10 * max(-a, 0),
        math.exp(a) * 2,
        a * 9.5 * 2 + a + 2,
    ]
    np.testing.assert_allclose(computed(a).to_list(), wanted, rtol=2e-6)


def test_plain_functions_are_applied_to_vectors_item_by_item():
    @qd.kernel
    def run(f: qd.template(), n: qd.i32) -> qd.types.vector(2, qd.f32):
        v = qd.Vector([1.0, 2.0])
        for _ in range(n):
            v = f(v)
        return v

    assert run(lambda v: v * 2 + 1, 3).to_list() == [15, 23]
    assert run(lambda v: [1, 2] + v // 2, 2).to_list() == [1, 3]
    assert run(lambda v: qd.select(v > 1.5, v, -v), 1).to_list() == [-1, 2]
    assert run(lambda v: (v == 2) + (v != 2) * 3, 1).to_list() == [3, 1]
    assert run(lambda v: ~qd.cast(v, qd.i32) & 6, 1).to_list() == [6, 4]
    assert run(lambda v: abs(-v) ** 2 % 3, 1).to_list() == [1, 1]


def test_vectors_of_python_meet_those_of_the_kernel():
    m, w = qd.Matrix([[1.0, 2.0], [3.0, 4.0]]), qd.Vector([10.0, 20.0])

    def mixed(a, v):
        return m @ v + a @ w + (w - v) * 2 + (m + a)[0, 1] + (w * v[0]) + (v == w) + (w != v)

    @qd.kernel
    def run() -> qd.types.vector(2, qd.f32):
        return mixed(qd.Matrix([[1.0, 0.0], [0.0, 2.0]]), qd.Vector([1.0, 20.0]))

    m_, w_, a, v = (np.array(x) for x in ([[1, 2], [3, 4]], [10, 20], [[1, 0], [0, 2]], [1, 20]))
    wanted = m_ @ v + a @ w_ + (w_ - v) * 2 + (m_ + a)[0, 1] + w_ * v[0] + (v == w_) + (w_ != v)
    assert run().to_list() == wanted.tolist()


@pytest.mark.parametrize(
    "f, wanted",
    [
        (lambda a: (a + 1, a * 2)[1], 3.0),
        (lambda a: {"x": a * 4}["x"], 6.0),
        (lambda a: sum(a * i for i in range(3)), 4.5),
        (lambda a: np.float32(2) * a + a * np.int32(3), 7.5),
        (lambda a: sum(qd.Vector([a, 2 * a])), 4.5),
        (lambda a: qd.Vector([a, 2 * a]).norm_sqr(), 11.25),
    ],
)
def test_what_plain_functions_build_of_values_is_taken(f, wanted):
    @qd.kernel
    def run(a: qd.f32) -> qd.f32:
        return f(a)

    assert run(1.5) == wanted


def test_without_values_of_the_kernel_python_computes():
    def count(limit):
        return int(positive(limit) + qd.floor(qd.exp(1.0)))

    @qd.kernel
    def run() -> qd.i32:
        n = 0
        for i in qd.static(range(count(2.0))):
            n += i
        return n

    assert run() == 0 + 1 + 2 + 3


def test_the_operators_end_with_the_call():
    assert qd.sin(0.5) == math.sin(0.5)
    assert clipped(-2.0) == 20
    assert wave(0.25) == pytest.approx(math.sin(0.25) + 0.5 - 0.25)


def test_what_depends_on_a_value_is_refused_by_name():
    def chosen(x):
        return 1 if x > 0 else 2

    def joined(v):
        three = [1, 2, 3]
        return v + three

    def decided(v):
        return 1.0 if v == 3 else 2.0

    def found(v):
        return 1.0 if v in [[1, 2]] else 2.0

    def misspelt(v):
        return v.nrom()

    @qd.kernel
    def run(f: qd.template(), a: qd.f32) -> qd.f32:
        return f(qd.Vector([a, a]))

    @qd.kernel
    def choose(a: qd.f32) -> qd.f32:
        return chosen(a)

    with pytest.raises(qd.QuadrantsTypeError, match=r"write the function with @func"):
        choose(1.0)
    with pytest.raises(qd.QuadrantsTypeError, match="a vector of 2 and a vector of 3"):
        run(joined, 1.0)
    for f in (decided, found):
        with pytest.raises(qd.QuadrantsTypeError, match="the truth of a vector"):
            run(f, 1.0)
    with pytest.raises(qd.QuadrantsTypeError, match="has no attribute nrom"):
        run(misspelt, 1.0)


def test_members_that_a_plain_function_would_not_see_are_refused():
    material = qd.types.struct(type=qd.i32, stiffness=qd.f32)
    held = qd.types.struct(inner=material)
    field = qd.Struct.field({"type": qd.i32, "stiffness": qd.f32}, shape=2)

    def plain(x):
        return x.stiffness

    @qd.kernel
    def value() -> qd.f32:
        return plain(material(1, 2.5))

    @qd.kernel
    def nested() -> qd.f32:
        return plain(held(inner=material(1, 2.5)).inner)

    @qd.kernel
    def element() -> qd.f32:
        return plain(field[1])

    for kernel in (value, nested, element):
        with pytest.raises(qd.QuadrantsTypeError, match="a struct with a member type, which"):
            kernel()


@pytest.mark.parametrize("f", [qd.sin, lambda x: qd.exp(x) * x, lambda x: qd.tanh(x) / (1 + x * x)])
def test_gradients_go_through_plain_functions(f):
    x, y = qd.field(qd.f64, 4, needs_grad=True), qd.field(qd.f64, 4, needs_grad=True)
    at = np.array([0.25, -0.5, 1.0, 2.0])
    x.from_numpy(at)
    y.grad.fill(1)

    @qd.kernel
    def run():
        for i in x:
            y[i] = f(x[i])

    run()
    run.grad()
    values = [f(float(t)) for t in at]
    slopes = [(f(float(t) + 1e-6) - f(float(t) - 1e-6)) / 2e-6 for t in at]
    np.testing.assert_allclose(y.to_numpy(), values, rtol=1e-12)
    np.testing.assert_allclose(x.grad.to_numpy(), slopes, rtol=1e-7)
