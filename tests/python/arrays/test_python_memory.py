# SPDX-License-Identifier: Apache-2.0
"""Each allocation of Python's memory fails once in typical calls of the extension: the call raises
MemoryError or does its work, loses no reference and no memory, and works when it is repeated.

The calls are of the extension alone. CPython 3.11 itself loses references where there is no memory
for a closure, a generator or list(x), and so does code of Python's that ours runs."""

import contextlib
import gc
import sys

import numpy as np
import pytest

import joggle as jg
import joggle.fields as qd

testcapi = pytest.importorskip("_testcapi")
if not hasattr(testcapi, "set_nomemory"):
    pytest.skip("this Python cannot let allocations fail", allow_module_level=True)

ENOUGH = 20  # calls in a row that reach no failure, or get over it

numbers = np.arange(6.0, dtype=np.float32).reshape(2, 3)
interface = numbers.__array_interface__
x = jg.asarray(numbers, copy=True)
y = jg.ones((2, 3))
key = jg.random.key(3)
stream = jg.new_stream()
add_and_multiply = jg.compile(lambda a, b: (a + b, {"product": a * b}))
of_trees = jg.compile(lambda tree, n: {"sum": tree["a"] * n + tree["b"][1]})
fields = {}  # made when the tests begin: reset() in another file's tests would lose them
KEPT = [numbers, x, y, key, stream, add_and_multiply, of_trees]


class OfInterface:
    """Memory that only __array_interface__ tells of."""

    __array_interface__ = interface


class OfDLPack:
    def __dlpack__(self, **keywords):
        return numbers.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return numbers.__dlpack_device__()


of_interface, of_dlpack = OfInterface(), OfDLPack()


def on_stream():
    with jg.stream(stream):
        return x + y


def refused():
    with contextlib.suppress(ValueError):
        return x + jg.ones((5,))


def printed():
    with jg.printoptions(precision=3):
        return repr(x / 3)


def changed(index, value):
    array = x + 0
    array[index] = value
    return array


IMPORTS = {
    "from_dlpack of NumPy": lambda: jg.from_dlpack(numbers),
    "from_dlpack of ours": lambda: jg.from_dlpack(x),
    "from_dlpack of others": lambda: jg.from_dlpack(of_dlpack),
    "asarray of NumPy": lambda: jg.asarray(numbers),
    "asarray of an interface": lambda: jg.asarray(of_interface),
    "asarray of bytes": lambda: jg.asarray(memoryview(b"abcdef")),
    "asarray of a list": lambda: jg.asarray([[1, 2.5], [3, 4]]),
    "asarray of large ints": lambda: jg.asarray([[1, 2**40], [3, 2**63]]),
    "asarray of bools": lambda: jg.asarray([True, False]),
    "asarray of arrays": lambda: jg.asarray([x, y]),
    "asarray of NumPy's scalars": lambda: jg.asarray([np.float32(1), np.float32(2)]),
    "asarray of a number": lambda: jg.asarray(3.5),
}
CREATION = {
    "arange": lambda: jg.arange(0, 10, 2),
    "full": lambda: jg.full((2, 2), 7, dtype=jg.int8),
    "zeros": lambda: jg.zeros((2,), dtype="int16", device="cpu"),
    "zeros of NumPy's dtype": lambda: jg.zeros((2,), dtype=np.dtype("int16")),
    "zeros_like": lambda: jg.zeros_like(x),
    "random": lambda: jg.random.normal((2, 3), key=key),
}
OPS = {
    "operator": lambda: x + y,
    "with a number": lambda: 2 * x,
    "with NumPy": lambda: x + numbers,
    "with NumPy's scalar": lambda: x * np.float32(2),
    "of NumPy": lambda: np.add(x, 1),
    "keywords": lambda: jg.sum(x, axis=1, keepdims=True),
    "shape": lambda: jg.reshape(x, (3, 2)),
    "several": lambda: jg.concat([x, y], axis=0),
    "several results": lambda: jg.split(x, 3, axis=1),
    "a text": lambda: jg.einsum("ij,kj->ik", x, y),
    "a tuple": lambda: jg.linalg.svd(x),
    "pairs": lambda: jg.pad(x, ((1, 1), (0, 2))),
    "refused": refused,
}
INDEXING = {
    "slices": lambda: x[0, 1:],
    "an ellipsis": lambda: x[..., None, ::2],
    "a list": lambda: x[[0, 1, 0]],
    "two lists": lambda: x[[0, 1], [1, 2]],
    "a mask": lambda: x[x > 2],
    "set by slices": lambda: changed((0, slice(None)), 5.0),
    "set by a list": lambda: changed([0, 1], y),
    "set by a mask": lambda: changed(x > 2, 1),
    "at": lambda: x.at[0, 1].add(2),
    "items": lambda: [*x],
    "a field": lambda: fields["scalars"][1],
    "a field of vectors": lambda: fields["vectors"][1],
}
EXPORTS = {
    "dlpack": lambda: x.__dlpack__(),
    "dlpack of a version": lambda: x.__dlpack__(max_version=(1, 0), copy=True),
    "device": lambda: x.__dlpack_device__(),
    "buffer": lambda: memoryview(x).tobytes(),
    "interface": lambda: x.__array_interface__,
    "tolist": lambda: x.tolist(),
    "item": lambda: x[0, 1].item(),
    "number": lambda: (float(x[0, 1]), int(x[0, 1]), complex(x[0, 1]), bool(x[0, 1] == 1)),
    "properties": lambda: (x.shape, x.dtype, x.device, x.ndim, x.nbytes),
    "repr": lambda: repr(x / 3),
    "repr of complex numbers": lambda: repr(jg.asarray([1 + 2j, 3.25 - 1e-9j])),
    "str of a number": lambda: str(x[0, 1] / 3),
    "repr with options": printed,
    "reduce": lambda: x.__reduce_ex__(4)[0],
}
CALLS = {
    "compiled": lambda: add_and_multiply(x, y),
    "compiled with trees": lambda: of_trees({"a": x, "b": [y, (x)]}, 3),
    "stream": on_stream,
    "eval": lambda: jg.eval(x + 1, [y * 2, {"a": x}]),
    "async_eval": lambda: jg.async_eval(x + 1),
    "synchronize": jg.synchronize,
}
CASES = [
    pytest.param(call, id=f"{group}: {name}")
    for group, calls in {
        "import": IMPORTS,
        "creation": CREATION,
        "op": OPS,
        "index": INDEXING,
        "export": EXPORTS,
        "call": CALLS,
    }.items()
    for name, call in calls.items()
]


