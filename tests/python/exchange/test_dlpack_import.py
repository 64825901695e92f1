# SPDX-License-Identifier: Apache-2.0
"""from_dlpack: what is asked of a producer, what is refused, and who calls the deleter, once."""

import contextlib
import threading

import numpy as np
import pytest
from fake_producer import (
    CPU,
    CUDA,
    CUDA_HOST,
    CUDA_MANAGED,
    IS_COPIED,
    LEGACY,
    METAL,
    READ_ONLY,
    ROCM_HOST,
    SUBBYTE_PADDED,
    VERSIONED,
    DLDataType,
    DLDevice,
    FakeProducer,
    FakeTensor,
    capsule_name,
    settle,
)

import joggle as jg

KINDS = pytest.mark.parametrize("kind", [VERSIONED, LEGACY], ids=["versioned", "legacy"])


def data_of(x):
    return np.asarray(x).__array_interface__["data"][0]


@KINDS
@pytest.mark.parametrize("wrap", [FakeProducer, FakeTensor.capsule], ids=["object", "capsule"])
def test_memory_is_shared_and_the_deleter_is_called_once(kind, wrap):
    source = np.arange(6.0).reshape(2, 3)
    fake = FakeTensor(source, kind)
    x = jg.from_dlpack(wrap(fake))
    assert data_of(x) == source.__array_interface__["data"][0]
    assert np.array_equal(np.asarray(x), source)
    view = x[1:]
    del x
    settle()
    assert fake.deleted == 0
    del view
    settle()
    assert fake.deleted == 1


def test_the_keywords_that_mean_something_are_passed_and_no_stream():
    producer = FakeProducer(FakeTensor(np.ones(2)))
    jg.from_dlpack(producer)
    jg.from_dlpack(producer, copy=True)
    jg.from_dlpack(producer, copy=False)
    jg.from_dlpack(producer, device="cpu")
    asked = {"max_version": (1, 3)}
    assert producer.asked == [asked, asked, {**asked, "copy": False}, asked]


def test_a_producer_that_knows_no_keywords_is_asked_again_without_them():
    class Old(FakeProducer):
        def __dlpack__(self):
            self.asked.append({})
            return self.fake.capsule()

    for copy in (None, False, True):
        producer = Old(FakeTensor(np.arange(3.0), LEGACY))
        assert jg.from_dlpack(producer, copy=copy).tolist() == [0, 1, 2]
        assert producer.asked == [{}]


def test_a_type_error_inside_the_producer_is_raised_after_a_second_call_without_keywords():
    class Broken(FakeProducer):
        def __dlpack__(self, **keywords):
            self.asked.append(keywords)
            raise TypeError(f"inside {len(self.asked)}")

    producer = Broken(None)
    with pytest.raises(TypeError, match="inside 2") as caught:
        jg.from_dlpack(producer)
    assert str(caught.value.__context__) == "inside 1"
    assert len(producer.asked) == 2 and producer.asked[1] == {}


class Wrapper:
    def __init__(self, inner):
        self.inner = inner

    def __dlpack__(self, *args, **keywords):
        return self.inner.__dlpack__(*args, **keywords)

    def __dlpack_device__(self):
        return self.inner.__dlpack_device__()


@pytest.mark.parametrize("copy", [None, False, True])
@pytest.mark.parametrize("depth", [1, 3])
def test_a_wrapper_around_a_producer_that_knows_no_keywords_is_asked_again(copy, depth):
    class Old(FakeProducer):
        def __dlpack__(self):
            return super().__dlpack__()

    inner = producer = Old(FakeTensor(np.arange(3.0), LEGACY))
    for _ in range(depth):
        producer = Wrapper(producer)
    assert jg.from_dlpack(producer, copy=copy).tolist() == [0, 1, 2]
    assert inner.asked == [{}]


