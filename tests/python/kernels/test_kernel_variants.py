# SPDX-License-Identifier: Apache-2.0
"""What is known when compiling is part of what code is found by: as itself, not as its equals."""

import collections
import dataclasses
import math

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")


@pytest.fixture
def out():
    return np.zeros(1)


def results(kernel, out, *arguments):
    """What a kernel writes for each argument; each twice, so that the second call finds code."""
    found = []
    for argument in arguments:
        for _ in range(2):
            out[0] = 99
            kernel(out, argument)
        found.append(float(out[0]))
    return found


@qd.kernel
def angle(out: qd.types.ndarray(), x: qd.template()):
    out[0] = qd.atan2(qd.cast(x, qd.f64), -1.0)


def test_zeros_of_both_signs_have_code_of_their_own(out):
    zeros = 0.0, -0.0, 0.0, -0.0, np.float64(-0.0), np.float64(0.0), np.float32(-0.0)
    expected = [math.atan2(float(x), -1) for x in zeros]
    assert results(angle, out, *zeros) == pytest.approx(expected)


def test_zeros_in_tuples_and_members_have_code_of_their_own(out):
    @dataclasses.dataclass
    class Holder:
        x: qd.template()

    @qd.kernel
    def of_tuple(out: qd.types.ndarray(), x: qd.template()):
        out[0] = qd.atan2(qd.cast(x[0], qd.f64), -1.0)

    @qd.kernel
    def of_member(out: qd.types.ndarray(), holder: Holder):
        out[0] = qd.atan2(qd.cast(holder.x, qd.f64), -1.0)

    expected = pytest.approx([math.pi, -math.pi, math.pi])
    assert results(of_tuple, out, (0.0,), (-0.0,), (0.0,)) == expected
    assert results(of_member, out, Holder(0.0), Holder(-0.0), Holder(0.0)) == expected


def test_nan_is_compiled_once(out):
    @qd.kernel
    def is_nan(out: qd.types.ndarray(), x: qd.template()):
        out[0] = qd.math.isnan(qd.cast(x, qd.f64))

    assert results(is_nan, out, math.nan, float("nan"), np.float64("nan")) == [1, 1, 1]
    assert len(is_nan.codes) == 2  # of Python's, and of NumPy's


def test_numbers_of_numpy_are_found_by_their_value(out):
    values = np.arange(3, dtype=np.int32)
    results(angle, out, *values, *values)
    before = len(angle.codes)
    results(angle, out, *values)
    assert len(angle.codes) == before


def test_truth_values_integers_and_floats_are_unlike_each_other(out):
    @qd.kernel
    def kind(out: qd.types.ndarray(), x: qd.template()):
        out[0] = 1 if qd.static(type(x) is bool) else 2 if qd.static(type(x) is int) else 3

    assert results(kind, out, True, 1, 1.0, True, 1) == [1, 2, 3, 1, 2]


def test_vectors_and_structs_are_taken_as_they_are_at_the_call(out):
    @qd.kernel
    def first(out: qd.types.ndarray(), v: qd.template()):
        out[0] = v[0]

    @qd.kernel
    def member(out: qd.types.ndarray(), s: qd.template()):
        out[0] = s.p

    v, s = qd.Vector([2.0, 1.0]), qd.Struct(p=2.0, q=1.0)
    assert results(first, out, v) == [2]
    assert results(member, out, s) == [2]
    v[0], s.p = 4.0, 4.0
    assert results(first, out, v, qd.Vector([5.0, 1.0])) == [4, 5]
    assert results(member, out, s, qd.Struct(p=5.0, q=1.0)) == [4, 5]


def test_members_are_known_by_their_names(out):
    @qd.kernel
    def sum_up(out: qd.types.ndarray(), x: qd.template()):
        out[0] = x.p + 10 * x.q

    @qd.kernel
    def of_field(out: qd.types.ndarray(), x: qd.template()):
        out[0] = x[None].p

    pq, qp = collections.namedtuple("pq", "p q"), collections.namedtuple("qp", "q p")
    assert results(sum_up, out, pq(1.0, 2.0), qp(1.0, 2.0)) == [21, 12]
    fields = []
    for names in (("p", "q"), ("q", "p")):
        field = qd.types.struct(**dict.fromkeys(names, qd.f32)).field(shape=())
        field.p[None], field.q[None] = 2, 4
        fields.append(field)
    assert results(of_field, out, *fields) == [2, 2]


def test_methods_of_structs_are_known_by_what_they_do(out):
    def field_with(factor):
        @qd.func
        def scaled(self):
            return self.p * factor

        field = qd.types.struct(p=qd.f32, __struct_methods={"scaled": scaled}).field(shape=())
        field.p[None] = 3
        return field

    @qd.kernel
    def call(out: qd.types.ndarray(), x: qd.template()):
        out[0] = x[None].scaled()

    assert results(call, out, field_with(2), field_with(5)) == [6, 15]


def test_elements_of_long_axes_are_told_apart():
    def ones(n):
        field = qd.Vector.field(n, qd.i32, shape=1)
        field.fill(1)
        return field

    @qd.kernel
    def count(x: qd.types.ndarray()) -> int:
        return x[0].n

    lengths = [1, 4097, 1, 4097]
    assert [count(ones(n)) for n in lengths for _ in range(2)] == [n for n in lengths for _ in "ab"]


@qd.kernel
def entries(out: qd.types.ndarray(), x: qd.template()):
    out[0] = x["a"] + 10 * x["in"][0]


def test_dicts_are_taken_as_they_are_at_the_call(out):
    known = {"a": 1, "in": [2]}
    assert results(entries, out, known) == [21]
    known["a"], known["in"][0] = 3, 4
    assert results(entries, out, known, {"in": [6], "a": 5}) == [43, 65]


@qd.kernel
def first_of(out: qd.types.ndarray(), x: qd.template()):
    out[0] = x["field"][0]


def test_fields_of_dicts_are_those_of_the_call(out):
    one, two = qd.field(qd.f64, 2), qd.field(qd.f64, 2)
    one.fill(1)
    two.fill(2)
    known = {"field": one}
    assert results(first_of, out, known, {"field": two}) == [1, 2]
    known["field"] = two
    assert results(first_of, out, known) == [2]
    assert len(first_of.codes) == 1
