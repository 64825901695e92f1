# SPDX-License-Identifier: Apache-2.0
"""Fields beside NumPy, torch and JAX: shapes, dtypes, copy policies, views both sides write."""

import gc

import numpy as np
import pytest

import joggle as jg
import joggle.fields as qd

torch = pytest.importorskip("torch")
ml_dtypes = pytest.importorskip("ml_dtypes")

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES += ["float16", "bfloat16", "float32", "float64"]


def numpy_dtype(name):
    return np.dtype(getattr(ml_dtypes, name) if name == "bfloat16" else name)


def blocked():
    x = qd.field(qd.f32)
    qd.root.dense(qd.ij, (2, 2)).dense(qd.ij, (2, 2)).place(x)
    return x


STRUCT = {"a": qd.i8, "p": qd.types.vector(3, qd.f32), "n": qd.types.struct(w=qd.f32)}

# Each makes a field of float32 that strides can express, and its shape with the element's axes.
FIELDS = {
    "scalars": (lambda: qd.field(qd.f32, shape=(4, 5)), (4, 5)),
    "0-dimensional": (lambda: qd.field(qd.f32, shape=()), ()),
    "empty": (lambda: qd.field(qd.f32, shape=(0, 3)), (0, 3)),
    "vectors": (lambda: qd.Vector.field(3, qd.f32, shape=4), (4, 3)),
    "matrices": (lambda: qd.Matrix.field(3, 2, qd.f32, shape=4), (4, 3, 2)),
    "SOA vectors": (lambda: qd.Vector.field(3, qd.f32, shape=4, layout=qd.Layout.SOA), (4, 3)),
    "ndarray": (lambda: qd.ndarray(qd.f32, shape=(4, 5)), (4, 5)),
    "vector ndarray": (lambda: qd.Vector.ndarray(3, qd.f32, shape=4), (4, 3)),
    "matrix ndarray": (lambda: qd.Matrix.ndarray(3, 2, qd.f32, shape=4), (4, 3, 2)),
    "tensor": (lambda: qd.tensor(qd.f32, shape=(4, 5), layout=(1, 0)), (4, 5)),
    "AOS member": (lambda: qd.Struct.field(STRUCT, shape=4).p, (4, 3)),
    "SOA member": (lambda: qd.Struct.field(STRUCT, shape=4, layout=qd.Layout.SOA).p, (4, 3)),
    "nested member": (lambda: qd.Struct.field(STRUCT, shape=(4, 2)).n.w, (4, 2)),
    "component": (lambda: qd.Vector.field(3, qd.f32, shape=(4, 2)).get_scalar_field(1), (4, 2)),
    "permuted": (lambda: qd.field(qd.f32, shape=(4, 5, 6), order="kij"), (4, 5, 6)),
    "gradient": (lambda: qd.field(qd.f32, shape=4, needs_grad=True).grad, (4,)),
}


@pytest.fixture(params=FIELDS.values(), ids=FIELDS.keys())
def made(request):
    make, shape = request.param
    return make(), shape


def values_of(shape):
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


def test_values_go_in_and_out_of_numpy_and_torch(made):
    x, shape = made
    x.from_numpy(values_of(shape))
    assert x.to_numpy().shape == shape
    np.testing.assert_array_equal(x.to_numpy(), values_of(shape))
    x.from_torch(torch.from_numpy(values_of(shape)) + 1)
    np.testing.assert_array_equal(x.to_torch().numpy(), values_of(shape) + 1)
    x.from_array(jg.asarray(values_of(shape)) * 2)
    np.testing.assert_array_equal(np.asarray(x.to_array()), values_of(shape) * 2)
    x.from_dlpack(torch.from_numpy(values_of(shape)))
    np.testing.assert_array_equal(x.to_numpy(copy=None), values_of(shape))


def test_a_copy_is_independent(made):
    x, shape = made
    x.from_numpy(values_of(shape))
    array, tensor, jarray = x.to_numpy(), x.to_torch(copy=True), x.to_array(copy=True)
    array[...], tensor[...] = 100, 100
    x.fill(50)
    assert (array == 100).all()
    assert (tensor == 100).all()
    np.testing.assert_array_equal(np.asarray(jarray), values_of(shape))


