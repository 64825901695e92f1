# SPDX-License-Identifier: Apache-2.0
"""Atomics lose nothing while threads meet at the same elements, and say what was there before."""

import numpy as np
import pytest

import joggle.fields as qd

COUNT = 200_000
INTEGERS = [qd.i8, qd.i16, qd.i32, qd.i64, qd.u8, qd.u16, qd.u32, qd.u64]


@pytest.mark.parametrize("dtype", [*INTEGERS, qd.f16, qd.bf16, qd.f32, qd.f64], ids=str)
def test_each_kind_under_load_gives_what_one_after_the_other_gives(compiler, threads, dtype):
    """All iterations meet at a few elements; every order of them gives the same."""
    total, low, high = (qd.field(dtype, 3) for _ in range(3))
    low.fill(100)

    @qd.kernel
    def run(n: qd.i32):
        for i in range(n):
            x = qd.cast(i * 7 % 90 + 5, dtype)
            qd.atomic_min(low[i % 3], x)
            qd.atomic_max(high[i % 3], x)
            if i % 5000 == 0:
                qd.atomic_add(total[i // 5000 % 3], qd.cast(1, dtype))

    run(COUNT)
    values = np.arange(COUNT) * 7 % 90 + 5
    for k in range(3):
        assert low.to_numpy()[k] == values[k::3].min() and high.to_numpy()[k] == values[k::3].max()
    assert total.to_numpy().astype(int).tolist() == [14, 13, 13]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_updates_of_bits_and_products_lose_nothing_under_load(compiler, threads, dtype):
    either, both, odd, product = (qd.field(dtype, ()) for _ in range(4))
    both.fill(127)
    product.fill(1)

    @qd.kernel
    def run(n: qd.i32):
        for i in range(n):
            one = qd.cast(1, dtype)
            either[None] |= one << (i % 7)
            both[None] &= ~(one << (i % 3))
            odd[None] ^= one << (i % 5)
            qd.atomic_mul(product[None], qd.cast(3, dtype))

    run(COUNT)
    wrapped = np.array(pow(3, COUNT, 2**64), np.uint64).astype(dtype.name)
    assert (either[None], both[None]) == (127, 120)
    assert odd[None] == 0 and product.to_numpy() == wrapped


def test_tickets_are_given_out_once_each(compiler, threads):
    next_, holders = qd.field(qd.i32, ()), qd.field(qd.i32, COUNT)

    @qd.kernel
    def take(n: qd.i32):
        for _ in range(n):
            qd.atomic_add(holders[qd.atomic_add(next_[None], 1)], 1)

    take(COUNT)
    assert next_[None] == COUNT and (holders.to_numpy() == 1).all()


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_compare_and_swap_changes_what_is_as_expected(tier, dtype):
    x = qd.field(dtype, 2)

    @qd.kernel
    def run(expected: qd.i32) -> qd.types.vector(3, qd.i32):
        x[0] = 5
        first = qd.atomic_cas(x[0], expected, 9)
        here = 5
        second = qd.atomic_cas(here, expected, 9)
        return qd.Vector([qd.cast(first, qd.i32), second, here])

    assert run(5).to_list() == [5, 5, 9] and x[0] == 9
    assert run(4).to_list() == [5, 5, 5] and x[0] == 5


@pytest.mark.parametrize("dtype", [qd.i32, qd.u64, qd.i8], ids=str)
def test_an_update_by_compare_and_swap_loses_nothing(compiler, threads, dtype):
    x, won = qd.field(dtype, ()), qd.field(qd.i32, 64)

    @qd.kernel
    def run(n: qd.i32):
        for _ in range(n):
            old = x[None]
            while True:
                seen = qd.atomic_cas(x[None], old, old * 3 + 1)
                if seen == old:
                    break
                old = seen
        for i in range(n):
            if qd.atomic_cas(won[i % 64], 0, i + 1) == 0:
                qd.atomic_add(won[i % 64], COUNT)

    run(COUNT)
    expected = 0
    for _ in range(COUNT):
        expected = (expected * 3 + 1) % 2**64
    assert x.to_numpy() == np.array(expected, np.uint64).astype(dtype.name)
    owners = won.to_numpy() - COUNT - 1
    assert (owners >= 0).all() and (owners % 64 == np.arange(64)).all()


def test_compare_and_swap_changes_an_item_of_a_local_vector(tier):
    @qd.kernel
    def run(k: int) -> int:
        v = qd.Vector([1, 2, 3])
        old = qd.atomic_cas(v[k], 2, 50)
        return v.sum() * 10 + old

    assert [run(0), run(1), run(2)] == [61, 542, 63]


def test_compare_and_swap_refuses_what_it_cannot_do(tier):
    x = qd.field(qd.f32, 3)

    def floats():
        qd.atomic_cas(x[0], 0, 1)

    def whole():
        qd.atomic_cas(x, 0, 1)

    def constant(n: int):
        qd.atomic_add(3, n)

    with pytest.raises(TypeError, match="atomic_cas: got an element of x, of float32, allowed are"):
        qd.kernel(floats).lower()
    with pytest.raises(TypeError, match=r"allowed is a variable or an element .* as in x\[i\]"):
        qd.kernel(whole).lower()
    with pytest.raises(TypeError, match="atomic_add: got int 3, allowed is a variable or an elem"):
        qd.kernel(constant).lower(1)


def test_what_is_gathered_for_an_element_outside_is_not_written(compiler, threads):
    x = qd.field(qd.i32, 4)

    @qd.kernel
    def run(n: qd.i32, k: qd.i32):
        for _ in range(n):
            if k < 4:
                x[k] += 1

    run(COUNT, 1 << 30)
    run(COUNT, 3)
    assert x.to_numpy().tolist() == [0, 0, 0, COUNT]


def test_vectors_are_combined_item_by_item(compiler):
    """Also those in variables, and numbers for all items."""
    v, old = (qd.Vector.field(2, qd.f64, 4) for _ in range(2))

    @qd.kernel
    def run():
        for i in range(3):
            p = qd.Vector([1.0, 2.0], dt=qd.f64)
            qd.atomic_add(v[0], p)
            p *= 2.0
            old[i] = qd.atomic_add(v[i + 1], -p)
            qd.atomic_max(v[3], 5.0)
            qd.atomic_sub(v[1], [i, 1.0])

    run()
    assert v.to_numpy().tolist() == [[3, 6], [-5, -7], [-2, -4], [5, 5]]
    assert old.to_numpy()[:2].tolist() == [[0, 0], [0, 0]]

    @qd.kernel
    def wrong():
        qd.atomic_add(v[0], qd.Vector([1.0, 2.0, 3.0]))

    with pytest.raises(TypeError, match="atomic_add: got a vector of 3 for a vector of 2"):
        wrong()
