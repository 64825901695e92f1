# SPDX-License-Identifier: Apache-2.0
"""What the host runs for an OpenCL device is what fallbacks.txt lists, public function by function.

The list may only become shorter: a function that newly needs the host fails here, and so does one
that no longer does until its line goes. Run as a program, this file prints the list that fits."""

import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "properties")]

import pytest  # noqa: E402
from cases import BEYOND, CASES  # noqa: E402
from choices import Dice  # noqa: E402
from drawing import each, function_of, several, to_joggle  # noqa: E402

import joggle as jg  # noqa: E402

LIST = Path(__file__).with_name("fallbacks.txt")
DTYPES = [None, "float32", "float64", "float16", "bfloat16", "int32", "uint8", "bool", "complex64"]
SEEDS = range(5)
NO_SOURCE = "there is no device source of it"
ON_HOST = re.compile(r"launch \d+: ([\w+]+).* on the host for opencl:0 \((.*)\); reads")
REFUSED = re.compile(r"\[(\w+)\] opencl:0 does not run it: (.*); JOGGLE_DEVICE_FALLBACK")


def what(name, reason):
    """What the host runs: a routine by its name, of other work what the printer refuses."""
    return set(name.split("+")) if reason == NO_SOURCE else {reason}


def on_host(name, case, dice):
    """Of one call with drawn arguments. What the call itself evaluates may not fall back, and what
    it gives is explained, not evaluated."""
    jg.set_option("device_fallback", "host")
    args, named = case.draw(dice)
    jg.set_option("device_fallback", "error")
    try:
        results = several(function_of(name)(*each(to_joggle, args), **each(to_joggle, named)))
    except NotImplementedError as error:
        return what(*REFUSED.search(str(error)).groups())
    text = jg.explain(*(x for x in results if isinstance(x, jg.array)))
    return set().union(*(what(*found) for found in ON_HOST.findall(text)))


def find_fallbacks():
    device, fallback = jg.default_device(), jg.get_option("device_fallback")
    jg.set_default_device("opencl:0")
    try:
        return {
            name: sorted(found)
            for name, case in sorted((CASES | BEYOND).items())
            if (found := set().union(*(on_host(name, case, dice) for dice in all_dice())))
        }
    finally:
        jg.set_option("device_fallback", fallback)
        jg.set_default_device(device)


def all_dice():
    return (Dice(seed, dtype) for dtype in DTYPES for seed in SEEDS)


def lines(fallbacks):
    return [f"{name}: {'; '.join(found)}" for name, found in fallbacks.items()]


@pytest.mark.timeout(300)  # thousands of texts are compiled
def test_the_host_runs_for_the_device_what_the_list_says_and_no_more():
    listed = [line for line in LIST.read_text().splitlines() if line and line[0] != "#"]
    found = lines(find_fallbacks())
    new, gone = sorted(set(found) - set(listed)), sorted(set(listed) - set(found))
    assert not new, "the host runs more than fallbacks.txt lists:\n" + "\n".join(new)
    assert not gone, "fallbacks.txt lists what the device runs:\n" + "\n".join(gone)


if __name__ == "__main__":
    print("\n".join(lines(find_fallbacks())))
