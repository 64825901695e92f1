# SPDX-License-Identifier: Apache-2.0
"""Arguments of frozen dataclasses with more arrays than a call takes apart each time: each object
is looked at once. Keywords and defaults are put in order without a slow call."""

import dataclasses
import gc
import types
import weakref

import numpy as np
import pytest
import torch

import joggle.fields as qd
from joggle._kernel.kernel import Kernel

pytestmark = pytest.mark.usefixtures("tier")

WIDTH, DEPTH = 20, 4  # 80 arrays: more than PY_MAX_PARTS
NAMES = [f"a{i}" for i in range(WIDTH)]
ARRAY = qd.types.ndarray(qd.f32, 1)


def frozen(name, members, **options):
    return dataclasses.make_dataclass(name, members, **{"frozen": True, **options})


Inner = frozen("Inner", [(name, ARRAY) for name in NAMES])
Outer = frozen("Outer", [*((f"m{k}", Inner) for k in range(DEPTH)), ("gain", qd.f32)])


def inner_of(value, make):
    return Inner(*(make(value + i) for i in range(WIDTH)))


def ndarray_of(value):
    x = qd.ndarray(qd.f32, (4,))
    x.fill(value)
    return x


def outer_of(value, make=ndarray_of, gain=1.0):
    return Outer(*(inner_of(value + 100 * k, make) for k in range(DEPTH)), gain)


@pytest.fixture
def slow(tier, monkeypatch):
    """Whether so many calls were not known. The reference knows none."""
    calls = []
    original = Kernel._call

    def counted(self, args, kwargs):
        calls.append(self.__name__)
        return original(self, args, kwargs)

    monkeypatch.setattr(Kernel, "_call", counted)
    return lambda count: tier == "reference" or len(calls) == count


@pytest.fixture
def add():
    @qd.kernel
    def add(x: Outer, out: ARRAY, times: qd.i32 = 1):
        for i in range(4):
            out[i] += (x.m0.a3[i] + x.m2.a19[i] * x.gain) * times

    return add


def test_an_object_is_looked_at_once(add, slow):
    x, out = outer_of(1), np.zeros(4, np.float32)
    for _ in range(5):
        add(x, out)
    assert out.tolist() == [5 * (4 + 220)] * 4
    assert slow(1)


def test_each_object_has_its_own_arrays_and_numbers(add, slow):
    first, second, out = outer_of(1), outer_of(2, gain=10.0), np.zeros(4, np.float32)
    for x in (first, second, first, second, second):
        add(x, out)
    assert out.tolist() == [2 * (4 + 220) + 3 * (5 + 2210)] * 4
    assert slow(2)


def test_arrays_are_read_as_they_are_at_each_call(add):
    x, out = outer_of(1), np.zeros(4, np.float32)
    add(x, out)
    x.m0.a3.fill(1000)
    x.m1.a3.fill(5000)  # nobody reads it
    add(x, out)
    assert out.tolist() == [4 + 220 + 1000 + 220] * 4


def test_objects_and_arrays_are_freed_with_their_last_name(add):
    out = np.zeros(4, np.float32)
    keep = outer_of(7)
    add(keep, out)
    for value in range(1, 30):
        x = outer_of(value)
        seen = [weakref.ref(x), weakref.ref(x.m0), weakref.ref(x.m0.a3)]
        out[:] = 0
        add(x, out)
        add(x, out)
        assert out.tolist() == [2 * (value + 3 + value + 219)] * 4
        del x
        gc.collect()
        assert [r() for r in seen] == [None] * 3
    assert len(add.watched) == 1
    out[:] = 0
    add(keep, out)
    assert out.tolist() == [10 + 226] * 4


def test_an_array_of_another_dtype_is_refused_each_time(add):
    other = qd.ndarray(qd.f64, (4,))
    good, out = outer_of(1), np.zeros(4, np.float32)
    wrong = dataclasses.replace(good, m2=dataclasses.replace(good.m2, a19=other))
    add(good, out)
    for _ in range(2):
        with pytest.raises(TypeError, match=r"a19.*float64.*float32|a19.*float64"):
            add(wrong, out)
    assert out.tolist() == [224] * 4