def test_views_are_writable_and_see_each_other(made):
    x, shape = made
    array, tensor = x.to_numpy(copy=False), x.to_torch(copy=False)
    assert array.flags.writeable
    assert array.shape == tuple(tensor.shape) == shape
    array[...] = values_of(shape)
    np.testing.assert_array_equal(tensor.numpy(), values_of(shape))
    tensor += 1
    np.testing.assert_array_equal(x.to_numpy(), values_of(shape) + 1)
    x.fill(7)
    assert (array == 7).all()
    assert (tensor == 7).all()


def test_views_keep_their_address_from_call_to_call(made):
    x, shape = made
    address = x.to_torch(copy=False).data_ptr()
    if 0 in shape:
        assert address == 0
        return
    assert x.to_torch(copy=None).data_ptr() == address
    assert x.to_numpy(copy=False).ctypes.data == address
    assert x.to_numpy(copy=None).ctypes.data == address
    assert torch.from_dlpack(x).data_ptr() == address
    assert np.from_dlpack(x).ctypes.data == address
    assert torch.utils.dlpack.from_dlpack(x.to_dlpack()).data_ptr() == address
    assert torch.utils.dlpack.from_dlpack(x.to_dlpack(versioned=True)).data_ptr() == address
    assert x.to_torch().data_ptr() != address


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype_is_viewed(name):
    x = qd.field(getattr(qd, {"bool": "u1", "bfloat16": "bf16"}.get(name, name)), shape=(2, 3))
    values = np.array([[0, 1, 0], [1, 1, 0]]).astype(numpy_dtype(name))
    x.from_numpy(values)
    array, tensor = x.to_numpy(copy=False), x.to_torch(copy=False)
    assert array.dtype == numpy_dtype(name)
    assert str(tensor.dtype) == f"torch.{name}"
    np.testing.assert_array_equal(array, values)
    array[0, 0] = 1
    assert x[0, 0] == 1
    assert tensor[0, 0] == 1
    tensor[0, 0] = 0
    assert x[0, 0] == 0
    x.from_torch(tensor.clone())
    np.testing.assert_array_equal(x.to_numpy(), values)


def test_values_of_another_dtype_are_cast():
    x = qd.field(qd.f32, shape=3)
    x.from_numpy(np.array([1, 2, 3], dtype=np.int64))
    assert x.to_numpy().tolist() == [1, 2, 3]
    assert x.to_numpy(dtype=np.int16).dtype == np.int16
    with pytest.raises(ValueError, match="float64"):
        x.to_numpy(dtype=np.float64, copy=False)
    with pytest.raises(TypeError, match="complex128"):
        x.from_numpy(np.ones(3) * 1j)


def test_sources_may_have_any_layout():
    x = qd.field(qd.f32, shape=(3, 4))
    base = np.arange(48, dtype=np.float32).reshape(6, 8)
    for source in (
        base[::2, ::2],
        base.T[1:4, 2:6],
        base[::-2, ::-2],
        np.asfortranarray(base[:3, :4]),
    ):
        x.from_numpy(source)
        np.testing.assert_array_equal(x.to_numpy(), source)
    read_only = base[:3, :4].copy()
    read_only.flags.writeable = False
    x.from_numpy(read_only)
    x.from_torch(torch.ones(3, 4, requires_grad=True))
    x.from_torch(torch.ones(4, 3).T)
    assert (x.to_numpy() == 1).all()


def test_a_wrong_shape_names_both(made):
    x, shape = made
    wrong = (*shape, 7)
    for give in (
        lambda: x.from_numpy(np.zeros(wrong, np.float32)),
        lambda: x.from_torch(torch.zeros(wrong)),
        lambda: x.from_array(jg.zeros(wrong)),
    ):
        with pytest.raises(ValueError) as caught:
            give()
        assert str(wrong) in str(caught.value)
        assert str(shape) in str(caught.value)


def test_a_blocked_field_is_copied_or_refused():
    x = blocked()
    values = values_of((4, 4))
    x.from_torch(torch.from_numpy(values))
    for copy in (True, None):
        np.testing.assert_array_equal(x.to_numpy(copy=copy), values)
        np.testing.assert_array_equal(x.to_torch(copy=copy).numpy(), values)
        np.testing.assert_array_equal(np.asarray(x.to_array(copy=copy)), values)
    for export in (x.to_numpy, x.to_torch, x.to_array, x.to_jax):
        with pytest.raises(ValueError, match="blocked"):
            export(copy=False)
    for export in (lambda: np.from_dlpack(x), lambda: torch.from_dlpack(x)):
        with pytest.raises((BufferError, ValueError), match="blocked"):
            export()


