# SPDX-License-Identifier: Apache-2.0
"""compile: the same values as without it, one trace for each signature, state, errors by name."""

import functools
import gc
import threading
import time
import warnings

import numpy as np
import pytest

import joggle as jg


def test_a_compiled_function_gives_the_bits_of_the_plain_one_and_runs_python_once():
    runs = []

    def program(x, w):
        runs.append(1)
        y = jg.tanh(x @ w) * 0.5 + jg.sum(x, axis=1, keepdims=True)
        return {"y": y, "parts": (y[::2, 1:], jg.sort(y, axis=0)), "name": "fixed"}

    compiled = jg.compile(program)
    generator = np.random.default_rng(3)
    w = jg.asarray(generator.standard_normal((5, 4)))
    for _ in range(3):
        x = jg.asarray(generator.standard_normal((6, 5)))
        got, want = compiled(x, w), program(x, w)
        assert got["name"] == "fixed"
        np.testing.assert_array_equal(np.asarray(got["y"]), np.asarray(want["y"]))
        for a, b in zip(got["parts"], want["parts"], strict=True):
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
    assert len(runs) == 4  # three of the plain function, one trace
    assert compiled.cache_info()[:3] == (2, 1, 1)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x,
        lambda x: x.T,
        lambda x: x[::-1, ::2],
        lambda x: x[1:, 1:],
        lambda x: jg.broadcast_to(x[:1], x.shape),
        lambda x: x * 2,  # pending
    ],
)
def test_arguments_of_any_layout_are_taken_as_they_lie(make):
    def program(x):
        return x.T[1:] + 1, jg.sum(x[:, ::-1], axis=0), jg.reshape(x, (-1,)), x

    compiled = jg.compile(program)
    base = np.random.default_rng(1).standard_normal((4, 4))
    for shift in range(3):
        x = make(jg.asarray(base + shift))
        for a, b in zip(compiled(x), program(x), strict=True):
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
    assert compiled.cache_info().misses == 1


def test_each_signature_is_traced_once_and_the_reason_is_told():
    compiled = jg.compile(lambda x, scale=1.0: x * scale)
    x = jg.ones((3,))
    for arguments in ((x,), (x, 2.0), (x, 2.0), (jg.ones((2, 2)),), (jg.ones(3, dtype=jg.int32),)):
        compiled(*arguments)
    info = compiled.cache_info()
    assert (info.hits, info.misses) == (1, 4)
    assert info.reasons[0] == "the first call"
    assert "2.0" in info.reasons[1]
    assert "shape (2, 2)" in info.reasons[2]


def test_true_one_and_one_point_zero_are_other_constants():
    compiled = jg.compile(lambda x, c: x * c)
    x = jg.ones(2, dtype=jg.int32)
    dtypes = [compiled(x, c).dtype for c in (1, 1.0, True, 1)]
    assert dtypes == [(x * c).dtype for c in (1, 1.0, True, 1)]
    assert compiled.cache_info().misses == 3


def test_zero_keeps_its_sign_as_a_constant():
    compiled = jg.compile(lambda x, c: jg.copysign(x, jg.full((), c)))
    assert compiled(jg.ones(1), 0.0).item() == 1
    assert compiled(jg.ones(1), -0.0).item() == -1


def test_many_numbers_warn_that_an_array_is_meant():
    compiled = jg.compile(lambda x, rate: x * rate)
    with pytest.warns(UserWarning, match="an array in the place of the number"):
        for i in range(12):
            compiled(jg.ones(2), 0.1 * i)


def test_state_is_read_and_written_in_place():
    state = {"w": jg.ones(3), "count": [jg.array(0)]}
    inner = state["count"]

    @functools.partial(jg.compile, inputs=state, outputs=state)
    def step(g):
        state["w"] = state["w"] - 0.5 * g
        inner[0] = inner[0] + 1
        state.setdefault("momentum", jg.zeros_like(g))
        state["momentum"] = state["momentum"] + g
        return jg.sum(state["w"])

    for i in range(1, 5):
        total = step(jg.ones(3))
        assert total.item() == 3 * (1 - 0.5 * i)
    assert inner is state["count"]
    assert inner[0].item() == 4
    np.testing.assert_array_equal(np.asarray(state["momentum"]), [4, 4, 4])
    assert step.cache_info().misses == 2  # without momentum, and with it


