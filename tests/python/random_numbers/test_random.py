# SPDX-License-Identifier: Apache-2.0
"""Random numbers: the generator's published vectors, independence of how they are computed, ranges,
and distributions by tests whose chance of failing by accident is below one in a million."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.stats

import joggle as jg

# Random123's known answers for threefry2x32 with 20 rounds: counter, key, result.
VECTORS = [
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    ((0xFFFFFFFF,) * 2, (0xFFFFFFFF,) * 2, (0x1CB996FC, 0xBB002BE7)),
    ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), (0xC4923A9C, 0x483DF7A0)),
]
FLOATS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
CHANCE = 1e-6


def word(pair):
    return np.uint64(pair[0] | pair[1] << 32)


def test_threefry_gives_the_published_answers():
    for counter, key, answer in VECTORS:
        bits = jg._core.threefry(np.full(300, word(counter)), np.full(300, word(key)))
        assert (np.asarray(bits) == word(answer)).all()


@pytest.mark.parametrize("first", [0, 1, 2**33 - 7, 2**64 - 301])
def test_halves_of_words_are_those_of_words_however_they_are_drawn(first):
    counters = (np.arange(601, dtype=np.uint64) + np.uint64(first))[:300]
    keys = np.full(300, word((5, 9)))
    others = np.random.default_rng(1).permutation(counters)
    for drawn in (counters, counters[1:], counters[::-1], others, counters[:1]):
        words = np.asarray(jg.threefry(drawn >> np.uint64(1), keys[: drawn.size]))
        expected = np.where(drawn & np.uint64(1), words >> np.uint64(32), words & (2**32 - 1))
        assert (np.asarray(jg.threefry_half(drawn, keys[: drawn.size])) == expected).all()
    keys[150] = 7
    words = np.asarray(jg.threefry(counters >> np.uint64(1), keys))
    expected = np.where(counters & np.uint64(1), words >> np.uint64(32), words & (2**32 - 1))
    assert (np.asarray(jg.threefry_half(counters, keys)) == expected).all()


def test_a_key_gives_the_same_numbers_again_and_other_keys_give_others():
    k1, k2 = jg.random.split(jg.random.key(3))
    a, b = (np.asarray(jg.random.uniform(shape=(50, 20), key=k1)) for _ in range(2))
    assert (a == b).all()
    assert (a != np.asarray(jg.random.uniform(shape=(50, 20), key=k2))).mean() > 0.99
    assert (a.ravel() == np.asarray(jg.random.uniform(shape=1000, key=k1))).all()


def test_seed_starts_the_sequence_anew():
    def draw():
        return [np.asarray(jg.random.uniform(shape=5)).tolist() for _ in range(3)]

    jg.random.seed(7)
    first = draw()
    assert len({tuple(values) for values in first}) == 3
    jg.random.seed(7)
    assert draw() == first
    jg.random.seed(8)
    assert draw() != first


def test_unseeded_processes_differ():
    code = "import joggle as jg; print(jg.random.uniform(shape=3).tolist())"
    first, second = (subprocess.check_output([sys.executable, "-c", code]) for _ in range(2))
    assert first != second


def test_threads_and_fusion_do_not_change_the_numbers():
    code = """
