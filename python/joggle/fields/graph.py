# SPDX-License-Identifier: Apache-2.0
"""qd.graph: the structures of kernels that GPUs capture as graphs, with the same meaning here.

The sections of a parallel context run one after the other, each with its parallel loops. Loops
inside of do_while run in order. Taichi's graphs are lists of kernels that are called in order, with
arguments by name.
"""

from enum import Enum

from joggle._fields.texture import Texture
from joggle._kernel.ir.types import dtype_name
from joggle._kernel.kernel import Kernel
from joggle._kernel.syntax.sections import do_while, parallel, parallel_context


class ArgKind(Enum):
    """The kind of a graph's argument."""

    SCALAR = 0
    NDARRAY = 1
    MATRIX = 2
    TEXTURE = 3
    RWTEXTURE = 4


class Arg:
    """An argument that a run of a graph gives by its name.

    tag: an ArgKind; dtype: of the number or of the array's elements, which may be a type of vectors
    or matrices; ndim: of the array or texture; fmt: of a texture to write, a qd.Format.
    """

    def __init__(self, tag, name, dtype=None, ndim=0, element_shape=(), fmt=None):
        if not isinstance(tag, ArgKind):
            raise TypeError(f"tag: got {tag!r}, allowed is one of graph.ArgKind")
        self.tag, self.name, self.dtype, self.ndim, self.fmt = tag, name, dtype, ndim, fmt
        self.element_shape = tuple(element_shape) or tuple(getattr(dtype, "element_shape", ()))

    def check(self, x):
        """Raises TypeError for what a run cannot give for it. Numbers are for the kernels to
        convert."""
        if self.tag in (ArgKind.TEXTURE, ArgKind.RWTEXTURE):
            self._check_texture(x)
        elif self.tag is ArgKind.NDARRAY:
            self._check_array(x)

    def _check_texture(self, x):
        same = isinstance(x, Texture) and x.num_dims == self.ndim and self.fmt in (None, x.fmt)
        if not same:
            kind = "" if self.fmt is None else f" of {self.fmt}"
            allowed = f"textures{kind} of {self.ndim} dimensions"
            raise TypeError(f"{self.name}: got {x!r:.60}, allowed are {allowed}")

    def _check_array(self, x):
        shape = getattr(x, "shape", None)
        inside = 0 if hasattr(x, "element_shape") else len(self.element_shape)
        if shape is None or len(shape) != self.ndim + inside:
            got = type(x).__name__ if shape is None else f"an array of shape {tuple(shape)}"
            raise TypeError(f"{self.name}: got {got}, allowed are arrays of {self.ndim} dimensions")
        wanted = getattr(self.dtype, "dtype", self.dtype)
        if wanted is not None and dtype_name(x.dtype) != dtype_name(wanted):
            raise TypeError(f"{self.name}: got {x.dtype}, allowed is {dtype_name(wanted)}")


class Sequential:
    """Kernels that run in order, each with its Args."""

    def __init__(self):
        self.steps = []  # (kernel, args), or another Sequential

    def dispatch(self, kernel_fn, *args):
        """Adds a kernel. Numbers among its arguments stay as they are."""
        if not isinstance(kernel_fn, Kernel):
            raise TypeError(f"kernel_fn: got {kernel_fn!r}, allowed are kernels")
        self.steps.append((kernel_fn, args))

    def append(self, node):
        """Adds all of another one, as it is when the graph is compiled."""
        if not isinstance(node, Sequential):
            raise TypeError(f"node: got {node!r}, allowed is what create_sequential gives")
        self.steps.append(node)

    def _flat(self):
        for step in self.steps:
            if isinstance(step, Sequential):
                yield from step._flat()
            else:
                yield step


class GraphBuilder(Sequential):
    """A graph that is being made."""

    def create_sequential(self):
        """Steps that are put into the graph by append, as often as it is called."""
        return Sequential()

    def compile(self):
        """The graph."""
        return Graph(list(self._flat()))


class Graph:
    """Kernels that run in order."""

    def __init__(self, compiled_graph):
        self._steps = compiled_graph
        self._args = {a.name: a for _, args in compiled_graph for a in args if isinstance(a, Arg)}

    def run(self, args):
        """Runs it. args: a dict of what its Args are, by name. Raises TypeError for one that is
        missing, unknown, or of another kind."""
        unknown, missing = set(args) - set(self._args), set(self._args) - set(args)
        if unknown or missing:
            name = sorted(unknown or missing)[0]
            problem = "unknown" if unknown else "missing"
            raise TypeError(f"{name}: {problem}, allowed are {', '.join(self._args) or 'none'}")
        for name, argument in self._args.items():
            argument.check(args[name])
        for kernel, given in self._steps:
            kernel(*(args[a.name] if isinstance(a, Arg) else a for a in given))


__all__ = [
    "Arg",
    "ArgKind",
    "Graph",
    "GraphBuilder",
    "do_while",
    "parallel",
    "parallel_context",
]
