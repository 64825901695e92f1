# SPDX-License-Identifier: Apache-2.0
"""Drawings of graphs and plans as SVG, for notebooks on machines without Graphviz.

A graph is drawn in layers: each node right above the first that reads it, near the middle of its
inputs. Nodes that one launch computes have one colour.
"""

import html
import re
from collections import defaultdict

MOST_NODES = 400  # a larger drawing cannot be read

_CHARACTER, _LINE = 7.3, 15  # of the font in units of the drawing: width and height
_INSET, _GAP, _LAYER = 8, 16, 34  # in a box, between boxes, between layers
# The rules of a drawing hold for the whole page that it is part of.
_STYLE = "".join(
    f".joggle-drawing {rule}"
    for rule in (
        "text{font:12px monospace}",
        ".node{stroke:#555}",
        ".asked{stroke-width:2.5}",
        ".edge{stroke:#888;fill:none}",
        ".read{fill:#7aa6d8}",
        ".written{fill:#e0a458}",
    )
)
_CLUSTER = re.compile(r"subgraph cluster_(\d+)")
_NODE = re.compile(r'(n\d+) \[shape=\w+(, style=bold)?.*?, label="((?:[^"\\]|\\.)*)"')
_EDGE = re.compile(r"(n\d+) -> (n\d+);")
_LAUNCH = re.compile(r"launch \d+: (.*); reads (\d+) bytes, writes (\d+)$")


class _Box:
    """A node of the graph: its text, and where it is drawn."""

    def __init__(self, label, group, is_asked):
        text = re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], label)
        self.lines = text.split("\n")
        self.group, self.is_asked = group, is_asked
        self.inputs, self.layer = [], 0
        self.width = max(map(len, self.lines)) * _CHARACTER + 2 * _INSET
        self.height = len(self.lines) * _LINE + 2 * _INSET
        self.x = self.y = 0.0  # of the upper left corner

    @property
    def middle(self):
        return self.x + self.width / 2


def _read(dot):
    """The boxes of a graph that export_dot has written, inputs first, as nodes are numbered."""
    boxes, group = {}, None
    for line in dot.splitlines():
        if found := _CLUSTER.search(line):
            group = int(found[1])
        elif line.strip() == "}":
            group = None
        elif found := _EDGE.search(line):
            boxes[found[2]].inputs.append(boxes[found[1]])
        elif found := _NODE.search(line):
            boxes[found[1]] = _Box(found[3], group, bool(found[2]))
    return [boxes[name] for name in sorted(boxes, key=lambda name: int(name[1:]))]


def _layers(boxes):
    """Lists of boxes by the number of their layer. Edges lead to later layers, and are short."""
    layers, last = defaultdict(list), {}
    for box in boxes:
        box.layer = max((each.layer + 1 for each in box.inputs), default=0)
    for box in reversed(boxes):
        box.layer = last.get(box, box.layer + 1) - 1
        for each in box.inputs:
            last[each] = min(last.get(each, box.layer), box.layer)
    for box in boxes:
        layers[box.layer].append(box)
    return layers


def _place(boxes):
    """Gives each box its place. The extents of the drawing are the result."""
    layers = _layers(boxes)
    widths = {
        number: sum(box.width + _GAP for box in layer) - _GAP for number, layer in layers.items()
    }
    width, y = max(widths.values()), _GAP
    for number in sorted(layers):
        layer = layers[number]
        layer.sort(key=lambda box: sum(i.middle for i in box.inputs) / max(len(box.inputs), 1))
        x = _GAP + (width - widths[number]) / 2
        for box in layer:
            box.x, box.y = x, y
            x += box.width + _GAP
        y += max(box.height for box in layer) + _LAYER
    return width + 2 * _GAP, y - _LAYER + _GAP


def _text(x, y, words):
    return f'<text x="{x:.0f}" y="{y:.0f}">{html.escape(words)}</text>'


def _drawn(box):
    colour = "#fff" if box.group is None else f"hsl({box.group * 67 % 360},60%,90%)"
    kind = "node asked" if box.is_asked else "node"
    parts = [
        f'<rect class="{kind}" x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" '
        f'height="{box.height:.0f}" rx="4" fill="{colour}"/>'
    ]
    for i, line in enumerate(box.lines):
        parts.append(_text(box.x + _INSET, box.y + _INSET + (i + 0.8) * _LINE, line))
    return parts


def _edges(box):
    for other in dict.fromkeys(box.inputs):
        start, end = other.y + other.height, box.y
        bend = (start + end) / 2
        yield (
            f'<path class="edge" d="M{other.middle:.0f} {start:.0f}C{other.middle:.0f} {bend:.0f} '
            f'{box.middle:.0f} {bend:.0f} {box.middle:.0f} {end:.0f}"/>'
        )


def _svg(width, height, parts):
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="joggle-drawing" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">'
        f"<style>{_STYLE}</style>{''.join(parts)}</svg>"
    )


def graph_svg(dot):
    """The graph that export_dot has written; None if it has more nodes than can be read."""
    boxes = _read(dot)
    if not 0 < len(boxes) <= MOST_NODES:
        return None
    width, height = _place(boxes)
    edges = [edge for box in boxes for edge in _edges(box)]
    return _svg(width, height, edges + [part for box in boxes for part in _drawn(box)])


def plan_svg(plan):
    """The launches of a plan that explain has written, one below the other, each with two bars:
    how much it reads and writes. None if there are none, or more than can be read."""
    launches = [found for line in plan.splitlines() if (found := _LAUNCH.match(line))]
    if not 0 < len(launches) <= MOST_NODES:
        return None
    most = max(1, *(int(found[i]) for found in launches for i in (2, 3)))
    left, bar, row = 2 * _CHARACTER + 3 * _GAP, 160, 2 * _LINE
    widest = max(len(found[1]) for found in launches) * _CHARACTER
    parts = []
    for number, found in enumerate(launches):
        y = _GAP + number * row
        parts.append(_text(_GAP, y + 0.8 * _LINE, str(number)))
        for i, kind in ((2, "read"), (3, "written")):
            length = int(found[i]) / most * bar
            top = y + 2 + (i - 2) * _LINE / 2
            parts.append(
                f'<rect class="{kind}" x="{left:.0f}" y="{top:.0f}" width="{length:.1f}" '
                f'height="{_LINE / 2 - 1:.0f}"><title>{found[i]} bytes {kind}</title></rect>'
            )
        parts.append(_text(left + bar + _GAP, y + 0.8 * _LINE, found[1]))
    return _svg(left + bar + 2 * _GAP + widest, 2 * _GAP + len(launches) * row, parts)
