# SPDX-License-Identifier: Apache-2.0
"""Nodes whose cells need not exist: pointer, bitmasked, hash and dynamic."""

import faulthandler
import os
import threading

import numpy as np
import pytest

import joggle
import joggle.fields as qd


@pytest.fixture(autouse=True)
def init():
    qd.init()
    yield
    qd.init()


def of(dtype, node):
    field = qd.field(dtype)
    node.place(field)
    return field


@qd.kernel
def count(field: qd.template()) -> qd.i32:
    total = 0
    for _ in qd.grouped(field):
        total += 1
    return total


@qd.kernel
def active(node: qd.template(), i: qd.i32) -> qd.i32:
    return qd.is_active(node, i)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_reading_makes_no_cell_exist():
    blocks = qd.root.pointer(qd.i, 8)
    x = of(qd.f32, blocks.dense(qd.i, 4))

    @qd.kernel
    def read() -> qd.f32:
        total = 0.0
        for i in range(32):
            total += x[i]
        return total

    assert read() == 0 and x[5] == 0 and count(x) == 0
    x[5] = 2
    assert read() == 2 and count(x) == 4 and count(blocks) == 1
    assert [active(blocks, i) for i in range(3)] == [0, 1, 0]


def test_cells_that_a_loop_makes_exist_are_not_in_it():
    x = of(qd.i32, qd.root.pointer(qd.i, 64))
    x[0] = 1

    @qd.kernel
    def grow():
        for i in x:
            x[i + 1] = x[i] + 1

    for size in range(1, 20):
        assert count(x) == size
        grow()
    assert x.to_numpy()[:20].tolist() == list(range(1, 21))


