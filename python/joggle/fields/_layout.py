# SPDX-License-Identifier: Apache-2.0
"""How fields lie in memory: Layout, axes, and the tree that grows from qd.root."""

from enum import Enum


class Layout(Enum):
    """AOS: the members of an element side by side. SOA: each member by itself."""

    AOS = 1
    SOA = 2


class Axis(int):
    """The number of an axis; qd.i is 0."""

    def __repr__(self):
        return f"axes({int(self)})"


def axes(*numbers):
    """A list of axes by number: qd.axes(0, 1) is qd.ij."""
    for number in numbers:
        if not 0 <= number < 12:
            raise ValueError(f"axes: got {number}, allowed are 0 to 11")
    return [Axis(number) for number in numbers]


_NAMED = (
    "i",
    "j",
    "k",
    "l",
    "ij",
    "ik",
    "il",
    "jk",
    "jl",
    "kl",
    "ijk",
    "ijl",
    "ikl",
    "jkl",
    "ijkl",
)
NAMED_AXES = {name: axes(*("ijkl".index(letter) for letter in name)) for name in _NAMED}
globals().update(NAMED_AXES)
