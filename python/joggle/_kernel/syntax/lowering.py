# SPDX-License-Identifier: Apache-2.0
"""From a function's syntax tree to the text of a kernel.

A Lowering writes one specialisation: parameters are declared by their kinds (parameters.py), the
body is run as if by Python, with values that write instructions. Global objects that it found,
mainly fields, are listed for the launch.
"""

import ast
import re

from ..ir import types
from ..ir.arithmetic import convert, is_number
from ..ir.emit import Emitter, describe
from ..ir.messages import KernelError, KernelTypeError, placed
from ..ir.promotion import is_float
from ..ir.scope import Scope
from ..library.func import Func
from ..library.mutation import mutated_names
from ..value.array import ArrayValue
from ..value.bindings import Companion, LiftedNumber, Reads, is_lifted
from ..value.capture import CAPTURED, array_of, captured
from ..value.cells import KnownCells
from ..value.linear import METHODS
from ..value.values import Record, Tensor, tensor_of
from .calls import Calls
from .expression import KERNEL_VALUES, Expressions
from .loops import Loops
from .outside import Made
from .sections import Sections
from .statements import Statements
from .storage import attribute_of_array

_OWN_NAME = re.compile(r"l\d+$")  # names as the emitter makes them


class Lowering(Expressions, Statements, Loops, Sections, Calls):
    """A kernel that is being written."""

    types = types

    def __init__(
        self,
        source,
        debug=False,
        bounds=False,
        trusts_loops=True,
        is_derived=False,
        in_order=frozenset(),
    ):
        self.emitter = Emitter(*types.default_names(), debug, bounds)
        self.emitter.is_derived = is_derived
        self.source = source
        self.scope = None
        self.calls = [source]  # sources that are being written, the innermost last
        self.machines = {}  # of functions among them that call themselves, by source
        self.top_blocks = [self.emitter.root]  # for functions that ask to be called there
        self.made = Made()
        self.known_cells = KnownCells(trusts_loops)
        self.loop_options = {}  # of qd.loop_config, for the next loop
        self.in_order = in_order  # loops that are known not to be parallel
        self.parallel = []  # (node, region) of each that has been written as parallel
        self.assigned_in_loop = set()  # names that the innermost loop's body assigns
        self.slots = []  # for each declaration CAPTURED, or the object that is passed
        self.members = set()  # places in slots of what are members of dataclasses
        self.arguments = {}  # for each argument's array its position among what is passed
        self.reads = Reads()
        self.owners = []  # of attributes, which reads tells apart by their addresses
        self.stopped = set()  # arrays that derivatives take for constants
        self.known = {}  # captured fields by id; slots keep them alive
        self.names = set()  # taken in the kernel's text
        self.form = None  # of the result, once the body is written

    def unique(self, name):
        """A unique name for the kernel's text."""
        name = re.sub(r"\W|[^\x00-\x7f]", "_", name).lstrip("_") or "x"
        if not name[0].isalpha() or _OWN_NAME.match(name):
            name = "x_" + name
        base, count = name, 1
        while name in self.names:
            count += 1
            name = f"{base}_{count}"
        self.names.add(name)
        return name

    def declare_array(self, name, dtype, extents, strides, slot, lowest=()):
        """An array of the launch. slot tells the launch what to pass for it; lowest: what messages
        call the first index of each axis, of the first axes."""
        name = self.unique(name)
        lowest = [*lowest, *[0] * (len(extents) - len(lowest))] if any(lowest) else ()
        self.emitter.declare_array(name, dtype, extents, strides, lowest)
        if slot is CAPTURED:
            self.arguments[name] = self.slots.count(CAPTURED)
        self.slots.append(slot)
        return name

    def declare_scalar(self, name, dtype, slot):
        """A scalar argument of the launch."""
        self.slots.append(slot)
        return self.emitter.declare_scalar(self.unique(name), dtype)

    def racing(self):
        """The loops that were written as parallel, and whose iterations write one variable."""
        return {node for node, region in self.parallel if region.writes_outside}

    def unused_members(self):
        """The places in slots of the members of dataclasses that the kernel does not use."""
        if not self.members:
            return self.members
        used, parameters = self.emitter.used_names(), self.emitter.parameters
        return {place for place in self.members if parameters[place].used_as not in used}

    def capture(self, x, name="value"):
        """A global object as a value of the kernel; objects without a meaning in kernels are
        unchanged."""
        if isinstance(x, KERNEL_VALUES):
            return x
        self.reads.fix(x)
        return captured(self, x, name)

    def capture_attribute(self, owner, name):
        """The same for an attribute of an object, which may have changed at the next call."""
        x = getattr(owner, name)
        if is_number(x) and is_lifted(owner, name):
            return self._lifted(owner, name, x)
        self.owners.append(owner)
        self.reads.add(owner, name, x)
        return captured(self, x, name)

    def capture_item(self, container, x):
        """The same for an item of a container, which may be one that an attribute holds."""
        if self.reads.has(container) and not isinstance(x, KERNEL_VALUES):
            return captured(self, x, "value")
        return self.capture(x)

    def _lifted(self, owner, name, x):
        """A number that each launch reads from an object, as one argument."""
        known = self.known.get((id(owner), name))
        if known is None:
            slot = LiftedNumber(owner, name, type(x))
            known = self.declare_scalar(name, self.emitter.dtype_of(x), slot)
            self.known[id(owner), name] = known
        return known

    def attribute_of_array(self, array, name):
        """array.name; for a part of an array, the part's own attributes come first."""
        own = getattr(array, "own_attribute", None)
        found = None if own is None else own(name)
        return attribute_of_array(self, array, name) if found is None else found

    def gradient_of(self, array):
        """The gradient of an argument, an array like it; None if array is no argument."""
        position = self.arguments.get(array.name)
        if position is None:
            return None
        if array.has_no_grad:
            raise KernelTypeError(
                f"{array.name}.grad: the annotation says needs_grad=False, allowed are arguments "
                "without that"
            )
        known = self.known.get((array.name, "grad"))
        if known is None:
            slot = Companion(position, "grad", array.name)
            known = self.known[array.name, "grad"] = self._beside(array, slot)
        return known

    def _beside(self, array, slot):
        name = f"{array.name}_grad"
        if array.object is not None:
            return array_of(self, slot.of({slot.position: array.object}), name, slot)
        unknown = (None,) * array.ndim
        extents = unknown + array.element_shape
        strides = unknown + (None,) * len(array.element_shape)
        name = self.declare_array(name, array.dtype, extents, strides, slot)
        found = ArrayValue(name, array.dtype, unknown, array.element_shape)
        found.is_clamped = array.is_clamped
        return found

    def mutated(self, func):
        """The names that change in a function."""
        if func.mutated is None:
            func.mutated = mutated_names(func.source, lambda node: self._assigns(func.source, node))
        return func.mutated

    def _assigns(self, source, node):
        """Whether the callee that an expression names may assign to its arguments."""
        names = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        try:
            callee = source.lookup(node.id)
            for name in reversed(names):
                callee = getattr(callee, name)
        except (NameError, AttributeError):
            # A method of a value: those of vectors assign nothing, a struct's own may.
            return bool(names) and names[0] not in METHODS
        return bool(
            getattr(callee, "assigns", False) or getattr(callee, "template_parameters", None)
        )

    def as_func(self, function):
        """A function of a struct's type as a @qd.func."""
        return function if hasattr(function, "template_parameters") else Func(function)

    def write(self, kernel, declare):
        """Writes the body. declare(lowering) gives the values of the parameters by name.

        Sets the form of the result: None, "int" or "float", a MatrixType, (StructType, forms by
        member), or a tuple of forms. Raises KernelError with the place in the source.
        """
        tree = self.source.tree
        self.scope = Scope(self.source, self.mutated(kernel), self.emitter.block)
        parameters = declare(self)
        for name, value in parameters.items():
            if isinstance(value, ArrayValue) or not isinstance(value, KERNEL_VALUES):
                self.scope.declare(name, value)
            else:
                self._bind_name(name, value)
        self.run(tree.body)
        try:
            self.form = self._finish(kernel, self.scope.result)
        except KernelError as error:
            raise placed(error, self.source, self.scope.returned or tree) from None

    def _finish(self, kernel, value):
        """Writes the return statement; gives what the result is made of."""
        type_ = kernel.result_type
        if value is None:
            if type_ is not None:
                raise KernelTypeError(
                    f"{self.source.name} is annotated with a result and returns none"
                )
            return None
        if type_ is None:
            raise KernelTypeError("a returned value needs an annotation, as in -> f32")
        results = []
        form = self._result(type_, value, results)
        self.emitter.results += [x.dtype for x in results]
        self.emitter.perform("return", *results)
        return form

    def _result(self, type_, value, results):
        """Appends the scalars of a result; gives its form, which the launch reads them by."""
        if isinstance(type_, tuple):
            if not isinstance(value, tuple) or len(value) != len(type_):
                raise KernelTypeError(
                    f"the result: got {describe(value)}, allowed are {len(type_)} values"
                )
            return tuple(self._result(t, x, results) for t, x in zip(type_, value, strict=True))
        if isinstance(type_, types.StructType):
            return self._struct_result(type_, value, results)
        if isinstance(type_, types.MatrixType):
            return self._tensor_result(type_, value, results)
        results.append(convert(self.emitter, value, types.dtype_name(type_)))
        return "float" if is_float(results[-1].dtype) else "int"

    def _struct_result(self, type_, value, results):
        if not isinstance(value, Record):
            raise KernelTypeError(
                f"the result: got {describe(value)}, allowed is {type_!r}, as the annotation says"
            )
        forms = {n: self._result(t, value.members[n], results) for n, t in type_.members.items()}
        return type_, forms

    def _tensor_result(self, type_, value, results):
        if not isinstance(value, Tensor):
            value = self.as_tensor(value)
        shape = tuple(type_.element_shape)
        if None not in shape and value.shape != shape:
            raise KernelTypeError(
                f"the result: got {value.kernel_kind()}, allowed is {type_!r}, as the annotation "
                "says"
            )
        dtype = None if type_.dtype is None else types.dtype_name(type_.dtype)
        results += tensor_of(self.emitter, value.shape, value.items, dtype).items
        return type_ if type_.dtype and None not in shape else _type_like(type_, value)


def _type_like(type_, value):
    dtype = value.items[0].dtype
    rows = (*value.shape, 1)
    return types.MatrixType(rows[0], rows[1], dtype, ndim=len(value.shape))