@pytest.mark.parametrize("layout", list(qd.Layout), ids=lambda layout: layout.name)
def test_structs_are_dicts_by_member(layout):
    s = qd.Struct.field(STRUCT, shape=4, layout=layout)
    values = {"a": np.arange(4), "p": values_of((4, 3)), "n": {"w": np.ones(4)}}
    s.from_numpy(values)
    views = s.to_torch(copy=False)
    assert views["a"].dtype == torch.int8
    views["p"][2, 1] = 50
    views["n"]["w"][3] = 60
    assert s[2].p[1] == 50
    assert s[3].n.w == 60
    copies = s.to_numpy()
    copies["a"][:] = 0
    assert s.a.to_numpy().tolist() == [0, 1, 2, 3]
    s.from_torch(views)
    assert set(s.to_dlpack()) == {"a", "p", "n"}
    assert torch.utils.dlpack.from_dlpack(s.to_dlpack()["p"])[2, 1] == 50
    with pytest.raises(ValueError, match="members"):
        s.from_numpy({"a": np.arange(4)})
    with pytest.raises(TypeError, match="structs"):
        jg.asarray(s)


def test_views_outlive_their_field():
    for make, shape in FIELDS.values():
        x = make()
        x.fill(3)
        array, tensor = x.to_numpy(copy=False), x.to_torch(copy=False)
        del x
        gc.collect()
        assert (array == 3).all()
        assert (tensor == 3).all()
        assert array.shape == shape


def test_a_device_or_dtype_that_needs_a_copy_is_refused_without_one():
    x = qd.field(qd.f32, shape=3)
    assert x.to_torch(device="cpu", copy=False).data_ptr() == x.to_torch(copy=False).data_ptr()
    assert x.to_torch(device="meta").device.type == "meta"
    with pytest.raises(ValueError, match="meta"):
        x.to_torch(device="meta", copy=False)


def test_autograd_runs_on_a_view():
    x = qd.field(qd.f32, shape=3)
    x.from_numpy(np.array([1.0, 2, 3]))
    leaf = x.to_torch(copy=False).requires_grad_()
    (leaf**2).sum().backward()
    assert leaf.grad.tolist() == [2, 4, 6]


def test_the_exchange_api_gives_the_memory():
    tvm_ffi = pytest.importorskip("tvm_ffi")
    x = qd.field(qd.f32, shape=(4, 5))
    tensor = tvm_ffi.from_dlpack(x)
    assert tuple(tensor.shape) == (4, 5)
    np.from_dlpack(tensor)[1, 2] = 8
    assert x[1, 2] == 8
    assert x.__dlpack_device__() == (1, 0)


class TestJax:
    """JAX shares dense memory in any order of axes, of dtypes that it keeps."""

    @pytest.fixture(autouse=True)
    def jax(self):
        return pytest.importorskip("jax")

    def test_values_go_in_and_out(self, made):
        import jax.numpy as jnp

        x, shape = made
        x.from_jax(jnp.asarray(values_of(shape)))
        np.testing.assert_array_equal(np.asarray(x.to_jax()), values_of(shape))
        np.testing.assert_array_equal(np.asarray(x.to_jax(copy=None)), values_of(shape))

    def test_dense_memory_is_shared(self, jax):
        for make in (
            lambda: qd.field(qd.f32, shape=(4, 16)),
            lambda: qd.field(qd.f32, shape=(4, 16), order="ji"),
            lambda: qd.Vector.field(4, qd.bf16, shape=16),
            lambda: qd.field(qd.u8, shape=64),
        ):
            x = make()
            shared = x.to_jax(copy=False)
            assert shared.unsafe_buffer_pointer() == x.to_torch(copy=False).data_ptr()
            copied = x.to_jax()
            x.fill(3)
            assert not np.asarray(copied).astype(np.float32).any()

    def test_what_jax_does_not_take_is_refused_or_copied(self, jax):
        strided = qd.Struct.field(STRUCT, shape=4).p
        strided.fill(2)
        assert (np.asarray(strided.to_jax(copy=None)) == 2).all()
        with pytest.raises(ValueError, match="JAX"):
            strided.to_jax(copy=False)
        if not jax.config.jax_enable_x64:
            with pytest.raises(ValueError, match="JAX"):
                qd.field(qd.f64, shape=4).to_jax(copy=False)
