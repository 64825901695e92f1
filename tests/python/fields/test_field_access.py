# SPDX-License-Identifier: Apache-2.0
"""Elements of fields from Python: numbers, vectors, matrices and structs, by index."""

import numpy as np
import pytest

import joggle.fields as qd

DTYPES = [qd.u1, qd.i8, qd.i16, qd.i32, qd.i64, qd.u8, qd.u16, qd.u32, qd.u64]
DTYPES += [qd.f16, qd.bf16, qd.f32, qd.f64]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("make", [qd.field, qd.ndarray, qd.tensor])
def test_every_dtype_is_written_and_read(dtype, make):
    x = make(dtype, shape=(2, 3))
    x[1, 2] = 1
    assert x[1, 2] == 1
    assert x[0, 2] == 0
    assert x.dtype == dtype
    assert x.shape == (2, 3)
    assert type(x[1, 2]) is type(x.to_numpy()[1, 2].item() if dtype != qd.bf16 else 1.0)


def test_extremes_of_integers_come_back_whole():
    for dtype, value in ((qd.i64, -(2**63)), (qd.u64, 2**64 - 1), (qd.i8, -128), (qd.u16, 65535)):
        x = qd.field(dtype, shape=2)
        x[1] = value
        assert x[1] == value


def test_a_field_without_axes_is_indexed_by_none():
    x = qd.field(qd.f64, shape=())
    x[None] = 2.5
    assert x[None] == 2.5
    assert x[()] == 2.5
    assert x.shape == ()


def test_numbers_of_other_libraries_are_taken():
    torch = pytest.importorskip("torch")
    x = qd.field(qd.f32, shape=6)
    values = [np.float64(1.5), np.int8(2), torch.tensor(2.5), torch.tensor(3), True, np.bool_(True)]
    for i, value in enumerate(values):
        x[np.int64(i)] = value
    assert x.to_numpy().tolist() == [1.5, 2, 2.5, 3, 1, 1]


@pytest.mark.parametrize("index", [(4, 0), (0, 5), (-1, 0), (0, -5), (2**70, 0)])
def test_an_index_outside_raises_and_names_the_field(index):
    x = qd.field(qd.f32, shape=(4, 5), name="pressure")
    for use in (lambda: x[index], lambda: x.__setitem__(index, 1)):
        with pytest.raises(IndexError) as caught:
            use()
        if max(index) < 2**63:
            assert "field pressure" in str(caught.value)
            assert str(next(i for i in index if i)) in str(caught.value)


@pytest.mark.parametrize("index", [0, (0, 0, 0), None])
def test_a_wrong_rank_raises_and_names_what_is_right(index):
    x = qd.field(qd.f32, shape=(4, 5), name="pressure")
    v = qd.Vector.field(3, qd.f32, shape=(4, 5), name="velocity")
    with pytest.raises(IndexError, match=r"field pressure.*allowed are 2 for shape \(4, 5\)"):
        x[index]
    with pytest.raises(IndexError, match=r"field velocity.*allowed are 2 for shape \(4, 5\)"):
        v[index]
    with pytest.raises(IndexError, match="field velocity"):
        v[index] = [1, 2, 3]


def test_a_field_without_a_name_is_told_by_what_it_holds():
    with pytest.raises(IndexError, match=r"field of float32, shape \(4,\)"):
        qd.field(qd.f32, shape=4)[4]


def test_what_is_no_number_is_refused():
    x = qd.field(qd.i8, shape=2)
    with pytest.raises(TypeError):
        x[0] = "1"
    with pytest.raises(TypeError):
        x["0"]
    with pytest.raises(TypeError):
        del x[0]
    assert x.to_numpy().tolist() == [0, 0]


def test_matrices_are_read_as_values_and_written_through():
    m = qd.Matrix.field(3, 2, qd.f32, shape=(4,))
    assert (m.n, m.m, m.element_shape) == (3, 2, (3, 2))
    m[2] = [[1, 2], [3, 4], [5, 6]]
    element = m[2]
    assert element.to_list() == [[1, 2], [3, 4], [5, 6]]
    element[1, 1] = 40
    m[2][0, 0] = 10
    assert m[2].to_list() == [[10, 2], [3, 40], [5, 6]]
    assert m[1].to_list() == [[0, 0]] * 3
    m[0] = np.arange(6).reshape(3, 2)
    m[1] = m[0]
    assert m[1][2, 1] == 5
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(3, 2\)"):
        m[0] = np.zeros((2, 3))