def test_tensors_of_torch_are_looked_at_each_time():
    """They may get another shape, which the code depends on."""
    Loose = frozen(
        "Loose",
        [
            (name, qd.types.ndarray())
            for name in [
                *NAMES,
                *"bcdefghijklmnopqrstu",
                "v",
                "w",
                "x",
                "y",
                "z",
                "a",
                "aa",
                "bb",
                "cc",
            ]
        ],
    )

    @qd.kernel
    def total(x: Loose) -> qd.f32:
        s = 0.0
        for I in qd.grouped(x.a0):  # noqa: E741
            s += x.a0[I]
        return s

    names = [field.name for field in dataclasses.fields(Loose)]
    x = Loose(**{name: torch.ones(8) for name in names})
    assert total(x) == 8 and total(x) == 8
    x.a0.resize_(2, 3).fill_(2)
    assert total(x) == 12


def test_a_dataclass_that_is_not_frozen_is_looked_at_each_time():
    Changing = frozen(
        "Changing",
        [("inner", Inner), ("more", ARRAY), *((f"b{i}", ARRAY) for i in range(30))],
        frozen=False,
    )

    @qd.kernel
    def read(x: Changing) -> qd.f32:
        return x.inner.a1[0] + x.more[0]

    b = {f"b{i}": ndarray_of(0) for i in range(30)}
    x = Changing(inner_of(1, ndarray_of), ndarray_of(10), **b)
    assert read(x) == 12 and read(x) == 12
    x.more = ndarray_of(20)
    assert read(x) == 22
    x.inner = inner_of(5, ndarray_of)
    assert read(x) == 26


def test_a_list_in_a_frozen_object_is_looked_at_each_time():
    """The object is frozen; the list is not."""
    Held = frozen(
        "Held", [("inner", Inner), *((f"m{k}", Inner) for k in range(2)), ("items", qd.template())]
    )

    @qd.kernel
    def read(x: Held) -> qd.f32:
        s = 0.0
        for item in qd.static(x.items):
            s += item
        return s + x.inner.a0[0]

    inner = [inner_of(1, ndarray_of) for _ in range(3)]
    x = Held(*inner, items=[1.0, 2.0])
    assert read(x) == 4 and read(x) == 4
    x.items.append(10.0)
    assert read(x) == 14


def test_settings_of_init_hold_for_objects_that_were_known(add):
    x, out = outer_of(1), np.zeros(4, np.float32)
    add(x, out)
    qd.init(debug=True)
    y = outer_of(2)
    add(y, out)
    add(y, out)
    assert out.tolist() == [224 + 2 * 226] * 4


def test_keywords_and_defaults_are_put_in_order(add, slow):
    x, out = outer_of(1), np.zeros(4, np.float32)
    add(x, out)
    add(x, out=out)
    add(out=out, x=x)
    add(x, times=3, out=out)
    add(x, out, 4)
    assert out.tolist() == [(1 + 1 + 1 + 3 + 4) * 224] * 4
    assert slow(1)


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        ((), {"out": 1}, "missing a required argument: 'x'"),
        ((1,), {"x": 2}, "multiple values for argument 'x'"),
        ((1, 2), {"time": 3}, "unexpected keyword argument 'time'"),
        ((1, 2, 3, 4), {}, "too many positional arguments"),
    ],
)
def test_wrong_keywords_are_refused_as_before(add, args, kwargs, words):
    x, out = outer_of(1), np.zeros(4, np.float32)
    add(x, out)
    with pytest.raises(TypeError, match=words):
        add(*args, **kwargs)
    assert out.tolist() == [224] * 4


def test_gradients_reach_arrays_of_the_object():
    Small = frozen(
        "Small", [("a", qd.types.ndarray(needs_grad=True)), *((f"n{i}", ARRAY) for i in range(60))]
    )

    @qd.kernel
    def square(x: Small, loss: qd.types.ndarray(needs_grad=True)):
        for i in range(4):
            loss[0] += x.a[i] * x.a[i] * x.n7[i]

    a, loss = qd.ndarray(qd.f32, (4,), needs_grad=True), qd.ndarray(qd.f32, (1,), needs_grad=True)
    a.fill(3)
    x = Small(a, **{f"n{i}": ndarray_of(i) for i in range(60)})
    for _ in range(2):
        loss.fill(0)
        a.grad.fill(0)
        loss.grad.fill(1)
        square(x, loss)
        square.grad(x, loss)
        assert loss.to_numpy()[0] == 4 * 9 * 7
        assert a.grad.to_numpy().tolist() == [2 * 3 * 7] * 4


def test_an_object_of_another_class_is_looked_at_each_time(add):
    frozen_one = outer_of(1)
    x = types.SimpleNamespace(**vars(frozen_one))
    out = np.zeros(4, np.float32)
    add(x, out)
    add(x, out)
    x.gain = 2.0
    add(x, out)
    assert out.tolist() == [2 * 224 + 4 + 440] * 4
