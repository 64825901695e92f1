# SPDX-License-Identifier: Apache-2.0
"""What a kernel's source says, it does at every launch, as Python would."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


def test_fill_in_a_kernel_fills_at_every_launch():
    x, v = qd.field(qd.f32, 4), qd.Vector.field(2, qd.i32, (2, 3))
    s = qd.Struct.field({"a": qd.f32, "v": qd.types.vector(2, qd.i32)}, shape=3)

    @qd.func
    def clear(field: qd.template(), value):
        field.fill(value)

    @qd.kernel
    def run(a: float, out: qd.types.ndarray(), shifted: qd.template()):
        x.fill(a)
        clear(v, qd.Vector([a, a + 1]))
        s.fill(2 * a)
        out.fill(a + 3)
        shifted.fill(a + 4)

    shifted = qd.field(qd.i32, 3, offset=-1)
    for a in (1, 5, 5):
        out = np.zeros((2, 2), np.int64)
        run(a, out, shifted)
        assert x.to_numpy().tolist() == [a] * 4
        assert v.to_numpy().reshape(-1, 2).tolist() == [[a, a + 1]] * 6
        assert s.a.to_numpy().tolist() == [2 * a] * 3
        assert s.v.to_numpy().tolist() == [[2 * a, 2 * a]] * 3
        assert out.tolist() == [[a + 3] * 2] * 2
        assert shifted.to_numpy().tolist() == [a + 4] * 3
        for field in (x, v, shifted):
            field.fill(0)


def test_fill_works_in_loops_and_branches_and_on_components():
    x, m = qd.field(qd.i32, (2, 2)), qd.Matrix.field(2, 2, qd.i32, 3)
    one = qd.field(qd.i32, (), needs_grad=False)

    @qd.kernel
    def run(n: int):
        for i in range(n):
            if i % 2 == 1:
                x.fill(i)
        m.get_scalar_field(0, 1).fill(n)
        one.fill(n + 1)

    run(4)
    assert x.to_numpy().tolist() == [[3, 3], [3, 3]]
    assert m.to_numpy().tolist() == [[[0, 4], [0, 0]]] * 3
    assert one[None] == 5


def test_a_gradient_is_filled_in_a_kernel():
    x = qd.field(qd.f32, 3, needs_grad=True)

    @qd.kernel
    def seed(y: qd.types.ndarray()):
        x.grad.fill(2)
        y.grad.fill(3)

    y = qd.ndarray(qd.f32, 2, needs_grad=True)
    seed(y)
    assert x.grad.to_numpy().tolist() == [2] * 3 and y.grad.to_numpy().tolist() == [3] * 2


def test_attributes_of_a_template_are_those_of_each_argument():
    @qd.kernel
    def first(x: qd.template()) -> qd.f32:
        return x.get_scalar_field(1)[0]

    a, b = (qd.Vector.field(2, qd.f32, 3) for _ in range(2))
    a.fill(1)
    b.fill(2)
    assert (first(a), first(b)) == (1, 2)

    @qd.kernel
    def named(x: qd.template()):
        qd.static_print(x.name)

    with pytest.raises(TypeError, match=r"x\.name: the kernel runs with other arguments, too"):
        named(a)


def test_any_and_all_of_python_look_at_the_items_of_a_matrix():
    @qd.kernel
    def look(m: qd.types.matrix(2, 2, qd.i32), k: int) -> qd.types.vector(6, qd.i32):
        none = m == 7
        return [
            any(m),
            all(m),
            any(none),
            all(m == m),
            any([k > 1, k < 0]),
            all(x > 0 for x in [k, k + 1]),
        ]

    assert look([[2, 0], [0, 0]], 1).to_list() == [1, 0, 0, 1, 0, 1]
    assert look([[0, 0], [0, 0]], 2).to_list() == [0, 0, 0, 1, 1, 1]
    assert look([[1, 2], [3, 4]], -1).to_list() == [1, 1, 0, 1, 1, 0]


def test_and_or_of_vectors_give_one_of_the_operands_item_by_item():
    @qd.kernel
    def choose(
        a: qd.types.vector(3, qd.i32), b: qd.types.vector(3, qd.i32), x: qd.f32
    ) -> qd.types.vector(12, qd.f32):
        both, either, mixed, bools = a and b, a or b, a and x, (a > 1) or (b > 5)
        return [*both, *either, *mixed, *bools]

    found = choose([2, 0, 4], [5, 6, 0], 0.5).to_list()
    assert found == [5, 0, 0, 2, 6, 4, 0.5, 0, 0.5, 1, 1, 1]


def test_the_condition_of_an_assert_is_evaluated_without_debug():
    count = qd.field(qd.i32, ())

    @qd.func
    def counted(a):
        count[None] += 1
        return a

    @qd.kernel
    def run(n: int):
        assert counted(n) == 0, "never mind"
        for i in range(3):
            assert counted(i) < 7
        assert (twice := 2 * n) > 100  # noqa: RUF018
        count[None] += twice

    run(5)
    assert count[None] == 14


def test_what_an_assert_only_reads_is_not_read_without_debug():
    @qd.kernel
    def run(a: qd.types.ndarray(qd.i32, 1), i: int):
        assert a[i] > 0 and a.shape[0] > i

    assert "load" not in run.lower(np.zeros(1, np.int32), 5)[0]


def test_one_number_for_several_members_is_refused():
    pair = qd.types.struct(a=qd.f32, b=qd.i32)
    single = qd.types.struct(a=qd.f32)

    @qd.kernel
    def make() -> qd.f32:
        return pair(3).a

    @qd.kernel
    def good(x: qd.f32) -> qd.f32:
        whole, part, none, copy = pair(1, 2), pair(b=x), pair(), pair(pair(5, 6))
        return whole.a + 10 * whole.b + part.b + none.a + 100 * copy.b + single(x).a

    for call in (make, lambda: pair(3)):
        with pytest.raises(TypeError, match="got one number for 2 members, allowed are a value"):
            call()
    assert good(4) == 21 + 4 + 600 + 4
    assert pair(1, 2).to_dict() == {"a": 1, "b": 2} and single(3).a == 3
    for call in (lambda: pair(1, a=2), lambda: pair(1, 2, 3), lambda: pair(c=1)):
        with pytest.raises(TypeError):
            call()


def test_types_of_math_follow_the_defaults_of_init():
    vec2, uvec2, mat2 = qd.math.vec2, qd.math.uvec2, qd.math.mat2
    struct = qd.types.struct(p=vec2)
    array = qd.types.ndarray(dtype=vec2, ndim=1)

    @qd.kernel
    def run(a: array, v: vec2, s: struct) -> vec2:
        return a[0] + v + s.p + mat2(0.1, 0, 0, 0)[0, :]

    for fp, ip, up in ((qd.f32, qd.i32, qd.u32), (qd.f64, qd.i64, qd.u64)):
        qd.init(default_fp=fp, default_ip=ip)
        assert vec2.dtype is fp and uvec2.dtype is up and array.dtype is fp
        assert struct.field(shape=2).p.dtype is fp and vec2.ndarray(2).dtype is fp
        a = vec2.ndarray(1)
        a.fill(0.1)
        found = run(a, [0.1, 0.1], struct(p=[0.1, 0.1]))
        exact = np.dtype(fp.name).type(0.1)
        assert abs(found[1] - 3 * float(exact)) <= 4 * np.finfo(fp.name).eps * 0.3


def test_keywords_of_pythons_functions_are_heeded():
    @qd.kernel
    def run(v: qd.types.vector(3, qd.i32)) -> qd.i32:
        total = sum(v, start=100)
        for i, x in qd.static(enumerate(v, start=2)):
            total += i * x
        return total + round(2.5, ndigits=None)

    assert run([1, 2, 3]) == 106 + 2 + 6 + 12 + 2

    @qd.kernel
    def uneven(v: qd.types.vector(3, qd.i32)):
        for a, b in qd.static(zip(v, [1, 2], strict=True)):
            print(a, b)

    with pytest.raises(ValueError, match="shorter"):
        uneven([1, 2, 3])


def test_functions_take_their_parameters_by_name():
    @qd.kernel
    def run(x: qd.f32) -> qd.types.vector(5, qd.f32):
        return [
            qd.select(cond=x > 0, x1=x, x2=0),
            qd.cast(obj=x, dtype=qd.i32),
            qd.atan2(x2=x, x1=x),
            qd.pow(x, exponent=2),
            qd.floor(x, dtype=qd.i32),
        ]

    np.testing.assert_allclose(run(2.5).to_list(), [2.5, 2, np.pi / 4, 6.25, 2], rtol=1e-6)
    assert qd.select(cond=True, x1=1, x2=2) == 1 and qd.round(x=2.5, dtype=qd.i32) == 3


def test_functions_of_kernels_take_several_vectors_outside():
    a, b = qd.Vector([1.0, 5.0]), qd.Vector([3.0, 2.0])
    assert qd.max(a, b).to_list() == [3, 5]
    assert qd.pow(2.0, b).to_list() == [8, 4] and qd.pow(b, 2.0).to_list() == [9, 4]
    assert qd.cast(a / 2, qd.i32).to_list() == [0, 2]
    with pytest.raises(TypeError, match="got shapes"):
        qd.max(a, qd.Vector([1, 2, 3]))


def test_a_vectors_dtype_is_one():
    @qd.kernel
    def run(v: qd.types.vector(2, qd.f64)) -> int:
        return qd.static(1 if v.dtype == qd.f64 and v.ndim == 1 else 0)

    assert run([1, 2]) == 1


def test_truth_values_count_as_numbers_in_arithmetic():
    flags = qd.field(qd.u1, 4)

    @qd.kernel
    def run(a: qd.i32, b: qd.i32) -> qd.types.vector(5, qd.i32):
        x, y = a > 0, b > 0
        for i in flags:
            flags[0] -= x
            flags[i] -= y
        return [x + y, x - y, -x, (x + y) * 3, (a > 1) ** 2]

    flags.fill(1)
    assert run(1, 1).to_list() == [2, 0, -1, 6, 0]
    assert run(0, 1).to_list() == [1, -1, 0, 3, 0]