def attempt(call, nth):
    """What a call gives whose allocation with that number fails, counted from 0; or its error."""
    fail, stop_failing = testcapi.set_nomemory, testcapi.remove_mem_hooks
    fail(nth, nth + 1)
    try:
        return call(), None
    except BaseException as error:
        stop_failing()
        return None, error
    finally:
        stop_failing()


def counted():
    gc.collect()
    return [sys.getrefcount(each) for each in KEPT], jg.get_active_memory()


def text_of(result):
    """What two results are compared by; capsules and memory have no equals."""
    return repr(result) if "0x" not in repr(result) else type(result)


@pytest.fixture(scope="module", autouse=True)
def _quick_collections():
    """What is there stays out of the collections that the tests ask for."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module", autouse=True)
def _fields():
    fields["scalars"] = qd.ndarray(qd.f32, shape=(4,))
    fields["vectors"] = qd.Vector.field(3, qd.f32, shape=(2,))
    KEPT.extend(fields.values())


@pytest.mark.parametrize("call", CASES)
def test_every_allocation_of_a_call_may_fail_once(call):
    for _ in range(3):
        expected = text_of(call())
    settings = jg.default_stream(), jg.get_printoptions()
    before, nth, passed = counted(), 0, 0
    while passed < ENOUGH:
        result, error = attempt(call, nth)
        assert error is None or type(error) is MemoryError, (nth, error)
        if error is None:
            assert text_of(result) == expected, nth
        passed = passed + 1 if error is None else 0
        del result, error
        assert (jg.default_stream(), jg.get_printoptions()) == settings, nth
        assert text_of(call()) == expected, nth
        nth += 1
    assert counted() == before


# pytest-xdist sends a process its next file while the last tests of one run. The thread that hears
# of it would be without memory in the tests above, and the process would end.
@pytest.mark.parametrize("call", CASES[:8])
def test_calls_go_on_after_all_failures(call):
    before, expected = counted(), text_of(call())
    assert text_of(call()) == expected
    assert counted() == before
