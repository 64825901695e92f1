# SPDX-License-Identifier: Apache-2.0
"""Run by every process of a group: results against NumPy's of all processes' arrays."""

import numpy as np
from refusal import raises

import joggle as jg
import joggle.mlx.core as mx

group = jg.distributed.init(strict=True)
rank, size = group.rank(), group.size()
DTYPES = ["bool", "float16", "float32", "float64", "complex64", "complex128"]
DTYPES += [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]


def values(dtype, of, shape=(12, 3)):
    """What process number `of` has: small whole numbers, so that sums are exact."""
    made = np.random.default_rng(of).integers(0, 2 if dtype == "bool" else 9, shape)
    return (made + 1j * made.T.reshape(shape) if "complex" in dtype else made).astype(dtype)


def every(dtype, shape=(12, 3)):
    return [values(dtype, of, shape) for of in range(size)]


def check(got, wanted):
    wanted = np.asarray(wanted)
    assert got.shape == wanted.shape, (got.shape, wanted.shape)
    assert str(got.dtype).removeprefix("joggle.") == str(wanted.dtype), (got.dtype, wanted.dtype)
    np.testing.assert_array_equal(np.array(got), wanted)


def total(arrays):
    return np.any(arrays, 0) if arrays[0].dtype == bool else sum(arrays[1:], arrays[0])


