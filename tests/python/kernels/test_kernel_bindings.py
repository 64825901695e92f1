# SPDX-License-Identifier: Apache-2.0
"""What attributes of objects and arguments stand for is looked up at each call, not once."""

import gc
import weakref
from collections import deque
from types import MappingProxyType

import numpy as np
import pytest
import torch

import joggle.fields as qd
from joggle._kernel.value.parameters import template_key


@qd.data_oriented
class Pair:
    """Two arrays of which one is computed from the other."""

    def __init__(self, make):
        self.x, self.y, self.step = make(qd.f32, 3), make(qd.f32, 3), 1

    @qd.kernel
    def advance(self):
        for i in range(3):
            self.y[i] = self.x[i] + self.step


class Plain:
    """An object that tells nobody when it is changed."""

    def __init__(self):
        self.a = qd.field(qd.f32, 3)


@qd.data_oriented
class Owner:
    def __init__(self):
        self.inner = Plain()

    @qd.kernel
    def set(self, value: float):
        for i in range(3):
            self.inner.a[i] = value


@qd.kernel
def set_of(owner: qd.template(), value: float):
    for i in range(3):
        owner.a[i] = value


@qd.kernel
def set_gradient(x: qd.template(), value: float):
    for i in range(3):
        x.grad[i] = value


@qd.kernel
def set_any_gradient(x: qd.types.ndarray(), value: float):
    for i in range(x.shape[0]):
        x.grad[i] = value


@pytest.mark.parametrize("make", [qd.field, qd.ndarray])
def test_arrays_that_are_exchanged_between_calls_are_found(make):
    pair = Pair(make)
    first, second = pair.x, pair.y
    for _ in range(4):
        pair.advance()
        pair.x, pair.y = pair.y, pair.x
    assert first.to_numpy().tolist() == [4, 4, 4]
    assert second.to_numpy().tolist() == [3, 3, 3]


def test_an_array_of_another_dtype_or_shape_takes_the_place_of_one():
    pair = Pair(qd.field)
    pair.advance()
    pair.y = qd.ndarray(qd.f64, (5,))
    pair.advance()
    np.testing.assert_array_equal(pair.y.to_numpy(), [1, 1, 1, 0, 0])


def test_two_attributes_may_hold_one_array_and_then_two():
    pair = Pair(qd.field)
    both = pair.x = pair.y
    pair.advance()
    pair.advance()
    pair.x = qd.field(qd.f32, 3)
    pair.advance()
    assert both.to_numpy().tolist() == [1, 1, 1]


def test_an_object_inside_an_object_may_be_another():
    owner = Owner()
    owner.set(1)
    before, owner.inner = owner.inner, Plain()
    owner.set(2)
    assert before.a.to_numpy().tolist() == [1, 1, 1]
    assert owner.inner.a.to_numpy().tolist() == [2, 2, 2]


def test_arrays_of_an_object_that_tells_nobody_are_found():
    plain = Plain()
    set_of(plain, 1)
    before, plain.a = plain.a, qd.field(qd.f32, 3)
    set_of(plain, 2)
    set_of(plain, 3)
    assert before.to_numpy().tolist() == [1, 1, 1]
    assert plain.a.to_numpy().tolist() == [3, 3, 3]


def test_adjoints_follow_arrays_that_are_exchanged():
    pair = Pair(lambda dtype, shape: qd.field(dtype, shape, needs_grad=True))
    x, y, z = pair.x, pair.y, qd.field(qd.f32, 3, needs_grad=True)
    for pair.y in (y, z):
        pair.advance()
        pair.y.grad.fill(2)
        pair.advance.grad()
    assert x.grad.to_numpy().tolist() == [4, 4, 4]


def test_the_object_of_a_method_may_have_any_name():
    @qd.data_oriented
    class Counter:
        def __init__(this):
            this.count = qd.field(qd.i32, ())

        @qd.kernel
        def add(this, n: int):
            this.count[None] += n

    counter = Counter()
    counter.add(3)
    assert counter.count[None] == 3

    @qd.kernel
    def loose(n):
        pass

    with pytest.raises(TypeError, match="parameter n needs an annotation"):
        loose(3)


