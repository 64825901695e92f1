# SPDX-License-Identifier: Apache-2.0
"""What goes over the statements of a kernel has a case of its own for each row of inst.def."""

import re

import pytest
from compiling import ROOT

ROWS = re.findall(
    r"^JG_KERNEL_STATEMENT\((\w+),", (ROOT / "src/kernel/inst.def").read_text(), re.MULTILINE
)
SWITCHES = {"kernel/verify.c": "check_statement", "jit/kernel/emit_kernel.c": "emit_statement"}


@pytest.mark.parametrize("path", SWITCHES)
def test_every_statement_has_a_case_and_others_fail(path):
    assert len(ROWS) > 20
    text = (ROOT / "src" / path).read_text()
    body = re.search(rf"^[\w ]+ {SWITCHES[path]}\(.*?^}}", text, re.MULTILINE | re.DOTALL)[0]
    assert {row for row in ROWS if f"case KERNEL_{row}:" not in body} == set()
    assert "JG_ERR_INTERNAL" in body[body.index("default:") :]
