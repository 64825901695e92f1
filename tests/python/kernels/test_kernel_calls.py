# SPDX-License-Identifier: Apache-2.0
"""Calls that have been seen run at once, and still on the code that belongs to their arguments."""

import dataclasses
import gc
import weakref

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import joggle as jg
import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")
ARRAY = qd.types.ndarray()


@pytest.fixture
def add():
    @qd.kernel
    def add(x: qd.types.ndarray(), y: qd.types.ndarray(), by: float):
        for i in x:
            y[i] += by * x[i]

    return add


def test_calls_find_the_code_of_their_dtypes_and_ranks(add):
    for _ in range(3):
        for dtype in (np.float32, np.int64):
            for shape in ((3,), (2, 3)):
                x, y = np.full(shape, 2, dtype), np.ones(shape, dtype)
                add(x, y, 3.0)
                assert (y == 7).all()
    assert len(add.codes) == 4


def test_arguments_of_all_kinds_go_by_position_and_by_name(add):
    field, array = qd.field(qd.f32, shape=3), qd.ndarray(qd.f32, 3)
    for x in (np.ones(3, np.float32), torch.ones(3), array, field, jnp.ones(3), jg.ones(3)):
        if x is array or x is field:
            x.fill(1)
        for _ in range(2):
            y = np.zeros(6, np.float32)[::2]
            add(x, y, 2)
            add(x, by=np.float32(0.5), y=y)
            assert y.tolist() == [2.5, 2.5, 2.5]


@pytest.mark.parametrize("tier", ["compiled"], indirect=True)
def test_memory_that_cannot_be_written_is_refused_before_anything_runs(add):
    x, y = np.ones(3, np.float32), np.zeros(3, np.float32)
    add(x, y, 1.0)
    fixed = np.zeros(3, np.float32)
    fixed.flags.writeable = False
    for refused in (fixed, jnp.zeros(3), jg.zeros(3)):
        for _ in range(2):
            with pytest.raises(BufferError):
                add(x, refused, 1.0)
    assert fixed.tolist() == [0, 0, 0]


def test_wrong_arguments_raise_after_the_first_call_as_before_it(add):
    x, y = np.ones(3, np.float32), np.zeros(3, np.float32)
    for _ in range(2):
        with pytest.raises(TypeError, match=r"\] \w+: got int for an array"):
            add(3, y, 1.0)
        with pytest.raises(TypeError):
            add(x, y)
        with pytest.raises(TypeError):
            add(x, y, 1.0, 2.0)
        add(x, y, 1.0)
    assert y.tolist() == [2, 2, 2]


def test_objects_that_are_known_when_compiling_have_code_of_their_own():
    @qd.data_oriented
    class Scale:
        def __init__(self, by):
            self.by, self.x = by, qd.field(qd.f32, shape=2)

        @qd.kernel
        def apply(self, n: qd.template()) -> float:
            for i in self.x:
                self.x[i] += self.by * n
            return self.x[0]

    scales = [Scale(by) for by in range(3)]
    for turn in range(1, 4):
        for by, scale in enumerate(scales):
            assert scale.apply(10) == 10 * by * turn


def test_settings_that_change_make_kernels_anew():
    @qd.kernel
    def half(n: int) -> qd.f64:
        return n / 3

    single = half(1)
    assert half(1) == single == pytest.approx(1 / 3, rel=1e-6)
    qd.init(default_fp=qd.f64)
    assert half(1) == 1 / 3


def test_fields_are_written_after_a_reset_by_the_same_kernel():
    @qd.kernel
    def fill(x: qd.template()):
        for i in x:
            x[i] = 7

    for _ in range(3):
        x = qd.field(qd.i32, shape=3)
        fill(x)
        fill(x)
        assert x.to_numpy().tolist() == [7, 7, 7]
        qd.init()


def test_a_kernel_that_nobody_holds_goes_with_its_code():
    class Token:
        pass

    token = Token()

    @qd.kernel
    def count(what: qd.template(), x: qd.types.ndarray()):
        for i in x:
            x[i] += 1

    count(token, np.zeros(2, np.float32))
    count(token, np.zeros(2, np.float32))
    alive = weakref.ref(token)
    del count, token
    gc.collect()
    assert alive() is None


def test_arrays_and_templates_are_annotated_in_several_ways():
    for annotation in (qd.types.NDArray[qd.f32, 1], qd.types.NDArray, qd.types.ndarray, qd.Tensor):

        def first(x: annotation, n: qd.template) -> qd.f32:
            return x[n]

        x = np.arange(4, dtype=np.float32)
        kernel = qd.kernel(first)
        assert kernel(x, 1) == kernel(x, 1) == 1
        assert kernel(qd.ndarray(qd.f32, 3), 2) == 0


def test_parts_of_arguments_are_taken_anew_at_each_call():
    pair = qd.types.struct(a=qd.f32, v=qd.types.vector(2, qd.i32))

    @dataclasses.dataclass
    class State:
        x: qd.types.ndarray()
        k: qd.i32
        mode: qd.template()

    @qd.kernel
    def run(m: qd.types.matrix(2, 2, qd.f32), s: pair, d: State, n: qd.template()) -> qd.f32:
        return m[0, 1] + s.a + s.v[1] * 10 + d.x[0] * d.k + n * 1000 + d.mode * 10000

    for x in (np.ones(1, np.float32), np.ones(1, np.int16), qd.field(qd.f64, 1)):
        for k, mode, n in ((2, 1, 1), (2, 1, 1), (3, 2, 7), (3, 2, True), (3, 2, -(2**40))):
            for m in (np.array([[0.0, k], [0, 0]]), [[0, k], [0, 0]], qd.Matrix([[0, k], [0, 0]])):
                for s in (pair(a=k, v=[0, k]), {"a": k, "v": (0, k)}):
                    expected = k + k + 10 * k + float(x[0]) * k + n * 1000 + mode * 10000
                    assert run(m, s, State(x, k, mode), n) == pytest.approx(expected, rel=1e-6)


def test_parts_of_the_wrong_number_or_kind_are_refused_after_good_ones():
    pair = qd.types.struct(a=qd.f32, v=qd.types.vector(2, qd.i32))

    @qd.kernel
    def run(v: qd.types.vector(2, qd.f32), s: pair) -> qd.f32:
        return v[0] + s.a

    good = pair(a=1, v=[1, 2])
    for _ in range(2):
        assert run([1, 2], good) == 2
        for v, s in (([1, 2, 3], good), ([1, "x"], good), ([1, 2], 3), (5, good)):
            with pytest.raises((TypeError, ValueError, AttributeError)):
                run(v, s)


def test_calls_with_many_arrays_find_all_of_them():
    """More arrays than a call has room for on its stack, some of them captured."""
    kept = [qd.field(qd.f32, shape=3) for _ in range(6)]

    @qd.kernel
    def add(a: ARRAY, b: ARRAY, c: ARRAY, d: ARRAY, e: ARRAY, f: ARRAY):
        for i in range(3):
            f[i] += a[i] + b[i] + c[i] + d[i] + e[i]
            for j in qd.static(range(6)):
                kept[j][i] += j + f[i]

    arrays = [np.full(3, 10.0**k, "f4") for k in range(6)]
    for _ in range(3):
        add(*arrays)
    total = 1e5 + np.cumsum(np.full(3, 11111.0))
    assert arrays[5].tolist() == [total[-1]] * 3
    for j, x in enumerate(kept):
        np.testing.assert_allclose(x.to_numpy(), 3 * j + total.sum())
    with pytest.raises(TypeError, match="f: got"):
        add(*arrays[:5], "no array")
