# SPDX-License-Identifier: Apache-2.0
"""Loops of a kernel: which run in parallel, which in order, and which are unrolled when compiling.

A for loop at the top of the kernel runs in parallel, unless that would change what it means: one
that assigns to a variable from outside (other than by += and its kin, which are atomic), or that
has a break, runs in order, as does one after qd.loop_config(serialize=True). That a function or a
method assigns to such a variable is known when the loop has been written: then the kernel is
written again.
"""

import ast
from contextlib import contextmanager
from itertools import compress, product

from joggle import _core
from joggle._fields.layout import SNode

from ..ir import arithmetic
from ..ir.code import For, Loop, Parallel
from ..ir.emit import describe
from ..ir.messages import KernelSyntaxError, KernelTypeError
from ..ir.promotion import integer_range, is_integer, promote
from ..ir.scalar import Scalar
from ..library.mutation import (
    assigned_names,
    breaks,
    has_open_loop,
    names_of,
    returns,
    stored_names,
)
from ..value.array import ArrayValue, RecordArray, index_ranges
from ..value.cells import cells_of
from ..value.values import PLACES, Local, Tensor, holds_places, read, tensor_of, variable
from .cell_loops import CellLoops, Cells
from .sections import DoWhile

_MOST_RANGES = _core._max_kernel_ranges


def _holds_in_32_bits(least, most):
    low, high = integer_range("int32")
    return low <= least and most <= high


class Range:
    """range(low, high, step) of a kernel's source."""

    def __init__(self, low, high, step=1):
        self.low, self.high, self.step = low, high, step

    def __iter__(self):
        return iter(range(_known(self.low), _known(self.high), self.step))

    def __len__(self):
        return len(range(_known(self.low), _known(self.high), self.step))


class Ndrange:
    """Several ranges; the last index changes fastest."""

    def __init__(self, ranges):
        self.ranges = ranges

    def __iter__(self):
        bounds = [range(_known(low), _known(high)) for low, high in self.ranges]
        return iter(product(*bounds)) if len(bounds) > 1 else iter(bounds[0])


class Grouped:
    """The indices of several ranges or of a field, as one vector."""

    def __init__(self, ranges):
        self.ranges = ranges

    def __iter__(self):
        bounds = [range(_known(low), _known(high)) for low, high in self.ranges]
        return iter(vectors(product(*bounds)))


def _is_single(low, high):
    """Whether a range is known to have one index."""
    return isinstance(low, int) and isinstance(high, int) and high - low == 1


def vectors(items):
    """Indices that are known when compiling as vectors, whose items are numbers of Python."""
    return [Tensor((len(item),), item) for item in items]


class Static:
    """The result of qd.static for an iterable: a loop over it is unrolled."""

    def __init__(self, items):
        self.items = items

    def kernel_kind(self):
        return "a loop that is unrolled"

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)


def _known(x):
    if isinstance(x, Scalar):
        if x.constant is None:
            raise KernelTypeError(
                "the bounds of a range in static(...) must be known at compile time"
            )
        return x.constant
    return x


def ranges_of(lowering, array):
    """The range of each index of an array, or of the cells of a node."""
    if isinstance(array, SNode):
        return [(0, extent) for extent in array.shape]
    return index_ranges(lowering, array)


def grouped_indices(lowering, array):
    """The result of qd.grouped for an array or a node."""
    if cells_of(array) is not None:
        return Cells(cells_of(array), getattr(array, "offset", None), True)
    return Grouped(ranges_of(lowering, array))


