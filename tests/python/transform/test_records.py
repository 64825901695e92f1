# SPDX-License-Identifier: Apache-2.0
"""Records of compiled functions: which objects keep them, and why there was none before."""

import gc
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

import joggle as jg


class Request:
    scale = 1.0


def scaled(x, request):
    return x * request.scale


def fresh(scale):
    request = Request()
    request.scale = scale
    return request


def test_an_object_goes_with_its_last_name_and_its_record_with_it():
    compiled, x, seen = jg.compile(scaled), jg.ones(3), []
    for scale in range(7):
        request = fresh(scale)
        assert compiled(x, request).tolist() == [scale] * 3
        assert compiled(x, request).tolist() == [scale] * 3
        seen.append(weakref.ref(request))
    assert compiled.cache_info()[:3] == (7, 7, 1)
    del request
    assert [x() for x in seen] == [None] * 7
    assert compiled.cache_info()[:3] == (7, 7, 0)


def test_none_and_objects_in_the_place_of_one_that_is_gone_are_others():
    compiled, x = jg.compile(lambda x, r: x if r is None else x * r.scale), jg.ones(2)
    other = fresh(3)
    for scale in range(2, 7):
        compiled(x, fresh(scale))
        assert compiled(x, None).tolist() == [1, 1]
        assert compiled(x, other).tolist() == [3, 3]


def test_objects_in_trees_keys_and_keywords_go_as_well():
    compiled, x, seen = jg.compile(lambda tree, **more: tree["x"] + 1), jg.ones(2), []
    for _ in range(4):
        first, second, third, fourth = (Request() for _ in range(4))
        seen += map(weakref.ref, (first, second, third, fourth))
        tree = {"x": x, "a": [first, (second,)], third: 1}
        for _ in range(2):
            assert compiled(tree, request=fourth).tolist() == [2, 2]
    del first, second, third, fourth, tree
    gc.collect()
    assert [x() for x in seen] == [None] * 16
    assert compiled.cache_info()[:3] == (4, 4, 0)


def test_functions_and_classes_are_told_apart_and_not_kept():
    compiled, x = jg.compile(lambda x, f: f(x)), jg.ones(2)
    for k in range(5):
        assert compiled(x, lambda x, k=k: x + k).tolist() == [1 + k] * 2
    assert compiled(x, jg.exp).tolist() == jg.exp(x).tolist()
    assert compiled(x, jg.exp).tolist() == jg.exp(x).tolist()
    assert compiled.cache_info()[:3] == (1, 6, 1)


def test_a_weak_reference_of_the_callers_is_a_constant_like_others():
    compiled, x = jg.compile(lambda x, r: x * r().scale), jg.ones(2)
    request = fresh(2)
    for _ in range(2):
        assert compiled(x, weakref.ref(request)).tolist() == [2, 2]
    assert compiled.cache_info()[:3] == (1, 1, 1)
    strong = jg.compile(lambda x, r: x * (r() if isinstance(r, weakref.ref) else r).scale)
    for given in (request, weakref.ref(request), request, weakref.ref(request)):
        assert strong(x, given).tolist() == [2, 2]
    assert strong.cache_info()[:3] == (2, 2, 2)


def test_an_object_that_refers_to_its_function_is_collected():
    def seen_after_calls(keep):
        request = Request()
        request.compiled = jg.compile(scaled)
        request.compiled(jg.ones(2), request)
        request.me = request
        keep.append(request.compiled)
        return weakref.ref(request)

    keep = []
    seen = seen_after_calls(keep)
    gc.collect()
    assert seen() is None and keep[0].cache_info().size == 0
    seen = seen_after_calls([])
    gc.collect()
    assert seen() is None


def test_an_object_that_comes_back_to_life_is_traced_again():
    kept = []

    class Phoenix(Request):
        def __del__(self):
            kept.append(self)

    compiled, x = jg.compile(scaled), jg.ones(2)
    phoenix = Phoenix()
    phoenix.me = phoenix
    compiled(x, phoenix)
    del phoenix
    gc.collect()
    assert compiled(x, kept[0]).tolist() == [1, 1]
    assert compiled(x, kept[0]).tolist() == [1, 1]


