#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include of the library and the extension against tools/layers.txt.

Fails on an include that layers.txt does not allow, on a cycle of includes, on a layers.txt whose
own edges do not go down, and on a docs/layers.svg that does not show the edges in use.

    tools/check_layers.py           checks
    tools/check_layers.py --draw    writes docs/layers.svg, then checks
"""

import argparse
import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


@dataclass
class Rules:
    level: dict = field(default_factory=dict)  # room -> its level
    edges: dict = field(default_factory=dict)  # room -> rooms it may include
    parts: dict = field(default_factory=dict)  # folder of python/src -> those it may include
    doors: dict = field(default_factory=dict)  # header or table -> rooms that may include it, too
    vendor: dict = field(default_factory=dict)  # prefix -> the folders and files


def read_rules(path):
    rules = Rules()
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        head, _, tail = line.partition(":")
        kind, *words = head.split()
        if kind == "room":
            rules.level[words[1]] = int(words[0])
            rules.edges[words[1]] = tail.split()
        elif kind == "part":
            rules.parts[words[0]] = tail.split()
        elif kind in ("header", "table"):
            rules.doors[words[0]] = tail.split()
        elif kind == "vendor":
            rules.vendor.update(dict.fromkeys(words, tail.split()))
        else:
            sys.exit(f"{path}: cannot read: {line}")
    return rules


def check_rules(rules):
    """The table's own faults: an edge to a room it does not have, or one that does not go down."""
    for room, targets in rules.edges.items():
        for target in targets:
            if target not in rules.level:
                yield f"tools/layers.txt: {room} may include {target}, which is no room"
            elif rules.level[target] >= rules.level[room]:
                yield f"tools/layers.txt: {room} -> {target} does not go down a level"
    parts = list(rules.parts)
    for number, (part, targets) in enumerate(rules.parts.items()):
        for target in targets:
            if target not in parts[:number]:
                yield f"tools/layers.txt: part {part} -> {target}, which is not listed before it"


class Tree:
    """The files that the rules are about, by their path from the root."""

    def __init__(self, root):
        self.root = root
        folders = (root / "include", root / "src", root / "python/src")
        self.files = sorted(
            path
            for folder in folders
            for path in folder.rglob("*")
            if path.suffix in (".c", ".h", ".def", ".m")
        )

    def name(self, path):
        return path.relative_to(self.root).as_posix()

    def place(self, path):
        """The path from the room on: device/cuda/queue.c, joggle/view.h, python/array/at.c."""
        parts = path.relative_to(self.root).parts
        return "/".join(("python", *parts[2:]) if parts[0] == "python" else parts[1:])

    def resolve(self, source, text):
        """The file of ours that an include names, or None.

        Only the library is compiled with src/ on its path, so a public header's <dlpack/dlpack.h>
        is the official one and not the room's.
        """
        folders = [source.parent, self.root / "include"]
        for own in (self.root / "src", self.root / "python/src"):
            if source.is_relative_to(own):
                folders.insert(1, own)
        for folder in folders:
            path = (folder / text).resolve()
            if path.is_file() and path.is_relative_to(self.root):
                return path
        return None


def room_of(place):
    return place.split("/")[0]


def part_of(place):
    """The folder of a file of the extension; None of module.c and what stands beside it."""
    return place.split("/")[1] if place.count("/") > 1 else None


def check_parts(rules, source, target):
    """The same as check_ours for two files of the extension."""
    part, other = part_of(source), part_of(target)
    if part == other or part is None:
        return None
    if part not in rules.parts:
        return f"tools/layers.txt has no part {part}"
    return None if other in rules.parts[part] else f"{part} may not include {other or 'module.h'}"


def check_ours(rules, source, target):
    """Why the file at place `source` may not include the one at `target`; None if it may."""
    room, other = room_of(source), room_of(target)
    if room == other:
        return check_parts(rules, source, target) if room == "python" else None
    if room not in rules.level:
        return f"tools/layers.txt has no room {room}"
    if rules.level.get(other, 0) >= rules.level[room]:
        return f"{room} may not include {other}, which is beside or above it"
    if room in rules.doors.get(target, ()):
        return None
    if other not in rules.edges[room]:
        return f"{room} may not include {other}"
    if other == "joggle" or target == f"{other}/{other}.h":
        return None
    return f"{room} sees of {other} only {other}/{other}.h"


def check_foreign(rules, source, quote, text):
    """The same for an include that names no file of ours."""
    for prefix, places in rules.vendor.items():
        allowed = any(source == place or source.startswith(place + "/") for place in places)
        if text.startswith(prefix):
            return None if allowed else f"only {' and '.join(places)} may include {text}"
    return "no such file" if quote == '"' else None


