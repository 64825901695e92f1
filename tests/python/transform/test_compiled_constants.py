# SPDX-License-Identifier: Apache-2.0
"""What is no array among the arguments of compiled functions, and arguments that are given away."""

import dataclasses
import sys
import threading
import warnings

import numpy as np
import pytest

import joggle as jg


@dataclasses.dataclass
class Factor:
    k: float


def test_threads_compare_constants_while_others_drop_records():
    scaled = jg.compile(lambda x, factor: x * factor.k)
    wrong = []

    def work(start):
        for step in range(600):
            k = float((start + 7 * step) % 300)
            got = scaled(jg.array([1.0, 2.0]), Factor(k)).tolist()
            if got != [k, 2 * k]:
                wrong.append((k, got))
            if step % 100 == 99:
                scaled.cache_clear()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []


@pytest.mark.parametrize("answer", [False, True])
def test_a_comparison_may_forget_all_records(answer):
    class Constant:
        def __eq__(self, other):
            add.cache_clear()
            return answer

        def __hash__(self):
            return 0

    add = jg.compile(lambda x, constant: x + 1)
    for _ in range(20):
        assert add(jg.ones(2), Constant()).tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (lambda: {1, 2}, lambda s: s.add(3)),
        (lambda: bytearray(b"ab"), lambda b: b.append(0)),
    ],
)
def test_a_constant_that_was_changed_is_another(make, change):
    constant, by_length = make(), jg.compile(lambda x, c: x * len(c))
    for _ in range(2):
        assert float(by_length(jg.array(1.0), constant)) == 2.0
    change(constant)
    for _ in range(2):
        assert float(by_length(jg.array(1.0), constant)) == 3.0
    assert float(by_length(jg.array(1.0), make())) == 2.0
    assert by_length.cache_info()[:2] == (3, 2)


def test_an_attribute_of_a_constant_that_was_changed_makes_it_another():
    factor, scaled = Factor(2.0), jg.compile(lambda x, factor: x * factor.k)
    assert float(scaled(jg.array(1.0), factor)) == 2.0
    factor.k = 5.0
    assert float(scaled(jg.array(1.0), factor)) == 5.0
    assert float(scaled(jg.array(1.0), Factor(2.0))) == 2.0


def test_a_function_that_changes_its_constant_is_traced_for_what_it_was():
    @jg.compile
    def grow(x, items):
        items.add(len(items))
        return x * len(items)

    assert float(grow(jg.array(1.0), set())) == 1.0
    assert float(grow(jg.array(1.0), {"a"})) == 2.0
    assert float(grow(jg.array(1.0), set())) == 1.0
    assert grow.cache_info().hits == 1


def test_a_constant_that_cannot_be_copied_is_traced_each_time():
    factor, scaled = Factor(2.0), jg.compile(lambda x, factor: x * factor.k)
    factor.lock = threading.Lock()
    assert float(scaled(jg.array(1.0), factor)) == 2.0
    factor.k = 3.0
    assert float(scaled(jg.array(1.0), factor)) == 3.0
    assert scaled.cache_info().hits == 0


def test_donated_arguments_that_are_not_there_are_refused_by_name():
    def double(x, k=2):
        return x * k

    for numbers in (None, True, (0, True), "0", -1, 1.0):
        with pytest.raises(ValueError, match=r"\[compile\] donate_argnums: got"):
            jg.compile(double, donate_argnums=numbers)
    x = jg.ones(2)
    text = r"\[compile\] double: donate_argnums has 1, and the function was called with 1 pos"
    with pytest.raises(ValueError, match=text):
        jg.compile(double, donate_argnums=(0, 1))(x)
    with pytest.raises(ValueError, match=r"donate_argnums has 0, .* called with 0 positional"):
        jg.compile(double, donate_argnums=0)(x=x)
    assert x.tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match=f"donate_argnums has {2**70}"):
        jg.compile(double, donate_argnums=2**70)(x)


