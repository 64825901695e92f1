# SPDX-License-Identifier: Apache-2.0
"""Kernels on fields: captured, passed as templates, of structs, in every layout; and on objects."""

import dataclasses

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


def test_captured_fields_are_read_and_written():
    x, y = qd.field(qd.f32, shape=(4, 5)), qd.field(qd.i32, shape=())

    @qd.kernel
    def fill(scale: float):
        for i, j in x:
            x[i, j] = scale * i + j
            y[None] += i
        y[None] *= 2

    fill(10.0)
    np.testing.assert_array_equal(x.to_numpy(), 10 * np.arange(4)[:, None] + np.arange(5))
    assert y[None] == 60


def test_templates_of_one_layout_share_their_code():
    @qd.kernel
    def scale(x: qd.template(), by: float):
        for i in x:
            x[i] *= by

    x, y, z = (qd.field(qd.f32, shape=n) for n in (4, 4, 5))
    for each in (x, y, z):
        each.fill(1)
        scale(each, 3.0)
        assert each.to_numpy().tolist() == [3.0] * each.shape[0]
    assert len(scale.codes) == 2


def test_template_constants_are_known_when_compiling():
    @qd.kernel
    def repeat(n: qd.template(), x: float) -> float:
        total = 0.0
        for i in qd.static(range(n)):
            total += x * i
        return total

    assert repeat(4, 2.0) == 12.0
    assert repeat(3, 2.0) == 6.0


@pytest.mark.parametrize("layout", [qd.Layout.AOS, qd.Layout.SOA])
def test_structs_in_fields_are_read_and_written_member_by_member(layout):
    ball = qd.types.struct(position=qd.types.vector(2, qd.f32), mass=qd.f32, hits=qd.i32)
    balls = ball.field(shape=5, layout=layout)

    @qd.kernel
    def step(dt: float):
        for i in balls:
            balls[i].position.x += dt * i
            balls[i].mass = 2.0
            b = balls[i]
            b.hits = 7
            balls[i].hits += b.hits + 1
        balls[0] = ball(position=[5.0, 6.0], mass=1, hits=3)
        balls.mass[4] = 9

    step(0.5)
    data = balls.to_numpy()
    np.testing.assert_array_equal(data["position"][1:, 0], 0.5 * np.arange(1, 5))
    assert data["position"][0].tolist() == [5, 6]
    assert data["mass"].tolist() == [1, 2, 2, 2, 9]
    assert data["hits"].tolist() == [3, 8, 8, 8, 8]


def test_structs_have_methods_and_pass_by_value():
    @qd.dataclass
    class Circle:
        center: qd.types.vector(2, qd.f32)
        radius: qd.f32

        @qd.func
        def area(self):
            return self.radius * self.radius * 3.0

        @qd.func
        def grow(self, by):
            self.radius += by

    @qd.kernel
    def function(c: Circle) -> Circle:
        c.grow(1.0)
        d = Circle(c.center + 1.0, c.area())
        d.center.y = 7.0
        return d

    result = function(Circle(center=[1.0, 2.0], radius=2.0))
    assert result.radius == 27.0
    assert result.center.to_list() == [2.0, 7.0]


def test_blocked_and_offset_fields_are_indexed_as_any_other():
    x = qd.field(qd.i32)
    qd.root.dense(qd.ij, (2, 3)).dense(qd.ij, (2, 4)).place(x)
    y = qd.field(qd.i32, shape=(3, 4), offset=(-1, 10), order="ji")

    @qd.kernel
    def fill():
        for i, j in x:
            x[i, j] += 100 * i + j
        for i, j in y:
            y[i, j] = 100 * i + j
        x[3, 11] = -1

    fill()
    expected = 100 * np.arange(4)[:, None] + np.arange(12)
    expected[3, 11] = -1
    np.testing.assert_array_equal(x.to_numpy(), expected)
    np.testing.assert_array_equal(y.to_numpy(), 100 * np.arange(-1, 2)[:, None] + np.arange(10, 14))


def test_methods_of_objects_are_kernels_and_functions():
    @qd.data_oriented
    class Counter:
        def __init__(self, n, by):
            self.by = by
            self.x = qd.field(qd.i32, shape=n)

        @qd.func
        def twice(self, i):
            return 2 * i + self.by

        @qd.kernel
        def count(self, start: int) -> int:
            total = 0
            for i in self.x:
                self.x[i] = self.twice(i) + start
                total += self.x[i]
            return total

    one, other = Counter(3, 10), Counter(4, 100)
    assert one.count(1) == 2 * 3 + 33
    assert other.count(0) == 2 * 6 + 400
    assert one.x.to_numpy().tolist() == [11, 13, 15]


def test_ndarrays_and_fields_pass_as_arrays():
    @qd.kernel
    def add(x: qd.types.ndarray(dtype=qd.f32, ndim=1), y: qd.types.ndarray()):
        for i in range(x.shape[0]):
            y[i] += x[i]

    x, y = qd.ndarray(qd.f32, 4), qd.field(qd.f32, shape=4)
    x.fill(2.0)
    y.fill(1.0)
    add(x, y)
    assert y.to_numpy().tolist() == [3.0] * 4


def test_dataclasses_of_tensors_pass_as_their_members():
    @dataclasses.dataclass
    class State:
        x: qd.types.ndarray(qd.f32, 1)
        step: qd.f32
        order: qd.template()

    @qd.func
    def advance(state: State, i):
        state.x[i] += state.step

    @qd.kernel
    def run(state: State, n: int):
        for i in range(n):
            for _ in qd.static(range(state.order)):
                advance(state, i)

    x = np.zeros(4, np.float32)
    run(State(x, 0.5, 3), 3)
    assert x.tolist() == [1.5, 1.5, 1.5, 0.0]


def test_kernels_return_several_values():
    @qd.kernel
    def function(a: int) -> tuple[int, float, qd.types.vector(2, qd.f32)]:
        return a, 2.5, qd.Vector([a, 1])

    count, number, vector = function(3)
    assert (count, number, vector.to_list()) == (3, 2.5, [3.0, 1.0])


def test_loops_over_fields_with_an_offset_begin_there():
    x = qd.field(qd.i32, shape=(3, 4), offset=(-1, 2))
    s = qd.Struct.field({"a": qd.i32}, shape=(3,), offset=(5,))

    @qd.kernel
    def run():
        for i in qd.grouped(x):
            x[i] = 10 * i[0] + i[1]
        for i in s:
            s[i].a = i

    run()
    np.testing.assert_array_equal(x.to_numpy(), 10 * np.arange(-1, 2)[:, None] + np.arange(2, 6))
    assert s.a.to_numpy().tolist() == [5, 6, 7]