def test_a_gradient_is_that_of_the_field_of_the_call():
    fields = [qd.field(qd.f32, 3, needs_grad=True) for _ in range(2)]
    for value, field in enumerate(fields):
        set_gradient(field, value)
        set_any_gradient(field, value + 10)
        set_gradient(field, value)
    assert [field.grad[1] for field in fields] == [0, 1]


def test_gradients_of_ndarrays_tensors_and_torch_tensors_are_arrays_of_kernels():
    for x in (qd.ndarray(qd.f32, 3, needs_grad=True), qd.tensor(qd.f32, 4, needs_grad=True)):
        set_any_gradient(x, 7)
        assert set(x.grad.to_numpy()) == {7}
    x = torch.ones(5)
    x.grad = torch.zeros(5)
    set_any_gradient(x, 3)
    assert x.grad.tolist() == [3] * 5


def test_an_array_without_a_gradient_is_refused_by_its_name():
    with pytest.raises(TypeError, match=r"x\.grad: got an array without one"):
        set_any_gradient(qd.ndarray(qd.f32, 3), 1)
    with pytest.raises(TypeError, match=r"x\.grad: got an array without one"):
        set_gradient(qd.field(qd.f32, 3), 1)


@qd.data_oriented
class Holder:
    """Arrays behind a list, a tuple, a property and a slot."""

    shared = None

    def __init__(self):
        self.fields, self.pair = [new(), new()], (new(), new())
        self.slotted, self._hidden = Slotted(), new()

    @property
    def hidden(self):
        return self._hidden

    @qd.kernel
    def add_to_list(self):
        for i in self.fields[0]:
            self.fields[0][i] += 1

    @qd.kernel
    def add_to_all(self):
        for x in qd.static(self.pair):
            for i in range(3):
                x[i] += 1

    @qd.kernel
    def add_to_hidden(self):
        for i in range(3):
            self.hidden[i] += 1

    @qd.kernel
    def add_to_slot(self):
        for i in range(3):
            self.slotted.x[i] += 1

    @qd.kernel
    def add_to_shared(self):
        for i in range(3):
            self.shared[i] += 1


class Slotted:
    __slots__ = ("x",)

    def __init__(self):
        self.x = new()


def new():
    return qd.field(qd.i32, 3)


def test_a_field_of_an_object_inside_is_found_by_calls_that_are_remembered():
    owner = Owner()
    owner.set(1)
    before, owner.inner.a = owner.inner.a, qd.field(qd.f32, 3)
    owner.set(2)
    assert before[0] == 1 and owner.inner.a[0] == 2


def test_fields_of_a_list_may_be_others_and_change_places():
    holder = Holder()
    first, second = holder.fields
    holder.add_to_list()
    holder.fields = holder.fields[::-1]
    holder.add_to_list()
    assert len(Holder.add_to_list.codes) == 1  # the same code, with other arrays
    holder.fields[0] = third = new()
    holder.add_to_list()
    assert [x[0] for x in (first, second, third)] == [1, 1, 1]


def test_fields_of_a_tuple_may_be_others():
    holder = Holder()
    first, second = holder.pair
    holder.add_to_all()
    holder.pair = (second, new())
    holder.add_to_all()
    assert [first[0], second[0], holder.pair[1][0]] == [1, 2, 1]


@pytest.mark.parametrize("kind", ["hidden", "slot", "shared"])
def test_fields_that_are_no_attributes_of_the_object_itself_are_found(kind, monkeypatch):
    monkeypatch.setattr(Holder, "shared", new())
    holder, owners = Holder(), {"hidden": "_hidden", "slot": "x", "shared": "shared"}
    owner = {"slot": holder.slotted, "shared": Holder}.get(kind, holder)
    call = getattr(holder, f"add_to_{kind}")
    call()
    call()
    before, after = getattr(owner, owners[kind]), new()
    setattr(owner, owners[kind], after)
    call()
    assert [before[0], after[0]] == [2, 1]


@qd.data_oriented
class Tree:
    """An object with an array, and with an object inside that leads back to it."""

    def __init__(self):
        self.x = qd.field(qd.f32, 3, needs_grad=True)
        self.inner = Plain()
        self.inner.outer = self

    @qd.kernel
    def add(self):
        for i in range(3):
            self.x[i] += self.inner.a[i]


