# SPDX-License-Identifier: Apache-2.0
"""The package is the main interpreter's alone, whoever imports it first."""

import subprocess
import sys

import pytest

PROGRAM = """
import {module} as interpreters
other = interpreters.create()
for attempt in range(2):
    try:
        interpreters.run_string(other, "import joggle")
    except interpreters.RunFailedError as error:
        print("only in the main one" in str(error))
import joggle
print((joggle.arange(3) + 1).tolist())
try:
    interpreters.run_string(other, "import joggle")
except interpreters.RunFailedError as error:
    print("only in the main one" in str(error))
interpreters.destroy(other)
print((joggle.arange(3) + 2).tolist())
"""


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the module has another name and interface")
def test_a_subinterpreter_is_refused_and_the_main_one_imports_afterwards():
    program = PROGRAM.format(module="_xxsubinterpreters")
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.stdout.split("\n")[:-1] == ["True", "True", "[1, 2, 3]", "True", "[2, 3, 4]"], (
        result.stderr
    )
