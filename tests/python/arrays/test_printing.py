# SPDX-License-Identifier: Apache-2.0
"""Options for printing: MLX's precision and NumPy's others, against NumPy."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from interrupting import run_until

import joggle as jg


def as_numpy(x, **options):
    with np.printoptions(**options):
        return repr(np.asarray(x)).split(", dtype")[0].split(", shape")[0].rstrip(")")


@pytest.mark.parametrize("options", [{"precision": p} for p in range(9)])
@pytest.mark.parametrize("values", [[1 / 3, 2, -1e3], [1e-9, 1.23456789e12], [0.5, float("nan")]])
def test_precision_is_as_in_numpy(options, values):
    x = jg.array(values, dtype=jg.float64)
    with jg.printoptions(**options):
        assert repr(x).startswith(as_numpy(x, **options))
        assert repr(x[0]).startswith(as_numpy(x[0], **options))
        with np.printoptions(**options):
            assert str(x) == str(np.asarray(x)) and str(x[0]) == str(np.asarray(x)[0])


@pytest.mark.parametrize("edge", [1, 2, 5])
def test_large_arrays_are_cut_as_asked(edge):
    x = jg.arange(400)
    with jg.printoptions(threshold=100, edgeitems=edge):
        assert repr(x).startswith(as_numpy(x, threshold=100, edgeitems=edge))
        assert repr(x.reshape(20, 20)).startswith(
            as_numpy(x.reshape(20, 20), threshold=100, edgeitems=edge)
        )
    assert "..." not in repr(x)


def test_lines_are_as_long_as_asked():
    with jg.printoptions(linewidth=30):
        assert max(map(len, repr(jg.arange(100)).splitlines())) <= 30


def test_options_are_set_told_and_put_back():
    before = jg.get_printoptions()
    assert before == jg.PrintOptions() and before.precision == 8
    jg.set_printoptions(precision=3)
    assert jg.get_printoptions().precision == 3 and jg.get_printoptions().threshold == 1000
    context = jg.printoptions(precision=1)
    with context, context as inner:
        assert inner.precision == 1
    assert jg.get_printoptions().precision == 3
    jg.set_printoptions(precision=-1)
    assert jg.get_printoptions() == before


def test_an_interrupted_block_leaves_the_options_before():
    def print_inside():
        with jg.printoptions(precision=3), jg.printoptions(threshold=5):
            str(jg.array([1 / 3]))

    before, number, met = jg.get_printoptions(), 0, 0
    while met == number:
        number += 1
        met = run_until(number, print_inside)
        assert jg.get_printoptions() == before, number
    assert number > 20


def shown(module, precision, barrier):
    """The text inside of a block that begins and ends while others are in theirs."""
    with module.printoptions(precision=precision):
        barrier.wait()
        text = str(module.asarray([1 / 3]))
        barrier.wait()
    return text


@pytest.mark.parametrize("module", [np, jg])
def test_blocks_of_threads_are_their_own(module):
    before = str(module.asarray([1 / 3]))
    barrier = threading.Barrier(3)
    with ThreadPoolExecutor(3) as pool:
        texts = list(pool.map(lambda p: shown(module, p, barrier), [2, 4, 6]))
    assert texts == ["[0.33]", "[0.3333]", "[0.333333]"]
    assert str(module.asarray([1 / 3])) == before


@pytest.mark.parametrize("module", [np, jg])
def test_blocks_of_tasks_are_their_own(module):
    turns = []

    async def show(precision, mine):
        with module.printoptions(precision=precision):
            for turn in mine:
                while len(turns) != turn:
                    await asyncio.sleep(0)
                turns.append(str(module.asarray([1 / 3])))

    async def both():
        await asyncio.gather(show(2, [0, 2]), show(4, [1, 3]))

    before = str(module.asarray([1 / 3]))
    asyncio.run(both())
    assert turns == ["[0.33]", "[0.3333]"] * 2
    assert str(module.asarray([1 / 3])) == before


@pytest.mark.parametrize("module", [np, jg])
def test_a_task_that_begins_in_a_block_keeps_its_options(module):
    async def show():
        await asyncio.sleep(0.01)
        return str(module.asarray([1 / 3]))

    async def start():
        with module.printoptions(precision=3):
            task = asyncio.create_task(show())
        return await task, str(module.asarray([1 / 3]))

    assert asyncio.run(start()) == ("[0.333]", str(module.asarray([1 / 3])))


@pytest.mark.parametrize("module", [np, jg])
def test_options_that_are_set_in_a_block_end_with_it(module):
    before = module.get_printoptions()
    with module.printoptions(precision=3):
        with module.printoptions(threshold=7):
            module.set_printoptions(precision=2)
            assert str(module.asarray([1 / 3])) == "[0.33]"
            assert str(module.asarray([1] * 8)) == "[1 1 1 ... 1 1 1]"
        assert str(module.asarray([1 / 3])) == "[0.333]"
    assert module.get_printoptions() == before


def test_options_that_are_set_hold_in_threads_and_tasks_outside_of_blocks():
    async def show():
        return str(jg.asarray([1 / 3]))

    jg.set_printoptions(precision=3)
    try:
        with jg.printoptions(precision=2), ThreadPoolExecutor(1) as pool:
            assert pool.submit(lambda: str(jg.asarray([1 / 3]))).result() == "[0.333]"
        assert asyncio.run(show()) == "[0.333]"
    finally:
        jg.set_printoptions(precision=-1)


def test_blocks_may_end_in_any_order():
    before, first, second = jg.get_printoptions(), *map(jg.printoptions, (2, 4))
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert str(jg.asarray([1 / 3])) == "[0.3333]"
    second.__exit__(None, None, None)
    assert jg.get_printoptions() == before


def test_a_block_is_not_left_by_another_thread():
    with jg.printoptions(precision=2) as inside, ThreadPoolExecutor(1) as pool:
        context = jg.printoptions(precision=3)
        with context:
            with pytest.raises(RuntimeError, match="thread that entered it"):
                pool.submit(context.__exit__, None, None, None).result()
            assert jg.get_printoptions().precision == 3
        assert jg.get_printoptions() == inside


def test_a_block_that_is_refused_changes_nothing():
    before, context = jg.get_printoptions(), jg.printoptions(precision=3, edgeitems=0)
    with pytest.raises(ValueError, match="edgeitems: got 0"), context:
        pass
    with pytest.raises(RuntimeError, match="left more often than entered"):
        context.__exit__(None, None, None)
    with pytest.raises(TypeError, match="digits"):
        jg.printoptions(digits=3)
    assert jg.get_printoptions() == before


@pytest.mark.parametrize(
    "options", [{"precision": 99}, {"threshold": -1}, {"edgeitems": 0}, {"linewidth": 0}]
)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(ValueError, match="set_printoptions"):
        jg.set_printoptions(**options)
    with pytest.raises(TypeError):
        jg.set_printoptions(precision="many")
