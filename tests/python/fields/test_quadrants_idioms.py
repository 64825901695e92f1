# SPDX-License-Identifier: Apache-2.0
"""Idioms of published programs for Quadrants that stand in no other file."""

import pickle

import numpy as np
import pytest
import quadrants

import joggle.fields as qd
from joggle.fields.math import vec3

pytestmark = pytest.mark.usefixtures("tier")


@qd.kernel
def bumped(x: qd.Tensor, y: qd.types.NDArray[qd.f32, 1] | None):
    for i in range(x.shape[0]):
        if qd.static(y is not None):
            y[i] = x[i] + 1
        else:
            x[i] = 7


def test_an_array_that_may_be_none_is_known_when_compiling():
    x, y = qd.tensor(qd.f32, (3,)), qd.ndarray(qd.f32, (3,))
    bumped(x, y)
    bumped(x, None)
    bumped(x, y)

    @qd.kernel
    def is_none(x: qd.Tensor) -> int:
        return 1 if qd.static(x is None) else 0

    assert (is_none(None), is_none(x), is_none(None)) == (1, 0, 1)
    assert y.to_numpy().tolist() == [8, 8, 8]
    with pytest.raises(TypeError, match="int for an array"):
        bumped(x, 3)


def test_neighbours_are_unrolled_from_a_grouped_static_range():
    near = qd.ndrange((-1, 2), 2)

    @qd.kernel
    def count() -> int:
        s = 0
        for offset in qd.static(qd.grouped(qd.static(qd.ndrange((-1, 2), (-1, 2))))):
            s += 3 * offset[0] + 5 * offset[1] + 1
        for offset in qd.static(qd.grouped(near)):
            s += offset[0] + 10 * offset.y
        for i, j in qd.static(near):
            s += i + 100 * j
        return s

    assert count() == 9 + 30 + 300
    assert list(near) == [(-1, 0), (-1, 1), (0, 0), (0, 1), (1, 0), (1, 1)]
    assert len(list(near)) == 6  # a second time


@pytest.mark.parametrize("make", [lambda: qd.field(qd.i32, ()), lambda: np.zeros((), np.int32)])
def test_a_grouped_loop_over_no_axes_has_one_turn(make):
    x = make()

    @qd.kernel
    def add(x: qd.types.ndarray(), n: int):
        for index in qd.grouped(x):
            x[index] += n

    add(x, 3)
    add(x, 4)
    assert (x[()] if isinstance(x, np.ndarray) else x[None]) == 7


def test_axes_of_an_ndrange_are_a_permutation():
    assert list(qd.ndrange(2, 1, axes=(1, 0))) == [(0, 0), (1, 0)]
    with pytest.raises(ValueError, match="each of the 2 axes once"):
        qd.ndrange(2, 1, axes=(0, 0))


@pytest.mark.parametrize("dtype", [qd.f32, qd.bf16, qd.u1, qd.types.vector(3, qd.f64)])
@pytest.mark.parametrize("make", [qd.field, qd.ndarray, qd.tensor])
def test_fields_ndarrays_and_tensors_are_pickled(make, dtype):
    x = make(dtype, (2, 3))
    x.fill(1)
    back = pickle.loads(pickle.dumps(x))
    assert type(back) is type(x)
    assert (back.shape, back.dtype) == (x.shape, x.dtype)
    np.testing.assert_array_equal(back.to_numpy(), x.to_numpy())


def test_layouts_offsets_and_gradients_are_pickled():
    x = qd.tensor(qd.f32, (3, 4), layout=(1, 0), needs_grad=True)
    x.from_numpy(np.arange(12, dtype=np.float32).reshape(3, 4))
    back = pickle.loads(pickle.dumps(x))
    assert back.layout == (1, 0)
    assert back.has_grad()
    np.testing.assert_array_equal(back.to_numpy(), x.to_numpy())
    y = qd.field(qd.i32, 3, offset=-1, name="y")
    y[-1] = 5
    back = pickle.loads(pickle.dumps(y))
    assert (back[-1], back.offset, back.name) == (5, (-1,), "y")


