# SPDX-License-Identifier: Apache-2.0
"""Values in Python scope as in Quadrants: shapes of exports, truth, numbers that wrap, nodes."""

import warnings
from functools import partial

import numpy as np
import pytest
import quadrants
import torch

import joggle.fields as joggle_fields

qd = joggle_fields


@pytest.fixture(autouse=True, scope="module")
def reference():
    quadrants.init(arch=quadrants.cpu, log_level=quadrants.ERROR)


def both(check):
    """What check gives of Quadrants and of joggle.fields."""
    return check(quadrants), check(joggle_fields)


@pytest.mark.parametrize("shape", [(3, 1), (1, 3), (1, 1), (2, 2)])
def test_exports_of_matrices_have_the_shapes_of_quadrants(shape):
    def check(qd):
        x = qd.Matrix.field(*shape, qd.f32, shape=2)
        x.from_numpy(np.arange(2 * np.prod(shape), dtype=np.float32).reshape(2, *shape))
        found = [
            x.to_numpy(),
            x.to_numpy(keep_dims=True),
            x.to_numpy(True),
            x.to_numpy(dtype=np.float64),
            x.to_torch().numpy(),
            x.to_torch(keep_dims=True).numpy(),
        ]
        return [(a.shape, a.dtype, a.ravel().tolist()) for a in found]

    wanted, given = both(check)
    assert given == wanted


def test_columns_are_taken_with_and_without_their_axis():
    def check(qd):
        found = []
        for x in (qd.Matrix.field(3, 1, qd.f32, shape=2), qd.Vector.field(3, qd.f32, shape=2)):
            for values in (np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3, 1) * 2):
                values = values.astype(np.float32)
                x.from_numpy(values)
                found.append(x.to_numpy().tolist())
                x.from_torch(torch.from_numpy(values) + 1)
                found.append(x.to_numpy(keep_dims=True).tolist())
        return found

    wanted, given = both(check)
    assert given == wanted
    square = joggle_fields.Matrix.field(2, 2, qd.f32, shape=2)
    with pytest.raises(ValueError, match=r"got \(2, 2\), allowed is \(2, 2, 2\)"):
        square.from_numpy(np.zeros((2, 2), np.float32))


def test_exports_without_a_copy_share_the_memory_of_columns():
    x = qd.Matrix.field(3, 1, qd.f32, shape=2)
    shared = x.to_numpy(copy=False)
    tensor = x.to_torch(copy=False)
    x[1] = [1, 2, 3]
    assert shared.tolist() == [[0, 0, 0], [1, 2, 3]]
    tensor[0] = 7
    assert x[0].to_list() == [[7], [7], [7]]
    assert np.asarray(x).shape == (2, 3, 1)


def test_an_equation_of_vectors_has_a_truth():
    x = qd.Vector.field(2, qd.i32, shape=3)
    x[1] = [3, 4]
    assert x[1] == [3, 4]
    assert not x[1] == [3, 5]  # noqa: SIM201
    assert x[1] != [3, 5]
    assert not x[1] != [3, 4]  # noqa: SIM202
    assert x[1] in [qd.Vector([1, 2]), qd.Vector([3, 4])]
    assert (x[1] == [3, 5]).to_list() == [1, 0]
    assert qd.Matrix([[1, 2], [3, 4]]) == [[1, 2], [3, 4]]
    for value in (x[1], x[1] > 2, (x[1] == [3, 4]) + 0):
        with pytest.raises(ValueError, match="the truth of a matrix"):
            bool(value)


NUMBERS = [300, -1, 2**31, 2**32 + 5, -(2**31) - 1, 2**63, 2**63 - 1, -(2**63), 127, -128, 0]


@pytest.mark.parametrize("dtype", ["u8", "i8", "i16", "u16", "i32", "u32", "i64", "u64"])
def test_integers_that_do_not_fit_wrap_with_a_warning(dtype):
    name = {"u": "uint", "i": "int"}[dtype[0]] + dtype[1:]
    limits = np.iinfo(name)
    x = qd.field(getattr(qd, dtype), shape=())

    @qd.kernel
    def passed(a: getattr(qd, dtype)) -> getattr(qd, dtype):
        return a

    for number in NUMBERS:
        wanted = int(np.array(number % 2**64, np.uint64).astype(name))
        for give in (partial(x.__setitem__, None), x.fill, passed):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                found = give(number)
            found = x[None] if found is None else found
            assert found == wanted
            fits = limits.min <= number <= limits.max
            expected = [] if fits else [f"{number} does not fit {name}, so {wanted} is used"]
            assert [str(w.message) for w in seen] == expected