def test_other_errors_inside_a_wrapper_are_raised_at_once():
    class Broken(FakeProducer):
        def __dlpack__(self, **keywords):
            self.asked.append(keywords)
            raise BufferError("inside")

    producer = Broken(None)
    with pytest.raises(BufferError, match="inside"):
        jg.from_dlpack(Wrapper(producer))
    assert len(producer.asked) == 1


def test_both_dunders_must_be_there():
    class NoDevice:
        def __dlpack__(self, **keywords):
            raise AssertionError

    class NoTensor:
        def __dlpack_device__(self):
            return (1, 0)

    for x in (NoDevice(), NoTensor(), object(), 3, [1.0], None):
        with pytest.raises(AttributeError):
            jg.from_dlpack(x)


@pytest.mark.parametrize("answer", [None, 3, "capsule", np.ones(2)])
def test_an_answer_that_is_no_capsule_is_a_type_error(answer):
    class Wrong(FakeProducer):
        def __dlpack__(self, **keywords):
            return answer

    with pytest.raises(TypeError, match="allowed is a capsule"):
        jg.from_dlpack(Wrong(None))


@pytest.mark.parametrize("device", [None, 1, (1,), (1, 0, 0), ("cpu", 0), [1, 0]])
def test_a_device_that_is_no_pair_of_ints_is_a_type_error(device):
    with pytest.raises(TypeError):
        jg.from_dlpack(FakeProducer(FakeTensor(np.ones(2)), device))


def test_keywords_are_keywords():
    with pytest.raises(TypeError):
        jg.from_dlpack(np.ones(2), "cpu")
    with pytest.raises(TypeError):
        jg.from_dlpack(np.ones(2), stream=None)
    with pytest.raises(TypeError):
        jg.from_dlpack()
    with pytest.raises(ValueError, match="cuda"):
        jg.from_dlpack(np.ones(2), device="cuda")


@KINDS
def test_a_consumed_capsule_is_renamed_and_refused_the_second_time(kind):
    fake = FakeTensor(np.arange(3.0), kind)
    capsule = fake.capsule()
    x = jg.from_dlpack(capsule)
    assert capsule_name(capsule) == "used_" + kind.decode()
    for _ in range(2):
        with pytest.raises(BufferError, match="consumed"):
            jg.from_dlpack(capsule)
    del capsule
    settle()
    assert fake.deleted == 0 and x.tolist() == [0, 1, 2]
    del x
    settle()
    assert fake.deleted == 1


@KINDS
def test_a_refused_capsule_stays_unconsumed_and_usable(kind):
    fake = FakeTensor(np.arange(3.0), kind)
    fake.tensor.dtype = DLDataType(99, 64, 1)
    capsule = fake.capsule()
    with pytest.raises(BufferError):
        jg.from_dlpack(capsule)
    assert capsule_name(capsule) == kind.decode() and fake.deleted == 0
    fake.tensor.dtype = DLDataType(2, 64, 1)
    assert jg.from_dlpack(capsule).tolist() == [0, 1, 2]
    del capsule
    settle()
    assert fake.deleted == 1


def test_other_capsules_are_refused():
    import datetime

    with pytest.raises(BufferError, match="no DLPack tensor"):
        jg.from_dlpack(datetime.datetime_CAPI)
    with pytest.raises(TypeError):
        jg.array(datetime.datetime_CAPI)


@KINDS
def test_a_missing_deleter_is_no_fault(kind):
    fake = FakeTensor(np.arange(3.0), kind, deleter=False)
    capsule = fake.capsule()
    assert jg.from_dlpack(capsule).tolist() == [0, 1, 2]
    assert jg.from_dlpack(FakeProducer(fake), copy=True).tolist() == [0, 1, 2]