class Loops(CellLoops):
    """The part of the lowering that writes loops."""

    def run_For(self, node):
        if node.orelse:
            raise KernelSyntaxError("else after a for loop is not supported; use a variable")
        options, self.loop_options = self.loop_options, {}
        subject = self.visit(node.iter)
        if isinstance(subject, (ArrayValue, RecordArray, SNode)):
            subject = self._indices_of(node, subject)
        if isinstance(subject, Cells):
            return self.cell_loop(node, subject, options)
        if isinstance(subject, Range):
            return self._range_loop(node, subject, options)
        if isinstance(subject, Grouped) and not subject.ranges:  # no axes: one element
            return self._unrolled(node, vectors([()]))
        if isinstance(subject, (Ndrange, Grouped)):
            return self._nested_loop(node, subject, options)
        if isinstance(subject, (Scalar, int, float, *PLACES)) and not isinstance(subject, Tensor):
            raise KernelTypeError(
                f"for: got {describe(subject)}, allowed are range, ndrange, grouped, fields, "
                "and what is known when compiling; write range(...)"
            )
        return self._unrolled(node, self.iterate(subject))

    def _indices_of(self, node, array):
        """A loop over an array, or a node of a tree, is one over its indices."""
        ranges = ranges_of(self, array)
        if not ranges:
            raise KernelTypeError(f"{describe(array)} has no indices to loop over")
        names = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        if len(names) not in (1, len(ranges)):
            raise KernelTypeError(
                f"{describe(array)}: got {len(names)} names for {len(ranges)} indices, allowed is "
                "one name, or one for each"
            )
        grouped = len(names) == 1 and len(ranges) > 1
        if cells_of(array) is not None:
            return Cells(cells_of(array), getattr(array, "offset", None), grouped)
        return Grouped(ranges) if grouped else Ndrange(ranges)

    def _unrolled(self, node, items):
        """The body once for each item. A break ends it here, a continue ends the item's body."""
        for item in items:
            assigned, self.assigned_in_loop = self.assigned_in_loop, assigned_names(node.body)
            with self.scope.nested(self.emitter.block) as frame, self._loop("static"):
                self.bind_loop(node.target, item)
                ended = self.run(node.body)
            self.scope.end(frame)
            self.assigned_in_loop = assigned
            if ended == "break":
                break
            if ended in ("return", "ended"):
                return ended
        return None

    @contextmanager
    def _loop(self, kind):
        self.scope.loops.append((kind, self.emitter.block))
        try:
            yield
        finally:
            self.scope.loops.pop()

    def bind_loop(self, target, item):
        """Binds the names of a loop to their values in this iteration."""
        if isinstance(item, Local):  # of a list: the number that it holds now
            item = read(item)
        if isinstance(target, (ast.Tuple, ast.List)):
            items = self.iterate(item)
            if len(items) != len(target.elts):
                raise KernelTypeError(
                    f"got {len(items)} values for {len(target.elts)} names, allowed are as many"
                )
            for part, value in zip(target.elts, items, strict=True):
                self.bind_loop(part, value)
        elif not isinstance(target, ast.Name):
            raise KernelSyntaxError("the target of a loop must be a name, or names")
        elif isinstance(self.scope.local(target.id), PLACES):
            self._bind_name(target.id, item)  # as in Python, an existing variable outlives the loop
        elif target.id in self.scope.mutated and self._is_assigned(target.id, item):
            self.scope.declare(target.id, variable(self.emitter, item))
        else:
            self.scope.declare(target.id, item)

    def _is_assigned(self, name, item):
        """Whether the loop's body assigns to its own variable, so that it needs a place."""
        return isinstance(item, (Scalar, Tensor)) and name in self.assigned_in_loop

    def _range_loop(self, node, subject, options):
        if self._is_parallel(node, options):
            if subject.step != 1:
                return self._parallel_steps(node, subject, options)
            ranges = [(subject.low, subject.high)]
            return self._parallel(node, ranges, options, lambda indices: indices[0])
        low, high, dtype = self._bounds(subject.low, subject.high)
        index = self.emitter.new(dtype)
        return self._body(node, For(index, low, high, subject.step), lambda: index)

    def _bounds(self, low, high):
        """Both as values of one type, which the index has: int32 if it holds all that they may be,
        otherwise int64. Indices of unsigned types would not be checked."""
        emitter = self.emitter
        if not is_integer(promote(emitter.dtype_of(low), emitter.dtype_of(high))):
            raise KernelTypeError(
                f"range: got {describe(low)} and {describe(high)}, allowed are integers; "
                "use int(...)"
            )
        narrow = self._is_narrow(high) and (
            _holds_in_32_bits(low, low) if isinstance(low, int) else self._is_narrow(low)
        )
        dtype = "int32" if narrow else "int64"
        return emitter.scalar(low, dtype), emitter.scalar(high, dtype), dtype

    def _is_narrow(self, bound):
        """Whether int32 holds all numbers of the bound's type."""
        dtype = self.emitter.dtype_of(bound)
        return not is_integer(dtype) or _holds_in_32_bits(*integer_range(dtype))

    def _body(self, node, loop, index):
        """Writes a loop. index() gives what the target is bound to; it is called inside, as it may
        write instructions."""
        outer, returns = self.emitter.open(loop), self._returns()
        kind = "parallel" if isinstance(loop, Parallel) else "serial"
        if kind == "parallel":
            self.parallel.append((node, self.emitter.block))
        assigned, self.assigned_in_loop = self.assigned_in_loop, assigned_names(node.body)
        with self.scope.nested(self.emitter.block, True) as frame, self._loop(kind):
            self.bind_loop(node.target, index())
            self.run(node.body)
        self.scope.end(frame)
        self.assigned_in_loop = assigned
        self.emitter.close(outer)
        self._leave_if_returned(returns)

    def _returns(self):
        """The number of the function's returns in loops so far."""
        return self.scope.exit.from_loops if self.scope.exit else 0

    def _leave_if_returned(self, before):
        """After a loop that may contain returns; `before` is the number of returns before it."""
        if self._returns() > before:
            self.scope.exit.leave_loop()

    def _is_parallel(self, node, options):
        """Whether the loop is parallel, by the rules in the head of the file. Variables from
        outside are the places that are known here."""
        if not self.emitter.at_root or options.get("serialize") or options.get("parallelize") == 1:
            return False
        if breaks(node.body) or node in self.in_order:
            return False
        changed = stored_names(node.body) | names_of(node.target)
        return not any(holds_places(self.scope.local(name)) for name in changed)

    def _parallel(self, node, ranges, options, bound):
        """bound(indices) gives what the target is bound to, inside of the loop."""
        ranges, decode = self._fit(ranges)
        typed = [self._bounds(*bounds) for bounds in ranges]
        # The IR's loop has indices of one type.
        dtype = "int64" if any(dtype == "int64" for *_, dtype in typed) else "int32"
        written = [
            (self.emitter.new(dtype), *(self.emitter.scalar(x, dtype) for x in bounds))
            for *bounds, _ in typed
        ]
        indices = [index for index, _, _ in written]
        loop = Parallel(written, options.get("block_dim"))
        return self._body(node, loop, lambda: bound(decode(indices)))

    def _index_of(self, low, high):
        """A range as the IR's loops have it: a new index, and both bounds as values."""
        low, high, dtype = self._bounds(low, high)
        return self.emitter.new(dtype), low, high

    def shape_index(self, indices, single, grouped):
        """The indices as a loop's target takes them: a vector, one number, or several."""
        if grouped:
            return tensor_of(self.emitter, (len(indices),), indices)
        return indices[0] if single else tuple(indices)

    def _fit(self, ranges):
        """The ranges of the IR's loop, and a function from their indices to those of all ranges.
        One of a single index is left out, as the last range is the row that becomes vectors. If
        more are left than the IR has, they become one, whose index is taken apart."""
        keeps = [not _is_single(*bounds) for bounds in ranges]
        keeps[-1] |= not any(keeps)
        kept = list(compress(ranges, keeps))
        if len(kept) > _MOST_RANGES:
            return [(0, self._product(ranges))], lambda index: self._split(index[0], ranges)

        def all_of(indices):
            rest = iter(indices)
            return [
                next(rest) if keep else self._bounds(*bounds)[0]
                for bounds, keep in zip(ranges, keeps, strict=True)
            ]

        return kept, all_of

    def _extent(self, low, high):
        """How many indices a range has; counted in 64 bits where it is not known."""
        if isinstance(low, int) and isinstance(high, int):
            return max(high - low, 0)
        low, high = (self.emitter.scalar(x, "int64") for x in (low, high))
        return arithmetic.binary(self.emitter, "maximum", high - low, 0)

    def _product(self, ranges):
        """How many iterations the ranges have together, none if one of them is empty."""
        total = 1
        for low, high in ranges:
            total = total * self._extent(low, high)
        fits = not isinstance(total, int) or total <= integer_range(self.emitter.default_ip)[1]
        return total if fits else self.emitter.constant(total, "int64")

    def _split(self, index, ranges):
        """The index of each range, in the type of an index, from that of all of them."""
        parts = []
        for low, high in reversed(ranges):
            extent = self._extent(low, high)
            first, _, dtype = self._bounds(low, high)
            parts.append(first + self.emitter.cast(index % extent, dtype))
            index = index // extent
        return parts[::-1]

    def _parallel_steps(self, node, subject, options):
        """A range with a step, as one of 0 to how many there are."""
        low, high, _ = self._bounds(subject.low, subject.high)
        step, size = subject.step, abs(subject.step)
        # Rounded up; an empty range has a count of at most 0, so no iteration.
        distance = high - low if step > 0 else low - high
        count = (distance + (size - 1)) // size
        written = self._index_of(0, count)
        loop = Parallel([written], options.get("block_dim"))
        return self._body(node, loop, lambda: low + written[0] * step)

    def _nested_loop(self, node, subject, options):
        grouped = isinstance(subject, Grouped)
        single = not isinstance(node.target, ast.Tuple) and not grouped
        ranges = subject.ranges
        if single and len(ranges) > 1:
            grouped, single = True, False
        return self._nest(
            node, ranges, options, lambda indices: self.shape_index(indices, single, grouped)
        )

    def _nest(self, node, ranges, options, bound):
        """A parallel loop over several ranges, or one that runs in order."""
        if self._is_parallel(node, options):
            return self._parallel(node, ranges, options, bound)
        return self._serial_nest(node, ranges, bound)

    def _serial_nest(self, node, ranges, bound):
        """One loop over all indices, so that break leaves all of them and the compiler makes
        straight code of short ones. Where a loop is inside, that would not be, and taking the index
        apart would take longer than such a loop often does: then a loop for each range."""
        leaves = breaks(node.body) or returns(node.body)
        if not leaves and has_open_loop(node.body):
            return self._nested_in_order(node, ranges, bound)
        low, high, dtype = self._bounds(
            *(ranges[0] if len(ranges) == 1 else (0, self._product(ranges)))
        )
        index = self.emitter.new(dtype)

        def indices():
            return bound([index] if len(ranges) == 1 else self._split(index, ranges))

        return self._body(node, For(index, low, high), indices)

    def _nested_in_order(self, node, ranges, bound):
        """All bounds are found before the first loop begins."""
        written, outer = [self._index_of(*bounds) for bounds in ranges], []
        indices = [index for index, _, _ in written]
        for level in written[:-1]:
            outer.append(self.emitter.open(For(*level)))
        self._body(node, For(*written[-1]), lambda: bound(indices))
        while outer:
            self.emitter.close(outer.pop())

    def run_While(self, node):
        if node.orelse:
            raise KernelSyntaxError("else after a while loop is not supported; use a variable")
        outer, returns = self.emitter.open(Loop()), self._returns()
        with self.scope.nested(self.emitter.block, True) as frame, self._loop("serial"):
            assigned, self.assigned_in_loop = self.assigned_in_loop, assigned_names(node.body)
            condition = self.value(node.test)
            if isinstance(condition, DoWhile):
                self.do_while(condition, node.body)
            elif not self._leave_unless(condition):
                self.run(node.body)
            self.assigned_in_loop = assigned
        self.scope.end(frame)
        self.emitter.close(outer)
        if self._returns() > returns and condition is True and not breaks(node.body):
            self.emitter.perform("break")  # only a return leaves it
            return "ended"
        return self._leave_if_returned(returns)

    def _leave_unless(self, condition):
        """Gives whether the loop has no iteration, so that nothing is written in it."""
        stop = arithmetic.negation(self.emitter, condition)
        if stop is False:
            return False
        if stop is True:
            self.emitter.perform("break")
            return True
        with self.emitter.when(stop):
            self.emitter.perform("break")
        return False
