# SPDX-License-Identifier: Apache-2.0
"""Random programs of lazy reads and writes on a few fields, beside NumPy, which computes at once.

A lazy value must be what NumPy had when it was built, whatever is written before it is asked for.
"""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import joggle as jg
import joggle.fields as qd

SIZE, FIELDS = 6, 3


def make_fields():
    scalars = qd.field(qd.i32, shape=SIZE)
    vectors = qd.Vector.field(2, qd.i32, shape=SIZE)
    struct = qd.Struct.field({"a": qd.i8, "b": qd.i32}, shape=SIZE)
    return [scalars, vectors.get_scalar_field(1), struct.b]


class Program:
    """The fields and what NumPy says of them, the lazy values and what they must be."""

    def __init__(self):
        self.fields = make_fields()
        self.states = [np.zeros(SIZE, np.int32) for _ in self.fields]
        self.aliases = [jg.asarray(field) for field in self.fields]
        self.imports = [jg.from_dlpack(field.to_numpy(copy=False)) for field in self.fields]
        self.values = []

    def read(self, number, way):
        """A lazy value straight from a field."""
        number %= FIELDS
        alias, state = self.aliases[number], self.states[number]
        lazy, eager = [
            lambda: (alias + 1, state + 1),
            lambda: (alias[::-1] * 2, state[::-1] * 2),
            lambda: (jg.cumulative_sum(alias, dtype=jg.int32), np.cumsum(state, dtype=np.int32)),
            lambda: (self.imports[number] - 3, state - 3),
            lambda: (alias[jg.array([5, 0, 2, 2, 1, 4])], state[[5, 0, 2, 2, 1, 4]]),
            lambda: (alias + self.aliases[0], state + self.states[0]),
        ][way % 6]()
        self.values.append((lazy, eager))

    def combine(self, number, way):
        """A lazy value of lazy values; the first may be dropped, so that only this one holds it."""
        if not self.values:
            return
        first, other = self.values[number % len(self.values)], self.values[way % len(self.values)]
        self.values.append((first[0] * 3 - other[0], first[1] * 3 - other[1]))
        if way % 2:
            del self.values[number % (len(self.values) - 1)]

    def drop(self, number, _):
        if self.values:
            del self.values[number % len(self.values)]

    def evaluate(self, number, way):
        if self.values:
            value = self.values[number % len(self.values)][0]
            jg.eval(value) if way % 2 else jg.async_eval(value)

    def write(self, number, way):
        number %= FIELDS
        field, state = self.fields[number], self.states[number]
        if way % 4 == 0:
            field[way % SIZE] = way
            state[way % SIZE] = way
        elif way % 4 == 1:
            field.fill(way)
            state[:] = way
        elif way % 4 == 2:
            other = self.fields[way % FIELDS]
            state[:] = self.states[way % FIELDS]
            field.copy_from(other)
        elif self.values:
            lazy, eager = self.values[way % len(self.values)]
            field.from_array(lazy)
            state[:] = eager

    def check(self):
        for field, state in zip(self.fields, self.states, strict=True):
            np.testing.assert_array_equal(field.to_numpy(), state)
        for lazy, eager in self.values:
            np.testing.assert_array_equal(np.asarray(lazy), eager)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["read", "read", "combine", "write", "write", "drop", "evaluate"]),
        st.integers(0, 50),
        st.integers(0, 50),
    ),
    max_size=40,
)


@given(STEPS)
@settings(max_examples=300)
def test_lazy_values_are_what_they_were_when_they_were_built(steps):
    program = Program()
    for step, number, way in steps:
        with np.errstate(over="ignore"):
            getattr(program, step)(number, way)
    program.check()
