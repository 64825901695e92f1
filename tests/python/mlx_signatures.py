# SPDX-License-Identifier: Apache-2.0
"""What the functions of mlx.core take, read from the first lines of their documentation."""

import re

import mlx.core as mx

import joggle as jg


def functions():
    """The names of functions that both have."""
    return [
        name
        for name in dir(mx)
        if not name.startswith("_")
        and callable(getattr(mx, name))
        and not isinstance(getattr(mx, name), type)
        and hasattr(jg, name)
    ]


def parameters(function):
    """[(name, kind, has a default)]: kind is "position", "either", "keyword", "*" or "**"."""
    lines = [line.strip() for line in (function.__doc__ or "").splitlines()]
    head = next(line for line in lines if line)
    text = re.sub(r"\[[^\[\]]*(\[[^\[\]]*\][^\[\]]*)*\]", "", head[head.index("(") :])
    inside = text[1 : _closing(text)]
    found, kind = [], "either"
    for part in filter(None, (p.strip() for p in re.split(r",(?![^()]*\))", inside))):
        name = re.match(r"\**\w*|/", part)[0]
        if part == "/":
            found = [(n, "position", d) for n, _, d in found]
        elif part == "*":
            kind = "keyword"
        elif name.startswith("*"):
            found.append((name.lstrip("*"), name[: name.count("*")], True))
            kind = "keyword"
        else:
            found.append((name, kind, "=" in part))
    return found


def _closing(text):
    depth = 0
    for at, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return at
    raise AssertionError(text)
