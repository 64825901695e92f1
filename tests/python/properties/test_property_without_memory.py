# SPDX-License-Identifier: Apache-2.0
"""Every op while each allocation of joggle's own fails once: the call or its evaluation raises
MemoryError, no array's memory is lost, and the same call gives afterwards what it gave before.
Blocks that are no array's are counted in C (tests/c/oom), where no caches of Python's hold some."""

import ctypes
import gc
import subprocess
import threading
from pathlib import Path

import pytest
from cases import BEYOND
from cases import CASES as OF_TABLE
from choices import Dice
from drawing import each, function_of, several, to_joggle, to_numpy

import joggle as jg

CASES = OF_TABLE | BEYOND
ARRAY = type(jg.ones(()))
MOST = 2000  # allocations of a call; there are some dozens


def places_of(path):
    """The places of a library's symbols, also of those that it does not export."""
    told = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in told.splitlines()]
    return {name: int(place, 16) for place, _, name in (one for one in lines if len(one) == 3)}


class Heap:
    """The hooks of the library's heap for tests (src/base/alloc.c)."""

    def __init__(self):
        path = Path(jg.get_library_dir()) / "libjoggle.so.0"
        places = places_of(path)
        known = ctypes.cast(ctypes.CDLL(path).jg_eval, ctypes.c_void_p).value
        start = known - places["jg_eval"]
        self.fail_nth = ctypes.CFUNCTYPE(None, ctypes.c_int64)(start + places["base_fail_nth"])
        self.left = ctypes.c_int64.from_address(start + places["fail_countdown"])


@pytest.fixture(scope="module")
def heap():
    threads = jg.get_num_threads()
    jg.set_num_threads(1)  # threads of the pool keep memory of their own
    gc.freeze()  # what was imported need not be looked at again and again
    yield Heap()
    gc.unfreeze()
    jg.set_num_threads(threads)


class Attempt(threading.Thread):
    """A call on a thread of its own, whose free lists start empty, evaluated together with an array
    of a size that nothing had before, so that it is planned anew."""

    sizes = iter(range(5000, 1 << 30))

    def __init__(self, call, heap, nth, size=None):
        super().__init__()
        self.call, self.heap, self.nth = call, heap, nth
        self.size = size or next(self.sizes)
        self.start()
        self.join()

    def run(self):
        self.results = None
        try:
            self.heap.fail_nth(self.nth)
            results = [x for x in several(self.call()) if isinstance(x, ARRAY)]
            jg.eval(*results, jg.ones(self.size) + 1)
        except MemoryError:
            results = None
        finally:
            self.is_over = self.heap.left.value > 0
            self.heap.fail_nth(0)
        if results is not None:
            self.results = [to_numpy(x).tobytes() for x in results]


def check(call, heap, first, step):
    expected = Attempt(call, heap, 0).results
    gc.collect()
    active = jg.get_active_memory()
    for nth in range(first, MOST, step):
        attempt = Attempt(call, heap, nth)
        if attempt.is_over:
            break
        again = Attempt(call, heap, 0, attempt.size)
        assert attempt.results in (None, expected)
        assert again.results == expected
    gc.collect()
    assert attempt.is_over and jg.get_active_memory() == active


def steps(name, config, step):
    """The first allocation to fail, and how many there are from one to the next: 1 with --all."""
    return (1, 1) if config.getoption("--all") else (1 + len(name) % step, step)


@pytest.mark.parametrize("name", CASES)
def test_each_allocation_of_an_op_may_fail(name, heap, pytestconfig):
    args, named = CASES[name].draw(Dice(3))
    args, named = each(to_joggle, args), each(to_joggle, named)
    check(lambda: function_of(name)(*args, **named), heap, *steps(name, pytestconfig, 7))


def total(results):
    return sum(jg.sum(x) for x in several(results) if x.dtype == jg.float32)


@pytest.mark.parametrize("name", OF_TABLE)
@pytest.mark.parametrize("transform", [jg.grad, jg.vmap, jg.compile, jg.hessian])
def test_each_allocation_of_a_transformed_op_may_fail(transform, name, heap, pytestconfig):
    args, named = CASES[name].draw(Dice(3, dtype="float32"))
    args, named = each(to_joggle, args), each(to_joggle, named)
    if not args or type(args[0]) is not ARRAY or args[0].dtype != jg.float32:
        return  # it has no operand to transform it in

    def call():
        return transform(lambda x: total(function_of(name)(x, *args[1:], **named)))(args[0])

    try:
        jg.eval(call())
    except (NotImplementedError, TypeError, ValueError):
        return  # not every op has derivatives or batches
    check(call, heap, *steps(name, pytestconfig, 29))