def test_iterators_and_coroutines_are_refused_by_name():
    def total(items):
        return sum(items, jg.array(0.0))

    def each(x):
        yield x

    async def later(x):
        return x

    x = jg.ones(2)
    with pytest.raises(TypeError, match=r"\[compile\] total: an argument is generator"):
        jg.compile(total)(x for _ in range(2))
    with pytest.raises(TypeError, match=r"\[compile\] total: an argument is list_iterator"):
        jg.compile(total)(items=iter([x]))
    with pytest.raises(TypeError, match=r"\[compile\] each: a result is generator"):
        jg.compile(each)(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nobody awaits it
        with pytest.raises(TypeError, match=r"\[compile\] later: a result is coroutine"):
            jg.compile(later)(x)
    assert jg.compile(total)([x, x]).tolist() == [2.0, 2.0]


def test_after_cache_clear_the_next_call_is_the_first():
    double = jg.compile(lambda x: x + x)
    double(jg.ones(2))
    double.cache_clear()
    double(jg.ones(2))
    assert double.cache_info().reasons == ("the first call",)


def test_another_layout_is_told_as_the_reason():
    double, x = jg.compile(lambda x: x + x), jg.array([1.0, 2.0])
    assert double(x).tolist() == [2.0, 4.0]
    assert double(x[::-1]).tolist() == [4.0, 2.0]
    text = "[0][0]: float32 of shape (2,) became float32 of shape (2,) with strides (-1,)"
    assert double.cache_info().reasons == ("the first call", text)
    assert jg.vmap(double)(jg.stack([x, x])[:, ::-1]).tolist() == [[4.0, 2.0]] * 2


def test_a_compiled_function_within_another_is_part_of_it():
    inner = jg.compile(lambda x: x + 1)
    outer = jg.compile(lambda x: inner(x) * 2)
    for shape in ((3,), (2, 2)):
        assert outer(jg.ones(shape)).tolist() == (jg.ones(shape) * 4).tolist()
    assert inner.cache_info().misses == 2


@pytest.mark.parametrize("kind", [frozenset, set, lambda numbers: slice(0, numbers[0])])
@pytest.mark.parametrize("numbers", [([1], [1.0]), ([1], [True]), ([0.0], [-0.0])])
def test_numbers_in_sets_and_slices_are_told_apart(kind, numbers):
    seen = []

    @jg.compile
    def function(x, given):
        found = given.stop if isinstance(given, slice) else next(iter(given))
        seen.append(repr(found))
        return x * found

    for each in (*numbers, *numbers):
        x = jg.array([2])
        found, expected = function(x, kind(each)), x * each[0]
        assert found.dtype == expected.dtype
        assert repr(found.tolist()) == repr(expected.tolist())
    assert seen == [repr(each[0]) for each in numbers]


def written(result):
    """What it holds, before all of it is written over through NumPy."""
    view = np.asarray(result)
    found = view.tolist()
    view += 5
    return found


MADE = {
    "a number": lambda x: (x * 2, jg.ones((3,))),
    "a range": lambda x: (x * 2, jg.arange(3.0)),
    "computed": lambda x: (x * 2, jg.arange(3.0) * 2),
    "a view": lambda x: (x * 2, (jg.arange(6.0) * 2)[::-2]),
    "computed alone": lambda x: (jg.arange(3.0) * 2 + 1,),
    "a gradient": jg.grad(lambda x: jg.sum(x * 3)),
}


@pytest.mark.parametrize("name", MADE)
def test_who_writes_to_a_result_that_no_argument_changes_writes_to_one_call_alone(name, tmp_path):
    function, x = MADE[name], jg.ones((3,))
    path = tmp_path / "function.jgf"
    jg.export_function(path, function, x)
    for each in (jg.compile(function), jg.import_function(path)):
        expected = np.asarray(last_of(function(x))).tolist()
        for _ in range(3):
            assert written(last_of(each(x))) == expected


def last_of(results):
    return results[-1] if isinstance(results, (tuple, list)) else results


def test_an_array_from_outside_stays_the_one_that_it_is():
    outside = jg.from_dlpack(np.arange(3.0))
    function = jg.compile(lambda x: (x * 2, outside))
    assert np.shares_memory(np.asarray(function(jg.ones(3))[1]), np.asarray(outside))


def test_constant_results_over_one_array_share_memory_within_a_call_alone():
    def function(x):
        made = jg.arange(6.0) * 2
        return x * 2, made[::-2], made.reshape((2, 3))

    compiled = jg.compile(function)
    first, second = (list(map(np.asarray, compiled(jg.ones(2)))) for _ in range(2))
    assert np.shares_memory(first[1], first[2]) and first[1].strides[0] < 0
    assert not any(np.shares_memory(a, b) for a in first for b in second)
