# SPDX-License-Identifier: Apache-2.0
"""Loading a file of 2 GiB maps it: a process takes no memory for what it does not use."""

import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
import joggle as jg

def peak():  # not ru_maxrss, which is the parent's to begin with
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))

count, each = 16, 2**31 // 16
header = {
    f"t{i}": {"dtype": "F32", "shape": [each // 4], "data_offsets": [i * each, (i + 1) * each]}
    for i in range(count)
}
text = json.dumps(header).encode()
text += b" " * ((-len(text) - 8) % 64)
with open(sys.argv[1], "wb") as file:
    file.write(len(text).to_bytes(8, "little") + text)
    file.truncate(file.tell() + count * each)
before = peak()
tensors = jg.load(sys.argv[1])
jg.eval(tensors)
assert all(x.status == "available" for x in tensors.values())
loaded = peak()
assert tensors["t3"][12345:12347].tolist() == [0, 0]
assert jg.get_active_memory() == 0
print(loaded - before, peak() - before)
"""


def test_two_gibibytes_take_less_than_16_mebibytes(tmp_path):
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "x.safetensors")]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    for mebibytes in map(float, result.stdout.split()):
        assert mebibytes == pytest.approx(0, abs=16)
