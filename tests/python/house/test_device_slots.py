# SPDX-License-Identifier: Apache-2.0
"""The slots of a device's vtable: the table, the struct and the page name the same ones."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def rows():
    text = (ROOT / "src/device/slots.def").read_text()
    return re.findall(r"^DEVICE_SLOT\((\w+), (\w+)\)$", text, re.M)


def struct():
    text = (ROOT / "src/device/device.h").read_text()
    return text[text.index("typedef struct jg_device_ops {") : text.index("} jg_device_ops;")]


def test_the_table_has_the_slots_of_the_struct_in_their_order():
    assert [slot for slot, _ in rows()] == re.findall(r"\(\*(\w+)\)\(", struct())


def test_the_comment_at_each_slot_says_whether_it_may_block():
    comments = {
        slot: " ".join(comment.replace("*", " ").split())
        for comment, slot in re.findall(
            r"/\*((?:(?!\*/).)*)\*/\n[^;/]*?\(\*(\w+)\)\(", struct(), re.S
        )
    }
    assert set(comments) == {slot for slot, _ in rows()}
    said = re.compile(r"\b(Blocks (until|while)|blocks|(M|m)ay block|(D|d)oes not block)\b")
    assert [slot for slot, comment in comments.items() if not said.search(comment)] == []


def test_the_struct_says_what_holds_without_each_group():
    groups = {group for _, group in rows()} - {"REQUIRED", "ALONE"}
    assert set(re.findall(r"/\* Without the slots of (\w+)", struct())) == groups


def test_the_page_has_a_line_for_each_group():
    text = (ROOT / "docs/add-a-device.md").read_text()
    lines = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|.*\| ([^|]+) \|$", text, re.M)
    told = {slot: last for slots, last in lines for slot in re.findall(r"`(\w+)`", slots)}
    assert set(told) == {slot for slot, _ in rows()}
    for slot, group in rows():
        assert told[slot].startswith("yes" if group == "REQUIRED" else "no"), slot
        mates = (
            {other for other, of in rows() if of == group}
            if group not in ("REQUIRED", "ALONE")
            else {slot}
        )
        line = next(slots for slots, _ in lines if f"`{slot}`" in slots)
        assert mates <= set(re.findall(r"`(\w+)`", line)), slot