def check_dtypes():
    for dtype in DTYPES:
        all_of = every(dtype)
        x = jg.array(all_of[rank])
        check(jg.distributed.all_sum(x), total(all_of))
        check(jg.distributed.all_gather(x), np.concatenate(all_of))
        part = total(all_of)[rank * 12 // size : (rank + 1) * 12 // size]
        check(jg.distributed.sum_scatter(x), part)
        sent = jg.distributed.send(x, (rank + 1) % size)
        received = jg.distributed.recv(x.shape, x.dtype, (rank - 1) % size)
        jg.eval(sent, received)
        check(sent, all_of[rank])
        check(received, all_of[(rank - 1) % size])
        if "complex" in dtype:
            for op in (jg.distributed.all_max, jg.distributed.all_min):
                with raises(TypeError, match="complex"):
                    op(x)
            continue
        check(jg.distributed.all_max(x), np.max(all_of, 0))
        check(jg.distributed.all_min(x), np.min(all_of, 0))
    x = jg.array([1.5, 2.0], dtype=jg.bfloat16)
    assert jg.distributed.all_sum(x).dtype == jg.bfloat16
    assert jg.distributed.all_sum(x).tolist() == [1.5 * size, 2.0 * size]


def check_nans():
    """NaN if one of the processes has NaN, whichever it is; zeros of both signs, infinities."""
    for dtype in ("float16", "float32", "float64"):
        numbers = [np.inf, -np.inf, -0.0, 0.0, -1.5, np.nan]
        all_of = np.array(
            [
                [np.nan if process == of else of - 1.5 for process in range(size)]
                + numbers[of % 6 :]
                + numbers[: of % 6]
                for of in range(size)
            ],
            dtype,
        )
        x = jg.array(all_of[rank])
        check(jg.distributed.all_max(x), np.max(all_of, 0))
        check(jg.distributed.all_min(x), np.min(all_of, 0))
        check(jg.compile(jg.distributed.all_max)(x), np.max(all_of, 0))


def check_layouts():
    all_of = every("float32", (6, 4))
    x = jg.array(all_of[rank])
    check(jg.distributed.all_sum(x.T), total(all_of).T)
    check(jg.distributed.all_sum(x[::2, 1:]), total(all_of)[::2, 1:])
    check(jg.distributed.all_gather(x.T[1]), np.concatenate([a.T[1] for a in all_of]))
    check(jg.distributed.all_sum(jg.broadcast_to(x[0], (3, 4))), [total(all_of)[0]] * 3)
    check(jg.distributed.all_sum(jg.full((3,), 2.0)), np.full(3, 2.0 * size, np.float32))
    check(jg.distributed.all_sum(jg.arange(4) * rank), np.arange(4) * sum(range(size)))
    check(jg.distributed.all_sum(jg.array(rank)), np.int64(sum(range(size))))
    check(jg.distributed.all_gather(jg.array(rank)), np.arange(size))
    check(jg.distributed.all_sum(jg.zeros((0, 3))), np.zeros((0, 3), np.float32))
    check(jg.distributed.all_gather(jg.zeros((0, 3))), np.zeros((0, 3), np.float32))
    owner = np.ones(4, np.float32)
    check(
        jg.distributed.all_sum(jg.asarray(owner) + rank), np.full(4, size + sum(range(size)), "f4")
    )
    assert owner.tolist() == [1] * 4


def check_refusals():
    x = jg.zeros((size + 1, 2))
    with raises(ValueError, match=f"first extent of {size + 1}, allowed are multiples of {size}"):
        jg.distributed.sum_scatter(x)
    with raises(ValueError, match="first extent of 1"):
        jg.distributed.sum_scatter(jg.array(1.0))
    for peer in (size, -1, rank):
        with raises(ValueError, match=f"dst: got {peer}"):
            jg.distributed.send(x, peer)
        with raises(ValueError, match=f"src: got {peer}"):
            jg.distributed.recv((2,), jg.float32, peer)
    with raises(TypeError, match="group: got int"):
        jg.distributed.all_sum(x, group=3)
    with raises(ValueError, match="extent of -1"):
        jg.distributed.recv((-1,), jg.float32, (rank + 1) % size)
    with raises(TypeError, match="comm: got int"):
        jg.distributed.init(comm=3)
    with raises(RuntimeError, match="nccl"):
        jg.distributed.init(backend="nccl")
    with raises(ValueError, match='got "gloo"'):
        jg.distributed.init(backend="gloo")


def check_groups():
    half = group.split(rank % 2)
    assert (half.rank(), half.size()) == (rank // 2, len(range(rank % 2, size, 2)))
    mine = range(rank % 2, size, 2)
    check(jg.distributed.all_sum(jg.array(rank), group=half), np.int64(sum(mine)))
    check(jg.distributed.all_gather(jg.array([rank]), group=half), np.array(mine))
    backwards = group.split(0, size - rank)
    assert backwards.rank() == size - 1 - rank
    check(jg.distributed.all_gather(jg.array(rank), group=backwards), np.arange(size)[::-1])
    alone = group.split(rank)
    assert (alone.rank(), alone.size()) == (0, 1)
    check(jg.distributed.all_sum(jg.array(rank), group=alone), np.int64(rank))
    assert jg.distributed.init() == group and half != group
    assert repr(half) == f"Group(rank={rank // 2}, size={len(mine)})"
    with raises(ValueError, match="color: got -1"):
        group.split(-1)
    # Both groups at once, in one graph.
    both = jg.distributed.all_sum(jg.array(1), group=half) + jg.distributed.all_sum(jg.array(1))
    check(both, np.int64(len(mine) + size))


def check_mlx():
    x = mx.array([rank, 1])
    assert mx.distributed.all_sum(x).tolist() == [sum(range(size)), size]
    assert mx.distributed.init().size() == size


def check_large():
    """Messages in several pieces, which the option makes small enough to be tested."""
    all_of = [np.arange(of, of + 12000, dtype=np.float32).reshape(12, 1000) for of in range(size)]
    x = jg.array(all_of[rank])
    check(jg.distributed.all_sum(x), total(all_of))
    check(jg.distributed.all_gather(x), np.concatenate(all_of))
    check(jg.distributed.sum_scatter(x), total(all_of)[rank * 12 // size : (rank + 1) * 12 // size])
    sent = jg.distributed.send(x, (rank + 1) % size)
    received = jg.distributed.recv_like(x, (rank - 1) % size)
    jg.eval(sent, received)
    check(received, all_of[(rank - 1) % size])


check_dtypes()
check_nans()
check_layouts()
check_refusals()
check_groups()
check_mlx()
check_large()
jg.distributed.barrier()
print(f"rank {rank}: good", flush=True)
