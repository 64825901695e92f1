# SPDX-License-Identifier: Apache-2.0
"""Kernels on fields: what lazy reads and views see of their writes, and they of views'."""

import numpy as np
import pytest

import joggle as jg
import joggle.fields as qd


@qd.kernel
def scale(x: qd.template(), factor: qd.f32):
    for i in x:
        x[i] = x[i] * factor


@qd.kernel
def scale_tensor(x: qd.types.ndarray(), factor: qd.f32):
    for i in range(x.shape[0]):
        x[i] = x[i] * factor


def test_a_lazy_read_comes_before_a_kernels_write():
    x = qd.field(qd.f32, shape=100)
    x.fill(2)
    a = jg.asarray(x)
    before, total = a + 1, jg.sum(a[::2])
    scale(x, 3.0)
    after = a + 1
    assert (np.asarray(before) == 3).all()
    assert total.item() == 100
    assert (np.asarray(after) == 7).all()


def test_a_lazy_read_under_way_ends_before_a_kernels_write():
    x = qd.field(qd.f32, shape=1 << 20)
    for _ in range(5):
        x.fill(1)
        a = jg.asarray(x)
        y = a
        for _ in range(6):
            y = y + a
        jg.async_eval(y)
        scale(x, 5.0)
        assert (np.asarray(y) == 7).all()


def test_a_kernel_that_writes_a_tensor_comes_after_lazy_reads_of_it():
    torch = pytest.importorskip("torch")
    tensor = torch.full((50,), 2.0)
    lazy = [
        jg.from_dlpack(tensor) + 1,
        jg.sum(jg.from_dlpack(tensor[10:20])),
        jg.asarray(tensor.numpy()) * 2,
    ]
    scale_tensor(tensor, 10.0)
    assert (tensor == 20).all()
    assert (np.asarray(lazy[0]) == 3).all()
    assert lazy[1].item() == 20
    assert (np.asarray(lazy[2]) == 4).all()


def test_views_and_kernels_see_each_others_writes():
    torch = pytest.importorskip("torch")
    s = qd.Struct.field({"a": qd.i8, "m": qd.f32}, shape=10)
    array, tensor = s.m.to_numpy(copy=False), s.m.to_torch(copy=False)
    array[:] = np.arange(10)
    scale(s.m, 2.0)
    assert (tensor == torch.arange(10) * 2).all()
    tensor += 1
    scale(s.m, 10.0)
    np.testing.assert_array_equal(array, (np.arange(10) * 2 + 1) * 10)


@pytest.mark.parametrize(
    "make",
    [
        lambda: qd.field(qd.f32, shape=12),
        lambda: qd.Vector.field(3, qd.f32, shape=12).get_scalar_field(1),
        lambda: qd.Struct.field({"a": qd.i8, "b": qd.f32}, shape=12).b,
        lambda: qd.Struct.field({"a": qd.i8, "b": qd.f32}, shape=12, layout=qd.Layout.SOA).b,
        lambda: qd.ndarray(qd.f32, shape=12),
    ],
)
def test_a_kernel_writes_every_layout(make):
    x = make()
    x.from_numpy(np.arange(12))
    scale_tensor(x, 3.0)
    np.testing.assert_array_equal(x.to_numpy(), np.arange(12) * 3)


def test_a_lost_field_is_refused_by_a_kernel():
    x = qd.field(qd.f32, shape=4)
    qd.reset()
    with pytest.raises(RuntimeError, match="lost"):
        scale(x, 2.0)
