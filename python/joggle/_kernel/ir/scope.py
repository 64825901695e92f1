# SPDX-License-Identifier: Apache-2.0
"""The names of a function while it is lowered: one frame for each block of the source.

What a name means is decided when compiling. A variable of the kernel is a place, which assignments
write to; anything else that is assigned in a branch or a loop of the run holds to the end of that
block, and the name has no meaning after it, nor in the loop's next turn.
"""

from contextlib import contextmanager

from .messages import KernelTypeError

_ALLOWED = (
    "allowed for that are numbers, vectors, matrices and structs that are assigned before, and "
    "conditions and loops of static(...)"
)


class Frame(dict):
    """The meanings of the names that one block of the source binds.

    block: where its statements are written. ended: names that blocks inside have bound, which are
    over. sought: names that were looked for further out from here, or from blocks inside.
    """

    def __init__(self, block, is_loop=False):
        self.block, self.is_loop = block, is_loop
        self.ended, self.sought = set(), set()

    def put(self, name, value):
        self[name] = value
        self.ended.discard(name)

    def copy(self):
        """The names as they are now."""
        found = Frame(self.block, self.is_loop)
        found.update(self)
        found.ended = set(self.ended)
        return found


class Scope:
    """A function that is being lowered, the kernel or one that is written into it.

    mutated: the names that change, which become locals. block: where its body is written; a return
    must be there. A name belongs to the block that binds it first, as in C and unlike Python.
    """

    def __init__(self, source, mutated, block):
        self.source, self.mutated, self.block = source, mutated, block
        self.own = [Frame(block)]  # of its statements, the innermost last
        self.frames = self.own  # where names are looked up: in a lambda, its frames
        self.loops = []  # (kind, block) of each that is open: static, serial or parallel
        self.result = None
        self.returned = None  # the return statement
        self.result_type = None  # the result's annotation
        self.exit = None  # the destination of returns in branches and loops, if there are some

    def find(self, name, capture):
        """The meaning of a name here."""
        for frame in reversed(self.frames):
            if name in frame.ended:
                raise self._ended(name)
            if name in frame:
                return frame[name]
            frame.sought.add(name)
        return capture(self.source.lookup(name), name)

    def _ended(self, name):
        """The error about a name that a block has bound which is over."""
        if self._holder(name) is None:
            return self.source.undefined(name)
        return KernelTypeError(
            f'name "{name}" is assigned under a condition or in a loop that only a run knows, and '
            f"used after that; {_ALLOWED}"
        )

    def _is_ended(self, name):
        return any(name in frame.ended for frame in self.frames)

    def _holder(self, name):
        """The frame that binds a name here, or None."""
        return next((frame for frame in reversed(self.frames) if name in frame), None)

    def local(self, name):
        """The value that a variable of the function is bound to, or None."""
        return (self._holder(name) or {}).get(name)

    def bind(self, name, value, block, is_value=False):
        """Gives a name a meaning from here to the end of its block; of a rebinding, to the end of
        block, where statements are written now. is_value: whether it is one of the run."""
        holder = self._holder(name)
        if holder is None and is_value:
            return self.frames[-1].put(name, value)
        if holder is not None and holder.block is block:
            for frame in self.frames:  # those inside have marked it after a block of the run
                frame.ended.discard(name)
            return holder.put(name, value)
        if holder is not None and holder[name] is value and not self._is_ended(name):
            return None
        inner = [frame for frame in self.frames if frame.block is block]
        if not inner:
            raise KernelTypeError(
                f'name "{name}" is known when the kernel is compiled; it cannot be assigned in an '
                "operand that only a run decides about; assign it in a statement"
            )
        if holder is None:
            return self.frames[-1].put(name, value)
        self._check_turns(name, holder)
        return inner[0].put(name, value)

    def _check_turns(self, name, holder):
        """Raises KernelTypeError if a loop of the run has used what a name means outside."""
        at = next(i for i, frame in enumerate(self.frames) if frame is holder)
        if any(frame.is_loop and name in frame.sought for frame in self.frames[at + 1 :]):
            raise KernelTypeError(
                f'name "{name}" is known when the kernel is compiled; it cannot be assigned under '
                "a condition or in a loop that is known at run time only, and used in the loop's "
                f"next turn; {_ALLOWED}"
            )

    def declare(self, name, value):
        """Gives a name a meaning in the innermost block."""
        self.frames[-1].put(name, value)

    @contextmanager
    def nested(self, block, is_loop=False):
        """A block: names that are first bound in it end with it."""
        self.frames.append(Frame(block, is_loop))
        try:
            yield self.frames[-1]
        finally:
            self.frames.pop()

    def end(self, frame, left=False):
        """After a block, given by its frame, what it has bound has no meaning. left: the loop
        around is left at its end, so that what the loop itself binds keeps its meaning."""
        names = frame.keys() | frame.ended
        if left:
            loop = max((at for at, x in enumerate(self.frames) if x.is_loop), default=0)
            names -= set().union(*self.frames[loop:])
        self.frames[-1].ended |= names


class LocalFunction:
    """A lambda of a kernel: evaluated where it is called, with the names of where it is defined."""

    def __init__(self, node, scope):
        self.node, self.scope = node, scope
        # Copies: the blocks may have ended by the time of the call.
        self.made_in = [(frame, frame.copy()) for frame in scope.frames]

    def frames(self):
        """The frames to look names up in: those of the call, as names have their meaning then, and
        of blocks that have ended since what they bound."""
        is_open = {id(frame) for frame in self.scope.own}
        ended = [copy for frame, copy in self.made_in if id(frame) not in is_open]
        return [*self.scope.own, *ended]
