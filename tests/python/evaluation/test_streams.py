# SPDX-License-Identifier: Apache-2.0
"""Streams and default devices: who computes an op, and that it changes no value."""

import threading

import numpy as np
import pytest

import joggle as jg

LARGE = 1 << 18


@pytest.fixture
def stream():
    return jg.new_stream("cpu")


def test_a_thread_starts_with_stream_0():
    found = []
    thread = threading.Thread(target=lambda: found.append(jg.default_stream()))
    thread.start()
    thread.join()
    assert found[0].index == jg.default_stream("cpu").index == 0
    assert found[0] == jg.default_stream() and hash(found[0]) == hash(jg.default_stream())


def test_a_new_stream_is_another(stream):
    assert stream != jg.default_stream() and stream == stream
    assert stream.device == "cpu" and repr(stream) == f"Stream(cpu, {stream.index})"
    assert stream != "cpu"


def test_a_with_block_makes_a_stream_the_default_and_puts_the_old_one_back(stream):
    context = jg.stream(stream)
    with context as inside:
        assert inside == stream == jg.default_stream()
        with jg.stream("cpu"), context:
            assert jg.default_stream() == stream
        assert jg.default_stream() == stream
    assert jg.default_stream().index == 0
    with pytest.raises(KeyError), jg.stream(stream):
        raise KeyError
    assert jg.default_stream().index == 0


def test_the_default_stream_can_be_set_for_a_thread(stream):
    def other():
        jg.set_default_stream(stream)
        assert jg.default_stream() == stream

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert jg.default_stream().index == 0
    with pytest.raises(TypeError, match="stream: got 'cpu'"):
        jg.set_default_stream("cpu")


@pytest.mark.parametrize("where", ["cpu", None, "stream"])
def test_every_kind_of_op_takes_a_stream(stream, where):
    where = stream if where == "stream" else where
    x = jg.asarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert jg.add(x, x, stream=where).tolist() == [[0, 2, 4], [6, 8, 10]]
    assert x.sum(axis=0, keepdims=True, stream=where).tolist() == [[3, 5, 7]]
    assert jg.exp(jg.zeros(2, stream=where), stream=where).tolist() == [1, 1]
    assert jg.arange(3, stream=where).astype(jg.float32, stream=where).tolist() == [0, 1, 2]
    assert jg.where(x > 2, x, -x, stream=where).tolist() == [[0, -1, -2], [3, 4, 5]]
    assert x.reshape((3, 2), stream=where).shape == (3, 2)
    assert jg.default_stream().index == 0


def test_a_stream_that_is_none_is_refused():
    x = jg.ones(2)
    with pytest.raises(TypeError, match="stream: got 3"):
        jg.add(x, x, stream=3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'streams'"):
        jg.add(x, x, streams="cpu")
    with pytest.raises(ValueError, match="device"):
        jg.new_stream("cuda")
    assert jg.default_stream().index == 0


def test_a_graph_across_streams_gives_numpys_values(stream):
    other = jg.new_stream()
    a = np.random.default_rng(1).random(LARGE, dtype=np.float32)
    x, expected = jg.asarray(a), a
    for i in range(9):
        x = jg.add(x, x, stream=(stream, other, None)[i % 3])
        x = jg.multiply(x, 0.5, stream=(other, stream)[i % 2])
        expected = (expected + expected) * np.float32(0.5)
    jg.async_eval(x)
    jg.synchronize(stream)
    assert np.array_equal(np.asarray(x), expected)


def test_streams_may_be_used_from_other_threads(stream):
    results = [None] * 4

    def work(i):
        with jg.stream(stream):
            results[i] = (jg.ones(LARGE) * i).sum().item()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert results == [i * LARGE for i in range(4)]


def test_synchronize_waits_for_one_stream_or_for_all(stream):
    x = jg.add(jg.ones(LARGE), 1, stream=stream)
    y = jg.add(jg.ones(LARGE), 2)
    jg.async_eval(x, y)
    jg.synchronize(stream)
    assert x.status == "available"
    jg.synchronize()
    assert y.status == "available"
    jg.synchronize("cpu")
    jg.synchronize(stream=None)


def test_the_default_device_is_the_cpu():
    assert jg.default_device() == "cpu"
    jg.set_default_device("cpu:0")
    assert jg.default_device() == jg.ones(1).device == "cpu"
    with pytest.raises(ValueError, match="no CUDA driver"):
        jg.set_default_device("cuda")