def test_objects_that_are_equal_share_a_record_which_holds_one():
    class Equal:
        def __eq__(self, other):
            return isinstance(other, Equal)

        __hash__ = None

    compiled, x = jg.compile(lambda x, e: x + 1), jg.ones(2)
    for _ in range(3):
        compiled(x, Equal())
    assert compiled.cache_info()[:3] == (2, 1, 1)


def test_an_object_may_go_during_the_call_that_is_traced_with_it():
    state = {"x": jg.ones(2), "request": fresh(5)}

    def use(y):
        return y * state.pop("request").scale

    compiled = jg.compile(use, inputs=state)
    with pytest.raises(KeyError):
        for _ in range(3):
            compiled(jg.ones(2))
            state.pop("request")
    state["request"] = fresh(7)
    assert compiled(jg.ones(2)).tolist() == [7, 7]


def test_objects_go_while_other_threads_call_the_function():
    compiled, x = jg.compile(scaled), jg.ones(4)
    stays = fresh(9)

    def work(seed):
        for step in range(40):
            scale = seed * 100 + step
            assert compiled(x, fresh(scale)).tolist() == [scale] * 4
            assert compiled(x, stays).tolist() == [9] * 4

    with pytest.warns(UserWarning, match="other objects"), ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert compiled.cache_info().size == 1


def test_a_new_object_at_each_call_is_warned_of():
    compiled, x = jg.compile(scaled), jg.ones(2)
    text = r"scaled: traced 8 times for other objects, the last one \[0\]\[1\]: Request, equal to"
    with pytest.warns(UserWarning, match=text) as caught:
        for _ in range(12):
            compiled(x, Request())
    assert len(caught) == 1 and caught[0].filename == __file__


def test_a_call_that_raises_is_no_reason():
    faults = [KeyError("x")]

    @jg.compile
    def double(x):
        if faults:
            raise faults.pop()
        return x * 2

    with pytest.raises(KeyError):
        double(jg.ones(3))
    double(jg.ones(3))
    assert double.cache_info() == (0, 1, 1, ("the first call",))
    faults.append(KeyError("y"))
    with pytest.raises(KeyError):
        double(jg.ones(4))
    double(jg.ones(5))
    text = "[0][0]: float32 of shape (3,) became float32 of shape (5,)"
    assert double.cache_info().reasons == ("the first call", text)


def test_first_calls_of_many_threads_leave_one_record_and_one_reason():
    @jg.compile
    def double(x):
        time.sleep(0.02)
        return x * 2

    barrier = threading.Barrier(6)

    def call(i):
        barrier.wait()
        return double(jg.ones(2) * i).tolist()

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(call, range(6))) == [[2 * i] * 2 for i in range(6)]
    info = double.cache_info()
    assert (info.size, info.reasons) == (1, ("the first call",))


def test_arrays_that_another_thread_traces_with_say_so_until_it_has_ended():
    state, traced, asked, met = {"x": jg.ones(2)}, threading.Event(), threading.Event(), []

    def step(y):
        met.append(state["x"])
        traced.set()
        asked.wait()
        return state["x"] + y

    compiled = jg.compile(step, inputs=state)
    other = threading.Thread(target=lambda: compiled(jg.ones(2)))
    other.start()
    traced.wait()
    try:
        text = r"\[compile\] step: .* being traced in another thread, which has no values"
        with pytest.raises(ValueError, match=text):
            (state["x"] * 2).tolist()
    finally:
        asked.set()
        other.join()
    assert (state["x"] * 2).tolist() == [2, 2]
    with pytest.raises(ValueError, match=r"\[compile\] step: .* was traced and has ended"):
        met[0].tolist()


def test_reasons_that_the_description_does_not_show_are_told():
    compiled = jg.compile(lambda x, tree: x + len(tree))
    for tree in ([1], (1,), {0: 1}, frozenset([1])):
        compiled(jg.ones(2), tree)
    first, *others = compiled.cache_info().reasons
    assert first == "the first call"
    assert others[:2] == ["other containers"] * 2
    compiled(jg.ones(2), frozenset([2]))
    assert compiled.cache_info().reasons[-1] == "an object that is equal to none before"
