# SPDX-License-Identifier: Apache-2.0
"""The displays of notebooks: arrays as a small table, graphs as pictures, plans as text.

Nothing here evaluates an array, or copies more of one than is shown.
"""

import html

_EDGE = 3  # rows and columns that are shown at each end
_PREFIXES = ("bytes", "KiB", "MiB", "GiB", "TiB")
_STATES = {
    "unscheduled": "not evaluated yet",
    "scheduled": "being evaluated",
    "available": "evaluated",
    "failed": "its evaluation failed",
}


def array_html(x):
    """An array in HTML: what it is, and, once it is evaluated, the numbers at its corners."""
    facts = {
        "shape": x.shape,
        "dtype": x.dtype.name,
        "device": x.device,
        "state": _STATES[x.status],
        "memory": _memory(x.nbytes),
    }
    rows = "".join(
        f"<tr><th>{name}</th><td>{html.escape(str(value))}</td></tr>"
        for name, value in facts.items()
    )
    shown = _preview(x) if x.status == "available" and x.size else ""
    return f"<table>{rows}</table>{shown}"


def _memory(nbytes):
    """A size in the largest unit of which there is one."""
    size, unit = float(nbytes), 0
    while size >= 1024 and unit + 1 < len(_PREFIXES):
        size, unit = size / 1024, unit + 1
    return f"{size:.4g} {_PREFIXES[unit]}"


def _preview(x):
    """The corners of the last two axes, at index 0 of the others."""
    leading = (0,) * max(0, x.ndim - 2)
    part = x[leading] if leading else x
    rows, columns = (part.shape, (1, *part.shape), (1, 1, *part.shape))[2 - part.ndim]
    part = part.reshape((rows, columns))
    body = "".join(_row(part, i, columns) for i in _ends(rows))
    title = f"<caption>x[{', '.join(map(str, leading))}]</caption>" if leading else ""
    return f"<table>{title}{body}</table>"


def _ends(extent):
    """The indices that are shown of an axis, and None for those between."""
    if extent <= 2 * _EDGE:
        return [*range(extent)]
    return [*range(_EDGE), None, *range(extent - _EDGE, extent)]


def _row(part, i, columns):
    if i is None:
        return f"<tr>{'<td>⋮</td>' * len(_ends(columns))}</tr>"
    cells = ("…" if j is None else _number(part[i, j].tolist()) for j in _ends(columns))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _number(value):
    return f"{value:.5g}" if isinstance(value, (float, complex)) else html.escape(str(value))


class Plan(str):
    """The text of a plan, which a notebook shows line by line below a drawing of its launches."""

    __slots__ = ()

    def _repr_html_(self):
        return f"{self._repr_svg_() or ''}<pre>{html.escape(self)}</pre>"

    def _repr_svg_(self):
        from joggle import _drawing

        return _drawing.plan_svg(self)


class Drawing(str):
    """A graph as Graphviz text, which a notebook draws: by Graphviz where that is installed."""

    __slots__ = ()

    def _repr_svg_(self):
        import shutil
        import subprocess

        from joggle import _drawing

        program = shutil.which("dot")
        if program is None:
            return _drawing.graph_svg(self)  # of None the notebook shows the text
        drawn = subprocess.run(
            [program, "-Tsvg"], input=self, capture_output=True, text=True, check=False
        )
        return drawn.stdout if drawn.returncode == 0 else _drawing.graph_svg(self)
