# SPDX-License-Identifier: Apache-2.0
"""qd.get_addr in kernels."""

import numpy as np
import pytest

import joggle.fields as qd


@qd.kernel
def addresses(x: qd.template(), out: qd.types.ndarray(ndim=1)):
    for i in range(out.shape[0]):
        out[i] = qd.get_addr(x, [i, 1])


def test_addresses_are_those_of_the_memory():
    for order in ("ij", "ji"):
        fields = [qd.field(qd.f64, shape=(5, 3), order=order) for _ in range(2)]
        for x in (*fields, *fields):  # of one layout: they share code
            view, out = x.to_numpy(copy=False), np.zeros(5, np.uint64)
            addresses(x, out)
            first = view.__array_interface__["data"][0]
            assert out.tolist() == [first + i * view.strides[0] + view.strides[1] for i in range(5)]


def test_blocks_and_offsets_count():
    x = qd.field(qd.i16)
    qd.root.dense(qd.ij, 2).dense(qd.ij, (3, 2)).place(x, offset=(-1, 2))

    @qd.kernel
    def distance(i: qd.i32, j: qd.i32) -> qd.i64:
        return qd.get_addr(x.snode, [i, j]) - qd.get_addr(x.snode, [-1, 2])

    assert distance(-1, 3) == 2 and distance(0, 2) == 4
    assert distance(-1, 4) == 12 and distance(2, 2) == 24 and distance(4, 5) == 46


def test_only_fields_of_scalars_have_addresses():
    v = qd.Vector.field(2, qd.f32, shape=3)

    @qd.kernel
    def of_vectors() -> qd.u64:
        return qd.get_addr(v, [0])

    @qd.kernel
    def of_arrays(x: qd.types.ndarray(ndim=1)) -> qd.u64:
        return qd.get_addr(x, [0])

    for call in (of_vectors, lambda: of_arrays(np.zeros(2))):
        with pytest.raises(TypeError, match=r"get_addr: got the array .* allowed are fields of sc"):
            call()
