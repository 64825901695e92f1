# SPDX-License-Identifier: Apache-2.0
"""Tensors in and out of the fake drivers of CUDA and ROCm by DLPack, with the order of streams.

test_cuda.py and test_rocm.py run this file."""

import ctypes
import os
import struct

import numpy as np
import pytest

import joggle as jg
import joggle.fields as qd

DEVICE = os.environ["JOGGLE_TESTED_DEVICE"]
KIND = DEVICE.partition(":")[0]
OTHER = f"{KIND}:1"
IS_AMD = KIND == "rocm"
DRIVER = ctypes.CDLL("libamdhip64.so.6" if IS_AMD else "libcuda.so.1")
DEFAULT = 0 if IS_AMD else 1  # the legacy default stream, and all that are refused
UNKNOWN = [1, 2] if IS_AMD else [0]
COUNTED = ["blocks", "streams", "events", "modules", "contexts", "host_waits"]
COUNTED += ["launches", "copies", "stream_waits", "own_waits"]
COUNTED += ["submissions", "graphs", "graph_makes", "graph_changes", "graph_ends_early"]
DRIVER.fake_cuda_foreign_stream.restype = ctypes.c_void_p
WRITTEN = struct.unpack("f", b"\x40" * 4)[0]  # what write_late makes of a float32


class Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in COUNTED]


def counts():
    out = Counts()
    DRIVER.fake_cuda_count(ctypes.byref(out))
    return out


@pytest.fixture
def theirs():
    """Another library's stream."""
    stream = DRIVER.fake_cuda_foreign_stream(0)
    yield stream
    DRIVER.fake_cuda_end_stream(ctypes.c_void_p(stream))


