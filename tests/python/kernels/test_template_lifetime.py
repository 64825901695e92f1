# SPDX-License-Identifier: Apache-2.0
"""Kernels do not keep alive what they were called with as a template."""

import dataclasses
import gc
import weakref

import numpy as np
import pytest

import joggle as jg
import joggle.fields as qd


@pytest.mark.parametrize(
    "make",
    [
        lambda: qd.field(qd.f32, shape=3),
        lambda: qd.ndarray(qd.f32, 3),
        lambda: qd.tensor(qd.f32, 3),
        lambda: qd.Vector.field(2, qd.f32, shape=3),
        lambda: qd.Matrix.field(2, 2, qd.f32, shape=3),
        lambda: qd.Struct.field({"a": qd.f32, "b": qd.f32}, shape=3),
    ],
)
@pytest.mark.parametrize("dataclass", [False, True])
def test_templates_go_although_the_kernel_was_called_with_them(make, dataclass):
    @dataclasses.dataclass
    class Holder:
        x: qd.template()

    @qd.kernel
    def of_template(x: qd.template()) -> int:
        return x.shape[0]

    @qd.kernel
    def of_member(holder: Holder) -> int:
        return holder.x.shape[0]

    seen = []
    for _ in range(5):
        x = make()
        for _ in range(2):
            assert (of_member(Holder(x)) if dataclass else of_template(x)) == 3
        seen.append(weakref.ref(x))
    del x
    assert [x() for x in seen] == [None] * 5


def test_a_kernel_gives_the_memory_of_templates_back():
    @qd.kernel
    def add(x: qd.template(), by: qd.f32):
        for i in x:
            x[i] += by

    before = jg.get_active_memory()
    for n in range(20):
        x = qd.field(qd.f32, shape=250_000)
        add(x, 1)
        add(x, n)
        assert x[7] == 1 + n
    assert jg.get_active_memory() - before <= 1_100_000


def test_calls_on_a_template_that_stays_are_remembered_when_another_goes(monkeypatch):
    slow = []

    @qd.kernel
    def add(x: qd.template(), y: qd.types.ndarray()):
        for i in x:
            y[i] += x[i]

    inner = type(add)._call
    monkeypatch.setattr(type(add), "_call", lambda *given: slow.append(1) or inner(*given))
    stays, y = qd.field(qd.f32, shape=3), np.zeros(3, np.float32)
    stays.fill(1)
    for _ in range(4):
        add(stays, y)
        add(qd.field(qd.f32, shape=3), y)
    assert len(slow) == 1 + 4
    assert (y == 4).all()


def test_textures_and_builders_go_although_a_kernel_was_called_with_them():
    @qd.kernel
    def point(picture: qd.types.texture(2)) -> qd.f32:
        return picture.fetch(qd.Vector([0, 0]), 0)[0]

    @qd.kernel
    def add(builder: qd.types.sparse_matrix_builder()):
        builder[0, 0] += 1

    texture, builder = qd.Texture(qd.Format.r32f, (2, 2)), qd.linalg.SparseMatrixBuilder(2, 2, 9)
    for _ in range(2):
        assert point(texture) == 0
        add(builder)
    seen = weakref.ref(texture), weakref.ref(builder)
    del texture, builder
    gc.collect()
    assert [x() for x in seen] == [None, None]
