# SPDX-License-Identifier: Apache-2.0
"""The entry of torch.compile's graphs. AOTAutograd turns them into graphs of ATen's core operators,
forward and backward, without mutation; run.py runs the result."""

import contextlib
import copy

import torch
from torch._decomp import core_aten_decompositions, get_decompositions
from torch._dynamo import disable
from torch._dynamo.convert_frame import compile_lock
from torch._dynamo.utils import flatten_graph_inputs
from torch._functorch.aot_autograd import aot_module_simplified
from torch._prims_common import suggest_memory_format
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from joggle._torch import attention, foreach
from joggle._torch.partition import partition
from joggle._torch.run import Graph, direct

_KEPT_SHAPES = 64  # graphs of one program for other sizes; the one that was not used longest goes

reports = []  # lists that take the graphs that are compiled meanwhile


def compile_graph(module, inputs):
    """The function that runs a graph of torch.compile. What is torch's aot_autograd but for its
    logs, which import Inductor's."""
    if any(isinstance(x, (list, tuple, dict)) for x in inputs):
        return flatten_graph_inputs(module, inputs, compile_graph)
    bare = []  # graphs that take the arguments and give the results as they are
    compiled = aot_module_simplified(
        module,
        inputs,
        fw_compiler=_compile("forward"),
        bw_compiler=_untraced(_compile("backward")),
        inference_compiler=_compile("inference", bare),
        partition_fn=partition,
        decompositions=decompositions(),
        keep_inference_input_mutations=True,  # what is written into inputs is in the graph
    )
    if len(bare) == 1 and not [*module.parameters(), *module.buffers()]:
        compiled = direct(bare[0])
    return disable(compiled, reason="do not trace what joggle runs")


def _untraced(compile):
    """Backward graphs are compiled and run while Dynamo may look on."""

    def compile_backward(*args):
        made = disable(compile, reason="do not trace joggle's compiler")(*args)
        return disable(made, reason="do not trace what joggle runs")

    return compile_backward


def _compile(kind, bare=None):
    """bare: a list that takes the graphs which AOTAutograd would call and do nothing else."""

    def compile(module, inputs):
        has_symbols = any(isinstance(x, torch.SymInt) for x in inputs) or any(
            _is_symbolic(node.meta.get("val")) for node in module.graph.nodes
        )
        made = Shapes(module, kind) if has_symbols else Graph(module, kind)
        for report in reports:
            report.append(made)
        if bare is not None and not has_symbols and _is_bare(module):
            bare.append(made)
        return _boxed(made)

    return compile


def _is_bare(module):
    """Whether a graph for inference needs nothing around it: it writes into no argument, its
    results are no views and need no other mode, and there are no subclasses of tensors. False where
    torch does not tell."""
    context = torch._guards.TracingContext.try_get()
    metadata = context and context.fw_metadata
    if not metadata or torch._C._is_any_autocast_enabled():
        return False
    placed = len(module.graph.find_nodes(op="placeholder"))
    (output,) = module.graph.find_nodes(op="output")
    try:
        counts = len(metadata.input_info), metadata.num_outputs
        return counts == (placed, len(output.args[0])) and not any(_around(metadata))
    except AttributeError:  # of another version of torch
        return False


def _around(metadata):
    """The work that AOTAutograd has to do before or after a graph."""
    yield metadata.num_outputs_aliased
    yield metadata.num_intermediate_bases
    yield metadata.dynamic_outputs
    yield metadata.tokens
    yield metadata.is_rng_op_functionalized
    yield metadata.grad_enabled_mutation is not None
    yield any(x.mutates_data or x.mutates_metadata for x in metadata.input_info)
    yield any(type(x).__name__ != "PlainTensorMeta" for x in metadata.subclass_inp_meta)


def _boxed(graph):
    """A function, whose attributes torch passes on: it takes a list, which it may empty."""

    def call(inputs):
        return graph(inputs)

    call._boxed_call = True
    return call


def _is_symbolic(value):
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return True
    return isinstance(value, torch.Tensor) and value._has_symbolic_sizes_strides


def decompositions():
    """Those of the core set, and of what the table has not; random numbers stay torch's own, so
    that they are those of the generator."""
    global _decompositions
    if _decompositions is None:
        found = dict(core_aten_decompositions())
        found.update(get_decompositions(_MORE))
        found.update(foreach.decompositions())
        for op in _OF_TABLE:
            del found[op]
        gradient = _aten._scaled_dot_product_flash_attention_for_cpu_backward.default
        found[gradient] = attention.backward
        found[_aten.roll.default] = _roll
        found[_aten.fill.Scalar] = _fill
        found[_aten.zero.default] = _fill
        unpool = _aten.max_unpool2d.default
        found[unpool] = _in_format(found[unpool])
        _decompositions = {op: spelling for op, spelling in found.items() if not _is_random(op)}
    return _decompositions


