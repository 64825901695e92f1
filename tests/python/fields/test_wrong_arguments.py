# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments of each entry point: messages name the argument, what it was, what is allowed."""

import re

import numpy as np
import pytest

import joggle as jg
import joggle.fields as qd

struct = qd.types.struct(a=qd.f32, p=qd.types.vector(2, qd.f32))


@qd.kernel
def write(a: qd.types.ndarray(qd.f32, 1), n: qd.i32):
    a[0] = n


@qd.kernel
def total(v: qd.types.vector(3, qd.f32)) -> qd.f32:
    return v.sum()


@qd.kernel
def member(s: struct) -> qd.f32:
    return s.a


def refused(kind, words, call):
    with pytest.raises(kind, match=re.escape(words)):
        call()


@pytest.mark.parametrize(
    ("kind", "words", "call"),
    [
        (TypeError, "dtype: got 'f33', which", lambda: qd.field("f33", 3)),
        (TypeError, "shape: got (2, 'a'), allowed are int", lambda: qd.field(qd.f32, (2, "a"))),
        (TypeError, "shape: got 2.5, allowed are integers", lambda: qd.field(qd.f32, 2.5)),
        (TypeError, "shape: got None, allowed are integers", lambda: qd.ndarray(qd.f32, None)),
        (ValueError, "order: got 'ij', allowed is each of", lambda: qd.field(qd.f32, 3, "ij")),
        (
            ValueError,
            "offset: got (1, 2), allowed is a",
            lambda: qd.field(qd.f32, 3, offset=(1, 2)),
        ),
        (TypeError, "layout: got 'AOS', allowed are", lambda: qd.field(qd.f32, 3, layout="AOS")),
        (
            ValueError,
            "layout: got (0, 0), allowed is",
            lambda: qd.tensor(qd.f32, (2, 3), layout=(0, 0)),
        ),
        (ValueError, "backend: got 5, allowed are", lambda: qd.tensor(qd.f32, 3, backend=5)),
        (TypeError, "n: got 0, allowed are integers from 1", lambda: qd.Vector.field(0, qd.f32, 3)),
        (TypeError, "m: got joggle.float32, allowed", lambda: qd.types.matrix(3, qd.f32)),
        (TypeError, "ndim: got 'a', allowed are integers", lambda: qd.types.ndarray(ndim="a")),
        (TypeError, "member 'a': got 5, allowed are", lambda: qd.types.struct(a=5)),
        (TypeError, "members: got list, allowed is a dict", lambda: qd.Struct.field([1], shape=2)),
        (TypeError, "dataclass: got 3, allowed are classes", lambda: qd.dataclass(3)),
        (ValueError, "dimensions: got -3, allowed are int", lambda: qd.root.dense(qd.i, -3)),
        (ValueError, "dimensions: got 2 for 3 axes", lambda: qd.root.dense(qd.ijk, (2, 3))),
        (TypeError, "axes: got 'i', allowed are integers", lambda: qd.root.dense("i", 2)),
        (TypeError, "place: got 5, allowed are fields", lambda: qd.root.dense(qd.i, 2).place(5)),
        (ValueError, "axes: got 'a', allowed are 0 to 11", lambda: qd.axes("a")),
    ],
)
def test_makers_of_fields_say_what_is_allowed(kind, words, call):
    refused(kind, words, call)


@pytest.mark.parametrize(
    ("kind", "words", "call"),
    [
        (TypeError, "index: got 'a' along axis 0, allowed are", lambda x, v: x["a", 0]),
        (TypeError, "index: got 0.5 along axis 1, allowed are", lambda x, v: x[1, 0.5]),
        (ValueError, "copy_from: got elements of shape (3,), all", lambda x, v: x.copy_from(v)),
        (TypeError, "copy_from: got int, allowed are fields", lambda x, v: x.copy_from(3)),
        (TypeError, "tensor: got ndarray, allowed are", lambda x, v: x.from_torch(np.zeros(3))),
        (ValueError, "shape: got (2,), allowed is (4, 3)", lambda x, v: x.from_numpy([1, 2])),
        (TypeError, "value: got str, allowed are numbers", lambda x, v: x.fill("a")),
    ],
)
def test_methods_of_fields_say_what_is_allowed(kind, words, call):
    x, v = qd.field(qd.f32, (4, 3)), qd.Vector.field(3, qd.f32, 4)
    refused(kind, words, lambda: call(x, v))


def test_fields_of_structs_say_what_is_allowed():
    s = struct.field(shape=4)
    refused(
        TypeError,
        "values: got ndarray, allowed is a dict by member, of a, p",
        lambda: s.from_numpy(np.zeros(4)),
    )
    refused(
        ValueError,
        "members: got ['a'], allowed are exactly ['a', 'p']",
        lambda: s.from_numpy({"a": 1}),
    )