def test_objects_go_with_the_code_of_their_kernels():
    seen = []
    for _ in range(5):
        tree = Tree()
        tree.add()
        tree.add()
        tree.add.grad()
        seen += map(weakref.ref, (tree, tree.x, tree.inner))
    del tree
    gc.collect()
    assert [x() for x in seen] == [None] * 15
    assert not Tree.add.codes and not Tree.add.grad.forms and not Tree.add.grad.codes


def test_code_of_an_object_stays_when_another_goes():
    tree, other = Tree(), Tree()
    for each in (tree, other, tree):
        each.add()
    (code,) = [code for key, code in Tree.add.codes.items() if key == call_key_of(tree)]
    del other, each
    gc.collect()
    tree.add()
    assert list(Tree.add.codes.values()) == [code]


def call_key_of(tree):
    return (template_key(tree),)


def test_templates_without_weak_references_are_told_apart():
    class Number:
        __slots__ = ("value",)

        def __init__(self, value):
            self.value = value

    @qd.kernel
    def value_of(number: qd.template()) -> int:
        return number.value

    assert [value_of(Number(i)) for i in range(100)] == list(range(100))


def filled(value):
    field = qd.field(qd.f32, 3, needs_grad=True)
    field.fill(value)
    field.grad.fill(value * 10)
    return field


@qd.data_oriented
class WithGradients:
    def __init__(self):
        self.x, self.y = filled(1), filled(2)

    @qd.kernel
    def read(self) -> qd.f32:
        return self.x.grad[0] + self.x[0]

    @qd.kernel
    def write(self):
        for i in self.x:
            self.x.grad[i] = 7


def test_a_gradient_is_that_of_the_field_that_an_attribute_holds_now():
    both = WithGradients()
    both.write()
    both.x.grad.fill(10)
    assert both.read() == 11
    both.x, both.y = both.y, both.x
    assert both.read() == 22
    both.write()
    assert both.x.grad.to_numpy().tolist() == [7] * 3
    assert both.y.grad.to_numpy().tolist() == [10] * 3


class InSlots:
    __slots__ = ("field", "inner")

    def __init__(self, value, inner=None):
        self.field, self.inner = filled(value), inner


class Callable:
    def __init__(self, value):
        self.field = filled(value)

    def __call__(self):
        return self.field


@qd.data_oriented
class Keeper:
    def __init__(self, held):
        self.held, self.several = held, deque([held])
        self.kept = MappingProxyType(entries := {"a": held})
        self.entries = entries

    @qd.kernel
    def of_held(self) -> qd.f32:
        return self.held.field[0]

    @qd.kernel
    def of_several(self) -> qd.f32:
        return self.several[0].field[0] + self.kept["a"].field[0]


@qd.kernel
def of_argument(held: qd.template()) -> qd.f32:
    return held.field[0]


@qd.kernel
def of_inner(held: qd.template()) -> qd.f32:
    return held.inner.field[0]


@pytest.mark.parametrize("kind", [InSlots, Callable])
def test_fields_of_objects_with_slots_and_of_callable_ones_are_those_of_the_call(kind):
    keeper = Keeper(kind(1))
    assert (keeper.of_held(), keeper.of_several()) == (1, 2)
    keeper.held.field = filled(2)
    assert (keeper.of_held(), keeper.of_several()) == (2, 4)
    keeper.held = kind(3)
    assert (keeper.of_held(), keeper.of_several()) == (3, 4)
    keeper.several.appendleft(kind(5))
    assert keeper.of_several() == 7
    keeper.entries["a"] = kind(6)
    assert keeper.of_several() == 11
    held = kind(1)
    assert of_argument(held) == 1
    held.field = filled(4)
    assert of_argument(held) == 4


def test_slots_inside_of_slots_are_read_at_each_call():
    held = InSlots(1, InSlots(2))
    assert of_inner(held) == 2
    held.inner = InSlots(3)
    assert of_inner(held) == 3
    held.inner.field = filled(4)
    assert of_inner(held) == 4
