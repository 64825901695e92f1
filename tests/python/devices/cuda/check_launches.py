# SPDX-License-Identifier: Apache-2.0
"""Kernels on tensors of a library with an exchange table, as torch's, on the fake driver: nobody
waits on the host, the library's stream and the launch come one after the other, and tensors are let
go once, when the launch has run.

test_cuda.py runs this file."""

import ctypes
import gc
import time

import numpy as np
import pytest
from check_exchange import DEFAULT, DEVICE, DRIVER, OTHER, WRITTEN, Tensor, counts
from fake_producer import DLDevice, FakeTensor, _alive

import joggle as jg
import joggle.fields as qd

_FROM = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
_STREAM = ctypes.PYFUNCTYPE(
    ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p)
)


class Table(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("export", _FROM),
        ("adopt", ctypes.c_void_p),
        ("lend", ctypes.c_void_p),
        ("stream", _STREAM),
    )


@_FROM
def export(tensor, out):
    _alive[tensor.fake._key] = tensor.fake
    out[0] = ctypes.addressof(tensor.fake.managed)
    tensor.exports += 1
    return 0


@_STREAM
def current_stream(kind, number, out):
    assert (kind, number) == Lent.device
    out[0] = Lent.stream
    return 0


_API = b"dlpack_exchange_api"  # capsules keep its address
_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", ctypes.pythonapi))


class Lent:
    """A tensor that its library is still writing when it is handed over."""

    device, dtype, shape = (2, 0), np.dtype("f4"), (64,)
    stream = None  # what the library works on now
    table = Table(1, 3, None, None, export, None, None, current_stream)
    __dlpack_c_exchange_api__ = _new_capsule(ctypes.addressof(table), _API, None)

    def __init__(self):
        self.exports = 0
        self.block = Tensor(self.stream)
        self.fake = FakeTensor()
        self.fake.tensor.device = DLDevice(*self.device)
        self.fake.tensor.data = self.block.address()
        self.fake.shape([64])
        self.fake.strides([1])

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        raise AssertionError("the table is there")

    def read(self):
        """What the library's stream reads behind what it was given so far."""
        out, context = np.zeros(64, "f4"), ctypes.c_void_p()
        to, stream = ctypes.c_void_p(out.ctypes.data), ctypes.c_void_p(self.stream)
        DRIVER.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
        DRIVER.cuCtxSetCurrent(context)
        address = ctypes.c_uint64(self.fake.tensor.data)
        assert DRIVER.cuMemcpyDtoHAsync_v2(to, address, ctypes.c_size_t(256), stream) == 0
        assert DRIVER.cuStreamSynchronize(stream) == 0
        DRIVER.cuCtxSetCurrent(None)
        return out

    def is_let_go(self):
        """Whether all that was handed over comes back once, without a call of joggle's."""
        end = time.monotonic() + 10
        while self.fake.deleted < self.exports and time.monotonic() < end:
            time.sleep(0.001)
        return 0 < self.fake.deleted == self.exports


@pytest.fixture(params=["own", "default"])
def library(request):
    """The library works on a stream of its own, or names none and means the default one."""
    if request.param == "own":
        Lent.stream = DRIVER.fake_cuda_foreign_stream(0)
    yield
    jg.synchronize()
    qd.reset()
    if Lent.stream is not None:
        DRIVER.fake_cuda_end_stream(ctypes.c_void_p(Lent.stream))
    Lent.stream = None


@qd.kernel
def double(a: qd.types.ndarray(qd.f32, 1)):
    for i in a:
        a[i] *= 2


@qd.kernel
def add(a: qd.types.ndarray(qd.f32, 1), b: qd.types.ndarray(qd.f32, 1)):
    for i in a:
        b[i] += a[i]


@pytest.fixture(autouse=True)
def compiled(library):
    """What compiles for the first time, or opens a queue, may wait."""
    for kernel, count in ((double, 1), (add, 2)):
        kernel(*(Lent() for _ in range(count)))
    jg.synchronize()