def test_state_is_as_it_was_after_a_failure():
    state = [jg.ones(2)]
    before = state[0]

    @functools.partial(jg.compile, inputs=state, outputs=state)
    def step():
        state[0] = state[0] * 2
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        step()
    assert state[0] is before


def test_random_numbers_differ_from_call_to_call_as_without_compile():
    def draw():
        return jg.random.normal((4,)), jg.random.uniform(0.0, 1.0, (2,))

    compiled = jg.compile(draw)
    jg.random.seed(5)
    got = [np.concatenate([np.asarray(x) for x in compiled()]) for _ in range(3)]
    jg.random.seed(5)
    want = [np.concatenate([np.asarray(x) for x in draw()]) for _ in range(3)]
    np.testing.assert_array_equal(got, want)
    assert not np.array_equal(got[0], got[1])


def test_asking_for_values_is_an_error_that_names_the_function():
    @jg.compile
    def peeks(x):
        return x if x.sum() > 0 else -x

    for _ in range(2):
        with pytest.raises(ValueError, match=r"\[compile\] peeks: .* has no values"):
            peeks(jg.ones(2))
    assert (jg.ones(2) + 1).sum().item() == 4  # nothing is left behind


def test_what_escapes_raises_when_it_is_asked_for():
    escaped = []

    @jg.compile
    def leaks(x):
        escaped.append(x + 1)
        return x * 2

    leaks(jg.ones(2))
    text = r"\[compile\] leaks: .* was traced and has ended, which has no values: .* a result of it"
    uses = [lambda x: x.tolist(), print, np.asarray, lambda x: jg.eval(x + 1)]
    for use in uses:
        with pytest.raises(ValueError, match=text):
            use(escaped[0])
    with pytest.raises(ValueError, match=text):  # it is not the function that asks
        jg.compile(lambda x: jg.ones(2) if bool(jg.sum(escaped[0]) > 0) else x)(jg.ones(2))


def test_each_of_many_functions_is_named_by_what_escapes():
    escaped = []

    def function(number):
        def of(x):
            escaped.append(x + 1)
            return x

        of.__name__ = f"function{number}"
        return of

    for number in range(20):
        jg.compile(function(number))(jg.ones(2))
    named = 0
    for number, x in enumerate(escaped):
        with pytest.raises(ValueError, match="which has no values") as caught:
            x.tolist()
        named += f"[compile] function{number}: " in str(caught.value)
        assert "function" not in str(caught.value).split(":")[0] or named == number + 1
    assert named >= 15  # names that fall into one place are forgotten, and never confused


def test_inner_functions_are_told_from_outer_ones():
    def inner(y, x):
        return y if bool(jg.sum(x) > 0) else x

    def outer(x):
        return jg.vmap(lambda y: inner(y, x))(x)

    with pytest.raises(ValueError, match=r"\[compile\] outer: .* being traced"):
        jg.compile(outer)(jg.ones(2))


def test_a_write_to_a_field_inside_is_refused_by_name():
    from joggle import fields

    fields.init()
    field = fields.field(fields.f32, shape=2)

    @jg.compile
    def writes(x):
        field[0] = 1.0
        return x

    with pytest.raises(Exception, match=r"\[compile\] writes: .* outside of the function"):
        writes(jg.ones(2))
    field[0] = 3.0
    assert field[0] == 3.0


def test_donated_arguments_are_gone_and_their_memory_is_taken():
    compiled = jg.compile(lambda x, y: (x + y, y), donate_argnums=0)
    x, y = jg.asarray(np.ones(1 << 16)), jg.asarray(np.ones(1 << 16))
    total, same = compiled(x, y)
    assert total[0].item() == 2
    assert same[0].item() == 1
    assert y[0].item() == 1
    with pytest.raises(ValueError, match="donated"):
        x.tolist()