class Tensor:
    """What another library has on the device: it is still being written on a stream of its own
    when it is handed over, and the consumer's stream is made to wait for that."""

    def __init__(self, stream):
        self.stream = stream
        self.memory = jg.zeros(64, device=DEVICE) + 1  # the driver's own memory
        self.asked = []
        jg.eval(self.memory)
        jg.synchronize()
        DRIVER.fake_cuda_write_late(
            0, ctypes.c_void_p(stream), ctypes.c_void_p(self.address()), 256, 0x40, 30000
        )

    def address(self):
        capsule = self.memory.__dlpack__(max_version=(1, 0))
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        managed = get(capsule, b"dltensor_versioned")
        # version, manager_ctx, deleter, flags, then the tensor's data
        return ctypes.cast(managed + 32, ctypes.POINTER(ctypes.c_void_p))[0]

    def __dlpack_device__(self):
        return (10 if IS_AMD else 2, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self.asked.append(stream)
        order(self.stream, stream)
        return self.memory.__dlpack__(stream=-1, max_version=max_version)


def order(first, second):
    """The second stream waits for the first, as a producer has it."""
    event, context = ctypes.c_void_p(), ctypes.c_void_p()
    DRIVER.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    DRIVER.cuCtxSetCurrent(context)
    DRIVER.cuEventCreate(ctypes.byref(event), 2)
    assert DRIVER.cuEventRecord(event, ctypes.c_void_p(first)) == 0
    assert DRIVER.cuStreamWaitEvent(ctypes.c_void_p(second), event, 0) == 0
    DRIVER.cuEventDestroy_v2(event)
    DRIVER.cuCtxSetCurrent(None)


def test_a_tensor_comes_in_on_the_stream_that_the_producer_was_told(theirs):
    tensor = Tensor(theirs)
    before = counts().own_waits
    y = jg.from_dlpack(tensor) * 2
    assert counts().own_waits == before
    assert tensor.asked[0] > 2
    np.testing.assert_array_equal(np.asarray(y), np.full(64, 2 * WRITTEN, "f4"))


def test_a_tensor_comes_in_on_the_stream_of_the_context(theirs):
    tensor = Tensor(theirs)
    with jg.stream(jg.new_stream(DEVICE)) as own:
        y = jg.from_dlpack(tensor) + 1
        assert own.device == DEVICE
    with jg.stream(jg.new_stream(DEVICE)):
        z = jg.from_dlpack(tensor) + 1
    assert tensor.asked[0] != tensor.asked[1]
    for got in (y, z):
        np.testing.assert_array_equal(np.asarray(got), np.full(64, np.float32(WRITTEN) + 1, "f4"))


def test_a_kernel_comes_after_what_a_tensors_stream_was_given(theirs):
    @qd.kernel
    def double(a: qd.types.ndarray(qd.f32, 1)):
        for i in a:
            a[i] *= 2

    tensor = Tensor(theirs)
    double(tensor)
    assert tensor.asked[0] > 2
    np.testing.assert_array_equal(np.asarray(tensor.memory), np.full(64, 2 * WRITTEN, "f4"))
    with jg.stream(jg.new_stream(DEVICE)):
        tensor = Tensor(theirs)
        double(tensor)
    np.testing.assert_array_equal(np.asarray(tensor.memory), np.full(64, 2 * WRITTEN, "f4"))


@pytest.mark.parametrize("stream", [None, *({0, 1, 2} - {*UNKNOWN}), -1, "theirs"])
def test_a_consumer_may_name_any_stream(theirs, stream):
    x = jg.arange(64, dtype=jg.float32, device=DEVICE) * 3
    number = theirs if stream == "theirs" else stream
    capsule = x.__dlpack__(stream=number, max_version=(1, 1))
    if stream == -1:
        jg.eval(x)  # who asks for no order sees to it
    with jg.stream(jg.from_stream(DEFAULT if stream in (None, -1) else number, device=DEVICE)):
        back = jg.from_dlpack(capsule)
        assert back.device == DEVICE
        np.testing.assert_array_equal(np.asarray(back + 1), np.arange(64, dtype="f4") * 3 + 1)


@pytest.mark.parametrize("stream", [*UNKNOWN, -2, 1 << 70, "default", 1.0])
def test_what_names_no_stream_is_refused(stream):
    x = jg.ones(4, device=DEVICE) * 2
    for _ in range(2):  # also of what is in memory already
        with pytest.raises(BufferError, match="stream: got"):
            x.__dlpack__(stream=stream)
        assert x.tolist() == [2, 2, 2, 2]
    with pytest.raises(BufferError, match="allowed are None and -1 for an array on cpu"):
        jg.ones(4).__dlpack__(stream=1)


def test_an_export_does_not_wait_for_the_device(theirs):
    """The stream is held meanwhile, so an export that waited would not return."""
    x = jg.arange(64, dtype=jg.float32, device=DEVICE)
    jg.eval(x)
    tensor = Tensor(theirs)
    jg.from_dlpack(tensor)
    own = ctypes.c_void_p(tensor.asked[0])
    y = jg.sqrt(x) + 1
    DRIVER.fake_cuda_hold(0, own, 1)
    capsule = y.__dlpack__(stream=theirs)
    DRIVER.fake_cuda_hold(0, own, 0)
    with jg.stream(jg.from_stream(theirs, device=DEVICE)):
        twice = jg.from_dlpack(capsule) * 2
    np.testing.assert_array_equal(np.asarray(twice), np.sqrt(np.arange(64, dtype="f4")) * 2 + 2)


def test_a_tensor_that_comes_in_may_be_read_at_once(theirs):
    wanted = np.full(64, WRITTEN, "f4")
    np.testing.assert_array_equal(np.asarray(jg.from_dlpack(Tensor(theirs))), wanted)
    assert jg.from_dlpack(Tensor(theirs))[3].item() == wanted[3]
    copied = jg.from_dlpack(Tensor(theirs), copy=True)
    np.testing.assert_array_equal(np.asarray(copied), wanted)
    np.testing.assert_array_equal(
        np.asarray(jg.from_dlpack(Tensor(theirs)).to_device(OTHER)), wanted
    )


def test_a_tensor_may_begin_in_the_middle_of_a_block():
    x = jg.arange(64, dtype=jg.float32, device=DEVICE) + 0
    view = x[1:]  # not aligned to a vector
    back = jg.from_dlpack(view.__dlpack__(max_version=(1, 1)))
    np.testing.assert_array_equal(np.asarray(back * 2), np.arange(1, 64) * 2)
    np.testing.assert_array_equal(np.asarray(jg.from_dlpack(x[5::3].__dlpack__())), range(5, 64, 3))


def test_streams_are_adopted_from_numbers_and_objects(theirs):
    class Torch:
        cuda_stream = theirs
        device_index = 0

    class Nvidia:
        def __cuda_stream__(self):
            return (0, theirs)

    class Default:
        cuda_stream = 0

    first = jg.from_stream(theirs, device=DEVICE)
    assert first == jg.from_stream(Torch(), device=DEVICE)
    assert first == jg.from_stream(Nvidia(), device=DEVICE)
    assert first.device == DEVICE and jg.from_stream(Default(), device=DEVICE) == jg.from_stream(
        DEFAULT, device=DEVICE
    )
    with jg.stream(first):
        y = jg.exp(jg.zeros(8, device=DEVICE)) + 1
        np.testing.assert_array_equal(np.asarray(y), np.full(8, 2))
    assert jg.from_stream(theirs, device=OTHER) != first


def test_what_is_no_stream_is_refused():
    for wrong in ("x", None, 1.5, object()):
        with pytest.raises(TypeError, match="stream: got"):
            jg.from_stream(wrong)
    with pytest.raises(BufferError, match=f"stream: got {UNKNOWN[0]} for {DEVICE}"):
        jg.from_stream(UNKNOWN[0], device=DEVICE)
    with pytest.raises(NotImplementedError, match="opencl:0"):
        jg.from_stream(1, device="opencl:0")


def test_two_devices_are_apart():
    x = jg.ones(1000, device=DEVICE) + jg.arange(1000, dtype=jg.float32, device=DEVICE)
    jg.eval(x)
    y = x.to_device(OTHER) * 2
    assert (x.device, y.device) == (DEVICE, OTHER)
    np.testing.assert_array_equal(np.asarray(y), (np.arange(1000) + 1) * 2)
    z = x[3:900:7].to_device(OTHER) - 1
    np.testing.assert_array_equal(np.asarray(z), np.arange(1000)[3:900:7])
    with pytest.raises(ValueError, match=f"{DEVICE} and on {OTHER}"):
        x + y


def test_bytes_go_from_one_device_to_another_without_the_host():
    x = jg.arange(1000, dtype=jg.float32, device=DEVICE)
    jg.eval(x)
    before = counts().copies
    y, z = x.to_device(OTHER), x[::-1].to_device(OTHER)
    jg.eval(y)
    assert counts().copies == before + 1
    jg.eval(z)
    assert counts().copies == before + 2
    np.testing.assert_array_equal(np.asarray(y), np.arange(1000))
    np.testing.assert_array_equal(np.asarray(z), np.arange(1000)[::-1])


def test_another_device_waits_for_what_a_library_still_writes(theirs):
    tensor = Tensor(theirs)
    x = jg.from_dlpack(tensor).to_device(OTHER)
    assert (np.asarray(x) == WRITTEN).all()


def test_gpu_means_cuda():  # which goes before ROCm
    assert jg.is_available(jg.gpu) and jg.device_count(jg.gpu) == 2 and jg.cuda.is_available()
    assert jg.ones(1, device=jg.gpu).device == jg.ones(1, device="gpu:0").device == "cuda:0"
    assert jg.new_stream(jg.Device(jg.gpu, 1)).device == "cuda:1"


def test_contexts_are_left_as_they_were():
    jg.synchronize()
    assert counts().contexts == 0
