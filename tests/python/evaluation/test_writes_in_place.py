# SPDX-License-Identifier: Apache-2.0
"""Writing by an index copies what somebody holds, once however many writes come before one
evaluation, and nothing where nobody does."""

import numpy as np
import pytest

import joggle as jg

SMALL, LARGE = 1 << 13, 1 << 20  # evaluated at once, and on a stream


def computed(size):
    x = jg.arange(size, dtype=jg.float32) * 1
    jg.eval(x)
    return x


def peak_of(work, *arguments):
    """How much more memory was in use than before, at most."""
    jg.synchronize()
    jg.reset_peak_memory()
    before = jg.get_active_memory()
    result = work(*arguments)
    return jg.get_peak_memory() - before, result


def written(x):
    """Three writes; np.ndarray and jg.array take them alike."""
    x[3] += 5
    x[7:9] = 2
    x[[100, 50]] *= 3
    return x


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_several_writes_cost_one_copy_of_what_is_held(size):
    x = computed(size)

    def work():
        y = written(jg.array(x, copy=False))
        jg.eval(y)
        return y

    peak, y = peak_of(work)
    assert 4 * size <= peak < 4 * size + 4096
    expected = np.arange(size, dtype="f4")
    assert np.array_equal(np.asarray(x), expected)
    assert np.array_equal(np.asarray(y), written(expected.copy()))


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_writes_to_what_nobody_else_holds_cost_no_copy(size):
    x = computed(size)

    def work(x):
        for i in range(20):
            x[i] = -1
            x[i + 30 :: 5000] += i
            jg.eval(x)
        return x

    held = [x]
    del x
    peak, x = peak_of(lambda: work(held.pop()))
    assert peak < 4096
    expected = work_of_numpy(size)
    assert np.array_equal(np.asarray(x), expected)


def work_of_numpy(size):
    a = np.arange(size, dtype="f4")
    for i in range(20):
        a[i] = -1
        a[i + 30 :: 5000] += i
    return a


def test_what_reads_a_value_between_writes_sees_that_value():
    rng = np.random.default_rng(5)
    for _ in range(200):
        a = rng.integers(0, 9, 40).astype("f4")
        x, values, references = jg.array(a) * 1, [], []
        if rng.random() < 0.5:
            jg.eval(x)
        for _ in range(int(rng.integers(2, 9))):
            choice, i = rng.integers(4), int(rng.integers(30))
            if choice == 0:
                x, a = x.at[i : i + 5].add(2), np.concatenate([a[:i], a[i : i + 5] + 2, a[i + 5 :]])
            elif choice == 1:
                x, a = jg.cumsum(x) % 7, np.cumsum(a, dtype="f4") % 7
            elif choice == 2:
                x, a = x * 2 - 1, a * 2 - 1
            else:
                values.append(x if rng.random() < 0.5 else x + 1)
                references.append(a if values[-1] is x else a + 1)
        jg.eval(x, *values)
        assert np.array_equal(np.asarray(x), a)
        for value, reference in zip(values, references, strict=True):
            assert np.array_equal(np.asarray(value), reference)


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_a_write_that_fails_spoils_nothing_that_is_held(size):
    x = computed(size)
    y = x.at[jg.array([3, size]) * 1].set(1.0)
    for _ in range(2):
        with pytest.raises(IndexError, match=r"\[scatter\] index: .* is out of range"):
            y.wait()
    assert np.array_equal(np.asarray(x), np.arange(size, dtype="f4"))


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_a_write_that_fails_half_way_has_failed_for_good(size):
    x = computed(size)
    x = x.at[jg.array([3, size]) * 1].set(1.0)  # nobody else holds what is written over
    for _ in range(2):
        with pytest.raises(IndexError, match=r"\[scatter\] index: .* is out of range"):
            x.wait()
        assert x.status == "failed"
    with pytest.raises(IndexError):
        (x + 1).wait()
