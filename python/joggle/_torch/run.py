# SPDX-License-Identifier: Apache-2.0
"""Runs a graph of ATen's operators: parts by joggle, what is between them by torch.

Values have numbers, by which a call's list of them is read and written; a call costs little beside
what it computes.
"""

import os

import torch
from torch.fx.node import map_arg

from joggle import _core
from joggle._torch.composed import join_attention
from joggle._torch.lower import Refused, base_of, compiled_part
from joggle._torch.parts import Cut, Part
from joggle._torch.quotients import divide_once, multiply_by_inverses
from joggle._torch.shapes import is_storage
from joggle._torch.shrinking import widen_shrinks
from joggle._torch.storages import bases_of, end_of, stride_in_storage, view_of, views_of


class _Threads:
    """Joggle's number of threads, which follows torch.set_num_threads, as whoever was told last."""

    def __init__(self):
        is_default = _core.get_num_threads() == len(os.sched_getaffinity(0))
        told = "JOGGLE_NUM_THREADS" in os.environ or not is_default
        self.seen = torch.get_num_threads() if told else None

    def follow(self):
        count = torch.get_num_threads()
        if count != self.seen:
            self.seen = count
            _core.set_num_threads(min(count, _core._max_threads))


_threads = _Threads()
_KEPT = 8 << 20  # bytes that forward leaves in the cache


def _give_back():
    """Forward leaves little in the cache: PyTorch, which computes the loss next, cannot use it.
    Blocks beyond that much cost less to get again than what is computed in them."""
    if _core.get_cache_memory() > _KEPT:
        _core.set_cache_limit(_core.set_cache_limit(_KEPT))


def _stay_within_peak():
    """Behind a piece of backward, blocks that are in use and kept ones take together no more than
    was in use at once. The next piece wants blocks of other sizes, and kept ones would add to the
    peak of the process."""
    most = max(_KEPT, _core.get_peak_memory() - _core.get_active_memory())
    if _core.get_cache_memory() > most:
        _core.set_cache_limit(_core.set_cache_limit(most))