def test_nobody_waits_and_everything_is_in_order():
    tensor = Lent()
    before = counts().own_waits
    double(tensor)
    double(tensor)
    assert counts().own_waits == before
    np.testing.assert_array_equal(tensor.read(), np.full(64, 4 * WRITTEN, "f4"))
    assert tensor.is_let_go() and tensor.exports >= 2


def test_a_tensor_that_is_dropped_after_the_call_stays_until_the_launch_has_run():
    tensor, other = Lent(), Lent()
    fake, block = tensor.fake, tensor.block
    add(tensor, other)
    exports = tensor.exports
    del tensor
    gc.collect()
    np.testing.assert_array_equal(other.read(), np.full(64, 2 * WRITTEN, "f4"))
    assert other.is_let_go()
    jg.synchronize()
    assert fake.deleted == exports and block is not None


def test_a_tensor_that_is_passed_twice_is_let_go_as_often_as_it_was_handed_over():
    tensor = Lent()
    add(tensor, tensor)
    np.testing.assert_array_equal(tensor.read(), np.full(64, 2 * WRITTEN, "f4"))
    assert tensor.is_let_go() and tensor.exports >= 2


def test_arrays_and_numpy_go_with_tensors():
    tensor, mine = Lent(), np.arange(64, dtype="f4")
    add(tensor, mine)  # NumPy's memory is complete when the call returns
    np.testing.assert_array_equal(mine, np.arange(64, dtype="f4") + np.float32(WRITTEN))
    x = jg.arange(64, dtype=jg.float32, device=DEVICE) * 2
    add(x, tensor)
    del x
    np.testing.assert_array_equal(
        tensor.read(), np.arange(64, dtype="f4") * 2 + np.float32(WRITTEN)
    )
    assert tensor.is_let_go()


def test_adjoints_are_in_order_too():
    qd.init(arch=qd.cuda)
    x = qd.field(qd.f32, shape=64, needs_grad=True)
    y = qd.field(qd.f32, shape=64, needs_grad=True)

    @qd.kernel
    def multiply(a: qd.types.ndarray(qd.f32, 1)):
        for i in x:
            y[i] += a[i] * x[i]

    x.fill(3)
    for _ in range(2):
        tensor = Lent()
        y.fill(0)
        multiply(tensor)
        np.testing.assert_allclose(y.to_numpy(), np.full(64, 3 * WRITTEN), rtol=1e-6)
        y.grad.fill(1)
        x.grad.fill(0)
        before = counts().own_waits
        multiply.grad(tensor)
        waits = counts().own_waits - before
        np.testing.assert_allclose(x.grad.to_numpy(), np.full(64, WRITTEN), rtol=1e-6)
        assert tensor.is_let_go()
    assert waits == 0  # it was compiled in the first turn


def test_what_a_kernel_failed_with_is_told_by_a_later_call():
    qd.init(arch=qd.cuda, debug=True)

    @qd.kernel
    def check(a: qd.types.ndarray(qd.f32, 1), most: qd.f32):
        for i in a:
            assert a[i] < most, f"{i} is too much"

    tensor = Lent()
    check(tensor, 1.0)
    with pytest.raises(AssertionError, match="is too much"):
        for _ in range(10000):
            check(tensor, 100.0)
    check(tensor, 100.0)
    jg.synchronize()
    assert tensor.is_let_go()


def test_a_refused_call_lets_go():
    tensor = Lent()
    with pytest.raises(BufferError, match="allowed are arrays of one device"):
        add(jg.ones(64, device=OTHER), tensor)
    gc.collect()
    assert tensor.is_let_go()


def test_a_library_that_does_not_tell_its_stream_finds_the_launch_complete():
    tensor = Tensor(Lent.stream or DEFAULT)
    before = counts().own_waits
    double(tensor)
    assert counts().own_waits > before
    got = (ctypes.c_float * 64).from_address(tensor.address())  # the fake's memory is the host's
    assert list(got) == [2 * WRITTEN] * 64
