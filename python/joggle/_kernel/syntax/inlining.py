# SPDX-License-Identifier: Apache-2.0
"""Functions that are written into their callers: @qd.func, and methods of structs and objects."""

from ..ir.arithmetic import is_number
from ..ir.code import Instruction, Loop
from ..ir.emit import describe
from ..ir.messages import KernelSyntaxError, KernelTypeError
from ..ir.scalar import Scalar
from ..ir.scope import Scope
from ..value.array import ArrayValue, RecordArray
from ..value.values import PLACES, Record, RecordPlace, Tensor, TensorPlace, read
from .recursion import Machine, Recursion
from .returns import Exit, returns_early

_MOST_CALLS = 200  # nested; each takes several frames of Python's own stack


class Inlining:
    """The part of the lowering that writes functions where they are called."""

    def inline(self, func, args, kwargs):
        """Writes the body of a function here, and gives what it returns."""
        if func.requires_top_level and self.emitter.block not in self.top_blocks:
            raise KernelSyntaxError(
                f"{func.source.name} belongs to the top level of a kernel: its loops are "
                "not parallel inside of others"
            )
        bound = self._bound(func, args, kwargs)
        if any(func.source is called for called in self.calls):
            return self._call_again(func, bound)
        if len(self.calls) >= _MOST_CALLS:
            raise KernelSyntaxError(
                f"{func.source.name}: got {_MOST_CALLS + 1} nested calls, allowed are {_MOST_CALLS}"
            )
        if not func.is_real:
            return self._write_body(func, bound)
        block, written = self.emitter.block, len(self.emitter.block.code)
        try:
            return self._write_body(func, bound)
        except Recursion as found:
            if found.source is not func.source:
                raise
            self.emitter.block = block
            del block.code[written:]
        return self._write_body(func, bound, Machine(self, func, bound))

    def _call_again(self, func, bound):
        """A call of a function from inside of it."""
        if not func.is_real:
            raise KernelSyntaxError(
                f"{func.source.name} calls itself; kernels have no recursion, use a loop, or "
                "real_func"
            )
        if func.source not in self.machines:
            raise Recursion(func.source)
        return self.machines[func.source].call(bound)

    def _write_body(self, func, bound, machine=None):
        """machine: what is to run the function, if it calls itself."""
        scope = Scope(func.source, self.mutated(func), self.emitter.block)
        scope.result_type = func.result_type
        outer, line, assigned = self.scope, self.emitter.line, self.assigned_in_loop
        self.scope, self.assigned_in_loop = scope, set()
        self.calls.append(func.source)
        try:
            if machine is not None:
                return self._run_machine(func, machine)
            self._enter(func, bound)
            if returns_early(func.source.tree):
                return self._run_to_exit(func.source)
            self.run(func.source.tree.body)
        finally:
            self.scope, self.emitter.line, self.assigned_in_loop = outer, line, assigned
            self.calls.pop()
        return scope.result

    def _run_to_exit(self, source):
        """Writes a body that returns from several places; gives what it returns."""
        self.scope.exit = Exit(self.emitter, source.tree)

        def body():
            self.scope.frames[0].block = self.emitter.block
            return self.run(source.tree.body)

        ended, block = self.emitter.aside(body)
        if ended is None:
            if self.scope.exit.form is not None:
                raise KernelSyntaxError(
                    f"{source.name} returns a value in some branches only; return one at its end"
                )
            block.code.append(Instruction("break", None))
        result = self.scope.exit.settle()
        self.emitter.append(Loop(block))
        return result()

    def _run_machine(self, func, machine):
        self.scope.exit = self.machines[func.source] = machine

        def body():
            self.scope.frames[0].block = self.emitter.block
            self._enter(func, machine.enter())
            return self.run(func.source.tree.body)

        try:
            ended, block = self.emitter.aside(body)
        finally:
            del self.machines[func.source]
        return machine.settle(block, ended)

    def parameter(self, func, name, x):
        """The value that a parameter has of its own, or None where it is the argument itself."""
        if name in func.template_parameters or isinstance(x, (ArrayValue, RecordArray)):
            return None
        value = self._converted(func, name, read(x))
        is_value = isinstance(value, (Scalar, Tensor, Record)) or is_number(value)
        return value if is_value else None

    def _bound(self, func, args, kwargs):
        try:
            bound = func.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise KernelTypeError(f"{func.source.name}: {error}") from None
        bound.apply_defaults()
        return bound.arguments

    def _enter(self, func, bound):
        """Binds parameters: templates and arrays as they are, values by value."""
        for name, x in bound.items():
            self._check_template(func.annotations.get(name), x)
            value = self.parameter(func, name, x)
            if value is not None:
                self._bind_name(name, value)
            else:
                self.scope.declare(name, x)

    def _check_template(self, annotation, x):
        """Refuses what qd.template(element_type, ndim) or qd.ref(dtype) does not mean."""
        if not isinstance(annotation, self.types.Template):
            return
        if annotation.dtype is None and annotation.ndim is None:
            return
        fault = annotation.fault(getattr(x, "object", None) or x, *self._type_of(x))
        if fault:
            raise KernelTypeError(f"{fault}, for {describe(x)}")

    def _type_of(self, x):
        """The type of a value, or of an array's elements, and how many axes that has."""
        if isinstance(x, RecordArray):
            return x.type, x.ndim
        if isinstance(x, (RecordPlace, Record)):
            return x.type, 0
        shape = getattr(x, "element_shape", getattr(x, "shape", ()))
        ndim = x.ndim if isinstance(x, ArrayValue) else 0
        if isinstance(x, (Tensor, TensorPlace)):
            dtype = self.emitter.dtype_of(read(x).items[0])
        elif isinstance(x, (Scalar, ArrayValue, *PLACES)) or is_number(x):
            dtype = self.emitter.dtype_of(x) if is_number(x) else x.dtype
        else:
            return None, None
        dtype = self.types.dtype_object(dtype)
        if not shape:
            return dtype, ndim
        return self.types.MatrixType(shape[0], (*shape, 1)[1], dtype, ndim=len(shape)), ndim

    def _converted(self, func, name, value):
        type_ = func.value_types.get(name)
        if type_ is None or not (is_number(value) or isinstance(value, (Tensor, list, tuple))):
            return value
        return self.convert_to(value, type_)