class Graph:
    """A graph whose sizes are numbers, as a function of a list of tensors that it empties.
    by_torch: why torch runs all of it, which may then have any sizes."""

    def __init__(self, module, name, by_torch=None):
        self.module, self.name, self.by_torch = module, name, by_torch
        self.is_recorded = False  # all of it, so that no part is refused any more
        self.refused = {}  # reasons, by node, that came up while it was recorded
        if by_torch:
            self.refused = dict.fromkeys(module.graph.nodes, by_torch)
        else:
            widen_shrinks(module.graph)
            divide_once(module.graph)
            multiply_by_inverses(module.graph)
            join_attention(module.graph)
            stride_in_storage(module.graph)
        self._cut()

    def _cut(self):
        graph = self.module.graph
        self.cut = Cut(graph, self.refused, self.name == "backward")
        self.numbers = {node: i for i, node in enumerate(graph.nodes)}
        for step in self.cut.steps:
            for node in step.updates if isinstance(step, Part) else ():
                self.numbers[node] = self.numbers[node.args[0]]
        output = next(n for n in graph.nodes if n.op == "output").args[0]
        _order_outputs(self.cut.steps, output)
        placeholders = [n for n in graph.nodes if n.op == "placeholder"]
        self.placed = [self.numbers[n] for n in placeholders]
        self.attributes = [
            (self.numbers[n], getattr(self.module, n.target))
            for n in graph.nodes
            if n.op == "get_attr"
        ]
        self.steps = [
            (_PartStep if isinstance(step, Part) else _NodeStep)(step, self.numbers, self.name)
            for step in self.cut.steps
        ]
        self._plan_lifetimes(output)
        self.outputs = [_Number(self.numbers[x]) if x in self.numbers else x for x in output]
        self.single = self._single(placeholders)
        is_as_it_is = self.name == "backward" or self.by_torch
        self.bases = [] if is_as_it_is else bases_of(output, placeholders)
        self.views = [] if is_as_it_is else views_of(output)
        self.strided = _strided(self.cut.steps, placeholders)

    def _plan_lifetimes(self, output):
        """After each step, the values that no later step needs are released."""
        needed = {self.numbers[x] for x in output if isinstance(x, torch.fx.Node)}
        for step in reversed(self.steps):
            step.last = [n for n in {*step.inputs, *step.outputs} if n not in needed]
            needed.update(step.inputs, step.outputs)

    def _single(self, placeholders):
        """The step of a graph that is one part and gives what that gives, as most are."""
        if len(self.steps) != 1 or self.attributes or not isinstance(self.steps[0], _PartStep):
            return None
        step = self.steps[0]
        if [getattr(x, "number", None) for x in self.outputs] != step.outputs:
            return None
        places = {number: place for place, number in enumerate(self.placed)}
        step.taken = [places[number] for number in step.inputs]
        return step

    def all(self):
        return [self]

    def plain(self):
        """The step that gives all that the graph gives, of its arguments in their order, if there
        is one."""
        step = self.single
        if step is None or step.updates or step.tracer.constants:
            return None
        if self.strided or self.bases or self.views:
            return None
        return step if step.taken == list(range(len(self.placed))) else None

    def __call__(self, inputs):
        given = list(inputs)
        inputs.clear()
        _threads.follow()
        if self.strided:
            self._check_strided(given)
        while True:
            try:
                found = self._found(given)
                break
            except Refused as refused:
                self.refused[refused.node] = refused.reason
                self._cut()
        if self.name == "forward":
            _give_back()
        return found

    def _found(self, given):
        bases = [(place, given[base]) for place, base in self.bases]
        if self.single is None:
            found = self._run(given)
        else:
            found = self.single.call([given[place] for place in self.single.taken])
        for place, base in bases:
            found[place] = view_of(base, found[place])
        for place, base in self.views:
            found[place] = view_of(found[base], found[place])
        return found

    def _check_strided(self, given):
        """as_strided reads what lies around a tensor, and guards tell nothing of that."""
        others = [node for place, node in self.strided if not is_storage(given[place])]
        for node in others:
            self.refused[node] = "it reads memory around an argument"
        if others:
            self._cut()

    def _record(self):
        """Records the parts for tensors like those that they will be given, before any is run."""
        if self.is_recorded:
            return
        for step in self.steps:
            if isinstance(step, _PartStep):
                step.record()
        self.is_recorded = True

    def _run(self, given):
        values = [None] * len(self.numbers)
        for number, value in zip(self.placed, given, strict=True):
            values[number] = value
        for number, value in self.attributes:
            values[number] = value
        if len(self.steps) > 1 and self.name == "backward":
            self._record()
        if self.is_recorded:  # what steps have read is let go of; a refusal would need it again
            given.clear()
        updates = None if self.is_recorded else []
        for step in self.steps:
            step.run(values, updates)
            for number in step.last:
                values[number] = None
            if self.name == "backward":
                _stay_within_peak()
        _write(updates or ())
        self.is_recorded = True
        return [values[x.number] if type(x) is _Number else x for x in self.outputs]


def direct(graph):
    """A graph as a function of tensors. Most calls of most graphs are one call of joggle's, and go
    straight to it; others, and those that fail, go by the graph."""
    count_threads, run, kind = torch.get_num_threads, _core._call_on_tensors, torch.Tensor
    compiled, constants = None, ()

    def call(*tensors):
        nonlocal compiled, constants
        if compiled is not None and count_threads() == _threads.seen:
            try:
                found = run(compiled, tensors, kind)
                if not constants:
                    return found
            except Exception:
                compiled = None
        found = graph(list(tensors))
        step = graph.plain()
        if step is not None:
            compiled, constants = step.compiled, step.tracer.constants
        return found

    return call


def _strided(steps, placeholders):
    """(place, node) for each as_strided of an argument that a part has."""
    places = {node: place for place, node in enumerate(placeholders)}
    nodes = [node for step in steps if isinstance(step, Part) for node in step.nodes]
    strided = [node for node in nodes if node.target is torch.ops.aten.as_strided.default]
    return [(places[base_of(node)], node) for node in strided if base_of(node) in places]


def _order_outputs(steps, output):
    """Parts give what the graph gives in its order, so that a graph of one part gives its list."""
    places = {x: place for place, x in enumerate(output)}
    for step in steps:
        if isinstance(step, Part):
            step.outputs.sort(key=lambda node: places.get(node, len(output)))


class _Number:
    """The place of a value among those of a call."""

    def __init__(self, number):
        self.number = number


