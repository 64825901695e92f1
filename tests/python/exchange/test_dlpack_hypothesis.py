# SPDX-License-Identifier: Apache-2.0
"""Random DLTensors, valid and hostile, through real capsules.

Whatever comes: the deleter is called exactly once, nothing but BufferError and its kin is raised,
what is well-formed is accepted, and what is accepted has the elements that a reference reads.
"""

import itertools
import math

import numpy as np
import pytest
from fake_producer import (
    IS_COPIED,
    LEGACY,
    READ_ONLY,
    VERSIONED,
    DLDataType,
    DLDevice,
    FakeTensor,
    capsule_name,
    settle,
)
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

import joggle as jg

TYPES = {
    (6, 8): "?",
    (0, 8): "i1",
    (0, 16): "i2",
    (0, 32): "i4",
    (0, 64): "i8",
    (1, 8): "u1",
    (1, 16): "u2",
    (1, 32): "u4",
    (1, 64): "u8",
    (2, 16): "f2",
    (2, 32): "f4",
    (2, 64): "f8",
    (5, 64): "c8",
    (5, 128): "c16",
}
ROOM = 4096  # bytes of memory behind each tensor; element 0 lies in the middle
MEMORY = np.random.default_rng(0).integers(0, 2, ROOM, dtype="u1")  # bools must be 0 or 1

edges = st.sampled_from(
    [0, 1, -1, 2, 7, 2**31, 2**32 + 1, 2**61, 2**62, 2**63 - 1, -(2**63), -(2**62)]
)
small_extents, small_steps = st.integers(0, 4), st.integers(-5, 5)