def check_includes(rules, tree):
    """The faults found, the edges between rooms in use, and the graph of includes."""
    faults, used, graph = [], defaultdict(set), defaultdict(list)
    for path in tree.files:
        source = tree.place(path)
        for quote, text in INCLUDE.findall(path.read_text()):
            target = tree.resolve(path, text)
            if target is None:
                fault = check_foreign(rules, source, quote, text)
            else:
                place = tree.place(target)
                fault = check_ours(rules, source, place)
                graph[path].append(target)
                if room_of(place) != room_of(source):
                    used[room_of(source)].add(room_of(place))
            if fault:
                faults.append(f'{tree.name(path)}: includes "{text}": {fault}')
    return faults, used, graph


def find_cycle(graph):
    """A list of files that include each other in turn, or None."""
    done, trail = set(), []

    def visit(path):
        if path in trail:
            return trail[trail.index(path) :]
        if path in done:
            return None
        done.add(path)
        trail.append(path)
        for target in graph.get(path, ()):
            cycle = visit(target)
            if cycle:
                return cycle
        trail.pop()
        return None

    return next(filter(None, map(visit, list(graph))), None)


WIDTH, HEIGHT, RIGHT, DOWN, MARGIN = 92, 26, 58, 42, 44
OPEN = ("joggle", "base")  # every room includes them: boxes, but no arrows
STYLE = (
    "text{font:13px sans-serif;fill:#222}.room{text-anchor:middle}"
    ".level{text-anchor:end}.level,.note{fill:#888;font-size:11px}"
    "rect{fill:#f4f6fb;stroke:#4a5f8a}path{fill:none;stroke:#8696bd}"
    ".tip{fill:#4a5f8a;stroke:none}.sheet{fill:#fff;stroke:none}"
)


def draw(rules, used):
    """An SVG of the rooms as a staircase, foundations at the foot, with an arrow per used edge.

    Each room has a row and a column of its own, so an arrow that goes down its room's column and
    then along the other's row crosses other arrows but no box.
    """
    seen = used.keys() | {room for targets in used.values() for room in targets} | set(OPEN)
    rooms = sorted((room for room in rules.level if room in seen), key=rules.level.get)
    height = 2 * MARGIN + len(rooms) * DOWN
    width = 2 * MARGIN + (len(rooms) - 1) * RIGHT + WIDTH
    corner = {
        room: (MARGIN + step * RIGHT, height - MARGIN - (step + 1) * DOWN)
        for step, room in enumerate(rooms)
    }
    arrows = [
        arrow(corner[room], corner[target])
        for room in rooms
        for target in sorted(used.get(room, ()), key=rooms.index)
        if target not in OPEN
    ]
    boxes = [box(room, rules.level[room], *corner[room]) for room in rooms]
    note = "An arrow: includes. Every room may also include base and include/joggle."
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}">',
            "<!-- Written by tools/check_layers.py from tools/layers.txt and the includes. -->",
            f"<style>{STYLE}</style>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>',
            f'<rect class="sheet" width="{width}" height="{height}"/>',
            *arrows,
            *boxes,
            f'<text class="note" x="{MARGIN}" y="{height - 14}">{note}</text>',
            "</svg>\n",
        ]
    )


def box(room, level, x, y):
    return (
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>'
        f'<text class="room" x="{x + WIDTH // 2}" y="{y + 18}">{room}</text>'
        f'<text class="level" x="{x - 6}" y="{y + 18}">L{level}</text>'
    )


def arrow(start, end):
    x, y = start[0] + WIDTH - 14, end[1] + HEIGHT // 2
    return f'<path d="M{x} {start[1] + HEIGHT}V{y}H{end[0] + WIDTH}" marker-end="url(#tip)"/>'


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draw", action="store_true", help="write docs/layers.svg first")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    tree = Tree(arguments.root.resolve())
    rules = read_rules(tree.root / "tools/layers.txt")
    faults, used, graph = check_includes(rules, tree)
    faults = [*check_rules(rules), *faults]
    cycle = find_cycle(graph)
    if cycle:
        faults.append("a cycle of includes: " + " -> ".join(map(tree.name, [*cycle, cycle[0]])))
    drawing, now = tree.root / "docs/layers.svg", draw(rules, used)
    if arguments.draw:
        drawing.write_text(now)
    if not drawing.is_file() or drawing.read_text() != now:
        faults.append("docs/layers.svg is stale; run tools/check_layers.py --draw")
    for fault in faults:
        print(f"layers: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
