# SPDX-License-Identifier: Apache-2.0
"""Checks of the sizes that layers are made with."""

from __future__ import annotations

import operator

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from typing import Any

__all__ = ["are_sizes", "size_of"]


def size_of(value: Any) -> int | None:
    """The value as an int, which integers of other libraries are, too; None of what is none."""
    try:
        return operator.index(value)
    except TypeError:
        return None


def are_sizes(name: str, least: int = 0, **settings: Any) -> None:
    """Refuses settings of a layer that are no ints from least on."""
    for argument, value in settings.items():
        size = size_of(value)
        if size is None or size < least:
            kind = TypeError if size is None else ValueError
            raise kind(f"[{name}] {argument}: got {value!r}, allowed are ints from {least}")