def test_indices_alone_are_checked_where_it_is_asked_for():
    qd.init(check_out_of_bound=True)
    x = qd.field(qd.i32, 3)

    @qd.kernel
    def store(i: int) -> int:
        x[i] = 1
        assert i < 0
        return i * 2**30

    assert store(2) == -(2**31)
    with pytest.raises(IndexError, match="index 0 of x: got 3, allowed 0 to below 3"):
        store(3)
    qd.init()
    assert not qd.cfg.check_out_of_bound


@pytest.mark.filterwarnings("ignore:.*it has no effect")
def test_every_option_of_quadrants_is_taken():
    quadrants.init(arch=quadrants.cpu, log_level=quadrants.ERROR)
    options = [name for name in dir(quadrants.cfg) if not name.startswith("_")]
    quadrants.reset()
    for name in options:
        if name not in ("arch", "default_fp", "default_ip", "default_up", "cpu_max_num_threads"):
            qd.init(**{name: 0})
    assert len(options) > 50 and {"debug", "fast_math", "print_ir"} <= set(options)
    with pytest.raises(TypeError, match="unexpected keyword argument 'no_such_option'"):
        qd.init(no_such_option=0)
    qd.init()


def test_a_backend_is_a_number():
    assert int(qd.Backend.NDARRAY) == 1
    assert isinstance(qd.wrap(qd.ndarray(qd.f32, 3))._unwrap(), qd.Ndarray)


def test_defaults_of_init_hold_for_what_was_defined_before_it():
    @qd.func
    def same(a) -> float:
        return a

    @qd.kernel
    def number(a: float) -> float:
        return same(a)

    @qd.kernel
    def vector(a: vec3) -> vec3:
        return a

    @qd.kernel
    def whole(a: int) -> int:
        return a

    assert (number(0.1), vector(vec3(0.1))[2], whole(3)) == (np.float32(0.1), np.float32(0.1), 3)
    qd.init(default_fp=qd.f64, default_ip=qd.i64)
    assert (number(0.1), vector(vec3(0.1))[2], whole(2**40)) == (0.1, 0.1, 2**40)
    assert qd.field(vec3, 2).to_numpy().dtype == np.float64
    qd.init()


def test_all_names_of_math_come_by_a_star():
    names = {}
    exec("from joggle.fields.math import *", names)
    theirs = {}
    exec("from quadrants.math import *", theirs)
    assert {name for name in theirs if name.isidentifier()} <= names.keys()


def test_one_extent_stands_for_all_axes_of_a_node():
    x = qd.field(qd.f32)
    qd.root.dense(qd.ij, [4]).dense(qd.ij, 2).place(x)
    assert x.shape == (8, 8)


def test_items_of_a_list_are_assigned_to():
    @qd.kernel
    def sort(x: qd.types.ndarray(), out: qd.types.ndarray()):
        for i in range(x.shape[0]):
            values = [x[i, k] for k in range(3)]
            for _ in range(2):
                for k in qd.static(range(2)):
                    if values[k] > values[k + 1]:
                        kept = values[k]
                        values[k] = values[k + 1]
                        values[k + 1] = kept
            values[1] += 0.5
            for k in qd.static(range(3)):
                out[i, k] = values[k] + sum(values) * 0

    x = np.random.default_rng(2).random((50, 3), np.float32)
    out = np.zeros_like(x)
    sort(x, out)
    assert np.array_equal(out, np.sort(x, 1) + np.float32([0, 0.5, 0]))


def test_a_loop_that_assigns_to_items_of_a_list_from_outside_runs_in_order():
    @qd.kernel
    def last(n: int) -> qd.types.vector(2, qd.i32):
        found = [0, qd.Vector([1, 2])]
        for i in range(n):
            found[0] = i
            found[1][1] += found[0]
        return [found[0], found[1].y]

    assert last(100).to_list() == [99, 2 + 99 * 50]
    with pytest.raises(IndexError):

        @qd.kernel
        def beyond():
            found = [1.0, 2.0]
            found[2] = 3.0

        beyond()
