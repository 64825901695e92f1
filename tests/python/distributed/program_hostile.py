# SPDX-License-Identifier: Apache-2.0
"""Run by every process of a group: what is rare in programs, and has to work."""

import threading

import numpy as np
from refusal import raises

import joggle as jg

group = jg.distributed.init(strict=True)
rank, size = group.rank(), group.size()
ranks = sum(range(size))
right, left = (rank + 1) % size, (rank - 1) % size
all_sum, all_gather = jg.distributed.all_sum, jg.distributed.all_gather
all_max, sum_scatter = jg.distributed.all_max, jg.distributed.sum_scatter
send, recv, recv_like = jg.distributed.send, jg.distributed.recv, jg.distributed.recv_like


def numbers(of, *shape):
    return np.random.default_rng(of).integers(0, 9, shape).astype(np.float32)


def every(*shape):
    return [numbers(of, *shape) for of in range(size)]


def same(got, wanted):
    np.testing.assert_array_equal(np.array(got), wanted, strict=True)


def check_dropped():
    """Results that nobody evaluates send nothing; those that are on the way arrive."""
    lost = all_sum(jg.ones((5,)))
    del lost
    first, second = all_sum(jg.array(1)), all_sum(jg.array(2))
    assert second.item() == 2 * size
    del first
    large = all_sum(jg.ones((1 << 20,)))
    jg.async_eval(large)
    del large
    several = [all_gather(jg.array(rank + i)) for i in range(5)]
    jg.async_eval(*several)
    del several[::2]
    assert several[1].tolist() == [of + 3 for of in range(size)]
    del several
    assert all_sum(jg.array(rank)).item() == ranks


def check_empty():
    for op in (all_sum, all_max, jg.distributed.all_min, sum_scatter, all_gather):
        for shape in ((0,), (0, 3), (size * 2, 0), (0, 0)):
            found = op(jg.zeros(shape))
            rows = {all_gather: size, sum_scatter: 1 / size}.get(op, 1)
            assert found.shape == (int(shape[0] * rows), *shape[1:]), (op, shape, found.shape)
            jg.eval(found)
    sent, received = send(jg.zeros((0, 2)), right), recv((0, 2), jg.float32, left)
    jg.eval(sent, received)
    assert received.shape == (0, 2) and sent.shape == (0, 2)
    grown = all_sum(jg.sum(jg.zeros((0, 3)), axis=0) + rank)
    assert grown.tolist() == [ranks] * 3


def check_numbers():
    x = jg.array(rank + 0.5)
    sent, received = send(x, right), recv_like(x, left)
    jg.eval(received, sent)
    assert received.item() == left + 0.5 and received.shape == ()
    assert all_max(x).item() == size - 0.5 and all_max(x).shape == ()
    assert all_sum(x)[None].tolist() == [ranks + size / 2]


def check_layouts():
    whole = every(4 * size, 6)
    mine = jg.array(whole[rank])
    for name, cut in {
        "turned": lambda x: x.T[:size],
        "backwards": lambda x: x[::-1, ::-1],
        "steps": lambda x: x[size : 2 * size, 1::2],
        "column": lambda x: x[:, 2],
        "repeated": lambda x: (
            np.broadcast_to(x[0], (size, 6))
            if isinstance(x, np.ndarray)
            else jg.broadcast_to(x[0], (size, 6))
        ),
    }.items():
        x, parts = cut(mine), [np.array(cut(each)) for each in whole]
        total, rows = sum(parts), parts[0].shape[0] // size
        same(all_sum(x), total)
        same(all_gather(x), np.concatenate(parts))
        same(sum_scatter(x), total[rank * rows : (rank + 1) * rows])
        sent, received = send(x, right), recv_like(x, left)
        jg.eval(sent, received)
        same(received, parts[left])
        same(sent, parts[rank])
        assert name


