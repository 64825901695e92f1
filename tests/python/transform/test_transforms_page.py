# SPDX-License-Identifier: Apache-2.0
"""The programs of docs/transforms.md run and print what they say."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs/transforms.md"


def test_the_page_is_true(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # it writes a file
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), {})
        wanted = re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE)
        assert capsys.readouterr().out.splitlines() == wanted
