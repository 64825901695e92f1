# SPDX-License-Identifier: Apache-2.0
"""Random trees of nodes whose cells need not exist, under random programs, beside a model of sets
and dictionaries. The same programs run on one thread and on several."""

import itertools
import random

import numpy as np
import pytest

import joggle.fields as qd

MOST = 4096  # elements of a field, so that the model can walk them all


class Model:
    """What a field of such a tree holds and which cells exist, by plain Python."""

    def __init__(self, levels):
        self.levels = levels  # (kind, {axis: extent}), the outermost first
        self.axes = sorted({axis for _, extents in levels for axis in extents})
        self.values = {}
        self.cells = [set() for _ in levels]  # of marked levels: the paths of cells that exist

    def path(self, indices, depth=None):
        """The place in each level, down to one."""
        rest = dict(zip(self.axes, indices, strict=True))
        span = {axis: 1 for axis in self.axes}
        places = []
        for _, extents in reversed(self.levels):
            places.insert(0, tuple(rest[axis] // span[axis] % extents[axis] for axis in extents))
            for axis, extent in extents.items():
                span[axis] *= extent
        return tuple(places[: None if depth is None else depth + 1])

    def shape(self):
        shape = dict.fromkeys(self.axes, 1)
        for _, extents in self.levels:
            for axis, extent in extents.items():
                shape[axis] *= extent
        return tuple(shape[axis] for axis in self.axes)

    def activate(self, indices):
        path = self.path(indices)
        for depth, (kind, _extents) in enumerate(self.levels):
            if kind == "dynamic":
                (last,) = path[depth]
                for place in range(last + 1):
                    self.cells[depth].add((*path[:depth], (place,)))
            elif kind != "dense":
                self.cells[depth].add(path[: depth + 1])

    def write(self, indices, value):
        self.activate(indices)
        self.values[indices] = value

    def exists(self, indices):
        path = self.path(indices)
        return all(
            kind == "dense" or path[: depth + 1] in self.cells[depth]
            for depth, (kind, _) in enumerate(self.levels)
        )

    def all_indices(self):
        return itertools.product(*map(range, self.shape()))

    def existing(self):
        return {indices for indices in self.all_indices() if self.exists(indices)}

    def deactivate(self, depth, indices):
        """The cell of a level that leads to an element; of a dynamic one the whole list."""
        prefix = self.path(indices, depth - (self.levels[depth][0] == "dynamic"))
        if depth == 0 and self.levels[0][0] == "dynamic":
            prefix = ()
        inside = lambda path: path[: len(prefix)] == prefix  # noqa: E731
        for level in range(depth, len(self.levels)):
            self.cells[level] = {path for path in self.cells[level] if not inside(path)}
        self.values = {i: v for i, v in self.values.items() if not inside(self.path(i))}

    def array(self):
        out = np.zeros(self.shape(), np.int32)
        for indices, value in self.values.items():
            out[indices] = value
        return out


@qd.kernel
def collect(field: qd.template(), found: qd.types.ndarray(), count: qd.types.ndarray()):
    for index in qd.grouped(field):
        place = qd.atomic_add(count[0], 1)
        for k in qd.static(range(len(field.shape))):
            found[place, k] = index[k]


@qd.kernel
def write(field: qd.template(), indices: qd.types.ndarray(), values: qd.types.ndarray()):
    for row in range(values.shape[0]):
        index = qd.Vector([indices[row, k] for k in qd.static(range(len(field.shape)))])
        field[index] += values[row]


@qd.kernel
def change(field: qd.template()):
    for index in qd.grouped(field):
        field[index] = 2 * field[index] + 1


@qd.kernel
def spread(field: qd.template(), extents: qd.template(), stride: qd.i32):
    for index in qd.grouped(field):
        beside = index
        for k in qd.static(range(len(extents))):
            beside[k] = (index[k] + stride) % extents[k]
        qd.atomic_max(field[beside], 1)


@qd.kernel
def end(node: qd.template(), indices: qd.types.ndarray(), rank: qd.template()):
    for row in range(indices.shape[0]):
        index = qd.Vector([indices[row, k] for k in qd.static(range(rank))])
        qd.deactivate(node, index)


@qd.kernel
def end_list(node: qd.template()):
    qd.deactivate(node, [])


@qd.kernel
def end_inside(field: qd.template(), node: qd.template()):
    for index in qd.grouped(field):
        if field[index] % 3 == 0:
            qd.deactivate(node, index)
        elif field[index] % 3 == 1:
            field[index] += 5


def random_levels(draw):
    levels, total = [], 1
    for _depth in range(draw.randint(1, 4)):
        kind = draw.choice(["dense", "pointer", "bitmasked", "pointer", "dynamic", "hash"])
        axes = draw.sample(range(3), 1 if kind == "dynamic" else draw.randint(1, 2))
        extents = {axis: draw.choice([1, 2, 3, 4, 5, 8]) for axis in axes}
        size = int(np.prod(list(extents.values())))
        if total * size > MOST:
            break
        total *= size
        levels.append((kind, extents))
    if all(kind == "dense" for kind, _ in levels):
        levels[-1:] = [("pointer", levels[-1][1])]
    return levels


def grown(levels):
    """The nodes of a tree of levels."""
    nodes, node = [], qd.root
    for kind, extents in levels:
        axes = qd.axes(*extents)
        dims = list(extents.values())
        node = getattr(node, kind)(axes, dims[0] if kind == "dynamic" else dims)
        nodes.append(node)
    return nodes


def check(field, model):
    assert np.array_equal(field.to_numpy(), model.array())
    size = int(np.prod(model.shape()))
    found = np.zeros((size + 1, len(model.axes)), np.int32)
    count = np.zeros(1, np.int32)
    collect(field, found, count)
    indices = list(map(tuple, found[: count[0]].tolist()))
    assert len(set(indices)) == len(indices)
    assert set(indices) == model.existing()


def some(draw, model, most=12):
    shape = model.shape()
    return [tuple(draw.randrange(n) for n in shape) for _ in range(draw.randint(1, most))]


def by_python(draw, field, nodes, model):
    for indices in some(draw, model):
        value = draw.randint(-9, 9)
        field[indices] = value
        model.write(indices, value)


def by_kernel(draw, field, nodes, model):
    chosen = some(draw, model, 40)
    values = [draw.randint(1, 9) for _ in chosen]
    write(field, np.array(chosen, np.int32), np.array(values, np.int32))
    for indices, value in zip(chosen, values, strict=True):
        model.write(indices, model.values.get(indices, 0) + value)


def by_loop(draw, field, nodes, model):
    change(field)
    for indices in model.existing():
        model.values[indices] = 2 * model.values.get(indices, 0) + 1


def by_neighbours(draw, field, nodes, model):
    stride = draw.randint(1, 5)
    spread(field, field.shape, stride)
    shape = model.shape()
    for indices in model.existing():
        beside = tuple((i + stride) % n for i, n in zip(indices, shape, strict=True))
        model.write(beside, max(model.values.get(beside, 0), 1))


def by_ending(draw, field, nodes, model):
    depth = draw.choice([d for d, (kind, _) in enumerate(model.levels) if kind != "dense"])
    node = nodes[depth]
    counted = model.levels[depth][0] == "dynamic"
    if counted and depth == 0:
        end_list(node)
        model.deactivate(0, (0,) * len(model.axes))
        return
    above = nodes[depth - 1] if counted else node
    shape, axes = (
        above.shape,
        sorted({a for _, e in model.levels[: depth + 1 - counted] for a in e}),
    )
    chosen = some(draw, model, 4)
    spans = [
        n // m
        for n, m in zip([model.shape()[model.axes.index(a)] for a in axes], shape, strict=True)
    ]
    cells = [
        tuple(i[model.axes.index(a)] // span for a, span in zip(axes, spans, strict=True))
        for i in chosen
    ]
    end(node, np.array(cells, np.int32), len(axes))
    for indices in chosen:
        model.deactivate(depth, indices)


def by_ending_all(draw, field, nodes, model):
    depth = draw.randrange(len(nodes))
    nodes[depth].deactivate_all()
    marked = [d for d in range(depth, len(nodes)) if model.levels[d][0] != "dense"]
    for indices in list(model.all_indices()) if marked else []:
        model.deactivate(marked[0], indices)


def by_ending_inside(draw, field, nodes, model):
    if model.levels[-1][0] in ("dense", "dynamic"):
        return
    end_inside(field, nodes[-1])
    for indices in model.existing():
        value = model.values.get(indices, 0)
        if value % 3 == 0:
            model.deactivate(len(nodes) - 1, indices)
        elif value % 3 == 1:
            model.values[indices] = value + 5


def by_filling(draw, field, nodes, model):
    value = draw.randint(-5, 5)
    field.fill(value)
    for indices in model.existing():
        model.values[indices] = value


def by_numpy(draw, field, nodes, model):
    given = np.arange(np.prod(model.shape()), dtype=np.int32).reshape(model.shape())
    field.from_numpy(given)
    for indices in model.existing():
        model.values[indices] = int(given[indices])


STEPS = [
    by_python, by_kernel, by_loop, by_neighbours, by_ending, by_ending_all, by_ending_inside,
    by_filling, by_numpy,
]  # fmt: skip


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("seed", range(30))
def test_random_programs_agree_with_the_model(seed, threads, in_full):
    for case in range(10 if in_full else 1):
        draw = random.Random(100 * seed + case)
        qd.init(cpu_max_num_threads=threads, debug=draw.random() < 0.2)
        levels = random_levels(draw)
        model, nodes = Model(levels), grown(levels)
        field = qd.field(qd.i32)
        nodes[-1].place(field)
        assert field.shape == model.shape()
        check(field, model)
        for _ in range(10):
            draw.choice(STEPS)(draw, field, nodes, model)
            check(field, model)
    qd.init()
