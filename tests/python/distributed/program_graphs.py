# SPDX-License-Identifier: Apache-2.0
"""Run by every process of a group: messages in compiled functions, derivatives and batches."""

import tempfile

import numpy as np
from refusal import raises

import joggle as jg

group = jg.distributed.init(strict=True)
rank, size = group.rank(), group.size()
ranks = sum(range(size))
right, left = (rank + 1) % size, (rank - 1) % size
all_sum, all_gather = jg.distributed.all_sum, jg.distributed.all_gather
send, recv, recv_like = jg.distributed.send, jg.distributed.recv, jg.distributed.recv_like


def check_ring():
    """Everybody sends before it receives, whichever result is named first, of large arrays."""
    for count in (3, 1 << 20):
        x = jg.arange(count, dtype=jg.float32) + rank
        sent = send(x, right)
        received = recv_like(x, left)
        jg.eval(received, sent)
        assert received[2].item() == 2 + left and sent[2].item() == 2 + rank
    # A send that was computed before is not repeated with what is computed from it.
    assert (sent + 1)[0].item() == rank + 1
    jg.distributed.barrier()


def check_order():
    """Messages of one graph run in the order in which they were built, at different depths."""
    first = send(jg.array([1.0 + rank]), right)
    second = send(jg.sum(jg.ones((4, 4)) * rank, axis=0), right)
    one = recv((1,), jg.float32, left)
    four = recv((4,), jg.float32, left)
    jg.eval(four * 2 + one, second, first)
    assert one.tolist() == [1 + left] and four.tolist() == [4 * left] * 4
    total = all_sum(all_sum(jg.array(1)) + all_sum(jg.array(rank)))
    assert total.item() == size * (size + ranks)


def check_compiled():
    @jg.compile
    def ring(x):
        sent = send(x * 2, right)
        return recv(x.shape, x.dtype, left), sent

    @jg.compile
    def both(x):
        total = all_sum(x)
        return total + 1, total * 2

    @jg.compile
    def constant(x):
        return x + all_sum(jg.array(1.0))

    @jg.compile
    def only(x):
        return all_sum(x)

    @jg.compile
    def received(x):
        return recv((2,), jg.float32, left) + x

    for turn in range(4):
        x = jg.array([1.0, 2.0]) * (rank + turn)
        got, sent = ring(x)
        jg.eval(got, sent)
        assert got.tolist() == [2.0 * (left + turn), 4.0 * (left + turn)], (turn, got)
        one, two = both(jg.array(float(rank + turn)))
        assert one.item() == ranks + size * turn + 1 and two.item() == 2 * (ranks + size * turn)
        assert constant(jg.array(turn)).item() == turn + size
        assert only(jg.array(float(rank + turn))).item() == ranks + size * turn
        jg.eval(send(jg.array([turn, turn + 0.5]), right))
        assert received(jg.array(1.0)).tolist() == [turn + 1, turn + 1.5]
    with raises(NotImplementedError, match="has no array as argument"):
        jg.compile(lambda: recv((2,), jg.float32, left))()


def check_files():
    with (
        tempfile.TemporaryDirectory() as folder,
        raises(NotImplementedError, match="distributed_all_sum, which belongs"),
    ):
        jg.export_function(f"{folder}/f.jgfn", all_sum, jg.ones((3,)))


def check_derivatives():
    x = jg.array([1.0, 2.0]) * (rank + 1)
    weights = jg.array([3.0, 4.0])
    assert jg.grad(lambda x: jg.sum(all_sum(x * x) * weights))(x).tolist() == [
        2 * (rank + 1) * 3,
        4 * (rank + 1) * 4,
    ]
    scale = jg.arange(2 * size, dtype=jg.float32)
    slope = jg.grad(lambda x: jg.sum(all_gather(x) * scale))(x)
    assert slope.tolist() == [2 * rank, 2 * rank + 1]
    assert jg.grad(lambda x: jg.sum(all_gather(x)))(jg.array(1.0)).item() == 1
    y = jg.arange(2 * size, dtype=jg.float32)
    slope = jg.grad(lambda y: jg.sum(jg.distributed.sum_scatter(y)) * (rank + 1))(y)
    assert slope.tolist() == [1 + of // 2 for of in range(2 * size)]
    value, tangent = jg.jvp(lambda x: all_sum(x * x), [x], [jg.ones((2,))])
    squares = sum((of + 1) ** 2 for of in range(size))
    assert value[0].tolist() == [squares, 4 * squares]
    assert tangent[0].tolist() == [2 * (ranks + size), 4 * (ranks + size)]
    for op in (jg.distributed.all_max, jg.distributed.all_min):
        with raises(NotImplementedError, match="no derivative"):
            jg.grad(lambda x, op=op: jg.sum(op(x)))(x)
    compiled = jg.compile(jg.grad(lambda x: jg.sum(all_sum(x * x))))
    for turn in range(3):
        assert compiled(x * turn).tolist() == (2 * x * turn).tolist()
    again = jg.grad(lambda x: jg.sum(jg.checkpoint(all_sum)(x) ** 2))
    assert again(jg.array([1.0])).item() == 2 * size


def check_batches():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4) + rank
    total = sum(x - rank + of for of in range(size))
    np.testing.assert_array_equal(np.array(jg.vmap(all_sum)(jg.array(x))), total)
    gathered = np.concatenate([x - rank + of for of in range(size)], axis=1)
    np.testing.assert_array_equal(np.array(jg.vmap(all_gather)(jg.array(x))), gathered)
    of_numbers = np.array(jg.vmap(all_gather)(jg.array([1.0, 2.0])))
    np.testing.assert_array_equal(of_numbers, [[1.0] * size, [2.0] * size])
    y = np.arange(2 * 2 * size, dtype=np.float32).reshape(2, 2 * size)
    parts = np.array(jg.vmap(jg.distributed.sum_scatter)(jg.array(y)))
    np.testing.assert_array_equal(parts, size * y[:, 2 * rank : 2 * rank + 2])


def check_threads():
    """A thread waits for a message while another one computes."""
    total = all_sum(jg.ones((1 << 16,)) * rank)
    jg.async_eval(total)
    other = jg.sum(jg.ones((100, 100)) @ jg.ones((100, 100)))
    assert other.item() == 1e6 and total[5].item() == ranks


check_ring()
check_order()
check_compiled()
check_files()
check_derivatives()
check_batches()
check_threads()
jg.distributed.barrier()
print(f"rank {rank}: good", flush=True)