def test_many_threads_make_the_same_cells_exist():
    qd.init(cpu_max_num_threads=8)
    blocks = qd.root.pointer(qd.ij, 64)
    x = of(qd.i32, blocks.bitmasked(qd.ij, 8))
    lists = qd.root.pointer(qd.i, 16)
    log = of(qd.i32, lists.dynamic(qd.j, 8192))
    rng = np.random.default_rng(0)
    where = rng.integers(0, 512, (100_000, 2)).astype(np.int32)
    where[:50_000] //= 16

    @qd.kernel
    def scatter(where: qd.types.ndarray(ndim=2)):
        for row in range(where.shape[0]):
            x[where[row, 0], where[row, 1]] += 1
            qd.append(log.parent(), where[row, 0] % 16, row)

    for turn in range(3):
        scatter(where)
        wanted = np.zeros((512, 512), np.int32)
        np.add.at(wanted, tuple(where.T), 1)
        assert np.array_equal(x.to_numpy(), wanted)
        assert count(x) == np.count_nonzero(wanted)
        assert count(blocks) == len(np.unique(where // 8, axis=0))
        rows = log.to_numpy()
        counts = np.bincount(where[:, 0] % 16, minlength=16)
        assert count(log) == counts.sum()
        for i in range(16):
            expected = np.flatnonzero(where[:, 0] % 16 == i)
            assert np.array_equal(np.sort(rows[i, : counts[i]]), expected)
        blocks.deactivate_all()
        lists.deactivate_all()
        assert count(x) == count(log) == 0, turn


def test_memory_is_taken_where_cells_are():
    x = of(qd.f32, qd.root.pointer(qd.ijk, 512).dense(qd.ijk, 8))  # 256 GiB, were it dense
    before = resident()
    x[5, 4000, 77] = 1
    x[4095, 4095, 4095] = 2

    @qd.kernel
    def total() -> qd.f32:
        result = 0.0
        for index in qd.grouped(x):
            result += x[index]
        return result

    assert total() == 3 and count(x) == 1024
    assert resident() - before < 256 << 20  # the marks of 2^27 cells were read


def test_memory_of_cells_that_moved_on_is_given_back():
    blocks = qd.root.pointer(qd.i, 1 << 14)
    x = of(qd.f32, blocks.dense(qd.i, 1 << 12))  # 256 MiB

    @qd.kernel
    def touch(first: qd.i32):
        for i in range(first << 12, (first + 512) << 12):
            x[i] = 1

    before = resident()
    for first in range(0, 1 << 14, 512):
        touch(first)
        assert count(x) == 512 << 12
        blocks.deactivate_all()
    assert resident() - before < 128 << 20
    assert count(x) == 0 and not x.to_numpy().any()


def test_gradients_lie_in_the_same_cells():
    blocks = qd.root.pointer(qd.i, 16)
    x = of(qd.f32, blocks.dense(qd.i, 4))
    y = of(qd.f32, qd.root.bitmasked(qd.i, 64))
    loss = qd.field(qd.f32, shape=())
    qd.root.lazy_grad()

    @qd.kernel
    def square():
        for i in x:
            y[i] = x[i] * x[i]

    @qd.kernel
    def add():
        for i in y:
            loss[None] += 3 * y[i]

    for i in (1, 2, 40):
        x[i] = i
    with qd.ad.Tape(loss):
        square()
        add()
    wanted = np.zeros(64, np.float32)
    wanted[[1, 2, 40]] = [6, 12, 240]
    assert loss[None] == 3 * (1 + 4 + 1600) and count(y) == 8
    assert np.array_equal(x.grad.to_numpy(), wanted)
    blocks.deactivate_all()
    assert not x.grad.to_numpy().any()


def test_fields_of_one_node_share_its_cells():
    blocks = qd.root.pointer(qd.ij, (4, 2))
    v = qd.Vector.field(2, qd.f32)
    s = qd.Struct.field({"a": qd.i32, "m": qd.types.vector(2, qd.f32)})
    blocks.bitmasked(qd.ij, (2, 3)).place(v)
    blocks.dense(qd.j, 3).place(s)
    v[3, 4] = [1, 2]
    s[1, 2].a = 5
    assert count(v) == 1 and count(s) == 6 and s.shape == (4, 6)

    @qd.kernel
    def change():
        for i, j in v:
            v[i, j][0] += 1
            v[(i + 2) % 8, j] += qd.Vector([0.5, 0.5])
        for i, j in s:
            s[i, j].a += 1
            s[i, j].m = [i, j]

    change()
    assert v[3, 4].to_list() == [2, 2] and v[5, 4].to_list() == [0.5, 0.5]
    # v[5, 4] made block (2, 1) exist before the second loop
    found = s.to_numpy()
    assert found["a"][1].tolist() == [0, 0, 6, 1, 1, 1] or found["a"][1, 2] == 6
    assert found["a"][2].tolist() == [0, 0, 0, 1, 1, 1]
    assert found["m"][2, 4].tolist() == [2, 4]
    s.fill(3)
    assert s[2, 3].a == 3 and s[3, 0].a == 0
    v.fill([4, 5])
    assert v[3, 4].to_list() == v[5, 4].to_list() == [4, 5] and v[3, 3].to_list() == [0, 0]


def test_an_offset_shifts_the_indices():
    node = qd.root.pointer(qd.i, 8).dense(qd.i, 4)
    x = qd.field(qd.i32)
    node.place(x, offset=-16)
    for i in (-16, -3, 15):
        x[i] = i

    @qd.kernel
    def change():
        for i in x:
            x[i] += 100 * (x[i] != 0)

    change()
    assert [x[i] for i in (-16, -3, 15, 0)] == [84, 97, 115, 0] and count(x) == 12


def test_lists_of_cells_are_appended_and_walked():
    x = of(qd.i32, qd.root.dense(qd.i, 4).dynamic(qd.j, 8, chunk_size=4))

    @qd.kernel
    def fill() -> qd.i32:
        last = -1
        for i in range(4):
            for j in range(i):
                last = x[i].append(10 * i + j)
        return last

    @qd.kernel
    def length(i: qd.i32) -> qd.i32:
        return x[i].length()

    @qd.kernel
    def clear(i: qd.i32):
        x[i].deactivate()

    assert fill() == 2 and [length(i) for i in range(4)] == [0, 1, 2, 3]
    assert x.to_numpy()[3].tolist() == [30, 31, 32, 0, 0, 0, 0, 0]
    clear(3)
    assert length(3) == 0 and not x.to_numpy()[3].any()
    x[3, 5] = 9
    assert length(3) == 6 and count(x) == 9


def test_a_list_that_is_full_says_so_and_keeps_what_it_has():
    x = of(qd.i32, qd.root.dynamic(qd.i, 4))

    @qd.kernel
    def add(n: qd.i32):
        for i in range(n):
            qd.append(x.parent(), [], i)

    add(4)
    with pytest.raises(IndexError, match="append: the node is full, allowed are 4 elements"):
        add(1)
    assert count(x) == 4 and sorted(x.to_numpy()) == [0, 1, 2, 3]


def test_structs_are_appended_whole():
    kind = qd.types.struct(a=qd.i32, b=qd.types.vector(2, qd.f32))
    p = kind.field()
    qd.root.dynamic(qd.i, 8).place(p)

    @qd.kernel
    def add():
        for i in range(3):
            qd.append(p.parent(), [], kind(i, [i, 2 * i]))

    add()
    found = p.to_numpy()
    order = np.argsort(found["a"][:3])
    assert count(p) == 3 and found["a"][:3][order].tolist() == [0, 1, 2]
    assert found["b"][:3][order].tolist() == [[0, 0], [1, 2], [2, 4]]


def test_a_cell_that_is_ended_in_its_own_iteration_may_be_written_again():
    blocks = qd.root.pointer(qd.i, 8)
    x = of(qd.i32, blocks)
    x[2], x[3] = 5, 6

    @qd.kernel
    def again():
        for i in x:
            qd.deactivate(blocks, i)
            if i == 3:
                x[i] = 7

    again()
    assert count(x) == 1 and x.to_numpy().tolist() == [0, 0, 0, 7, 0, 0, 0, 0]


def test_loops_in_order_stop_and_count():
    x = of(qd.i32, qd.root.pointer(qd.i, 8).dense(qd.i, 4))
    for i in (9, 1, 30):
        x[i] = 1

    @qd.kernel
    def first(limit: qd.i32) -> qd.i32:
        seen = 0
        for i in x:
            if x[i] == 0:
                continue
            if seen == limit:
                break
            seen += 1
        return seen

    assert [first(n) for n in range(5)] == [0, 1, 2, 3, 3]


def test_updates_at_a_loops_own_index_are_no_atomics():
    x = of(qd.f32, qd.root.pointer(qd.ij, 8).dense(qd.ij, 4))

    @qd.kernel
    def add():
        for i, j in x:
            x[i, j] += 1

    @qd.kernel
    def beside():
        for i, j in x:
            x[i, j] += 1
            x[j, i] += 1

    assert "update add x" in add.lower()[0] and "atomic add x" not in add.lower()[0]
    assert "atomic add x" in beside.lower()[0]


def test_trees_are_told_apart_where_a_field_is_a_template():
    a = of(qd.i32, qd.root.pointer(qd.i, 8))
    b = of(qd.i32, qd.root.pointer(qd.i, 8))
    c = of(qd.i32, qd.root.dense(qd.i, 8))

    @qd.kernel
    def put(field: qd.template(), i: qd.i32):
        field[i] = 1

    for field, i in ((a, 1), (b, 2), (c, 3), (a, 4)):
        put(field, i)
    assert [count(x) for x in (a, b, c)] == [2, 1, 8]


def test_deactivate_all_ends_what_lies_below():
    dense = qd.root.dense(qd.i, 4)
    x = of(qd.i32, dense)
    y = of(qd.i32, dense.pointer(qd.j, 4).bitmasked(qd.j, 2))
    z = of(qd.i32, qd.root.pointer(qd.i, 4))
    x[1], y[1, 5], z[2] = 1, 2, 3
    dense.deactivate_all()
    assert (x[1], y[1, 5], z[2]) == (1, 0, 3) and count(y) == 0
    y[1, 5] = 2
    qd.deactivate_all_snodes()
    assert (x[1], y[1, 5], z[2]) == (1, 0, 0) and count(y) == count(z) == 0
    builder = qd.FieldsBuilder()
    w = of(qd.i32, builder.pointer(qd.i, 4))
    w[1] = z[1] = 1
    builder.deactivate_all()
    assert count(w) == 0 and count(z) == 1
    qd.root.deactivate_all()
    assert count(z) == 0


def test_copies_go_between_all_kinds():
    x = of(qd.i32, qd.root.pointer(qd.i, 4).dense(qd.i, 2))
    dense = qd.field(qd.i32, shape=8)
    x[5] = 3
    dense.fill(9)
    dense.copy_from(x)
    assert dense.to_numpy().tolist() == [0, 0, 0, 0, 0, 3, 0, 0]
    y = of(qd.i32, qd.root.bitmasked(qd.i, 8))
    y.copy_from(x)
    assert count(y) == 2 and y[5] == 3
    x.from_numpy(np.arange(8, dtype=np.int32))
    assert x.to_numpy().tolist() == [0, 0, 0, 0, 4, 5, 0, 0]
    assert joggle.asarray(x.to_numpy()).sum() == 9


def test_views_are_refused_as_writing_to_one_makes_no_cell_exist():
    x = of(qd.f32, qd.root.bitmasked(qd.i, 8))
    v = qd.Vector.field(2, qd.f32)
    qd.root.pointer(qd.i, 8).place(v)
    for view in (
        lambda: x.to_numpy(copy=False),
        lambda: np.from_dlpack(x),
        lambda: x.to_torch(copy=False),
        lambda: x.to_array(copy=False),
    ):
        with pytest.raises(ValueError, match="its cells exist one by one"):
            view()
    with pytest.raises(ValueError, match="component: its cells exist one by one"):
        v.get_scalar_field(0)
    dense = qd.field(qd.f32, shape=8)

    @qd.kernel
    def take(x: qd.types.ndarray(ndim=1)):
        x[0] = 1

    take(dense)
    with pytest.raises(TypeError, match=r"take\] x: got a field whose cells need not exist"):
        take(x)
    assert count(x) == 0


def test_what_a_node_has_not_is_refused_by_name():
    dense = qd.root.dense(qd.i, 4)
    y = of(qd.i32, dense)
    lists = of(qd.i32, qd.root.dense(qd.i, 4).dynamic(qd.j, 4))
    x = of(qd.i32, qd.root.pointer(qd.i, 4))

    @qd.kernel
    def call(f: qd.template(), node: qd.template()):
        f(node, [0])

    node = lists.parent()
    for f, given, message in (
        (qd.is_active, y.parent(), "is_active: got a dense node, allowed are nodes whose cells"),
        (qd.deactivate, y.parent(), "deactivate: got a dense node"),
        (qd.activate, node, r"activate: got a dynamic node, allowed is append\("),
        (qd.is_active, node, r"is_active: got a dynamic node, allowed is length\("),
        (qd.length, x.parent(), "length: got a pointer node, allowed are dynamic nodes"),
    ):
        with pytest.raises(TypeError, match=message):
            call(f, given)

    @qd.kernel
    def too_many():
        qd.activate(x.parent(), [0, 1])

    with pytest.raises(IndexError, match="the node of activate: got 2 indices, allowed are 1"):
        too_many()

    @qd.kernel
    def inside():
        for i in range(4):
            for j in x:
                y[i] += j

    with pytest.raises(TypeError, match="inside of a parallel loop"):
        inside()

    @qd.kernel
    def unrolled():
        for j in qd.static(qd.grouped(x)):
            y[0] += j[0]

    with pytest.raises(TypeError, match="which only a run knows"):
        unrolled()
    with pytest.raises(ValueError, match="axis: got 2 axes, allowed is one"):
        qd.root.dynamic(qd.ij, 4)
    with pytest.raises(RuntimeError, match="append works in kernels only"):
        qd.append(node, [0], 1)
    with pytest.raises(ValueError, match="max_num_bits: got 12, allowed are 8, 16, 32 and 64"):
        qd.root.quant_array(qd.i, 4, 12)


def test_a_tree_in_use_takes_no_more_nodes():
    blocks = qd.root.pointer(qd.i, 4)
    x = of(qd.i32, blocks)
    x[0] = 1
    with pytest.raises(ValueError, match="is in use"):
        blocks.bitmasked(qd.i, 4)


def test_threads_may_loop_over_one_node_at_once():
    x = of(qd.i32, qd.root.pointer(qd.i, 1 << 16))

    @qd.kernel
    def put():
        for i in range(1 << 16):
            if i % 3 != 0:
                x[i] = 1

    put()
    wanted, found = count(x), []
    threads = [
        threading.Thread(target=lambda: found.extend(count(x) for _ in range(100)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 400
    assert " alone\n" in count.lower(x)[0] and " alone" not in put.lower()[0]


def test_a_child_process_loops_although_another_thread_did():
    x = of(qd.i32, qd.root.pointer(qd.i, 1 << 16))
    x[5] = 1
    stop = threading.Event()

    def loop():
        while not stop.is_set():
            count(x)

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                faulthandler.dump_traceback_later(100, exit=True)  # tells where it hangs
                os._exit(0 if count(x) == 1 else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        stop.set()
        thread.join()


def test_a_reset_forgets_nodes_that_a_program_still_holds():
    blocks = qd.root.pointer(qd.i, 1 << 16)
    x = of(qd.f32, blocks.dense(qd.i, 1 << 10))

    @qd.kernel
    def fill():
        for i in range(1 << 26):
            x[i] = 1

    fill()
    before = resident()
    qd.init()
    assert before - resident() > 200 << 20  # the node keeps no memory
    qd.deactivate_all_snodes()
    qd.root.deactivate_all()
    y = of(qd.f32, qd.root.pointer(qd.i, 4))
    y[1] = 2
    qd.deactivate_all_snodes()
    assert y[1] == 0


def test_what_does_not_exist_has_no_gradient_though_it_is_read():
    x = qd.field(qd.f32, needs_grad=True)
    y = qd.field(qd.f32, needs_grad=True)
    loss = qd.field(qd.f32, shape=(), needs_grad=True)
    qd.root.pointer(qd.i, 16).dense(qd.i, 4).place(x)
    qd.root.bitmasked(qd.i, 64).place(y)
    for i in (3, 60):
        y[i] = i
    x[3] = 2

    @qd.kernel
    def product():
        for i in y:
            loss[None] += y[i] * (x[i] + x[(i + 9) % 64])

    wanted = np.zeros(64, np.float32)
    wanted[[3, 12, 60, 5]] = [3, 3, 60, 60]
    for _ in range(3):  # each tape begins with zeros, also where no cell exists
        loss[None] = 0
        with qd.ad.Tape(loss):
            product()
        assert np.array_equal(x.grad.to_numpy(), wanted)
        assert y.grad[3] == 2 and loss[None] == 6
    assert count(x) == count(x.grad) == 4  # a loop over gradients is one over the values
    x.grad.fill(7)
    assert x.grad[0] == x.grad[3] == 7 and x.grad[12] == 3