def test_arrays_that_are_captured_are_constants_and_may_be_refused():
    captured = jg.asarray(np.array([1.0, 2.0]))
    allowed = jg.compile(lambda x: x + captured * 2)
    np.testing.assert_array_equal(np.asarray(allowed(jg.zeros(2, dtype=jg.float64))), [2, 4])
    refused = jg.compile(lambda x: x + captured, constants="error")
    with pytest.raises(ValueError, match="uses 1 arrays that are no arguments"):
        refused(jg.zeros(2, dtype=jg.float64))


def test_a_capture_that_another_transformation_traces_is_not_kept():
    from joggle import _core

    inner = None

    def outer(w):
        nonlocal inner
        inner = inner or jg.compile(lambda x, owner: x * owner[0], constants="allow")
        captured = jg.compile(lambda x: x * w)
        return jg.sum(captured(jg.asarray(np.array([1.0, 2.0]))))

    for value in (3.0, 5.0):
        tracing, markers = _core._tracing_begin([jg.asarray(np.array(value))])
        result = outer(markers[0])
        assert result.item() == 3 * value
        (got,) = tracing.pullback([result]).apply([jg.ones((), dtype=jg.float64)], 1)
        assert got.item() == 3.0


def test_derivatives_go_through_compiled_functions_and_are_compiled():
    from joggle import _core

    compiled = jg.compile(lambda x: jg.sum(jg.sin(x) * x))

    def slope(function, x):
        tracing, markers = _core._tracing_begin([x])
        result = function(markers[0])
        return tracing.pullback([result]).apply([jg.ones((), dtype=x.dtype)], 1)[0]

    x = jg.asarray(np.linspace(0.1, 1, 7))
    want = np.cos(np.asarray(x)) * np.asarray(x) + np.sin(np.asarray(x))
    np.testing.assert_allclose(np.asarray(slope(compiled, x)), want, rtol=1e-14)
    whole = jg.compile(functools.partial(slope, compiled))
    for _ in range(2):
        np.testing.assert_allclose(np.asarray(whole(x)), want, rtol=1e-14)


def test_results_of_one_factorisation_are_of_one_call_again():
    compiled = jg.compile(lambda x: tuple(jg.linalg.svd(x, full_matrices=False)))
    x = np.random.default_rng(0).standard_normal((5, 3))
    for _ in range(2):
        u, s, v = (np.asarray(part) for part in compiled(jg.asarray(x)))
        np.testing.assert_allclose(u * s @ v, x, atol=1e-12)


def test_threads_share_the_records():
    compiled = jg.compile(lambda x, y: jg.exp(x) * y + jg.sum(x))
    failures = []

    def work(seed):
        generator = np.random.default_rng(seed)
        for _ in range(50):
            x, y = (generator.standard_normal(generator.integers(1, 5)) for _ in range(2))
            y = generator.standard_normal(x.size)
            got = np.asarray(compiled(jg.asarray(x), jg.asarray(y)))
            if not np.allclose(got, np.exp(x) * y + x.sum(), rtol=1e-12):
                failures.append((got, x, y))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert compiled.cache_info().size >= 4


def test_records_are_bounded_and_dropped_with_the_function():
    compiled = jg.compile(lambda x, c: x + c)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(300):
            compiled(jg.ones(1), i)
    assert compiled.cache_info().size == 256
    assert len(compiled.cache_info().reasons) == 256
    assert compiled.cache_info().reasons[-1].endswith("298 became 299")
    compiled.cache_clear()
    assert compiled.cache_info() == (0, 0, 0, ())
    before = jg.get_active_memory()
    for _ in range(20):
        jg.compile(lambda x: x + jg.ones(1000))(jg.ones(1000)).tolist()
    gc.collect()
    assert jg.get_active_memory() <= before + (1 << 16)


