# SPDX-License-Identifier: Apache-2.0
"""The message for a device that is not there."""

import os
import subprocess
import sys

import pytest

import joggle as jg

CALLS = {
    "Device": jg.Device,
    "to_device": lambda name: jg.ones(3).to_device(name),
    "set_default_device": jg.set_default_device,
    "zeros": lambda name: jg.zeros(3, device=name),
    "device_info": jg.device_info,
    "stream": jg.default_stream,
}
PRESENT = """
import joggle as jg
kinds = "opencl", "cuda", "rocm"
counts = {kind: jg.device_count(kind) for kind in kinds}  # opens their drivers
listed = ["cpu"]
for kind, count in counts.items():
    if count:
        listed.append(f"{kind}:0" + (f" to {kind}:{count - 1}" if count > 1 else ""))
for name in ("tpu", "opencl:77", "cuda:77", "metal"):
    try:
        jg.ones(3).to_device(name)
    except ValueError as error:
        assert f"allowed is {', '.join(listed)}" in str(error), error
        assert "naming one" not in str(error), error
        assert "driver" in str(error) or not name.startswith("cuda") or counts["cuda"], error
    else:
        raise AssertionError(name)
"""
UNOPENED = """
import joggle as jg
try:
    jg.ones(3).to_device("tpu")
except ValueError as error:
    print(error)
"""


def told(code):
    names = {name: value for name, value in os.environ.items() if name != "JOGGLE_DEVICE"}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=names)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", ["gpux", "tpu", "nope", "cuda:x", "cpu:1", ""])
def test_a_name_of_no_device_is_refused_with_those_that_there_are(call, name):
    with pytest.raises(ValueError, match=f"device: got '{name}', allowed is cpu"):
        CALLS[call](name)


def test_devices_of_drivers_that_are_open_are_listed():
    told(PRESENT)


def test_drivers_that_nobody_has_asked_for_stay_closed_and_are_named():
    text = "(and devices of opencl, cuda, rocm: naming one opens its driver)"
    assert told(UNOPENED) == f"device: got 'tpu', allowed is cpu {text}"


def test_a_device_without_a_driver_is_refused_with_the_reason():
    if not jg.is_available("rocm"):
        with pytest.raises(ValueError, match=r"device: got rocm:0, .*allowed is cpu.*; no ROCm"):
            jg.ones(3).to_device("rocm")


def test_a_device_may_be_named_before_its_driver_is_opened():
    for name in ("cpu", "gpu", "gpu:1", "cuda:3", "opencl", "rocm:2"):
        kind, _, index = name.partition(":")
        device = jg.Device(name)
        assert device.type == kind and device.index == int(index or 0)
    assert jg.Device(jg.gpu, 1) == "gpu:1"