@st.composite
def tensors(draw, hostile):
    """A dict of fields. Without hostility all of them can be read, elements within ROOM."""
    wild = (
        draw(
            st.sets(
                st.sampled_from(
                    ["type", "shape", "strides", "device", "offset", "data", "version", "lanes"]
                )
            )
        )
        if hostile
        else set()
    )
    rank = draw(st.integers(0, 4))
    shape = draw(
        st.lists(
            st.one_of(small_extents, edges) if "shape" in wild else small_extents,
            min_size=rank,
            max_size=rank,
        )
    )
    steps = st.one_of(small_steps, edges) if "strides" in wild else small_steps
    code, bits = draw(st.sampled_from(sorted(TYPES)))
    if "type" in wild:
        code, bits = (
            draw(st.integers(0, 255)),
            draw(st.one_of(st.sampled_from([4, 6, 8, 16, 32, 64, 128]), st.integers(0, 255))),
        )
    return {
        "kind": draw(st.sampled_from([VERSIONED, LEGACY])),
        "version": (draw(st.integers(0, 3)) if "version" in wild else 1, draw(st.integers(0, 9))),
        "flags": draw(st.sampled_from([0, READ_ONLY, IS_COPIED, READ_ONLY | 1 << 17])),
        "type": (code, bits),
        "lanes": draw(st.sampled_from([0, 2, 3, 4, 65535])) if "lanes" in wild else 1,
        "shape": shape,
        "strides": draw(st.none() | st.lists(steps, min_size=rank, max_size=rank)),
        "device": (
            draw(st.one_of(st.integers(0, 20), edges.map(lambda v: v % 2**31))),
            draw(st.integers(-2, 2)),
        )
        if "device" in wild
        else (1, 0),
        "offset": draw(st.one_of(st.integers(0, 64), edges.map(lambda v: v % 2**64)))
        if "offset" in wild
        else draw(st.integers(0, 8)) * max(bits // 8, 1),
        "data": draw(st.sampled_from([0, 1, 2**64 - 8])) if "data" in wild else None,
        "copy": draw(st.sampled_from([None, True, False])),
    }


def make(fields):
    fake = FakeTensor(kind=fields["kind"], version=fields["version"], flags=fields["flags"])
    start = MEMORY.__array_interface__["data"][0] + ROOM // 2
    fake.tensor.data = start if fields["data"] is None else fields["data"]
    fake.tensor.dtype = DLDataType(*fields["type"], fields["lanes"])
    fake.tensor.device = DLDevice(*fields["device"])
    fake.tensor.byte_offset = fields["offset"]
    fake.shape(fields["shape"])
    fake.strides(fields["strides"])
    return fake


def row_major(shape):
    return (
        [
            int(step)
            for step in itertools.accumulate(
                [max(extent, 1) for extent in shape[:0:-1]], int.__mul__, initial=1
            )
        ][::-1][-len(shape) :]
        if shape
        else []
    )


def reference(fields):
    """The elements as NumPy reads them; None where they are not all in MEMORY, or very many."""
    if fields["type"] not in TYPES or fields["lanes"] != 1 or fields["data"] is not None:
        return None
    dtype = np.dtype(TYPES[fields["type"]])
    steps = fields["strides"] if fields["strides"] is not None else row_major(fields["shape"])
    if (
        any(not 0 <= extent <= ROOM for extent in fields["shape"])
        or math.prod(fields["shape"]) > ROOM
    ):
        return None
    if 0 in fields["shape"]:
        return np.zeros(fields["shape"], dtype)
    reach = [
        (extent - 1) * step * dtype.itemsize
        for extent, step in zip(fields["shape"], steps, strict=True)
    ]
    start = ROOM // 2 + fields["offset"]
    low, high = start + sum(r for r in reach if r < 0), start + sum(r for r in reach if r > 0)
    if low < 0 or high + dtype.itemsize > ROOM:
        return None
    strides = [
        0 if extent == 1 else step * dtype.itemsize
        for extent, step in zip(fields["shape"], steps, strict=True)
    ]
    return np.ndarray(tuple(fields["shape"]), dtype, MEMORY.data, start, tuple(strides))


def take(fields):
    """Imports the tensor and checks what holds whatever happens. Returns its values, or None."""
    fake = make(fields)
    capsule = fake.capsule()
    values = x = None
    try:
        # A copy, which misaligned elements need too, reads them all: it is asked for only if they
        # are there. Nobody can tell from a struct whether they are.
        x = jg.from_dlpack(capsule, copy=False if reference(fields) is None else fields["copy"])
    except (BufferError, MemoryError) as error:
        event(f"refused: {type(error).__name__}")
        assert fake.deleted == (fields["kind"] == VERSIONED and fields["version"][0] != 1)
    else:
        event("accepted")
        assert capsule_name(capsule).startswith("used_")
        assert x.size == 0 or min(fields["shape"], default=1) >= 0
        expected = reference(fields)
        if expected is not None:
            values = np.array(x) if x.dtype.name != "opaque" else None
            assert np.array_equal(values, expected, equal_nan=True)
            assert np.array_equal(np.array(jg.logical_not(x)), np.logical_not(expected))
    del x, capsule
    settle()
    assert fake.deleted == 1
    return values


@settings(max_examples=400)
@given(tensors(hostile=False))
@example(
    {
        "kind": VERSIONED,
        "version": (1, 3),
        "flags": 0,
        "type": (2, 32),
        "lanes": 1,
        "shape": [2, 1, 2],
        "strides": [-3, 99, 0],
        "device": (1, 0),
        "offset": 8,
        "data": None,
        "copy": None,
    }
)
def test_well_formed_tensors_are_read_as_the_reference_reads_them(fields):
    expected = reference(fields)
    values = take(fields)
    if expected is None:
        return
    itemsize = expected.itemsize // (2 if expected.dtype.kind == "c" else 1)
    aligned = (
        fields["offset"] % itemsize == 0
        and (MEMORY.__array_interface__["data"][0] + ROOM // 2) % 16 == 0
    )
    refusable = fields["copy"] is False and (
        not aligned or (fields["kind"] == VERSIONED and fields["flags"] & IS_COPIED)
    )
    assert values is not None or refusable


NOT_OF_OPENCL = {
    "kind": VERSIONED,
    "version": (1, 3),
    "flags": 0,
    "type": (2, 32),
    "lanes": 1,
    "shape": [2],
    "strides": [1],
    "device": (4, 0),
    "offset": 0,
    "data": None,
    "copy": None,
}


@settings(max_examples=400)
@given(tensors(hostile=True))
@example(NOT_OF_OPENCL)
@example(NOT_OF_OPENCL | {"data": 1})
def test_hostile_tensors_are_refused_or_read_and_freed_once(fields):
    take(fields)


@pytest.mark.full
@settings(max_examples=1500)
@given(tensors(hostile=True))
def test_many_hostile_tensors_are_refused_or_read_and_freed_once(fields):
    take(fields)