@KINDS
def test_one_capsule_goes_to_one_of_many_threads(kind):
    for _ in range(20):
        fake = FakeTensor(np.arange(3.0), kind)
        capsule, taken, barrier = fake.capsule(), [], threading.Barrier(4)

        def take(capsule=capsule, taken=taken, barrier=barrier):
            barrier.wait()
            with contextlib.suppress(BufferError):
                taken.append(jg.from_dlpack(capsule, copy=True))

        threads = [threading.Thread(target=take) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(taken) == 1
        settle()
        assert fake.deleted == 1


@pytest.mark.parametrize("version", [(1, 0), (1, 1), (1, 9)])
def test_any_minor_version_of_ours_is_read(version):
    fake = FakeTensor(np.arange(3.0), version=version)
    assert jg.from_dlpack(fake.capsule()).tolist() == [0, 1, 2]


@pytest.mark.parametrize("version", [(2, 0), (0, 5), (0xFFFFFFFF, 0)])
def test_of_another_major_version_only_the_deleter_is_used(version):
    fake = FakeTensor(np.arange(3.0), version=version)
    fake.tensor.ndim = -5  # must not even be looked at
    capsule = fake.capsule()
    with pytest.raises(BufferError, match="version"):
        jg.from_dlpack(capsule)
    settle()
    assert fake.deleted == 1
    del capsule
    settle()
    assert fake.deleted == 1


def test_read_only_survives_and_unknown_flags_are_dropped():
    x = jg.from_dlpack(FakeTensor(np.arange(3.0), flags=READ_ONLY | 1 << 9).capsule())
    assert not np.asarray(x).flags.writeable
    from fake_producer import managed_of

    assert managed_of(x.__dlpack__(max_version=(1, 0))).flags == READ_ONLY
    x = jg.from_dlpack(FakeTensor(np.arange(3.0)).capsule())
    assert np.asarray(x).flags.writeable


def test_a_producer_that_copied_is_refused_under_copy_false():
    fake = FakeTensor(np.arange(3.0), flags=IS_COPIED)
    with pytest.raises(jg.CopyError):
        jg.from_dlpack(FakeProducer(fake), copy=False)
    settle()
    assert fake.deleted == 1
    assert jg.from_dlpack(FakeProducer(FakeTensor(np.arange(3.0), flags=IS_COPIED))).tolist() == [
        0,
        1,
        2,
    ]


def test_padded_subbyte_elements_are_not_taken_for_packed_ones():
    fake = FakeTensor(np.arange(4, dtype="u1"), flags=SUBBYTE_PADDED)
    fake.tensor.dtype = DLDataType(1, 4, 1)
    capsule = fake.capsule()
    with pytest.raises(BufferError):
        jg.from_dlpack(capsule)


@pytest.mark.parametrize("code, bits, name", [(1, 4, "uint4"), (15, 6, "float6_e2m3fn")])
def test_elements_of_less_than_a_byte_have_no_strides(code, bits, name):
    fake = FakeTensor(np.arange(4, dtype="u1"), LEGACY)
    fake.tensor.dtype = DLDataType(code, bits, 1)
    x = jg.from_dlpack(FakeProducer(fake))
    with pytest.raises(
        AttributeError, match=f"got an array of {name}, allowed are dtypes of whole"
    ):
        x.strides  # noqa: B018
    assert not hasattr(x, "strides")


def test_copy_true_imports_a_snapshot_and_others_share():
    source = np.arange(3.0)
    shared, snapshot = jg.from_dlpack(source), jg.from_dlpack(source, copy=True)
    strictly = jg.from_dlpack(source, copy=False)
    source[:] = 7
    assert shared.tolist() == strictly.tolist() == [7, 7, 7]
    assert snapshot.tolist() == [0, 1, 2]


def test_a_copy_lets_the_producer_go_at_once():
    fake = FakeTensor(np.arange(3.0))
    x = jg.from_dlpack(FakeProducer(fake), copy=True)
    settle()
    assert fake.deleted == 1 and x.tolist() == [0, 1, 2]


def test_shared_memory_is_read_when_it_is_evaluated():
    source = np.zeros(3)
    y = jg.from_dlpack(source) + 1
    source[:] = 10
    assert y.tolist() == [11, 11, 11]
    source[:] = 20
    assert y.tolist() == [11, 11, 11]
    assert (jg.from_dlpack(source) + 1).tolist() == [21, 21, 21]


def test_the_producer_outlives_pending_work():
    fake = FakeTensor(np.arange(3.0))
    y = jg.from_dlpack(FakeProducer(fake)) * 2
    settle()
    assert fake.deleted == 0
    assert y.tolist() == [0, 2, 4]
    del y
    settle()
    assert fake.deleted == 1


def test_misaligned_elements_are_copied_or_refused():
    raw = np.zeros(3 * 8 + 4, dtype="u1")
    raw[4:].view("u1")[:] = np.frombuffer(np.arange(3.0).tobytes(), "u1")
    for start, offset in ((4, 0), (0, 4)):
        fake = FakeTensor(np.arange(3.0))
        fake.tensor.data, fake.tensor.byte_offset = (
            raw.__array_interface__["data"][0] + start,
            offset,
        )
        fake.keep = raw
        with pytest.raises(jg.CopyError):
            jg.from_dlpack(FakeProducer(fake), copy=False)
        assert jg.from_dlpack(FakeProducer(fake)).tolist() == [0, 1, 2]


@KINDS
def test_missing_strides_mean_row_major(kind):
    fake = FakeTensor(np.arange(6.0).reshape(2, 3), kind)
    fake.strides(None)
    assert jg.from_dlpack(fake.capsule()).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_strides_of_single_rows_do_not_matter():
    fake = FakeTensor(np.arange(3.0).reshape(1, 3))
    fake.strides([999, 1])
    x = jg.from_dlpack(fake.capsule())
    assert x.tolist() == [[0, 1, 2]] and x.strides == (24, 8)


@pytest.mark.parametrize("pointer", [None, 64])
@pytest.mark.parametrize("steps", [None, (7, -5), (0, 0)])
def test_empty_tensors_may_have_any_pointer_and_strides(pointer, steps):
    fake = FakeTensor(np.zeros((2, 0)))
    fake.tensor.data = pointer
    fake.strides(steps)
    x = jg.from_dlpack(fake.capsule())
    assert x.shape == (2, 0) and np.asarray(x + 1).shape == (2, 0)
    del x
    settle()
    assert fake.deleted == 1


def test_a_number_needs_neither_shape_nor_strides():
    fake = FakeTensor(np.array(2.5))
    fake.tensor.shape = fake.tensor.strides = None
    assert jg.from_dlpack(fake.capsule()).item() == 2.5


def test_byte_offsets_are_added():
    source = np.arange(6.0)
    fake = FakeTensor(source[:4])
    fake.tensor.byte_offset = 16
    x = jg.from_dlpack(fake.capsule(), copy=False)
    assert x.tolist() == [2, 3, 4, 5]


def test_negative_and_zero_strides_are_shared():
    for source in (
        np.arange(6.0)[::-1],
        np.broadcast_to(np.arange(3.0), (4, 3)),
        np.arange(6.0).reshape(2, 3).T,
    ):
        x = jg.from_dlpack(FakeTensor(source).capsule(), copy=False)
        assert np.array_equal(np.asarray(x), source)
        assert np.array_equal(np.asarray(x * 2), source * 2)


def test_lanes_become_an_axis():
    fake = FakeTensor(np.arange(6, dtype="f4"))
    fake.tensor.dtype = DLDataType(2, 32, 2)
    fake.shape([3])
    fake.strides([1])
    assert jg.from_dlpack(fake.capsule()).tolist() == [[0, 1], [2, 3], [4, 5]]


def spoil_ndim(fake):
    fake.tensor.ndim = -1


def spoil_rank(fake):
    fake.shape([1] * 65)
    fake.strides([1] * 65)


def spoil_shape_pointer(fake):
    fake.tensor.shape = None


def spoil_extent(fake):
    fake.shape([-1])


def spoil_product(fake):
    fake.shape([2**62, 4])
    fake.strides([4, 1])


def spoil_reach(fake):
    fake.strides([2**61])


def spoil_data(fake):
    fake.tensor.data = None


def spoil_lanes(fake):
    fake.tensor.dtype = DLDataType(2, 64, 0)


def spoil_code(fake):
    fake.tensor.dtype = DLDataType(99, 64, 1)


def spoil_bits(fake):
    fake.tensor.dtype = DLDataType(2, 24, 1)


def spoil_handle(fake):
    fake.tensor.dtype = DLDataType(3, 64, 1)


def spoil_device(fake):
    fake.tensor.device = DLDevice(77, 0)


SPOIL = [value for name, value in list(globals().items()) if name.startswith("spoil_")]


@KINDS
@pytest.mark.parametrize("spoil", SPOIL, ids=lambda spoil: spoil.__name__)
def test_what_cannot_be_read_safely_is_refused_and_freed_once(kind, spoil):
    fake = FakeTensor(np.arange(3.0), kind)
    spoil(fake)
    for copy in (None, True, False):
        capsule = fake.capsule()
        with pytest.raises(BufferError):
            jg.from_dlpack(capsule, copy=copy)
        assert capsule_name(capsule) == kind.decode()
    settle()
    before = fake.deleted
    del capsule
    settle()
    assert before == 2 and fake.deleted == 3


@pytest.mark.parametrize("device", [CUDA, METAL, 7, 10, 12, 14, 15, 99])
def test_a_device_without_a_back_end_is_refused_by_name_before_anything_is_asked(device):
    producer = FakeProducer(FakeTensor(np.ones(2)), (device, 0))
    with pytest.raises(BufferError, match="cuda" if device == CUDA else str(device)):
        jg.from_dlpack(producer)
    assert producer.asked == []


@pytest.mark.parametrize("device", [CUDA_HOST, ROCM_HOST, CUDA_MANAGED])
def test_memory_that_the_host_reads_comes_in_on_the_cpu(device):
    fake = FakeTensor(np.arange(3.0))
    fake.tensor.device = DLDevice(device, 0)
    x = jg.from_dlpack(FakeProducer(fake, (device, 0)), copy=False)
    assert x.device == "cpu" and x.__dlpack_device__() == (CPU, 0) and (x + 1).tolist() == [1, 2, 3]


@KINDS
def test_a_tensor_on_another_device_than_was_said_is_refused(kind):
    fake = FakeTensor(np.arange(3.0), kind)
    fake.tensor.device = DLDevice(CUDA, 0)
    with pytest.raises(BufferError, match=r"says cpu:0.*cuda:0"):
        jg.from_dlpack(FakeProducer(fake))
    capsule = fake.capsule()
    with pytest.raises(BufferError, match="cuda"):
        jg.from_dlpack(capsule)
    settle()
    assert fake.deleted == 1
    del capsule
    assert fake.deleted == 2


def test_data_elsewhere_is_asked_to_the_host_when_the_host_is_named():
    class Elsewhere(FakeProducer):
        def __dlpack__(self, **keywords):
            self.asked.append(keywords)
            return self.fake.capsule()

    producer = Elsewhere(FakeTensor(np.arange(3.0), flags=IS_COPIED), (CUDA, 0))
    assert jg.from_dlpack(producer, device="cpu").tolist() == [0, 1, 2]
    assert producer.asked == [{"max_version": (1, 3), "dl_device": (1, 0)}]
    with pytest.raises(jg.CopyError):
        jg.from_dlpack(producer, device="cpu", copy=False)


def test_the_cpu_may_have_any_number():
    fake = FakeTensor(np.arange(3.0))
    fake.tensor.device = DLDevice(CPU, 3)
    assert jg.from_dlpack(FakeProducer(fake, (CPU, 3))).tolist() == [0, 1, 2]


def test_a_deleter_in_python_may_run_while_an_exception_is_on_its_way():
    fake = FakeTensor(np.arange(3.0))
    x = jg.from_dlpack(fake.capsule())
    with pytest.raises(ZeroDivisionError):
        (lambda kept: 1 / 0)(x)
    del x
    settle()
    assert fake.deleted == 1
