# SPDX-License-Identifier: Apache-2.0
"""Control flow that is decided when compiling: loops that never turn, comprehensions with an if."""

import numpy as np
import pytest

import joggle.fields as qd

pytestmark = pytest.mark.usefixtures("tier")
DEBUG = False


@pytest.fixture
def out():
    return np.zeros(4, np.float32)


def test_a_while_that_is_known_to_be_false_leaves_no_trace(out):
    @qd.kernel
    def run(out: qd.types.ndarray()):
        while DEBUG:
            out[0] = 1
        while qd.static(False):
            out[0] = 2
            break
        for i in range(2):
            n = 0
            while 0:
                n += 1
            while n < 3 and False:  # noqa: SIM223
                n += 1
            while not True:
                while True:
                    n += 1
                continue
            out[i + 1] = 5 + n
        out[3] = 7

    run(out)
    assert out.tolist() == [0, 5, 5, 7]


def test_a_return_in_a_while_that_never_turns_is_none(out):
    @qd.func
    def pick():
        while DEBUG:
            return 3
        return 4

    @qd.kernel
    def run(out: qd.types.ndarray()):
        out[0] = pick()

    run(out)
    assert out[0] == 4


@pytest.mark.parametrize("flag", [False, 0, 0.0])
def test_a_template_decides_whether_a_while_turns(out, flag):
    @qd.kernel
    def run(out: qd.types.ndarray(), flag: qd.template()):
        for i in range(3):
            while flag:
                continue
            out[i] = i

    run(out, flag)
    assert out.tolist() == [0, 1, 2, 0]


def test_comprehensions_leave_out_what_constants_say(out):
    @qd.kernel
    def run(out: qd.types.ndarray()):
        high = [x for x in qd.static(range(4)) if x > 1]
        odd = [2 * x for x in range(6) if x % 2 == 1 and x > 1]
        pairs = [i * j for i in range(3) for j in range(3) if i != j if i + j < 3]
        out[0] = high[0] * 10 + high[1]
        out[1] = odd[0] * 10 + len(odd)
        out[2] = len(pairs)
        out[3] = sum(b + c for a, (b, c) in ((1, (2, 3)), (4, (5, 6))) if a > 1)

    run(out)
    assert out.tolist() == [23, 62, 4, 11]


def test_a_comprehension_has_names_of_its_own(out):
    @qd.kernel
    def run(out: qd.types.ndarray()):
        x = 5
        tripled = [3 * x for x in (1, 2)]
        x += 1
        out[0], out[1] = x, tripled[1]

    run(out)
    assert out.tolist() == [6, 6, 0, 0]


def test_an_if_that_only_a_run_knows_is_refused_in_a_comprehension(out):
    @qd.kernel
    def run(out: qd.types.ndarray()):
        high = [out[x] for x in range(4) if out[x] > 0]
        out[0] = high[0]

    message = "the if of a comprehension: got a value of bool, which only a run knows"
    with pytest.raises(TypeError, match=message):
        run(out)


def test_a_name_of_static_stays_known_when_compiling(out):
    @qd.func
    def picked(a, b, backward: qd.template()):
        return a if qd.static(not backward) else b

    @qd.func
    def scaled(x, backward: qd.template()):
        BW = qd.static(backward)
        count = kept = qd.static(2)
        index = (0 if qd.static(not BW) else 1, count)
        for i in qd.static(range(count)):
            last = qd.static(i == kept - 1)
            if qd.static(last):
                x += picked(10.0, 20.0, BW) + index[0]
        return x

    @qd.kernel
    def run(out: qd.types.ndarray(), backward: qd.template()):
        n = qd.static(3)
        for i in range(n):
            v = qd.Vector.zero(qd.f32, n)
            v[n - 1] = scaled(i, backward)
            out[i] = v[2]

    run(out, False)
    assert out.tolist() == [10, 11, 12, 0]
    run(out, True)
    assert out.tolist() == [21, 22, 23, 0]


def test_a_name_of_static_that_changes_is_a_variable(out):
    @qd.kernel
    def run(out: qd.types.ndarray()):
        n, m = qd.static(3), qd.static(4)
        total = qd.static(1)
        for i in range(n):
            total += i * m
        again = qd.static(1)
        if total > 2:
            again = qd.static(7)
        out[0], out[1] = total, again

    @qd.kernel
    def wrong(out: qd.types.ndarray()):
        total = qd.static(1)
        total += 1
        out[0] = 1 if qd.static(total == 2) else 0

    run(out)
    assert out.tolist() == [13, 7, 0, 0]
    with pytest.raises(TypeError, match="wrong: static: got a value of bool, which only a run"):
        wrong(out)
