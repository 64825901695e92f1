# SPDX-License-Identifier: Apache-2.0
"""A part of a graph of ATen's operators as a recorded function of arrays."""

from functools import cache, partial
from inspect import signature as _signature
from operator import getitem as _getitem

import torch
from torch.fx.node import map_arg

from joggle import _core
from joggle._torch.aten import row_of
from joggle._torch.dtypes import NAMES

# Operators whose result is a view of their first argument's memory, in torch.
VIEWS = frozenset(
    [
        "alias",
        "as_strided",
        "detach",
        "diagonal",
        "expand",
        "permute",
        "select.int",
        "slice.Tensor",
        "split_with_sizes",
        "squeeze",
        "squeeze.dim",
        "squeeze.dims",
        "transpose.int",
        "unsqueeze",
        "view",
    ]
)


class Refused(Exception):
    """The reason for which a node was refused while it was spelled."""

    def __init__(self, node, reason):
        super().__init__(f"{node.target}: {reason}")
        self.node, self.reason = node, reason


class Node:
    """The facts that a spelling gets about its node: a fake tensor like the result, or several; the
    arguments, as fake tensors and as nodes; the node's users; and the arrays of nodes."""

    def __init__(self, node, values=None):
        self.args, self.values = node.args, values
        self.like = node.meta["val"]
        self.given = map_arg(node.args, _fake)
        self.named = map_arg(node.kwargs, _fake)
        self.users = node.users


def _fake(node):
    return node.meta["val"]


def refusal(node, is_update=False):
    """Why torch has to run a node; None for one that joggle runs. is_update: of a copy, which needs
    no row."""
    if node.op != "call_function":
        return f"{node.op} {node.target}"
    row = row_of(node.target)
    if row is None and not is_update:
        return "not in the table"
    values = [node.meta.get("val"), *(n.meta.get("val") for n in node.all_input_nodes)]
    for value in _flat(values):
        if isinstance(value, torch.Tensor):
            reason = _refused_tensor(value)
            if reason:
                return reason
    if row is not None and row.holds is not None and not row.holds(Node(node)):
        return "not in this form"
    return None


def _flat(values):
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _flat(value)
        else:
            yield value


def _refused_tensor(value):
    if value.device.type != "cpu":
        return f"a tensor on {value.device}"
    if value.layout is not torch.strided:
        return f"a tensor of layout {value.layout}"
    return None if value.dtype in NAMES else f"a tensor of {value.dtype}"


class Spelling:
    """Runs the nodes of a part on arrays. updates: nodes of copies into inputs; what they copy
    comes behind the outputs."""

    def __init__(self, nodes, inputs, outputs, updates=()):
        self.nodes, self.inputs = nodes, inputs
        self.updated = [node.args[0] for node in updates]
        self.outputs = [*outputs, *(node.args[1] for node in updates)]
        self.likes = [node.meta["val"] for node in (*outputs, *self.updated)]
        bases = [base_of(node) for node in self.outputs]
        # Nodes whose strides count: outputs share their memory, or are views with gaps in it.
        given = zip(bases[: len(outputs)], self.likes, strict=False)
        gaps = {base for base, like in given if _order(like) is None}
        self.bases = {node for node in nodes if bases.count(node) > 1 or node in gaps}

    def __call__(self, arrays, copied=()):
        """The outputs as arrays with the strides that torch's have. copied: places of outputs that
        get memory of their own."""
        given = len(self.outputs) - len(self.updated)
        # Outputs that share memory get one copy, of what they are views of.
        bases = {base_of(self.outputs[place]) for place in copied if place < given} & self.bases
        values = self.values_of(arrays, bases)
        found = []
        for place, node in enumerate(self.outputs):
            is_copied = place in copied and (place >= given or base_of(node) not in bases)
            x = _core.copy(values[node]) if is_copied else values[node]
            found.append(_with_strides(x, self.likes[place]))
        return found

    def base_of_output(self, place):
        """The identity of the output's memory. An update has its input's memory, which no other
        output may share after the call."""
        given = len(self.outputs) - len(self.updated)
        if place < given:
            return base_of(self.outputs[place])
        return self.updated[place - given], "as it will be"

    def values_of(self, arrays, copied=()):
        """Arrays by node, those of the inputs too. copied: nodes that get memory of their own."""
        values = dict(zip(self.inputs, arrays, strict=True))
        for node in self.nodes:
            values[node] = _spelled(node, values)
            if node in self.bases and isinstance(values[node], _core.array):
                x = _core.copy(values[node]) if node in copied else values[node]
                values[node] = _with_strides(x, node.meta["val"])
        return values


def _spelled(node, values):
    args = map_arg(node.args, lambda n: values[n])
    kwargs = map_arg(node.kwargs, lambda n: values[n])
    if node.target is _getitem:
        return args[0][args[1]]
    spell = row_of(node.target).spell
    _check_arguments(node, spell, args, kwargs)
    try:
        found = spell(Node(node, values), *args, **kwargs)
    except Exception as error:
        if _is_refusal(error):  # torch runs the node, and explain tells why
            raise Refused(node, f"{type(error).__name__}: {error}") from error
        error.add_note(f"{node.target}: joggle fails to spell it")
        raise
    _check(node, found)
    return found