import joggle as jg, numpy as np
x = jg.random.uniform(shape=(700, 1000), key=jg.random.key(1)) * 2 + 1
print(hash(np.asarray(x).tobytes()))
"""
    outputs = set()
    for variables in (
        {"JOGGLE_NUM_THREADS": "1"},
        {"JOGGLE_NUM_THREADS": "3"},
        {"JOGGLE_FUSE": "0"},
    ):
        env = {**os.environ, "PYTHONHASHSEED": "0", **variables}
        outputs.add(subprocess.check_output([sys.executable, "-c", code], env=env))
    assert len(outputs) == 1


@pytest.mark.parametrize("dtype", FLOATS)
def test_uniform_is_in_range_and_even(dtype):
    x = jg.random.uniform(shape=200_000, dtype=dtype, key=jg.random.key(5))
    assert str(x.dtype).endswith(dtype)
    values = np.asarray(x.astype("float64"))
    assert values.min() >= 0 and values.max() < 1
    steps = values * 2 ** FLOATS[dtype]
    assert (steps == np.round(steps)).all()
    spread = values + np.random.default_rng(0).random(values.size) / 2 ** FLOATS[dtype]
    assert scipy.stats.kstest(spread, "uniform").pvalue > CHANCE


@pytest.mark.parametrize("dtype", FLOATS)
def test_uniform_never_reaches_high(dtype):
    x = jg.random.uniform(1, 1.0078125, shape=100_000, dtype=dtype, key=jg.random.key(5))
    values = np.asarray(x.astype("float64"))
    assert values.min() >= 1 and values.max() < 1.0078125


def test_uniform_broadcasts_its_bounds():
    low, high = np.array([[0.0], [10.0]], "f4"), np.array([1.0, 20.0, 300.0], "f4")
    values = np.asarray(jg.random.uniform(low, high + 10, shape=(4, 2, 3)))
    assert values.shape == (4, 2, 3)
    assert (values >= low).all() and (values < high + 10).all()
    with pytest.raises(ValueError, match="broadcast"):
        jg.random.uniform(low, high, shape=(3,))


@pytest.mark.parametrize("dtype", FLOATS)
def test_normal_has_its_distribution(dtype):
    x = jg.random.normal((200, 1000), dtype=dtype, key=jg.random.key(11))
    assert str(x.dtype).endswith(dtype) and x.shape == (200, 1000)
    values = np.asarray(x.astype("float64")).ravel()
    assert np.isfinite(values).all()
    if dtype in ("float32", "float64"):  # the others' steps are too coarse for the test
        assert scipy.stats.kstest(values, "norm").pvalue > CHANCE
        assert abs(values).max() > 4
    assert abs(values.mean()) < 5 / np.sqrt(values.size) and abs(values.std() - 1) < 0.01


def test_normal_is_moved_and_scaled():
    plain = np.asarray(jg.random.normal((4, 3), key=jg.random.key(1)))
    scale = np.array([1.0, 2.0, 3.0])
    moved = jg.random.normal((4, 3), loc=5, scale=scale, key=jg.random.key(1))
    assert moved.dtype == jg.float32
    np.testing.assert_allclose(np.asarray(moved), plain * scale + 5, rtol=1e-6)


def test_gumbel_has_its_distribution():
    values = np.asarray(jg.random.gumbel(100_000, key=jg.random.key(4)))
    assert scipy.stats.kstest(values, "gumbel_r").pvalue > CHANCE


@pytest.mark.parametrize("axis", [0, -1])
def test_categorical_has_its_probabilities(axis):
    logits = np.log([[0.1, 0.2, 0.7], [0.6, 0.3, 0.1]]).astype("f4")
    source = logits.T if axis == 0 else logits
    x = jg.random.categorical(source, axis, num_samples=50_000, key=jg.random.key(6))
    assert x.shape == (2, 50_000)
    for row, chances in zip(np.asarray(x), np.exp(logits.astype("f8")), strict=True):
        counts = np.bincount(row, minlength=3)
        assert scipy.stats.chisquare(counts, chances / chances.sum() * 50_000).pvalue > CHANCE


def test_categorical_takes_shapes_axes_and_counts():
    logits = np.zeros((4, 1, 5), "f4")
    assert jg.random.categorical(logits).shape == (4, 1)
    assert jg.random.categorical(logits, axis=0).shape == (1, 5)
    assert jg.random.categorical(logits, shape=(3, 4, 2)).shape == (3, 4, 2)
    assert jg.random.categorical(logits, num_samples=7).shape == (4, 1, 7)
    certain = np.array([-np.inf, 0.0, -np.inf], "f4")
    assert jg.random.categorical(certain, num_samples=9).tolist() == [1] * 9
    with pytest.raises(IndexError, match="axis"):
        jg.random.categorical(logits, axis=3)
    with pytest.raises(ValueError, match="num_samples: got -1"):
        jg.random.categorical(logits, num_samples=-1)


INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(("low", "high"), [(0, 7), (-5, 6), (100, 117)])
def test_randint_is_in_range_and_even(dtype, low, high):
    if low < 0 and dtype.startswith("u"):
        low, high = 0, high - low
    x = jg.random.randint(low, high, shape=(100, 1000), dtype=dtype, key=jg.random.key(9))
    assert str(x.dtype).endswith(dtype)
    values = np.asarray(x).astype("i8")
    assert values.min() == low and values.max() == high - 1
    counts = np.bincount((values - low).ravel(), minlength=high - low)
    assert scipy.stats.chisquare(counts).pvalue > CHANCE


def test_randint_over_a_wide_range_is_even():
    values = np.asarray(jg.random.randint(-(2**31), 2**31 - 1, shape=100_000)).astype("f8")
    assert scipy.stats.kstest(values / 2**32 + 0.5, "uniform").pvalue > CHANCE
    wide = np.asarray(jg.random.randint(-(2**62), 2**62, shape=100_000, dtype="int64"))
    assert scipy.stats.kstest(wide / 2.0**63 + 0.5, "uniform").pvalue > CHANCE


@pytest.mark.parametrize("p", [0.0, 0.1, 0.5, 1.0])
def test_bernoulli_has_its_probability(p):
    x = jg.random.bernoulli(p, shape=100_000, key=jg.random.key(2))
    assert x.dtype == jg.bool
    count = int(np.asarray(x).sum())
    assert scipy.stats.binomtest(count, 100_000, p).pvalue > CHANCE
    assert jg.random.bernoulli(np.array([0.0, 1.0])).tolist() == [False, True]


@pytest.mark.parametrize(
    "dtype, low, high, allowed",
    [
        ("uint8", 250, 260, (250, 255)),
        ("uint8", -5, 3, (0, 2)),
        ("int8", -200, -126, (-128, -127)),
        ("int32", 2**40, 2**40 + 5, (2**31 - 1, 2**31 - 1)),
        ("uint32", 2**32 - 2, 2**40, (2**32 - 2, 2**32 - 1)),
    ],
)
def test_bounds_in_arrays_are_taken_for_the_nearest_of_the_dtype(dtype, low, high, allowed):
    draws = jg.random.randint(jg.array(low), jg.array(high), (200,), dtype, key=jg.random.key(1))
    found = np.asarray(draws)
    assert found.dtype == dtype and (int(found.min()), int(found.max())) == allowed
    compiled = jg.compile(lambda a, b: jg.random.randint(a, b, (200,), dtype, key=jg.random.key(1)))
    assert np.array_equal(np.asarray(compiled(jg.array(low), jg.array(high))), found)
    for kind in (np.array, np.int64, lambda number: [number], lambda x: jg.array(x, jg.float64)):
        again = jg.random.randint(kind(low), kind(high), (200,), dtype, key=jg.random.key(1))
        assert np.array_equal(np.asarray(again), found)


def test_keys_take_seeds_of_64_bits_with_and_without_a_sign():
    assert jg.random.key(2**64 - 1).item() == jg.random.key(-1).item()
    assert jg.random.key(np.uint64(2**63)).item() == jg.random.key(-(2**63)).item()
    for seed in (2**64, -(2**63) - 1):
        with pytest.raises(OverflowError, match=rf"seed: got {seed}"):
            jg.random.key(seed)


def test_keys_of_a_split_are_independent():
    keys = jg.random.split(jg.random.key(0), 64)
    assert keys.shape == (64,) and len(set(keys.tolist())) == 64
    rows = np.stack([np.asarray(jg.random.uniform(shape=4000, key=k)) for k in keys])
    correlations = np.corrcoef(rows)[np.triu_indices(64, 1)]
    assert abs(correlations).max() < 6 / np.sqrt(4000)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: jg.random.uniform(dtype="int32"), TypeError, "dtype: got int32"),
        (lambda: jg.random.randint(0, 5, dtype="float32"), TypeError, "dtype: got float32"),
        (lambda: jg.random.randint(5, 5), ValueError, "high: got 5"),
        (
            lambda: jg.random.uniform(key=jg.ones(2)),
            ValueError,
            r"key: got float32 of shape \(2,\)",
        ),
        (lambda: jg.random.uniform(shape=(-1,)), ValueError, "-1"),
        (lambda: jg.random.split(jg.random.key(0), -1), ValueError, "num: got -1"),
        (lambda: jg.random.key("a"), TypeError, "seed: got str"),
        (lambda: jg.random.seed(1.5), TypeError, "float"),
    ],
)
def test_wrong_arguments_are_named(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("low, high, dtype", [
    (300, 400, jg.uint8), (-5, 0, jg.uint32), (0, 300, jg.int8), (0, 2**40, jg.int32),
])  # fmt: skip
def test_bounds_that_the_dtype_does_not_have_are_refused(low, high, dtype):
    with pytest.raises(ValueError, match=rf"(low|high): got -?\d+, allowed for {dtype} is"):
        jg.random.randint(low, high, shape=(4,), dtype=dtype)


@pytest.mark.parametrize("dtype", [jg.uint64, "uint64"])
@pytest.mark.parametrize("low", [0, 5, 2**63, 2**64 - 1, jg.array([0, 3, 2**63], dtype="uint64")])
@pytest.mark.parametrize("high", [2**63, 2**63 + 7, 2**64])
@pytest.mark.parametrize("key", [None, jg.random.key(5)])
def test_bounds_take_all_bits_of_uint64(low, high, dtype, key):
    drawn = np.asarray(jg.random.randint(0, high, (30_000, 3), dtype, key)).astype("f8")
    assert scipy.stats.kstest(drawn.ravel() / float(high), "uniform").pvalue > CHANCE
    if np.max(np.asarray(low)) < high:
        drawn = np.asarray(jg.random.randint(low, high, (1000, 3), dtype, key))
        assert drawn.dtype == "uint64" and (drawn >= np.asarray(low).astype("u8")).all()
        assert (drawn <= np.uint64(high - 1)).all() and drawn.max() > high - 2**60


@pytest.mark.parametrize("low", [-(2**63), 0, 7, jg.array([-(2**63), 0, 2**62])])
def test_bounds_take_all_bits_of_int64(low):
    drawn = np.asarray(jg.random.randint(low, 2**63, (30_000, 3), jg.int64))
    low = np.broadcast_to(np.asarray(low).astype("i8"), 3)
    assert drawn.dtype == "int64" and (drawn >= low).all()
    for column, least in zip(drawn.T.astype("f8"), low.astype("f8"), strict=True):
        share = (column - least) / (2.0**63 - least)
        assert scipy.stats.kstest(share, "uniform").pvalue > CHANCE


def test_the_bits_of_a_full_range_are_independent():
    drawn = np.asarray(jg.random.randint(0, 2**64, (20_000,), jg.uint64, jg.random.key(3)))
    bits = (drawn[:, None] >> np.arange(64, dtype="u8")) & np.uint64(1)
    correlations = np.corrcoef(bits.T.astype("f8"))[np.triu_indices(64, 1)]
    assert abs(correlations).max() < 6 / np.sqrt(20_000)
    assert abs(bits.mean(0) - 0.5).max() < 6 * 0.5 / np.sqrt(20_000)


@pytest.mark.parametrize("high, dtype", [
    (2**64 + 1, "uint64"), (2**64, "int64"), (2**63 + 1, "int64"), (2**63, "uint32"), (300, "int8"),
])  # fmt: skip
def test_bounds_beyond_the_dtype_are_refused_also_for_names_of_dtypes(high, dtype):
    with pytest.raises(ValueError, match=f"high: got {high}, allowed for joggle.{dtype} is"):
        jg.random.randint(0, high, shape=(4,), dtype=dtype)


def test_all_numbers_of_a_dtype_can_be_drawn():
    drawn = np.asarray(jg.random.randint(0, 256, shape=(20_000,), dtype=jg.uint8))
    assert set(drawn) == set(range(256))


def test_uniform_numbers_go_down_where_high_is_less_than_low():
    drawn = np.asarray(jg.random.uniform(low=2, high=1, shape=(1000,)))
    assert len(np.unique(drawn)) > 900 and drawn.max() <= 2 and drawn.min() > 1
    assert np.isnan(np.asarray(jg.random.uniform(low=0, high=float("nan"), shape=(9,)))).all()


def test_the_state_tells_the_place_of_the_sequence_and_goes_back():
    jg.random.seed(3)
    assert jg.random.state[0].tolist() == [3, 0] and len(jg.random.state) == 1
    jg.random.normal((2,))
    place = jg.random.state[0]
    assert place.tolist() == [3, 1] and [x.tolist() for x in jg.random.state] == [[3, 1]]
    first = jg.random.uniform(shape=(4,)).tolist()
    jg.random.state[0] = place
    assert jg.random.uniform(shape=(4,)).tolist() == first
    jg.random.state[0] = jg.random.key(5)
    second = jg.random.normal().item()
    jg.random.seed(jg.random.key(5).item())
    assert jg.random.normal().item() == second
    for value, text in [
        (jg.ones(3), r"got shape \(3,\)"),
        (jg.ones((2, 2)), r"got shape \(2, 2\)"),
    ]:
        with pytest.raises(ValueError, match=text):
            jg.random.state[0] = value
    for index in (1, -2):
        with pytest.raises(IndexError):
            jg.random.state[index]
        with pytest.raises(IndexError):
            jg.random.state[index] = place


def test_the_state_may_stand_in_the_state_of_a_compiled_function():
    def run(state, step):
        jg.random.seed(1)
        given = [step(jg.ones(3)).tolist() for _ in range(2)]
        jg.eval(state)
        return given, state[0]["w"].tolist(), jg.random.state[0].tolist()

    def step_of(state):
        def step(x):
            state[0]["w"] = state[0]["w"] + jg.random.normal((3,))
            return x * state[0]["w"]

        return step

    results = []
    for compiled in (False, True):
        for state in ([{"w": jg.ones(3)}, jg.random.state], [{"w": jg.ones(3)}]):
            step = step_of(state)
            step = jg.compile(step, inputs=state, outputs=state) if compiled else step
            results.append(run(state, step))
    assert results == results[:1] * 4 and results[0][2] == [1, 2]


@pytest.mark.parametrize(
    "change", [lambda: jg.random.seed(1), lambda: jg.random.state.__setitem__(0, jg.random.key(1))]
)
def test_a_recorded_function_does_not_change_the_sequence(change):
    def fun(x):
        change()
        return x

    with pytest.raises(NotImplementedError, match="fun: a change of the random state would happen"):
        jg.compile(fun)(jg.ones(2))