def test_a_warning_that_is_an_error_changes_nothing():
    x = qd.field(qd.u8, shape=2)
    x.fill(3)

    @qd.kernel
    def store(a: qd.u8):
        x[0] = a

    store(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for give in (lambda: x.__setitem__(0, 256), lambda: x.fill(-1), lambda: store(300)):
            with pytest.raises(RuntimeWarning, match="does not fit uint8"):
                give()
    assert x.to_numpy().tolist() == [3, 3]
    with pytest.raises(OverflowError, match="64 bits"):
        x[0] = 2**64
    with pytest.raises(ValueError, match="does not fit uint8"):
        x[0] = 300.5


def test_tensors_that_require_a_gradient_get_one_of_zeros():
    def check(qd):
        @qd.kernel
        def run(x: qd.types.ndarray(), y: qd.types.ndarray()):
            for i in range(3):
                y[i] = x[i] * x[i]

        x, y = torch.tensor([1.0, 2, 3], requires_grad=True), torch.zeros(3, requires_grad=True)
        run(x, y)
        empty = [x.grad.tolist(), y.grad.tolist()]
        y.grad.fill_(1)
        run.grad(x, y)
        kept = torch.ones(3, requires_grad=True)
        kept.grad = torch.full((3,), 5.0)
        run(kept, torch.zeros(3))
        return [*empty, y.tolist(), x.grad.tolist(), kept.grad.tolist()]

    wanted, given = both(check)
    assert given == wanted
    assert given[3] == [2, 4, 6]


def test_tensors_without_one_are_left_alone():
    @qd.kernel
    def run(x: qd.types.ndarray()):
        for i in range(3):
            x[i] += 1

    plain, computed = torch.zeros(3), torch.ones(3, requires_grad=True) * 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(plain)
        run(computed.detach())
        run(computed)
    assert plain.grad is None
    assert computed.tolist() == [4, 4, 4]


def test_a_field_tells_its_place_in_the_tree():
    def check(qd):
        x, y = qd.field(qd.f32), qd.field(qd.f32)
        node = qd.root.dense(qd.i, 4).dense(qd.j, 3)
        node.place(x, y)
        leaf = x.snode
        return [
            leaf.shape,
            leaf.parent() == node,
            leaf.parent(0) == leaf,
            leaf.parent(2).shape,
            leaf.parent(3) == qd.root,
            leaf.parent(4),
            leaf == y.snode,
        ]

    wanted, given = both(check)
    assert given == wanted


def test_a_node_is_looped_over_by_its_cells():
    def check(qd):
        x, y = qd.field(qd.i32), qd.field(qd.i32, shape=4)
        column = qd.root.dense(qd.i, 4)
        node = column.dense(qd.j, 3)
        node.place(x)

        @qd.kernel
        def run():
            for i, j in node:
                x[i, j] += 10 * i + j
            for index in qd.grouped(node):
                x[index] += 100
            for i in column:
                y[i] = i * i

        run()
        return x.to_numpy().tolist(), y.to_numpy().tolist()

    wanted, given = both(check)
    assert given == wanted


def test_vectors_of_any_size_are_told_from_matrices():
    @qd.kernel
    def fill(x: qd.types.NDArray[qd.types.vector(), 1]):
        for index in qd.grouped(x):
            x[index] = 1.5

    @qd.kernel
    def fill_matrices(x: qd.types.NDArray[qd.types.matrix(), 1]):
        for index in qd.grouped(x):
            x[index] = 2

    for type_ in (qd.math.vec3, qd.math.vec2):
        x = qd.ndarray(type_, 3)
        fill(x)
        assert (x.to_numpy() == 1.5).all()
        with pytest.raises(TypeError, match="elements of 2 dimensions"):
            fill_matrices(x)
    m = qd.ndarray(qd.math.mat2, 3)
    fill_matrices(m)
    assert (m.to_numpy() == 2).all()
    with pytest.raises(TypeError, match="elements of 1 dimensions"):
        fill(m)
    with pytest.raises(TypeError, match="whose extents are all given"):

        @qd.kernel
        def by_value(v: qd.types.vector()) -> qd.f32:
            return v.sum()

        by_value(qd.Vector([1.0, 2.0]))