def _check_arguments(node, spell, args, kwargs):
    """An operator with arguments that its spelling does not take is not taken."""
    try:
        signature_of(spell).bind(*args, **kwargs)
    except TypeError as error:
        raise Refused(node, f"not with these arguments: {error}") from error


@cache
def signature_of(spell):
    """The arguments that a spelling takes after the node."""
    return _signature(getattr(spell, "takes", partial(spell, None)))


def _is_refusal(error):
    """Whether an op refuses its arguments, which it does by its name in brackets, or an array its
    index. Every other error is a mistake of the spelling."""
    kinds = (ValueError, TypeError, NotImplementedError, IndexError, OverflowError)
    return isinstance(error, kinds) and str(error).startswith(("[", "index: "))


def _check(node, found):
    """A spelling that gives another shape or dtype than torch is not taken."""
    pairs = [(found, node.meta["val"])]
    if isinstance(found, tuple):
        pairs = zip(found, node.meta["val"], strict=True)
    for x, like in pairs:
        if x is None:
            continue
        if x.shape != tuple(like.shape) or x.dtype.name != NAMES[like.dtype]:
            raise Refused(
                node, f"gave {x.dtype.name} {x.shape}, torch gives {like.dtype} {tuple(like.shape)}"
            )


def _with_strides(x, like):
    """x, in other memory if its strides are not those that torch's result has."""
    if _same_strides(x.shape, _core._signature_strides(x), like.stride()):
        return x
    order = _order(like)
    if order is None:
        return x
    back = sorted(range(x.ndim), key=order.__getitem__)
    dense = _core.permute_dims(x, tuple(order))
    dense = _core.copy(dense) if order != sorted(order) else _core.contiguous(dense)
    return _core.permute_dims(dense, tuple(back))


def _order(like):
    """The axes from the one with the longest stride on; None of what overlaps or has gaps."""
    wanted, shape = like.stride(), like.shape
    order = sorted(range(len(shape)), key=lambda i: (-wanted[i], i))
    expected, size = [0] * len(shape), 1
    for axis in reversed(order):
        expected[axis] = size
        size *= max(shape[axis], 1)
    return order if _same_strides(shape, expected, wanted) else None


def _same_strides(shape, a, b):
    if 0 in shape:
        return True
    return all(extent == 1 or x == y for extent, x, y in zip(shape, a, b, strict=True))


class Tracer:
    """Records a part for arrays of one kind; `_core._Compiled` calls it where it has no record."""

    def __init__(self, spelling, name):
        self.spelling, self.name = spelling, name
        self.constants = set()  # places of outputs that no input tells of

    def __call__(self, compiled, args, kwargs, arrays):
        record = self._record(arrays, ())
        shared = self._shared(record)
        if shared:
            record = self._record(arrays, shared)
        count = len(self.spelling.outputs)
        return record, count, tuple(_core._Slot(i) for i in range(count)), None

    def _record(self, arrays, copied):
        recording, placeholders = _core._recording_begin(self.name, arrays)
        try:
            outputs = self.spelling(placeholders, copied)
        except BaseException:
            _core._recording_abort(recording)
            raise
        return _core._recording_end(recording, outputs)

    def _shared(self, record):
        """Places of outputs that lie in the memory of an input, or of another output, and of which
        torch does not know that."""
        arguments, keys, count, _ = _core._record_counts(record)
        roots = {}
        for i in range(count):
            primitive, inputs, *_ = _core._record_node(record, i)
            is_view = primitive == "view" and isinstance(inputs[0], int)
            number = arguments + keys + i
            roots[number] = roots.get(inputs[0], inputs[0]) if is_view else number
        owners, shared = {}, set()
        for i, node in enumerate(self.spelling.inputs):
            owners[i] = base_of(node)
        for place in range(len(self.spelling.outputs)):
            number = _core._record_output(record, place)
            if not isinstance(number, int):
                self.constants.add(place)
                continue
            base = self.spelling.base_of_output(place)
            if owners.setdefault(roots.get(number, number), base) is not base:
                shared.add(place)
        return shared


def base_of(node):
    """The node whose memory a view is of."""
    while node.op == "call_function":
        source = node.args[0] if node.target is _getitem else None
        if source is not None and name_of(source) in VIEWS:
            node = source
        if name_of(node) not in VIEWS:
            break
        node = node.args[0]
    return node


def name_of(node):
    """The operator's name in the table."""
    return str(node.target).removeprefix("aten.").removesuffix(".default")


def compiled_part(part, name):
    """A function of arrays that gives those of the outputs and updates, and the tracer that records
    it."""
    spelling = Spelling(part.nodes, part.inputs, part.outputs, part.updates)
    tracer = Tracer(spelling, name)

    def as_it_is(*arrays):  # after joggle.disable_compile()
        return tuple(spelling(arrays, range(len(spelling.outputs))))

    return _core._Compiled(as_it_is, None, None, (), tracer), tracer
