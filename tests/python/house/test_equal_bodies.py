# SPDX-License-Identifier: Apache-2.0
"""tools/scorecard.py: the body of a C function that stands twice is caught."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SUM = (
    "{\n    int sum = 0;\n    for (int i = 0; i < n; ++i)\n        sum += i;\n    return sum;\n}\n"
)


@pytest.fixture
def found(tmp_path, monkeypatch):
    """A function: what is said of files with these texts, in their order."""
    spec = importlib.util.spec_from_file_location("scorecard", ROOT / "tools/scorecard.py")
    scorecard = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorecard)
    monkeypatch.setattr(scorecard, "ROOT", tmp_path)

    def check(*texts):
        paths = [tmp_path / f"{number}.c" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        return scorecard.check_copies(paths)

    return check


def test_a_body_that_stands_twice_is_caught(found):
    other = SUM.replace("int sum", "/* none\n */\n    int  sum")
    assert found(f"int one(int n)\n{SUM}", f"\nint two(int n)\n{other}") == [
        "0.c:2: the body of a function that 1.c:3 also has"
    ]


def test_equal_bodies_in_one_file_are_caught(found):
    assert found(f"int one(int n)\n{SUM}\nint two(int n)\n{SUM}") == [
        "0.c:2: the body of a function that 0.c:10 also has"
    ]


def test_bodies_that_differ_or_are_short_pass(found):
    short = "{\n    int twice = 2 * n;\n    return twice;\n}\n"
    other = SUM.replace("sum += i", "sum += 2 * i")
    assert found(f"int f(int n)\n{SUM}int g(int n)\n{other}", f"int h(int n)\n{short}" * 2) == []