def check_aliases():
    """The argument of a message, its views and other uses stay what they are."""
    whole = every(size, 4)
    x = jg.array(whole[rank])
    row = x[0]
    total = all_sum(x) + x
    x += 1
    same(total, sum(whole) + whole[rank])
    same(row, whole[rank][0])
    same(x, whole[rank] + 1)
    for _ in range(50):
        x = all_max(x)
    same(x, np.max(whole, 0) + 1)
    twice = all_sum(x) + all_sum(x)
    same(twice, 2 * size * (np.max(whole, 0) + 1))


def check_groups():
    """Groups that share processes, in one graph, and a group of one."""
    half, turned = group.split(rank % 2), group.split(0, size - rank)
    alone = group.split(rank)
    members = range(rank % 2, size, 2)
    for _ in range(3):
        one = all_sum(jg.array(rank), group=half)
        two = all_gather(one, group=turned)
        three = all_sum(two + one, group=half)
        four = all_gather(jg.array(rank), group=alone)
        five = all_sum(jg.array(1), group=alone)
        jg.eval(three, four, five, two, one)
        sums = [sum(range(of % 2, size, 2)) for of in range(size)]
        assert one.item() == sum(members) and two.tolist() == sums[::-1]
        assert three.tolist() == [len(members) * (each + sum(members)) for each in sums[::-1]]
        assert four.tolist() == [rank] and five.item() == 1
    with raises(ValueError, match="alone in its group"):
        send(jg.ones((2,)), 0, group=alone)
    with raises(ValueError, match="alone in its group"):
        recv((2,), jg.float32, 0, group=alone)
    for _ in range(300):
        one = all_sum(jg.array(rank), group=group.split(0))
        assert one.item() == ranks
    again = alone.split(0)
    assert (again.rank(), again.size()) == (0, 1)
    assert sum_scatter(jg.arange(3), group=again).tolist() == [0, 1, 2]


def check_many():
    """Messages of all kinds in one graph, in the order in which they were built."""
    results, wanted = [], []
    for i in range(60):
        x = jg.full((i % 7 + 1,), rank + i, dtype=(jg.float32, jg.int64, jg.int16)[i % 3])
        results.append((all_sum, all_max)[i % 2](x))
        wanted.append([(ranks + size * i, size - 1 + i)[i % 2]] * (i % 7 + 1))
        results.append(send(x, right))
        results.append(recv_like(x, left) * 1)
        wanted += [[rank + i] * (i % 7 + 1), [left + i] * (i % 7 + 1)]
    jg.eval(*reversed(results))
    assert [each.tolist() for each in results] == wanted


def check_threads():
    """Each thread has a group of its own."""
    groups, wrong = [group.split(0) for _ in range(3)], []

    def work(own):
        for i in range(20):
            if all_sum(jg.ones((100,)) * i, group=own)[7].item() != i * size:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(own,)) for own in groups]
    for thread in threads:
        thread.start()
    for _ in range(5):
        assert all_gather(jg.array(rank)).tolist() == list(range(size))
    for thread in threads:
        thread.join()
    assert not wrong


def check_refusals():
    with raises(TypeError, match=r"\[average_gradients\] gradients: 'a' is NoneType"):
        jg.nn.average_gradients({"a": None, "b": jg.ones((1,))})
    with raises(NotImplementedError, match="no derivative"):
        jg.grad(lambda x: jg.sum(send(x, right)))(jg.ones((2,)))
    with raises(ValueError, match=r"\[distributed_is_available\] backend: got \"tcp\""):
        jg.distributed.is_available("tcp")
    with raises(ValueError, match=r"\[distributed_split\] color: got -2"):
        group.split(-2)
    with raises(ValueError, match=r"\[distributed_init\] backend: got \"tcp\""):
        jg.distributed.init(backend="tcp")


check_dropped()
check_empty()
check_numbers()
check_layouts()
check_aliases()
check_groups()
check_many()
for _ in range(5):
    check_threads()
check_refusals()
print(f"rank {rank}: good", flush=True)
# Nobody takes leave: the library waits for the others.
