# SPDX-License-Identifier: Apache-2.0
"""Each test in C is in its file's list: one that is not would never run, and gcc only warns."""

import re

from compiling import ROOT

TEST = re.compile(r"^(?:static )?(?:void|int) (\w+)\(void \*\*(?:state)?\)\s*\{", re.MULTILINE)


def unlisted(text):
    """Functions with the signature of a test that nothing in the text names again."""
    return [name for name in TEST.findall(text) if len(re.findall(rf"\b{name}\b", text)) == 1]


def test_every_test_in_c_is_listed():
    paths = sorted((ROOT / "tests/c").rglob("test_*.c"))
    texts = {path: path.read_text() for path in paths}
    assert sum(len(TEST.findall(text)) for text in texts.values()) > 1000
    assert [f"{p.name}: {name}" for p, text in texts.items() for name in unlisted(text)] == []


def test_a_test_that_is_left_out_of_the_list_is_found():
    text = (ROOT / "tests/c/tensor/test_shape.c").read_text()
    names = re.findall(r"cmocka_unit_test\((\w+)\)", text)
    for name in names:
        assert unlisted(text.replace(f"cmocka_unit_test({name}),", "")) == [name]
