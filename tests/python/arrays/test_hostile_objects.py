# SPDX-License-Identifier: Apache-2.0
"""Objects whose methods raise, and arrays that are broadcast beyond memory: what they raise comes
through, and nothing is written outside what was allocated."""

import numpy as np
import pytest

import joggle as jg

# 2^64 + 4,184 bytes of eight each: a count of 64 bits begins again at 0.
BEYOND = (16943, 9601, 1087, 421, 413, 75)
RAISED = [KeyboardInterrupt, ValueError, MemoryError, ZeroDivisionError]


class Raising:
    """A sequence of two whose items raise."""

    def __init__(self, kind):
        self.kind = kind

    def __len__(self):
        return 2

    def __getitem__(self, index):
        raise self.kind("by an item")


class RaisingLater(Raising):
    """Its items are numbers once, and raise from then on."""

    calls = 0

    def __getitem__(self, index):
        self.calls += 1
        if self.calls > 3:
            raise self.kind("by an item")
        if index >= 2:
            raise IndexError
        return 1.5


def broadcast():
    return jg.broadcast_to(jg.asarray([1.5], dtype=jg.float32), BEYOND)


def test_a_list_of_arrays_beyond_memory_is_refused():
    with pytest.raises((MemoryError, ValueError)):
        jg.asarray([broadcast()], dtype=jg.int32)


def test_a_buffer_of_more_bytes_than_can_be_counted_is_refused():
    x = jg.broadcast_to(jg.asarray([1.0]), (2**31, 2**30, 2))
    for take in (memoryview, bytes):
        with pytest.raises((BufferError, MemoryError)):
            take(x)


@pytest.mark.parametrize("kind", RAISED)
@pytest.mark.parametrize(
    "call",
    [
        lambda x: jg.pad(jg.ones(3), x),
        lambda x: jg.tensordot(jg.ones((2, 2)), jg.ones((2, 2)), axes=x),
        jg.stack,
        jg.concat,
        jg.asarray,
        lambda x: jg.ones(3).transpose(x),
        lambda x: jg.zeros(x),
        lambda x: jg.sum(jg.ones((2, 2)), axis=x),
    ],
)
def test_what_an_item_raises_comes_through(call, kind):
    with pytest.raises(kind, match="by an item"):
        call(Raising(kind))


def test_a_type_error_of_an_item_comes_through():
    with pytest.raises(TypeError, match="by an item"):
        jg.asarray(Raising(TypeError))


@pytest.mark.parametrize("kind", [*RAISED, TypeError])
def test_what_an_item_raises_when_it_is_read_again_comes_through(kind):
    with pytest.raises(kind, match="by an item"):
        jg.asarray([RaisingLater(kind)])


def test_arrays_without_axes_are_numbers_in_lists():
    assert jg.asarray([np.array(1.5), np.float32(2)]).tolist() == [1.5, 2]


class Interrupted:
    def __index__(self):
        raise KeyboardInterrupt


class Attributes:
    """An attribute that raises when it is read."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind

    def __getattr__(self, name):
        raise self.kind("by an attribute") if name == self.name else AttributeError(name)


@pytest.mark.parametrize("name", ["__cuda_stream__", "cuda_stream", "ptr", "handle"])
def test_what_an_attribute_of_a_stream_raises_comes_through(name):
    with pytest.raises(KeyboardInterrupt, match="by an attribute"):
        jg.from_stream(Attributes(name, KeyboardInterrupt))


def test_an_interrupt_while_a_device_is_read_comes_through():
    with pytest.raises(KeyboardInterrupt):
        jg.ones(2).__dlpack__(dl_device=(1, Interrupted()))
    with pytest.raises(TypeError, match="dl_device: got"):
        jg.ones(2).__dlpack__(dl_device=(1, "cpu"))
    with pytest.raises(TypeError, match="dl_device: got"):
        jg.ones(2).__dlpack__(dl_device=(1, 2**70))


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1])
def test_an_int_beyond_64_bits_is_told_what_is_allowed(value):
    with pytest.raises(OverflowError, match=r"allowed are -2\*\*63 to 2\*\*64 - 1"):
        jg.asarray([value])


@pytest.mark.parametrize("value", [2**70, -(2**70)])
def test_an_index_beyond_64_bits_is_named(value):
    with pytest.raises(IndexError, match=f"index: got {value}, allowed are ints of 64 bits"):
        jg.ones(3)[value]