class _PartStep:
    def __init__(self, part, numbers, name):
        self.part = part
        self.inputs = [numbers[n] for n in part.inputs]
        self.outputs = [numbers[n] for n in part.outputs]
        places = {node: place for place, node in enumerate(part.inputs)}
        self.updates = tuple(places[node.args[0]] for node in part.updates)
        self.compiled, self.tracer = compiled_part(part, name)

    def record(self):
        likes = [node.meta["val"] for node in self.part.inputs]
        tensors = [torch.empty_strided(x.shape, x.stride(), dtype=x.dtype) for x in likes]
        self.compiled(*map(_core.from_dlpack, tensors))

    def call(self, tensors, updates=None):
        """updates: None, or a list that takes (tensor, value) for what is not to be written yet."""
        written = self.updates if updates is None else ()
        try:
            found = _core._call_on_tensors(self.compiled, tensors, torch.Tensor, written)
        except Refused:
            raise
        except Exception as error:
            self._fail(tensors, error)
        if self.tracer.constants:
            self._copy_constants(found)
        if len(found) > len(self.outputs):
            self._take_updates(tensors, found, updates)
        return found

    def _copy_constants(self, found):
        """Results that no input tells of are the record's: each call gives copies. Those that share
        memory in torch share the copy's."""
        together = {}
        for place in self.tracer.constants:
            if place < len(found):
                base = base_of(self.part.outputs[place]) if place < len(self.outputs) else place
                together.setdefault(base, []).append(place)
        for places in together.values():
            if len(places) == 1:
                found[places[0]] = _copied(found[places[0]])
                continue
            likes = [self.part.outputs[place].meta["val"] for place in places]
            for place, x in zip(places, _in_one_storage(likes), strict=True):
                _dense(x).copy_(_dense(found[place]))
                found[place] = x

    def _take_updates(self, tensors, found, updates):
        """Those that have not been written: the last of what was found."""
        given = len(self.outputs)
        pairs = [(tensors[i], x) for i, x in zip(self.updates, found[given:], strict=True)]
        del found[given:]
        if updates is None:
            _write(pairs)
        else:
            updates.extend(pairs)

    def _fail(self, tensors, error):
        """Raises what torch raises for the node that fails, with its place in the program. Nodes
        of a part change nothing, so they can be run again."""
        values = dict(zip(self.part.inputs, tensors, strict=True))
        for node in self.part.nodes:
            try:
                values[node] = _run_node(node, values)
            except Exception as theirs:
                theirs.add_note(_place(node))
                raise theirs from error
        raise error

    def run(self, values, updates):
        found = self.call([values[number] for number in self.inputs], updates)
        for number, tensor in zip(self.outputs, found, strict=True):
            values[number] = tensor


class _NodeStep:
    """A node that torch runs."""

    def __init__(self, node, numbers, name):
        self.node = node
        self.inputs = [numbers[n] for n in node.all_input_nodes]
        self.outputs = [numbers[node]]
        self.numbers = numbers

    def run(self, values, updates):
        given = {n: values[self.numbers[n]] for n in self.node.all_input_nodes}
        try:
            values[self.outputs[0]] = _run_node(self.node, given)
        except Exception as error:
            error.add_note(_place(self.node))
            raise


@torch.no_grad()
def _write(pairs):
    for target, value in pairs:
        target.copy_(value)


def _dense(x):
    """One element along axes that are expanded."""
    return x[tuple(slice(1) if stride == 0 else slice(None) for stride in x.stride())]


def _copied(x):
    """x in memory of its own, with its strides."""
    one = _dense(x)
    return torch.empty_strided(one.shape, x.stride(), dtype=x.dtype).copy_(one).expand(x.shape)


def _in_one_storage(likes):
    """Tensors that lie to each other as the likes do, which are views of one tensor."""
    first = min(like.storage_offset() for like in likes)
    memory = torch.empty(max(map(end_of, likes)) - first, dtype=likes[0].dtype)
    return [
        memory.as_strided(like.shape, like.stride(), like.storage_offset() - first)
        for like in likes
    ]


def _run_node(node, values):
    args, kwargs = map_arg((node.args, node.kwargs), values.__getitem__)
    return node.target(*args, **kwargs)


def _place(node):
    """The place of the operator in the program: the modules around it, and the line."""
    modules = [
        f"{path or 'the model'} ({kind if isinstance(kind, str) else kind.__name__})"
        for path, kind in (node.meta.get("nn_module_stack") or {}).values()
    ]
    where = f" in {modules[-1]}" if modules else ""
    stack = (node.stack_trace or "").rstrip()
    return f"{node.target}{where}" + (f", called from\n{stack}" if stack else "")
