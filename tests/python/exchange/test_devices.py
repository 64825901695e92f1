# SPDX-License-Identifier: Apache-2.0
"""Devices and streams under MLX's names, and what can be asked of them."""

import copy
import pickle

import mlx.core as mx
import pytest

import joggle as jg


def test_a_device_is_its_name_and_has_mlx_attributes():
    device = jg.Device(jg.cpu)
    assert device == "cpu" == jg.default_device() == jg.array(1).device
    assert device.type is jg.cpu is jg.DeviceType.cpu and device.index == 0
    assert repr(device) == repr(mx.Device(mx.cpu)) and repr(jg.cpu) == "DeviceType.cpu"
    assert device == jg.cpu and device != jg.gpu and {device: 1}["cpu"] == 1
    assert jg.Device(jg.gpu, 1).index == 1 and jg.Device(type=jg.cpu, index=0) == device
    assert pickle.loads(pickle.dumps(device)) == device == copy.deepcopy(device)
    with pytest.raises(ValueError, match="tpu"):
        jg.DeviceType("tpu")


@pytest.mark.parametrize("device", ["cpu", jg.cpu, jg.Device(jg.cpu, 0), (1, 0)])
def test_a_device_is_taken_in_every_spelling(device):
    assert jg.zeros(2, device=device).device == "cpu"
    assert jg.exp(jg.zeros(2), stream=device).tolist() == [1, 1]
    with jg.stream(device):
        assert (jg.ones(1) + 1).item() == 2
    with jg.StreamContext(jg.new_stream(device)), jg.stream(s=device):
        assert (jg.ones(1) + 1).item() == 2
    assert jg.new_stream(device).device == device if isinstance(device, str) else True
    jg.set_default_device(device)
    jg.synchronize(device)


def test_there_is_no_gpu_and_that_is_said():
    assert jg.is_available(jg.cpu) and jg.device_count(jg.cpu) == 1
    assert not jg.is_available(jg.gpu) and jg.device_count(jg.gpu) == 0
    assert jg.metal.is_available() is False and jg.cuda.is_available() is False
    assert jg.metal.device_info() == {}
    for ask in (
        lambda: jg.zeros(1, device=jg.gpu),
        lambda: jg.new_stream(jg.gpu),
        lambda: jg.set_default_device(jg.Device(jg.gpu)),
        lambda: jg.device_info(jg.gpu),
    ):
        with pytest.raises(ValueError, match="gpu"):
            ask()
    for capture in (lambda: jg.metal.start_capture("x"), jg.metal.stop_capture):
        with pytest.raises(RuntimeError, match="Metal"):
            capture()


def test_device_info_tells_of_the_cpu_what_mlx_tells():
    info = jg.device_info()
    assert info.keys() >= mx.device_info().keys() and info["memory_size"] > 2**20
    assert (
        info == jg.device_info(jg.cpu) and info["architecture"] == mx.device_info()["architecture"]
    )


def test_streams_that_mlx_makes_are_streams():
    for make in (jg.new_stream, jg.new_thread_local_stream, jg.new_thread_unsafe_stream):
        stream = make(jg.cpu)
        assert isinstance(stream, jg.Stream)
        assert jg.add(1, jg.ones(1), stream=stream).item() == 2
    assert jg.clear_streams() is None


def test_limits_are_told_and_taken_by_name():
    before = jg.set_memory_limit(limit=1 << 40)
    assert jg.get_memory_limit() == 1 << 40
    jg.set_memory_limit(before)
    before = jg.set_cache_limit(limit=1 << 20)
    assert jg.get_cache_limit() == 1 << 20
    jg.set_cache_limit(before)
    assert jg.set_wired_limit(0) == 0
    with pytest.raises(ValueError, match="wired"):
        jg.set_wired_limit(-1)
