# SPDX-License-Identifier: Apache-2.0
"""Indices that are known before a loop are checked there, also under branches; those that are read
from memory are checked where they are used, others if that is asked for. One out of bounds ends the
kernel before it reads or writes there, and none does that a program never uses."""

import linecache

import numpy as np
import pytest

import joggle as jg
import joggle.fields as qd


@pytest.fixture(autouse=True)
def as_it_is_by_default():
    qd.init()
    yield
    qd.init()


def guarded(n):
    """The middle of a block of memory whose ends must stay as they are."""
    whole = np.full(n + 2048, 7, "f4")
    part = whole[1024 : 1024 + n]
    part[:] = 1
    return whole, part


def untouched(whole, n):
    return (whole[:1024] == 7).all() and (whole[1024 + n :] == 7).all()


@qd.kernel
def shift(x: qd.types.ndarray(), y: qd.types.ndarray(), low: qd.i32, high: qd.i32, by: qd.i32):
    for i in range(low, high):
        y[i] = x[i + by]


@qd.kernel
def scatter(x: qd.types.ndarray(), k: qd.types.ndarray()):
    for i in range(k.shape[0]):
        x[k[i]] = 3.0


@qd.kernel
def inner(x: qd.types.ndarray(), y: qd.types.ndarray(), n: qd.i32):
    for i in range(y.shape[0]):
        s = 0.0
        for j in range(n):
            s += x[j]
        y[i] = s


