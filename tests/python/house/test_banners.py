# SPDX-License-Identifier: Apache-2.0
"""tools/scorecard.py: a banner between the sections of a file is caught."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def found(tmp_path, monkeypatch):
    """A function: the banners of a file with this name and text."""
    spec = importlib.util.spec_from_file_location("scorecard", ROOT / "tools/scorecard.py")
    scorecard = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorecard)
    monkeypatch.setattr(scorecard, "ROOT", tmp_path)

    def check(name, text):
        (tmp_path / name).write_text(text)
        return [fault.split(": ")[-1] for fault in scorecard.check_banners([tmp_path / name])]

    return check


@pytest.mark.parametrize(
    ("name", "banner"),
    [
        ("a.py", "# attributes\n"),
        ("a.py", "# ---- what is refused ----"),
        ("a.py", "# ===="),
        ("a.c", "/* the walk */\n"),
        ("a.c", "/* ---- the walk ---- */"),
    ],
)
@pytest.mark.parametrize("indent", ["", "    "])
def test_a_banner_is_caught(found, name, banner, indent):
    indent = indent if name.endswith("py") else ""
    assert found(name, f"x = 1;\n\n{indent}{banner}\n{indent}y = 1;\n") == [banner.strip()]


@pytest.mark.parametrize(
    ("name", "comment"),
    [
        ("a.py", "# the first is enough"),
        ("a.py", "# What follows holds for both.\n"),
        ("a.c", "/* the first is enough */"),
        ("a.c", "/* clang-format on */\n"),
    ],
)
def test_a_comment_on_code_passes(found, name, comment):
    assert found(name, f"x = 1;\n\n{comment}\ny = 1;\n") == []
