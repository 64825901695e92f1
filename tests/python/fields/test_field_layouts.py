# SPDX-License-Identifier: Apache-2.0
"""How fields lie in memory, and that it makes no difference to their values."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import joggle.fields as qd


def strides(x):
    return x.to_numpy(copy=False).strides


def test_members_of_an_aos_struct_share_a_cell():
    members = {"a": qd.i8, "p": qd.types.vector(3, qd.f32), "d": qd.f64}
    s = qd.Struct.field(members, shape=(5,))
    assert strides(s.a) == (24,)
    assert strides(s.p) == (24, 4)
    assert strides(s.d) == (24,)


def test_members_of_an_soa_struct_are_dense():
    members = {"a": qd.i8, "p": qd.types.vector(3, qd.f32), "d": qd.f64}
    s = qd.Struct.field(members, shape=(5,), layout=qd.Layout.SOA)
    assert strides(s.a) == (1,)
    assert strides(s.p) == (4, 20)
    assert strides(s.d) == (8,)


def test_order_names_the_axes_from_the_outermost():
    assert strides(qd.field(qd.f32, shape=(2, 3), order="ij")) == (12, 4)
    assert strides(qd.field(qd.f32, shape=(2, 3), order="ji")) == (4, 8)
    assert strides(qd.Vector.field(3, qd.f32, shape=(2, 4), order="ji")) == (12, 24, 4)
    for order in ("j", "ii", "ijk", "xy"):
        with pytest.raises(ValueError, match="order"):
            qd.field(qd.f32, shape=(2, 3), order=order)


def test_a_tensor_keeps_its_axes_whatever_its_layout():
    t = qd.tensor(qd.f32, shape=(2, 3), layout=(1, 0))
    assert t.shape == (2, 3)
    assert t.layout == (1, 0)
    assert strides(t) == (4, 8)
    t[1, 2] = 5
    assert t.to_numpy()[1, 2] == 5
    assert isinstance(t, qd.Tensor)
    v = qd.tensor(qd.types.vector(3, qd.f32), shape=(2, 3), layout=(1, 0))
    assert v.to_numpy().shape == (2, 3, 3)


def test_fields_placed_together_are_interleaved():
    x, y = qd.field(qd.f32), qd.field(qd.i16)
    qd.root.dense(qd.i, 4).place(x, y)
    assert x.shape == y.shape == (4,)
    assert strides(x) == strides(y) == (8,)


def test_a_tree_gives_axes_in_ascending_order():
    x = qd.field(qd.f32)
    qd.root.dense(qd.j, 3).dense(qd.i, 2).place(x)
    assert x.shape == (2, 3)
    assert strides(x) == (4, 8)
    y = qd.field(qd.f32)
    qd.root.dense(qd.k, 8).place(y)
    assert y.shape == (8,)
    z = qd.field(qd.f32)
    qd.root.place(z)
    assert z.shape == ()


def test_blocks_along_one_axis_are_one_stride():
    x = qd.field(qd.f32)
    qd.root.dense(qd.i, 4).dense(qd.i, 8).place(x)
    assert x.shape == (32,)
    assert strides(x) == (4,)


def test_blocks_that_strides_cannot_express_say_so():
    x = qd.field(qd.f32, name="grid")
    qd.root.dense(qd.ij, (2, 2)).dense(qd.ij, (2, 3)).place(x)
    values = np.arange(24, dtype=np.float32).reshape(4, 6)
    x.from_numpy(values)
    assert (x.to_numpy() == values).all()
    assert (x.to_numpy(copy=None) == values).all()
    assert x[2, 1] == 13
    for export in (x.to_numpy, x.to_array):
        with pytest.raises(ValueError, match=r"field grid.*axis 0 is blocked as 2 x 2"):
            export(copy=False)
    with pytest.raises(ValueError, match="blocked"):
        x.to_dlpack()


def test_a_tree_in_use_takes_no_more_fields():
    x, y = qd.field(qd.f32), qd.field(qd.f32)
    node = qd.root.dense(qd.i, 4)
    node.place(x)
    assert x[0] == 0
    with pytest.raises(ValueError, match="in use"):
        node.place(y)
    with pytest.raises(ValueError, match="no memory"):
        y[0]


def test_gradients_are_placed_with_their_fields():
    for explicit in (False, True):
        x = qd.field(qd.f32, needs_grad=True)
        node = qd.root.dense(qd.i, 3)
        node.place(x, x.grad) if explicit else node.place(x)
        x.grad[1] = 2
        assert x.grad.to_numpy().tolist() == [0, 2, 0]
        assert x.to_numpy().tolist() == [0, 0, 0]


def test_kernels_get_one_plane_for_each_member():
    s = qd.Struct.field({"a": qd.i8, "m": qd.types.matrix(2, 3, qd.f64)}, shape=(5,))
    (array, extents, steps, dtype, levels), m = s._storage()
    assert (extents, steps, dtype, levels) == ((5,), (56,), qd.i8, (1,))
    assert m[1:3] == ((5, 2, 3), (56, 24, 8))
    s.a[2] = 7
    assert np.asarray(array)[2] == 7


@st.composite
def trees(draw):
    """Levels of dense nodes from the outermost, each with axes and extents."""
    count = draw(st.integers(1, 4))
    return [
        draw(st.dictionaries(st.integers(0, 2), st.integers(1, 4), min_size=1, max_size=3))
        for _ in range(count)
    ]


@given(trees(), st.lists(st.sampled_from([qd.i8, qd.f16, qd.f32, qd.f64]), min_size=1, max_size=3))
@settings(max_examples=60)
def test_any_tree_holds_the_values_that_were_put_there(levels, dtypes):
    fields = [qd.field(dtype) for dtype in dtypes]
    node = qd.root
    for level in levels:
        node = node.dense(qd.axes(*level), list(level.values()))
    node.place(*fields)
    values = []
    for number, x in enumerate(fields):
        shape = x.shape
        wanted = np.arange(np.prod(shape)).reshape(shape) % 100 + number
        x.from_numpy(wanted)
        values.append(wanted)
    for x, wanted in zip(fields, values, strict=True):
        assert (x.to_numpy() == wanted).all()
        for index in np.ndindex(*x.shape):
            assert x[index] == wanted[index]
        try:
            view = x.to_numpy(copy=False)
        except ValueError:
            assert any(count > 1 for count in x._plane()[4])
        else:
            assert (view == wanted).all()


@pytest.mark.parametrize(
    "shape", [np.array([2, 3]), np.array([2]), np.int64(4), torch.Size([2, 1])]
)
def test_a_shape_may_be_of_numpy_or_torch(shape):
    expected = (4,) if np.ndim(shape) == 0 else tuple(int(n) for n in shape)
    assert qd.field(qd.f32, shape=shape).shape == expected
    assert qd.ndarray(qd.f32, shape).shape == expected


def test_a_shape_of_floats_is_refused():
    with pytest.raises(TypeError, match=r"shape: got array\(\[2\., 3\.\]\)"):
        qd.field(qd.f32, shape=np.array([2.0, 3.0]))