@qd.kernel
def guarded_by_if(x: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in range(x.shape[0]):
        y[i] = x[i]
        if i + 1 < x.shape[0]:
            y[i] += x[i + 1]
        if i > 0:
            y[i] += x[i - 1]


@qd.kernel
def clamped(x: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in range(x.shape[0]):
        y[i] = x[max(i - 2, 0)] + x[min(i + 2, x.shape[0] - 1)]


@qd.kernel
def triangle(x: qd.types.ndarray(), y: qd.types.ndarray(), by: qd.i32):
    for i in range(y.shape[0]):
        for j in range(i, 3):
            y[i] += x[j + by]


@qd.kernel
def stopped(x: qd.types.ndarray(), y: qd.types.ndarray()):
    for _ in range(1):
        for i in range(1000000):
            if x[i] < 0:
                break
            y[i] = x[i]


@qd.kernel
def first(x: qd.types.ndarray()):
    x[0] = 5.0


@qd.kernel
def scaled(x: qd.types.ndarray(), y: qd.types.ndarray(), factor: qd.i32):
    for i in range(y.shape[0]):
        y[i] = x[i * factor]


@pytest.mark.parametrize(("low", "high", "by", "index"), [
    (-1, 50, 1, -1), (0, 101, 0, 100), (0, 100, 1, 100), (0, 100, -1, -1), (0, 2**31 - 1, 1, None),
])  # fmt: skip
def test_ends_of_loops_are_seen_before_anything_is_written(low, high, by, index):
    whole, y = guarded(100)
    message = f"got {index}, allowed 0 to below 100" if index is not None else "shift"
    with pytest.raises(IndexError, match=message):
        shift(np.ones(100, "f4"), y, low, high, by)
    assert untouched(whole, 100) and (y == 1).all()


def test_a_constant_index_is_refused_with_what_is_allowed():
    @qd.kernel
    def before(x: qd.types.ndarray()):
        x[-1] = 1.0

    with pytest.raises(IndexError, match="index 0 of x: got -1, allowed 0 and above"):
        before(np.ones(3, "f4"))


def test_loops_without_turns_reach_nothing():
    y = np.zeros(10, "f4")
    for low, high, by in ((5, 5, 10**6), (10**6, -5, 0), (0, 10, 0)):
        shift(np.ones(10, "f4"), y, low, high, by)
    inner(np.zeros(0, "f4"), y, 0)
    assert (y == 0).all()


@qd.kernel
def ragged(x: qd.types.ndarray(), k: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in range(k.shape[0]):
        for j in range(k[i]):
            y[i] += x[j]


def test_ranges_that_a_loop_computes_are_looked_at_inside_of_it():
    y = np.zeros(3, "f4")
    ragged(np.ones(4, "f4"), np.array([0, 4, 2], "i4"), y)
    assert y.tolist() == [0, 4, 2]
    with pytest.raises(IndexError, match="got 4, allowed 0 to below 4"):
        ragged(np.ones(4, "f4"), np.array([0, 5, 2], "i4"), y)


@pytest.mark.parametrize("index", [100, -1, 2**31 - 1, -(2**31)])
def test_indices_from_memory_are_seen_if_that_is_asked_for(index):
    qd.init(check_out_of_bound=True)
    whole, x = guarded(100)
    with pytest.raises(IndexError, match=rf"\[scatter\] line \d+: index 0 of x: got {index},"):
        scatter(x, np.array([1, 2, index], "i4"))
    assert untouched(whole, 100)


def test_inner_loops_and_products_are_seen():
    y = np.zeros(5, "f4")
    inner(np.ones(8, "f4"), y, 8)
    assert (y == 8).all()
    with pytest.raises(IndexError, match="index 0 of x: got 8, allowed 0 to below 8"):
        inner(np.ones(8, "f4"), y, 9)
    scaled(np.arange(9, dtype="f4"), y, 2)
    assert (y == np.arange(5) * 2).all()
    qd.init(check_out_of_bound=True)
    for factor in (3, -1, 2**30, 2**31 - 1):
        with pytest.raises(IndexError):
            scaled(np.arange(9, dtype="f4"), y, factor)


def test_what_a_program_guards_itself_is_no_fault():
    x, y = np.arange(50, dtype="f4"), np.zeros(50, "f4")
    guarded_by_if(x, y)
    assert y[0] == 1 and y[-1] == 48 + 49 and y[7] == 21
    clamped(x, y)
    assert y[0] == 2 and y[-1] == 47 + 49
    triangle(np.ones(3, "f4"), y, 0)  # rows beyond the third have no turns
    stopped(np.array([1, 2, -1], "f4"), y)
    with pytest.raises(IndexError, match="got 3, allowed 0 to below 3"):
        triangle(np.ones(3, "f4"), y, 1)
    qd.init(check_out_of_bound=True)
    with pytest.raises(IndexError, match="got 3, allowed 0 to below 3"):
        stopped(np.ones(3, "f4"), y)


def test_an_empty_array_has_no_element():
    with pytest.raises(IndexError, match="index 0 of x: got 0, allowed 0 to below 0"):
        first(np.zeros(0, "f4"))


@pytest.mark.parametrize("setting", [None, True])
def test_fields_are_looked_at_in_both_settings(setting):
    qd.init(check_out_of_bound=setting)
    f = qd.field(qd.f32, 8)

    @qd.kernel
    def write(n: qd.i32):
        for i in range(n):
            f[i] = 1.0

    write(8)
    with pytest.raises(IndexError, match="allowed 0 to below 8"):
        write(9)
    assert f.to_numpy().sum() == 8


# Branches and what they say of indices.


HEAD = """
def beside(x: qd.types.ndarray(), y: qd.types.ndarray(), n: qd.i32, by: qd.i32):
    for i in range(y.shape[0]):
        """

PLAIN = {
    "if 0 < i and i < x.shape[0] - 1: y[i] = x[i - 1] + x[i + 1]": (1, -1),
    "if x.shape[0] - 1 > i and i >= 1: y[i] = x[i - 1] + x[i + 1]": (1, -1),
    "if 0 < i < x.shape[0] - 1: y[i] = x[i - 1] + x[i + 1]": (1, -1),
    "if not (i == 0 or i == x.shape[0] - 1): y[i] = x[i - 1] + x[i + 1]": (1, -1),
    "if i != 0 and i + 1 != x.shape[0]: y[i] = x[i - 1] + x[i + 1]": (1, -1),
    "if 0 < i < n - 1: y[i] = x[i - 1] + x[i + 1]": (1, -1),
    "if i > 0 and i + 1 < n: y[i] = x[i - 1] + x[i + 1]": (1, -1),
    "if i <= 0 or i >= n - 1: pass\n        else: y[i] = x[i - 1] + x[i + 1]": (1, -1),
}


def beside(body):
    """The kernel with that in its loop; its source is where inspect looks for it."""
    text = HEAD + body + "\n"
    name = f"<beside {hash(body)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"qd": qd}
    exec(compile(text, name, "exec"), scope)
    return qd.kernel(scope["beside"])


@pytest.mark.parametrize("body", PLAIN)
@pytest.mark.parametrize("setting", [None, True, False])
def test_a_branch_says_which_neighbours_are_there(body, setting):
    qd.init(check_out_of_bound=setting)
    kernel = beside(body)
    x, y = np.arange(100, dtype="f4"), np.zeros(100, "f4")
    kernel(x, y, 100, 0)
    assert (y[1:-1] == 2 * x[1:-1]).all() and y[0] == y[-1] == 0


WRONG = {
    "if 0 <= i and i < x.shape[0]: y[i] = x[i - 1]": -1,
    "if i < x.shape[0]: y[i] = x[i + 1]": 100,
    "if i != 5: y[i] = x[i - 1]": -1,
    "if i > 0 or n > 0: y[i] = x[i - 1]": -1,
    "if not i > 0: y[i] = x[i - 1]": -1,
    "if i > 0: pass\n        else: y[i] = x[i - 1]": -1,
    "if i < n: y[i] = x[i + by]": 103,
    "if by < i < n + 1: y[i] = x[i + 4]": 100,
    "if n > 7:\n            if i > 1: y[i] = x[i - by]": -1,
}


@pytest.mark.parametrize("body", WRONG)
def test_a_branch_that_does_not_keep_an_index_inside_is_no_proof(body):
    x, y = np.zeros(100, "f4"), np.zeros(100, "f4")
    kernel = beside(body)
    by = 3 if "- by" in body or "by <" in body else 4
    with pytest.raises(IndexError, match=r"index 0 of x: got -?\d+, allowed 0 to below 100"):
        kernel(x, y, 100, by)


@pytest.mark.parametrize("n", [0, 1, 50, 100, 101, 2**31 - 1, -(2**31)])
def test_bounds_that_an_argument_gives_are_tested_before_the_loop(n):
    x, y = np.ones(100, "f4"), np.zeros(100, "f4")
    kernel = beside("if i < n - 1: y[i] = x[i + 1]")
    stays = n == -(2**31)  # n - 1 wraps, and the comparison with it
    if 0 <= n <= 100 or stays:
        kernel(x[:100], y[:99], n, 0)
        assert y.sum() == (99 if stays else max(0, min(n - 1, 99)))
    else:
        kernel(x, y[:99], n, 0)
        with pytest.raises(IndexError, match="got 100"):
            kernel(x, y, n, 0)
        assert (y[:99] == 1).all()


def test_a_loop_in_order_is_checked_by_its_branches_as_well():
    @qd.kernel
    def ordered(x: qd.types.ndarray(), y: qd.types.ndarray(), n: qd.i32):
        qd.loop_config(serialize=True)
        for i in range(y.shape[0]):
            if i < n - 1:
                y[i] = x[i + 1] + (y[i - 1] if i > 0 else 0.0)

    x, y = np.ones(100, "f4"), np.zeros(100, "f4")
    ordered(x, y, 100)
    assert y[98] == 99 and y[99] == 0
    with pytest.raises(IndexError, match="index 0 of x: got 50, allowed 0 to below 50"):
        ordered(x[:50], y, 100)


def test_what_a_mask_protects_is_checked_at_each_access():
    kernel = beside("if y[i] > 0: y[i] = x[i + by]")
    y = np.zeros(100, "f4")
    y[:50] = 1
    kernel(np.full(60, 2.0, "f4"), y, 0, 10)
    assert (y[:50] == 2).all()
    y[:55] = 1
    with pytest.raises(IndexError, match="index 0 of x: got 60, allowed 0 to below 60"):
        kernel(np.full(60, 2.0, "f4"), y, 0, 10)


# Indices that are read from memory.


@qd.kernel
def gather(x: qd.types.ndarray(), k: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in range(k.shape[0]):
        y[i] = x[k[i]]


@qd.kernel
def gather_more(x: qd.types.ndarray(), k: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in range(k.shape[0]):
        y[i] = qd.exp(x[k[i]]) * 2.0 + x[k[i] + 1]


@qd.kernel
def pick(x: qd.types.ndarray(), k: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in range(k.shape[0]):
        s = x[k[i]]
        for j in range(x.shape[0]):
            s += x[j] * s
        y[i] = s


@qd.kernel
def update(x: qd.types.ndarray(), k: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in range(k.shape[0]):
        x[k[i]] += y[i]


@pytest.mark.parametrize("kernel", [gather, gather_more, pick, update])
@pytest.mark.parametrize("count", [1, 7, 100, 5000])
@pytest.mark.parametrize("type_", ["i4", "i8", "u4", "u1", "i2"])
def test_an_index_from_memory_is_found_wherever_it_stands(kernel, count, type_):
    qd.init(check_out_of_bound=True if kernel is update else None)
    rng = np.random.default_rng(count)
    wrong = {"i4": -1, "i8": 2**40, "u4": 2**32 - 1, "u1": 200, "i2": -(2**15)}[type_]
    for place in {0, count // 2, count - 1}:
        whole, x = guarded(102)
        k, y = rng.integers(0, 100, count).astype(type_), np.ones(count, "f4")
        kernel(x, k, y)
        k[place] = wrong
        with pytest.raises(IndexError, match=rf"index 0 of x: got {wrong}, allowed 0 to below 102"):
            kernel(x, k, y)
        assert untouched(whole, 102)
        kernel(x, np.zeros(count, type_), y)


@pytest.mark.parametrize("kernel", [gather, gather_more])
def test_an_empty_array_is_not_read_by_any_index(kernel):
    k, y = np.zeros(3000, "i4"), np.zeros(3000, "f4")
    with pytest.raises(IndexError, match="index 0 of x: got 0, allowed 0 to below 0"):
        kernel(np.zeros(0, "f4"), k, y)
    kernel(np.zeros(0, "f4"), k[:0], y)


def test_any_strides_and_arrays_that_overlap_are_checked():
    base = np.arange(4000, dtype="f4")
    k = np.arange(999, -1, -1).astype("i4")
    for x in (base[::-2], base[::3], base[2999:999:-1]):
        y = np.zeros((1000, 2), "f4")[:, 1]
        gather(x, k, y)
        assert (y == x[k]).all()
        k[500] = len(x)
        with pytest.raises(IndexError, match=f"got {len(x)}, allowed 0 to below {len(x)}"):
            gather(x, k, y)
        k[500] = 499
    with pytest.raises(IndexError, match="got 4000"):
        gather(base, np.full(10, 4000, "i4"), base[:10])


@pytest.mark.parametrize("setting", [None, True])
def test_the_code_for_any_strides_is_checked_as_well(setting):
    qd.init(check_out_of_bound=setting)

    @qd.kernel
    def sums(
        a: qd.types.ndarray(ndim=1),
        b: qd.types.ndarray(ndim=1),
        c: qd.types.ndarray(ndim=1),
        d: qd.types.ndarray(ndim=1),
        e: qd.types.ndarray(ndim=1),
        n: qd.i32,
    ):
        for i in range(n):
            if i > 0:
                e[i] = a[i - 1] + b[i] + c[i] + d[i]

    block = np.ones(64, "f4")
    for layout in range(32):  # more than a kernel has codes for
        arrays = [
            block[:32].copy() if layout >> bit & 1 else np.ones(64, "f4")[::2] for bit in range(5)
        ]
        sums(*arrays, 32)
        assert (arrays[4][1:] == 4).all() and arrays[4][0] == 1
        with pytest.raises(IndexError, match="allowed 0 to below 32"):
            sums(*arrays, 33)


# Fields.


def test_an_index_of_a_field_is_the_one_that_was_written():
    f = qd.field(qd.f32, shape=(8, 4), offset=(-3, 2))
    v = qd.Vector.field(3, qd.f32, shape=4, offset=-2)

    @qd.kernel
    def known(n: qd.i32):
        for i, j in qd.ndrange((-3, n), (2, 6)):
            f[i, j] = 1.0

    @qd.kernel
    def last(n: qd.i32):
        for j in range(2, n):
            f[4, j] = 1.0

    @qd.kernel
    def one(n: qd.i32):
        v[n][1] = 1.0

    known(5)
    assert f.to_numpy().sum() == 32
    with pytest.raises(IndexError, match=r"index 0 of f: got 5, allowed -3 to below 5"):
        known(6)
    with pytest.raises(IndexError, match=r"index 1 of f: got 6, allowed 2 to below 6"):
        last(7)
    one(-2)
    for n in (-3, 2):
        with pytest.raises(IndexError, match=rf"index 0 of v: got {n}, allowed -2 to below 2"):
            one(n)
    assert v.to_numpy().sum() == 1


@pytest.mark.parametrize("layout", [qd.Layout.AOS, qd.Layout.SOA])
@pytest.mark.parametrize("setting", [None, True])
def test_structs_of_either_layout_are_checked(layout, setting):
    qd.init(check_out_of_bound=setting)
    s = qd.Struct.field({"a": qd.f32, "p": qd.types.vector(2, qd.f32)}, shape=10, layout=layout)

    @qd.kernel
    def write(n: qd.i32, by: qd.i32):
        for i in range(n):
            if i < 10 - by:
                s[i + by].p[1] = 2.0
            s[i].a = 1.0

    write(10, 3)
    assert s.a.to_numpy().sum() == 10 and s.p.to_numpy().sum() == 14
    with pytest.raises(IndexError, match=r"index 0 of a: got 10, allowed 0 to below 10"):
        write(11, 3)
    with pytest.raises(IndexError, match=r"index 0 of p: got -1, allowed 0 to below 10"):
        write(10, -1)
    write(10, 0)


def test_blocked_fields_are_checked():
    qd.init(check_out_of_bound=True)
    g, h = qd.field(qd.f32), qd.field(qd.f32)
    block = qd.root.dense(qd.ij, (2, 2))
    block.dense(qd.ij, (4, 4)).place(g, h)

    @qd.kernel
    def write(n: qd.i32):
        for i, j in qd.ndrange(n, 8):
            g[i, j] = 1.0

    write(8)
    assert g.to_numpy().sum() == 64 and h.to_numpy().sum() == 0
    for n in (9, 17):
        with pytest.raises(IndexError, match="index 0 of g: got 8, allowed 0 to below 8"):
            write(n)


# Places and threads.


@qd.kernel
def cell(z: qd.types.ndarray(ndim=0), x: qd.types.ndarray(), n: qd.i32):
    for i in range(n):
        x[i] = z[()] + 1.0


@pytest.mark.parametrize("setting", [None, True])
def test_a_place_without_axes_has_no_index_to_be_wrong(setting):
    qd.init(check_out_of_bound=setting)
    f = qd.field(qd.f32, ())

    @qd.kernel
    def fill(x: qd.types.ndarray(), n: qd.i32):
        f[None] = 3.0
        for i in range(n):
            x[i] = f[None]

    for kernel, *first in ((cell, np.array(2.0, "f4")), (fill,)):
        x = np.zeros(10, "f4")
        kernel(*first, x, 10)
        assert (x == 3).all()
        with pytest.raises(IndexError, match="index 0 of x: got 10, allowed 0 to below 10"):
            kernel(*first, x, 11)


@pytest.mark.parametrize("setting", [None, True])
@pytest.mark.parametrize("n", [2**31 - 1, 2**31, 2**32, 2**40])
def test_extents_beyond_32_bits_are_not_cut(setting, n):
    qd.init(check_out_of_bound=setting)
    x = np.lib.stride_tricks.as_strided(np.full(1, 5.0, "f4"), (n,), (0,))
    k, y = np.array([0, n - 1, 7], "i8"), np.zeros(3, "f4")
    gather(x, k, y)
    assert (y == 5).all()
    for wrong in (n, -1, -n, n + 2**32):
        k[1] = wrong
        with pytest.raises(IndexError, match=f"index 0 of x: got {wrong}, allowed 0 to below {n}$"):
            gather(x, k, y)


def test_an_end_that_wraps_is_the_wrapped_number():
    @qd.kernel
    def upto(x: qd.types.ndarray(), n: qd.i32):
        for i in range(n - 1):
            x[i] = 2.0

    whole, x = guarded(100)
    for n in (-(2**31), 102):
        with pytest.raises(IndexError):
            upto(x, n)  # n - 1 is 2**31 - 1 for the first
        assert (x == 1).all() and untouched(whole, 100)
    upto(x, -(2**31) + 1)
    assert (x == 1).all()
    upto(x, 101)
    assert (x == 2).all()


@pytest.mark.parametrize("setting", [None, True])
def test_an_error_on_one_of_two_threads_ends_the_kernel(setting):
    qd.init(check_out_of_bound=setting)

    @qd.kernel
    def masked(x: qd.types.ndarray(), k: qd.types.ndarray(), y: qd.types.ndarray()):
        for i in range(k.shape[0]):
            if k[i] != 7:
                y[i] = x[k[i]]

    n, before = 400000, jg.get_num_threads()
    x, (whole, y) = np.arange(100, dtype="f4"), guarded(n)
    k = (np.arange(n) % 100).astype("i4")
    jg.set_num_threads(2)
    try:
        k[n // 2] = 100
        with pytest.raises(IndexError, match="index 0 of x: got 100, allowed 0 to below 100"):
            masked(x, k, y)
        assert untouched(whole, n) and ((y == 1) | (y == x[k % 100])).all()
        k[n // 2] = 0
        masked(x, k, y)
        assert (y == np.where(k == 7, 1, x[k])).all() and untouched(whole, n)
    finally:
        jg.set_num_threads(before)


@qd.kernel
def negative(x: qd.types.ndarray(), high: qd.i32, by: qd.i32):
    for i in range(1, high):
        x[-i + by] = 3.0


def test_a_negated_index_is_checked_as_a_difference():
    whole, part = guarded(8)
    with pytest.raises(IndexError, match=r"index 0 of x: got -3, allowed 0 to below 8"):
        negative(part, 4, 0)
    assert untouched(whole, 8) and (part == 1).all()
    negative(part, 4, 4)
    assert part.tolist() == [1, 3, 3, 3, 1, 1, 1, 1] and untouched(whole, 8)


def test_unaligned_memory_that_is_read_is_not_called_written():
    @qd.kernel
    def total(x: qd.types.ndarray()) -> qd.f64:
        s = 0.0
        for i in range(3):
            s += x[i]
        return s

    x = np.frombuffer(b"\0" + np.arange(3.0).tobytes(), "u1")[1:].view("f8")
    with pytest.raises(BufferError, match="its address is no multiple of the float64 element's"):
        total(x)
