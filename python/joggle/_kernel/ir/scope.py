# SPDX-License-Identifier: Apache-2.0
"""The names of a function while it is lowered: one frame for each block of the source."""

from contextlib import contextmanager


class Scope:
    """A function that is being lowered, the kernel or one that is written into it.

    mutated: the names that change, which become locals. block: where its body is written; a return
    must be there. A name belongs to the block that binds it first, as in C and unlike Python.
    """

    def __init__(self, source, mutated, block):
        self.source, self.mutated, self.block = source, mutated, block
        self.frames = [{}]  # the innermost last
        self.loops = []  # (kind, block) of each that is open: static, serial or parallel
        self.result = None
        self.returned = None  # the return statement
        self.result_type = None  # the result's annotation
        self.exit = None  # the destination of returns in branches and loops, if there are some

    def find(self, name, capture):
        """The meaning of a name here."""
        for frame in reversed(self.frames):
            if name in frame:
                return frame[name]
        return capture(self.source.lookup(name), name)

    def local(self, name):
        """The value that a variable of the function is bound to, or None."""
        for frame in reversed(self.frames):
            if name in frame:
                return frame[name]
        return None

    def bind(self, name, value):
        """Gives a name a meaning from here to the end of its block."""
        for frame in reversed(self.frames):
            if name in frame:
                frame[name] = value
                return
        self.frames[-1][name] = value

    def declare(self, name, value):
        """Gives a name a meaning in the innermost block."""
        self.frames[-1][name] = value

    @contextmanager
    def nested(self):
        """A block: names that are first bound in it end with it."""
        self.frames.append({})
        try:
            yield
        finally:
            self.frames.pop()


class LocalFunction:
    """A lambda of a kernel: evaluated where it is called, with the names of where it is defined."""

    def __init__(self, node, scope):
        self.node, self.scope = node, scope
        # Copies: the blocks may have ended by the time of the call.
        self.frames = [dict(frame) for frame in scope.frames]
