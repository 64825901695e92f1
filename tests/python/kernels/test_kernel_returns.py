# SPDX-License-Identifier: Apache-2.0
"""What functions of kernels return: from branches and loops, and in the types of annotations."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")

vec2 = qd.types.vector(2, qd.f32)
Range = qd.types.struct(low=qd.i32, high=qd.f32)


@qd.real_func
def divided(a: qd.f32, b: qd.f32) -> qd.f32:
    if b == 0.0:
        return 0.0
    return a / b


@qd.func
def deep(limit, width):
    i = 0
    while True:
        for j in range(width):
            k = 0
            while k < 4:
                k += 1
                if k == 2:
                    continue
                if i * j * k > limit:
                    return i * 100 + j * 10 + k
                if j > 5:
                    break
        i += 1
        if i > 20:
            return -i


@qd.func
def mixed(x):
    if x > 0:
        return 1
    if x < -5:
        return x * 0.5
    return 2


@qd.func
def folded(v: vec2):
    if v[0] > 1:
        return v * 2
    elif v[1] > 1:
        return v + 1
    else:
        return vec2(0, 0)


@qd.func
def first_above(values: qd.template(), bound, start=0):
    for i in range(start, values.shape[0]):
        if values[i] > bound:
            return i, values[i]
    return -1, 0


@qd.func
def parted(x):
    for _ in range(2):
        if x < 0:
            return Range(low=-1, high=x)
    return Range(low=1, high=2 * x)


@qd.func
def whole(x) -> qd.i32:
    return x * 1.5


@qd.func
def whole_and_part(x) -> tuple[qd.i32, qd.f32]:
    return x, x - 2


def reference(limit, width):
    for i in range(21):
        for j in range(width):
            for k in (1, 3, 4):
                if i * j * k > limit:
                    return i * 100 + j * 10 + k
                if j > 5:
                    break
    return -21


def test_a_return_from_a_branch_ends_the_function():
    @qd.kernel
    def quotient(a: float, b: float) -> float:
        return divided(a, b) + divided(b, a)

    assert quotient(1, 2) == pytest.approx(2.5)
    assert quotient(1, 0) == 0


def test_a_return_leaves_all_loops_around_it():
    out = np.zeros((9, 12), np.int32)

    @qd.kernel
    def fill(out: qd.types.ndarray()):
        for limit, width in out:
            out[limit, width] = deep(limit, width)

    fill(out)
    expected = [[reference(limit, width) for width in range(12)] for limit in range(9)]
    np.testing.assert_array_equal(out, expected)


def test_returns_of_several_dtypes_meet_in_one():
    @qd.kernel
    def call(x: int) -> float:
        return mixed(x)

    assert [call(x) for x in (3, -9, 0)] == [1, -4.5, 2]


def test_vectors_structs_and_several_values_are_returned_from_branches():
    values = np.arange(10, dtype=np.float64) ** 2

    @qd.kernel
    def fold(v: vec2) -> vec2:
        return folded(folded(v))

    @qd.kernel
    def search(values: qd.types.ndarray(), bound: qd.f64) -> tuple[int, qd.f64]:
        return first_above(values, bound)

    @qd.kernel
    def part(x: float) -> Range:
        return parted(x)

    assert fold([1.5, 0]).to_list() == [6, 0]
    assert fold([0, 3]).to_list() == [2, 5]
    assert search(values, 20) == (5, 25)
    assert search(values, 99) == (-1, 0)
    assert (part(-2).low, part(-2).high, part(3).low, part(3).high) == (-1, -2, 1, 6)


def test_a_return_without_a_value_skips_the_rest():
    x = qd.field(qd.i32, 6)

    @qd.func
    def mark(i):
        if i % 2 == 0:
            return
        x[i] = i

    @qd.kernel
    def run():
        for i in x:
            mark(i)

    run()
    assert x.to_numpy().tolist() == [0, 1, 0, 3, 0, 5]


def test_gradients_go_through_the_branch_that_returned():
    x = qd.field(qd.f64, 4, needs_grad=True)
    loss = qd.field(qd.f64, (), needs_grad=True)
    x.from_numpy(np.array([-2.0, 0.5, 2, 3]))

    @qd.func
    def bent(v):
        if v < 0:
            return v * v
        if v > 1:
            return qd.sin(v)
        return 3 * v

    @qd.kernel
    def run():
        for i in x:
            loss[None] += bent(x[i])

    with qd.ad.Tape(loss):
        run()
    np.testing.assert_allclose(x.grad.to_numpy(), [-4, 3, np.cos(2), np.cos(3)])


def test_a_result_is_converted_to_the_annotation():
    @qd.kernel
    def one(x: float) -> float:
        return whole(x)

    @qd.kernel
    def two(x: float) -> float:
        a, b = whole_and_part(x)
        return a + b

    assert one(3) == 4
    assert two(2.75) == 2.75


def test_what_cannot_be_returned_so_is_refused():
    @qd.func
    def partly(x):
        if x > 0:
            return 1

    @qd.func
    def unlike(x):
        if x > 0:
            return 1
        return x, x

    @qd.kernel
    def call_partly(x: int) -> int:
        return partly(x)

    @qd.kernel
    def call_unlike(x: int) -> int:
        return unlike(x)

    with pytest.raises(SyntaxError, match="partly returns a value in some branches only"):
        call_partly(1)
    with pytest.raises(TypeError, match="other than the return before"):
        call_unlike(1)


def test_returned_vectors_have_the_dtype_of_the_annotation():
    @qd.kernel
    def vector() -> qd.types.vector(2, qd.f32):
        return qd.Vector([1, 2])

    assert vector().to_numpy().dtype == np.float32
