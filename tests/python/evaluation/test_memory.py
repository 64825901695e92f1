# SPDX-License-Identifier: Apache-2.0
"""What arrays take in memory, the limits on it, and how little an evaluation holds at a time."""

import os
import subprocess
import sys

import numpy as np
import pytest

import joggle as jg

MIB = 1 << 20


@pytest.fixture(autouse=True)
def limits():
    jg.synchronize()
    memory, cache = jg.set_memory_limit(2**63 - 1), jg.set_cache_limit(1 << 30)
    yield
    jg.set_memory_limit(memory)
    jg.set_cache_limit(cache)


def test_active_memory_follows_the_arrays():
    before = jg.get_active_memory()
    x = jg.empty(MIB)
    assert jg.get_active_memory() == before + 4 * MIB
    del x
    assert jg.get_active_memory() == before


def test_imported_memory_does_not_count():
    before = jg.get_active_memory()
    x = jg.from_dlpack(np.zeros(MIB))
    assert jg.get_active_memory() == before and x.nbytes == 8 * MIB


def test_the_peak_is_zero_after_a_reset_and_then_what_was_active():
    x = jg.empty(MIB)
    jg.reset_peak_memory()
    assert jg.get_peak_memory() == 0
    active = jg.get_active_memory()
    del x
    jg.empty(2 * MIB)
    assert jg.get_peak_memory() == active + 4 * MIB


def test_limits_give_what_they_were():
    assert jg.set_memory_limit(10 << 30) == 2**63 - 1
    assert jg.set_memory_limit(20 << 30) == 10 << 30
    assert jg.set_cache_limit(0) == 1 << 30
    assert jg.set_cache_limit(5) == 0


@pytest.mark.parametrize("set_limit", [jg.set_memory_limit, jg.set_cache_limit])
def test_a_limit_that_is_no_number_of_bytes_is_refused(set_limit):
    for limit in (-1, 2**63, 2**64):
        with pytest.raises(ValueError):
            set_limit(limit)
    with pytest.raises(TypeError):
        set_limit(1.5)


def test_a_cache_limit_of_zero_keeps_nothing():
    jg.set_cache_limit(0)
    jg.empty(MIB)
    assert jg.get_cache_memory() == 0


def test_beyond_the_memory_limit_is_a_memory_error_that_can_be_survived():
    x = jg.ones(MIB) + 1
    jg.eval(x)
    jg.set_memory_limit(jg.get_active_memory() + MIB)
    y = x * x
    with pytest.raises(MemoryError, match="out of memory: 4194304 bytes"):
        jg.eval(y)
    with pytest.raises(MemoryError):
        jg.empty(MIB)
    assert (x[:4] + 1).tolist() == [3] * 4
    jg.set_memory_limit(2**63 - 1)
    assert y[0].item() == 4


def test_the_environment_sets_the_limit():
    code = "import joggle as jg; print(jg.set_memory_limit(1))"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "JOGGLE_MEMORY_LIMIT": "12345"},
        capture_output=True,
        text=True,
    )
    assert result.stdout.strip() == "12345", result.stderr


@pytest.mark.parametrize("fuse", ["1", "0"])
def test_a_long_chain_over_large_arrays_holds_a_few_buffers(fuse):
    before = jg.get_option("fuse")
    jg.set_option("fuse", fuse)
    try:
        jg.synchronize()
        nbytes = 1 << 20
        x = jg.zeros(nbytes // 4) + 1
        jg.eval(x)
        start = jg.get_active_memory()
        jg.reset_peak_memory()
        for _ in range(10_000):
            x = x + 1
        jg.eval(x)
        assert jg.get_peak_memory() - start <= 4 * nbytes
        assert np.asarray(x)[:3].tolist() == [10_001] * 3
    finally:
        jg.set_option("fuse", before)


@pytest.mark.parametrize("evaluate", [jg.eval, jg.async_eval])
def test_a_loop_over_a_large_array_holds_one_buffer(evaluate):
    x = jg.zeros(4 * MIB) + 10
    jg.eval(x)
    jg.reset_peak_memory()
    active = jg.get_active_memory()
    for _ in range(20):
        x = x * 0.9 + 1
        evaluate(x)
    jg.synchronize()
    assert jg.get_peak_memory() <= active == jg.get_active_memory()
    assert np.allclose(np.asarray(x), 10)


def test_assignment_to_an_element_writes_in_place_where_nobody_else_looks():
    x = jg.zeros(4 * MIB) + 1
    jg.eval(x)
    jg.reset_peak_memory()
    active = jg.get_active_memory()
    for i in range(20):
        x[i] = i
        jg.eval(x)
    assert jg.get_peak_memory() < active + MIB
    view = x[:3]
    x[0] = 7
    jg.eval(x)
    assert view.tolist() == [0, 1, 2] and x[:3].tolist() == [7, 1, 2]
