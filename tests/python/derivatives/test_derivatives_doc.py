# SPDX-License-Identifier: Apache-2.0
"""The programs of docs/derivatives.md run and print what they say."""

import importlib.util
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("tier")

PAGE = Path(__file__).parents[3] / "docs/derivatives.md"


def test_the_page_is_true(tmp_path, capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 2
    path = tmp_path / "page.py"  # kernels are read from files
    path.write_text("\n".join(blocks))
    spec = importlib.util.spec_from_file_location("page", path)
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    assert capsys.readouterr().out == "[6. 6. 6. 6.]\n"
    assert page.x.grad.shape == (4,)
