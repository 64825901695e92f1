# SPDX-License-Identifier: Apache-2.0
"""Loops over the cells that exist.

Before such a loop the kernel lists, node by node on the way down, the numbers of the cells that
exist; then it loops over the last list, and over the cells of dense nodes below. So an iteration
may make cells exist, or end them, without changing which iterations there are.
"""

from joggle._fields import layout

from ..ir import arithmetic
from ..ir.messages import KernelTypeError
from ..ir.scalar import Scalar
from ..value.cells import COUNTED, axes_of, count_of, dtype_of_numbers, joined, marks_at, parts_of
from ..value.values import Local

_CHUNK = 1024  # cells of which a thread counts those that exist before it lists them


class Cells:
    """A loop over the elements of a field, or the cells of a node, of which not all need exist.
    offset: of the field's indices, or None. grouped: whether the indices are vectors."""

    def __init__(self, node, offset, grouped):
        self.node, self.offset, self.grouped = node, offset, grouped

    def kernel_kind(self):
        return "a loop over cells that need not exist"


class Found:
    """Cells that exist: how many there are, a number or a value, and the number of each by its
    place among them. is_listed: whether the numbers were listed, so that places tell nothing."""

    def __init__(self, count, number_at, is_listed):
        self.count, self.number_at, self.is_listed = count, number_at, is_listed

    def inside(self, each, place):
        """The number of a cell below, in the dtype of place, which counts those in all cells:
        `each` in one of them."""
        if not self.is_listed:
            return place
        number = place.emitter.scalar(self.number_at(place // each), place.dtype)
        return number * each + place % each


def found_cells(lowering, leaf):
    """Writes the lists on the way down to a node. Gives the cells of the last node with marks, and
    the dense nodes below it."""
    found, nodes = Found(1, lambda place: place, False), []
    for node in leaf._way:
        nodes.append(node)
        if node._marks is None:
            continue
        if node._kind == COUNTED and node._parent is None:
            found = Found(marks_at(lowering, node, 0).read(), lambda place: place, False)
        else:
            found = _listed(lowering, found, nodes)
        nodes = []
    return found, nodes


def _listed(lowering, above, nodes):
    """Lists the cells of the last node that exist in those found above; dense nodes between."""
    node, emitter = nodes[-1], lowering.emitter
    lowering.known_cells.are_listed = True
    numbers, count = (lowering.capture(x, f"{node._kind}_list") for x in _lists_of(node))
    total = count.at(lowering, (0,))
    total.write(emitter.constant(0, total.dtype))
    write = _list_counted if node._kind == COUNTED else _list_marked
    write(lowering, above, nodes, numbers, total)
    return Found(total.read(), lambda place: numbers.at(lowering, (place,)).read(), True)


def _lists_of(node):
    """The fields that loops over a node list cells in, and how many."""
    if node._lists is None:
        name = dtype_of_numbers(node)
        made = [layout.hooks.new_marks(n, name) for n in (count_of(node._way), 1)]
        node._lists = tuple(made)
    return node._lists


def _list_marked(lowering, above, nodes, numbers, total):
    emitter, node, each = lowering.emitter, nodes[-1], count_of(nodes)
    dtype = dtype_of_numbers(node)
    count = emitter.scalar(_wide(emitter, above.count, dtype) * each, dtype)
    chunks = (count + (_CHUNK - 1)) // _CHUNK
    with emitter.loop(0, chunks, parallel=emitter.at_root) as chunk:
        low = chunk * _CHUNK
        high = arithmetic.binary(emitter, "minimum", low + _CHUNK, count)
        place = Local(emitter, dtype)
        place.write(emitter.constant(0, dtype))
        with emitter.loop(low, high) as index:
            mark = marks_at(lowering, node, above.inside(each, index)).read()
            place.write(place.read() + emitter.scalar(mark, dtype))
        with emitter.when(place.read() > 0):
            place.write(lowering.update(total, "add", place.read()))
            with emitter.loop(low, high) as index:
                number = above.inside(each, index)
                with emitter.when(marks_at(lowering, node, number).read() != 0):
                    numbers.at(lowering, (place.read(),)).write(emitter.scalar(number, dtype))
                    place.write(place.read() + 1)


def _list_counted(lowering, above, nodes, numbers, total):
    emitter, node, each = lowering.emitter, nodes[-1], count_of(nodes[:-1])
    dtype = dtype_of_numbers(node)
    (most,) = node._extents
    parents = emitter.scalar(_wide(emitter, above.count, dtype) * each, dtype)
    with emitter.loop(0, parents, parallel=emitter.at_root) as index:
        parent = emitter.scalar(above.inside(each, index), dtype)
        count = emitter.scalar(marks_at(lowering, node, parent).read(), dtype)
        with emitter.when(count > 0):
            start = lowering.update(total, "add", count)
            with emitter.loop(0, count) as place:
                numbers.at(lowering, (start + place,)).write(parent * most + place)


def _wide(emitter, count, dtype):
    return emitter.scalar(count, dtype) if isinstance(count, Scalar) else count


class CellLoops:
    """The part of the lowering that writes these loops."""

    def cell_loop(self, node, cells, options):
        """A for statement over cells."""
        if self.emitter.in_parallel:
            raise KernelTypeError(
                "a loop over cells that need not exist, inside of a parallel loop; write it outside"
            )
        known = len(self.known_cells.loops)
        found, dense = found_cells(self, cells.node)
        ranges = [(0, found.count), *((0, n) for each in dense for n in each._extents)]
        result = self._nest(
            node, ranges, options, lambda indices: self._cell_index(cells, found, dense, indices)
        )
        del self.known_cells.loops[known:]
        return result

    def _cell_index(self, cells, found, dense, indices):
        """The value of the loop's target. indices: of the cell that was found, and inside the cell
        along each axis of the dense nodes."""
        place, *inside = indices
        leaf = cells.node
        last = leaf._way[len(leaf._way) - len(dense) - 1]
        parts = parts_of(last, found.number_at(place))
        told_by = [value.name for part in parts.values() for value, _ in part]
        if found.is_listed:
            self.emitter.block.region.stand_ins[place.name] = told_by
        pairs = [pair for each in dense for pair in zip(each._numbers, each._extents, strict=True)]
        for (axis, extent), index in zip(pairs, inside, strict=True):
            parts.setdefault(axis, []).append((index, extent))
        found_at = tuple(joined(parts[axis]) for axis in axes_of(leaf))
        self.known_cells.loops.append((leaf, tuple(index.name for index in found_at)))
        return self._shape_cells(cells, found_at)

    def _shape_cells(self, cells, indices):
        if cells.offset:
            indices = tuple(i + o for i, o in zip(indices, cells.offset, strict=True))
        indices = [self.emitter.scalar(index, self.emitter.default_ip) for index in indices]
        single = len(indices) == 1 and not cells.grouped
        return self.shape_index(indices, single, cells.grouped)