@pytest.mark.parametrize(
    ("kind", "words", "call"),
    [
        (
            TypeError,
            "[write] missing a required argument: 'a'; allowed are a, n",
            lambda x: write(),
        ),
        (TypeError, "[write] too many positional arguments; allowed", lambda x: write(x, 1, 2)),
        (TypeError, "[write] a: got int for an array; allowed are", lambda x: write(1, 2)),
        (
            TypeError,
            "[write] argument a: got 2 dimensions, allowed are 1",
            lambda x: write(qd.field(qd.f32, (2, 2)), 1),
        ),
        (TypeError, "[write] argument a: got an array of float64", lambda x: write(np.zeros(3), 1)),
        (TypeError, "[total] v: got 2 numbers, allowed are 3", lambda x: total([1, 2])),
        (TypeError, "[total] v: got int, allowed are vectors, lists", lambda x: total(5)),
        (TypeError, "[member] s: got int, allowed are structs", lambda x: member(3)),
        (
            TypeError,
            "[member] s: got a struct of a, allowed are those with a member p",
            lambda x: member({"a": 1}),
        ),
        (
            TypeError,
            "[member] s: member p: got 3 numbers, allowed are 2",
            lambda x: member({"a": 1, "p": [1, 2, 3]}),
        ),
    ],
)
def test_kernels_say_what_is_allowed(tier, kind, words, call):
    """Before a call of that kernel that went well, and after it."""
    x = qd.ndarray(qd.f32, 4)
    refused(kind, words, lambda: call(x))
    write(x, 1), total([1, 2, 3]), member({"a": 1, "p": [1, 2]})
    refused(kind, words, lambda: call(x))


def test_compiled_kernels_say_what_is_allowed(compiler):
    x = qd.ndarray(qd.f32, 4)
    refused(TypeError, "[write] argument n: got str, allowed are numbers", lambda: write(x, "a"))
    refused(
        TypeError, "[total] argument v_2: got str, allowed are numbers", lambda: total([1, 2, "a"])
    )
    refused(
        BufferError,
        "[write] argument a: arrays of joggle are values",
        lambda: write(jg.zeros(3), 1),
    )
    frozen = np.zeros(3, np.float32)
    frozen.flags.writeable = False
    refused(BufferError, "[write] array a: the memory is read-only, and", lambda: write(frozen, 1))


@pytest.mark.parametrize(
    ("kind", "words", "settings"),
    [
        (TypeError, "arch: got 'foo', allowed is one of ['x64', ", {"arch": "foo"}),
        (ValueError, "default_fp: got int32, allowed is one of", {"default_fp": qd.i32}),
        (ValueError, "cpu_max_num_threads: got -1, allowed are", {"cpu_max_num_threads": -1}),
        (TypeError, "random_seed: got 'a', allowed are integers", {"random_seed": "a"}),
        (ValueError, "log_level: got 'loud', allowed are trace", {"log_level": "loud"}),
        (TypeError, "unexpected keyword argument 'foo'", {"foo": 1}),
    ],
)
def test_init_says_what_is_allowed_and_loses_nothing(kind, words, settings):
    x = qd.field(qd.f32, 3)
    refused(kind, words, lambda: qd.init(**settings))
    x.fill(1)  # nothing is lost


def test_derivatives_and_dispatch_say_what_is_allowed():
    refused(TypeError, "loss: got 5, allowed are fields and tensors", lambda: qd.ad.Tape(loss=5))
    refused(RuntimeError, "grad_for: 3 is not marked with", lambda: qd.ad.grad_for(3))
    refused(
        TypeError,
        "get_geometry_hash: got 3, allowed are",
        lambda: qd.perf_dispatch(get_geometry_hash=3),
    )
    refused(TypeError, "select: missing a required argument: 'x2'", lambda: qd.select(1, 2))


def test_seeds_and_threads_of_init_hold(compiler):
    x = qd.field(qd.f32, 100)

    def drawn(seed):
        qd.init(random_seed=seed, cpu_max_num_threads=1)
        x = qd.field(qd.f32, 100)

        @qd.kernel
        def draw():
            for i in x:
                x[i] = qd.random()

        draw()
        return x.to_numpy()

    before = jg.get_option("num_threads")
    first, other = drawn(7), drawn(8)
    assert (drawn(7) == first).all() and (first != other).any()
    assert jg.get_num_threads() == 1
    qd.reset()
    assert jg.get_option("num_threads") == before
    with pytest.raises(RuntimeError):
        x.fill(1)