def test_vectors_have_components_by_letter():
    v = qd.Vector.field(3, qd.f32, shape=(2, 2))
    v[1, 0] = [1, 2, 3]
    assert (v[1, 0].x, v[1, 0].y, v[1, 0].z) == (1, 2, 3)
    v[1, 0].z = 30
    v[1, 0].xy = [7, 8]
    assert list(v[1, 0]) == [7, 8, 30]
    assert list(v[1, 0].zyx) == [30, 8, 7]


def test_structs_are_read_as_values_and_written_through():
    inner = qd.types.struct(c=qd.f32)
    s = qd.Struct.field({"a": qd.i32, "p": qd.types.vector(3, qd.f32), "b": inner}, shape=(4,))
    s[0].a = 3
    s[1].p[2] = 9
    s[2] = {"a": 4, "p": [1, 2, 3], "b": {"c": 0.5}}
    s[3] = s[2]
    s[3].b.c = 1.5
    assert s[0].a == 3
    assert s[1].to_dict() == {"a": 0, "p": [0, 0, 9], "b": {"c": 0}}
    assert s[2].to_dict() == {"a": 4, "p": [1, 2, 3], "b": {"c": 0.5}}
    assert s.b.c[3] == 1.5
    assert s.a.to_numpy().tolist() == [3, 0, 4, 4]
    assert s.keys == ["a", "p", "b"]
    with pytest.raises(AttributeError, match="no member 'q'"):
        s[0].q = 1
    with pytest.raises(IndexError, match="field a"):
        s[4]


def test_fill_and_copy_from_reach_all_members():
    s = qd.Struct.field({"a": qd.i32, "p": qd.types.vector(2, qd.f32)}, shape=(3,))
    s.fill(2)
    assert s.to_numpy()["p"].tolist() == [[2, 2]] * 3
    t = qd.Struct.field(
        {"a": qd.i64, "p": qd.types.vector(2, qd.f64)}, shape=(3,), layout=qd.Layout.SOA
    )
    t.copy_from(s)
    assert t.a.to_numpy().tolist() == [2, 2, 2]
    v = qd.Vector.field(2, qd.f32, shape=(3,))
    v.fill([1, 2])
    s.p.copy_from(v)
    assert s.p.to_numpy().tolist() == [[1, 2]] * 3
    with pytest.raises(ValueError, match=r"\(3, 2\).*\(4, 2\)"):
        qd.Vector.field(2, qd.f32, shape=(4,)).copy_from(v)
    with pytest.raises(TypeError):
        v.copy_from(np.zeros((3, 2)))


def test_an_offset_shifts_the_indices():
    x = qd.field(qd.f32, shape=(4,), offset=(-2,))
    x[-2], x[1] = 5, 6
    assert x.to_numpy().tolist() == [5, 0, 0, 6]
    assert x.offset == (-2,)
    with pytest.raises(IndexError, match="allowed -2 to 1"):
        x[2]


def test_components_are_fields_over_the_same_memory():
    v = qd.Vector.field(3, qd.f32, shape=(2,))
    y = v.get_scalar_field(1)
    y[1] = 4
    assert list(v[1]) == [0, 4, 0]
    assert y.shape == (2,)
    with pytest.raises(IndexError, match="component"):
        v.get_scalar_field(3)


def test_gradients_have_the_shape_of_their_field():
    x = qd.field(qd.f32, shape=(2, 3), needs_grad=True)
    v = qd.Vector.field(3, qd.f64, shape=2, needs_grad=True)
    x.grad[1, 2] = 4
    assert x.grad.shape == (2, 3)
    assert x[1, 2] == 0
    assert v.grad.to_numpy().shape == (2, 3)
    assert v.get_scalar_field(0).grad.shape == (2,)
    assert qd.field(qd.f32, shape=2).grad is None
    with pytest.raises(TypeError, match="needs_grad: got elements of int32"):
        qd.field(qd.i32, shape=2, needs_grad=True)


def test_defaults_of_int_and_float_are_those_of_init():
    qd.init(default_fp=qd.f64, default_ip=qd.i64)
    assert qd.field(float, shape=1).dtype == qd.f64
    assert qd.field(int, shape=1).dtype == qd.i64
    qd.init()
    assert qd.field(float, shape=1).dtype == qd.f32
    with pytest.raises(TypeError, match="complex64"):
        qd.field("complex64", shape=1)


def test_an_index_whose_distance_from_the_offset_has_64_bits_is_out_of_range():
    x = qd.field(qd.i32, shape=4, offset=-8)
    for index in (2**63 - 1, 2**63 - 8, -9, -4, -(2**63)):
        with pytest.raises(IndexError):
            x[index]
    assert x[-5] == 0