_decompositions = None
_aten = torch.ops.aten
# Operators that the table has, although torch would decompose them.
_OF_TABLE = [_aten._scaled_dot_product_flash_attention_for_cpu.default, _aten.lerp.Scalar]
_MORE = [
    _aten.grid_sampler_2d,
    _aten.upsample_bilinear2d,
    _aten.upsample_nearest2d,
    _aten.native_layer_norm_backward,
    _aten.native_group_norm_backward,
    _aten.native_batch_norm_backward,
    _aten._native_batch_norm_legit,
]


def _fill(x, value=0):
    """Of what is dense a tensor that does not need x, which may be overwritten before backward."""
    if x.is_contiguous():
        return torch.full(x.shape, value, dtype=x.dtype, layout=x.layout, device=x.device)
    return torch.full_like(x, value)


def _in_format(decomposition):
    """A decomposition whose result has the memory format of the first argument."""

    def decomposed(x, *args):
        return decomposition(x, *args).contiguous(memory_format=suggest_memory_format(x))

    return decomposed


def _roll(x, shifts, dims=()):
    """Like eager torch, by concatenation, which keeps channels last; torch's own decomposition does
    not."""
    if not dims:
        return _roll(x.reshape(-1), shifts, (0,)).reshape(x.shape) if x.numel() else x.clone()
    for shift, dim in zip(shifts, dims, strict=True):
        if x.numel():
            start = -shift % x.shape[dim]
            x = torch.cat(
                [x.narrow(dim, start, x.shape[dim] - start), x.narrow(dim, 0, start)], dim
            )
    return x if x.numel() else x.clone()


def _is_random(op):
    is_seeded = torch.Tag.nondeterministic_seeded in getattr(op, "tags", ())
    return is_seeded or str(op).startswith("aten.native_dropout.")


class Shapes:
    """A graph with sizes that calls tell: a Graph for each, of which some are kept; or one for all
    of them, which torch runs, where sizes or numbers depend on values of tensors."""

    def __init__(self, module, kind):
        self.module, self.kind = module, kind
        self.graphs = {}
        self.is_late = any(map(_is_late, module.graph.nodes))

    def all(self):
        """The graphs that were made so far."""
        return list(self.graphs.values())

    def __call__(self, inputs):
        key = None if self.is_late else tuple(map(kind_of, inputs))
        graph = self.graphs.pop(key, None)
        if graph is None:
            graph = self._graph(inputs)
            if len(self.graphs) >= _KEPT_SHAPES:
                del self.graphs[next(iter(self.graphs))]
        self.graphs[key] = graph
        return graph(inputs)

    def _graph(self, inputs):
        module = None if self.is_late else self._with_sizes(inputs)
        if module is None:
            return Graph(self.module, self.kind, "its graph has sizes that values tell")
        return Graph(module, self.kind)

    def _with_sizes(self, inputs):
        """The graph for the sizes of inputs; None if they do not tell all."""
        module = copy.copy(self.module)
        module.graph = copy.deepcopy(self.module.graph)
        mode = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv())
        fakes = [
            mode.from_tensor(x, static_shapes=True) if isinstance(x, torch.Tensor) else x
            for x in inputs
        ]
        # The interpreter notes its node where a thread that compiles does, too.
        with compile_lock, mode, torch.no_grad():
            _Sizes(module).run(*fakes)
        if any(_is_symbolic(node.meta.get("val")) for node in module.graph.nodes):
            return None
        for node in list(module.graph.nodes):
            if isinstance(node.meta.get("val"), (int, float, bool)):
                _put_number(node, node.meta["val"])
        return module


def _is_late(node):
    """Whether a node gives sizes or numbers that no argument tells."""
    return node.op == "call_function" and bool(node.meta.get("unbacked_bindings"))


def kind_of(x):
    """The properties of an argument that a graph is made for. Guards leave strides open if they
    leave sizes open. For Python 1, 1.0 and True are equal, as are 0.0 and -0.0, so the type and
    repr count."""
    if isinstance(x, torch.Tensor):
        return tuple(x.shape), x.stride()
    return type(x), repr(x)


def _put_number(node, value):
    """Puts a number in the places of a node, which goes unless it is an argument."""
    for user in list(node.users):
        swap = torch.fx.node.map_arg
        user.args = swap(user.args, lambda n: value if n is node else n)
        user.kwargs = swap(user.kwargs, lambda n: value if n is node else n)
    if node.op != "placeholder":
        node.graph.erase_node(node)


class _Sizes(torch.fx.Interpreter):
    """Notes each node's value on fake tensors."""

    def run_node(self, n):
        value = super().run_node(n)
        n.meta["val"] = value
        return value


@contextlib.contextmanager
def reporting():
    """A list of what is compiled meanwhile."""
    report = []
    reports.append(report)
    try:
        yield report
    finally:
        reports.remove(report)