def test_compile_runs_the_plain_function_while_disabled():
    runs = []
    compiled = jg.compile(lambda x: runs.append(1) or x + 1)
    jg.disable_compile()
    try:
        compiled(jg.ones(1))
        compiled(jg.ones(1))
    finally:
        jg.enable_compile()
    assert len(runs) == 2
    assert compiled.cache_info().misses == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"fun": 3}, r"\[compile\] fun: got int"),
        ({"inputs": 3}, r"\[compile\] inputs: got int"),
        ({"outputs": jg.ones(1)}, r"\[compile\] outputs: got array"),
        ({"shapeless": 1}, r"\[compile\] shapeless: got 1"),
        ({"constants": "maybe"}, r"\[compile\] constants: got 'maybe'"),
        ({"donate_argnums": (-1,)}, r"\[compile\] donate_argnums: got \(-1,\)"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        jg.compile(**{"fun": lambda x: x, **arguments})


def test_methods_keywords_and_arrays_of_others_are_taken():
    class Layer:
        def __init__(self):
            self.scale = 2.0

        @jg.compile
        def apply(self, x, *, bias):
            return x * self.scale + bias

    layer = Layer()
    got = layer.apply(np.ones(2), bias=jg.ones(2))
    np.testing.assert_array_equal(np.asarray(got), [3, 3])
    got = layer.apply(np.full(2, 5.0), bias=jg.ones(2))
    np.testing.assert_array_equal(np.asarray(got), [11, 11])


def test_a_compiled_function_takes_arrays_of_one_that_is_being_traced():
    twice = jg.compile(lambda x: x + x)
    assert jg.compile(lambda x: twice(x) + 1)(jg.array([1.0, 2.0])).tolist() == [3.0, 5.0]
    assert jg.grad(lambda x: twice(x).sum())(jg.array([1.0, 2.0])).tolist() == [2.0, 2.0]
    assert jg.vmap(twice)(jg.array([[1.0], [2.0]])).tolist() == [[2.0], [4.0]]


def test_tracing_evaluates_no_argument():
    x = jg.ones(4) + 1
    before = x.status
    jg.compile(lambda x: x + x)(x)
    assert x.status == before


def test_threads_that_call_for_the_first_time_together_keep_the_state():
    for _ in range(50):
        state = {"count": jg.zeros(2)}

        def step(x, state=state):
            time.sleep(0)  # other threads run while the state holds placeholders
            state["count"] = state["count"] + x
            return state["count"] * 2

        compiled = jg.compile(step, inputs=state, outputs=state)
        barrier, failures = threading.Barrier(4), []

        def work(compiled=compiled, barrier=barrier, failures=failures):
            barrier.wait()
            try:
                compiled(jg.ones(2)).tolist()
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        assert state["count"].tolist() == [4.0, 4.0]
        assert compiled.cache_info()[:2] == (3, 1)


def test_what_a_function_takes_out_of_its_state_is_gone():
    state = {"a": jg.ones(2), "b": jg.ones(3), "tree": {"x": jg.ones(2), "y": 2.0}}

    def step():
        state.pop("b", None)
        state["tree"] = {"x": state["tree"]["x"] * 2}
        state["a"] = state["a"] + 1
        return state["a"]

    compiled = jg.compile(step, inputs=state, outputs=state)
    for turn in range(3):
        if turn == 2:
            state["b"] = jg.ones(3)  # as at first, which is recorded
            state["tree"]["y"] = 2.0
        state["new"] = 7
        assert compiled().tolist() == [turn + 2.0] * 2
        assert sorted(state) == ["a", "new", "tree"] and list(state["tree"]) == ["x"]
        assert state["tree"]["x"].tolist() == [2.0 ** (turn + 1)] * 2


def elementwise(x, y):
    z = jg.where(x > y, jg.exp(x) * y, jg.tanh(x - y) / (1 + y * y))
    return z, jg.maximum(z, 0.25) - jg.sqrt(jg.abs(y)), jg.sin(x)[::-1] + z * 3


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_results_have_the_bits_of_what_is_run_op_by_op(dtype):
    random, before = np.random.default_rng(3), jg.get_option("fuse")
    x, y = (jg.asarray(random.normal(size=1000).astype(dtype)) for _ in range(2))
    compiled, found = jg.compile(elementwise), set()
    try:
        for fuse in ("0", "1"):
            jg.set_option("fuse", fuse)
            for function in (elementwise, compiled, compiled):
                found.add(b"".join(np.asarray(part).tobytes() for part in function(x, y)))
    finally:
        jg.set_option("fuse", before)
    assert len(found) == 1
