# SPDX-License-Identifier: Apache-2.0
"""Statements of a kernel.

Running a block gives why it ended early: None, or "break", "continue", "return" for what happens
when compiling, or "ended" where the kernel itself jumps away. What would follow is not written.
"""

import ast

from ..ir import arithmetic
from ..ir.arithmetic import convert, is_number
from ..ir.code import Branch
from ..ir.emit import describe
from ..ir.messages import KernelError, KernelNameError, KernelSyntaxError, KernelTypeError, placed
from ..ir.promotion import is_float, is_integer
from ..ir.scalar import Scalar
from ..library.mutation import ATOMIC, always_returns
from ..value.array import ArrayValue, RecordArray
from ..value.linear import matmul
from ..value.text import message_of
from ..value.values import (
    PLACES,
    Local,
    Record,
    Tensor,
    TensorPlace,
    assign,
    place_like,
    read,
    tensor_of,
    variable,
)

_INSTEAD = {
    "Try": "errors stop a kernel; test the condition with if, or assert in debug mode",
    "Delete": "a variable ends with its block",
    "Global": "return the value, or write it into a field",
    "Nonlocal": "return the value, or write it into a field",
    "Import": "import outside of the kernel",
    "ImportFrom": "import outside of the kernel",
    "ClassDef": "define the class outside of the kernel",
    "FunctionDef": "define it outside of the kernel with @func",
    "AsyncFor": "use for",
    "Match": "use if and elif",
    "Raise": "use assert, which is checked in debug mode",
}


class Statements:
    """The part of the lowering that runs statements."""

    def run(self, body):
        """Writes statements until one of them ends the block; says how."""
        for statement in body:
            ended = self.statement(statement)
            if ended:
                return ended
        return None

    def statement(self, node):
        method = getattr(self, f"run_{type(node).__name__}", None)
        outer, self.emitter.line = self.emitter.line, node.lineno
        try:
            if method is None:
                raise _unsupported(node)
            return method(node)
        except KernelError as error:
            raise placed(error, self.scope.source, node) from None
        finally:
            self.emitter.line = outer

    def run_Pass(self, node):
        return None

    def run_Expr(self, node):
        if not isinstance(node.value, ast.Constant):
            self.visit(node.value)

    def run_Assign(self, node):
        value = self.value(node.value)
        is_static = self._is_static(node.value, value)
        for target in node.targets:
            if is_static and isinstance(target, ast.Name):
                self._bind_static(target.id, value)
            else:
                self.bind(target, value)

    def _is_static(self, node, value):
        """Whether a number comes from qd.static itself."""
        known = isinstance(node, ast.Call) and is_number(value) and not isinstance(value, Scalar)
        return known and self.is_static_call(node)

    def _bind_static(self, name, value):
        """A name that qd.static is assigned to stays known when compiling, unless it changes."""
        if name in self.scope.source.reassigned or self.scope.local(name) is not None:
            return self._bind_name(name, value)
        return self.scope.bind(name, value, self.emitter.block)

    def run_AnnAssign(self, node):
        if node.value is None:
            raise KernelSyntaxError("a declaration without a value; assign one")
        type_ = self.types.of_annotation(self.static(node.annotation))
        self.bind(node.target, self.convert_to(self.value(node.value), type_))

    def bind(self, target, value):
        """Assigns a value to a target: a name, a place, or several."""
        if isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target.elts, value)
        elif isinstance(target, ast.Name):
            self._bind_name(target.id, value)
        else:
            self._store(self.visit(target), value)

    def _unpack(self, targets, value):
        items = self.iterate(value)
        if len(items) != len(targets):
            raise KernelTypeError(
                f"got {len(items)} values for {len(targets)} names, allowed are as many"
            )
        for target, item in zip(targets, items, strict=True):
            self.bind(target, item)

    def _bind_name(self, name, value):
        """Assigns to a name. One that changes becomes a variable of the kernel when it is first
        bound; one that does not is the value itself; an object of Python stays what it is."""
        known = self.scope.local(name)
        if isinstance(known, PLACES):
            return self._store(known, value)
        block = self.emitter.block
        if type(value) is list and name in self.scope.source.filled and _are_values(value):
            value = self.new([variable(self.emitter, item) for item in value])
        if not _are_values([value]):
            return self.scope.bind(name, value, block)
        if known is not None and is_number(known):
            raise KernelNameError(f'name "{name}" is a constant here and cannot be assigned')
        if known is None and block is not self.scope.frames[-1].block:
            return self.scope.declare(name, self._outliving(value))
        if name in self.scope.mutated:
            value = variable(self.emitter, value)
        elif is_number(value):
            value = self.emitter.scalar(value)
        return self.scope.bind(name, value, block, is_value=True)

    def _outliving(self, value):
        """A variable for a name that an operand binds which only a run decides about: the name
        outlives the operand's block."""
        inside, self.emitter.block = self.emitter.block, self.scope.frames[-1].block
        try:
            place = place_like(self.emitter, value)
        finally:
            self.emitter.block = inside
        assign(self.emitter, place, value)
        return place

    def _store(self, place, value):
        if not isinstance(place, PLACES):
            raise KernelTypeError(f"{describe(place)} cannot be assigned to{_store_hint(place)}")
        if isinstance(place, TensorPlace) and isinstance(value, (list, tuple)):
            value = self.as_tensor(value)
        if not isinstance(value, (Tensor, Record)) and not is_number(value):
            raise KernelTypeError(
                f"assignment: got {describe(value)} for {place.kernel_kind()}, allowed are "
                "numbers, vectors, matrices and structs"
            )
        assign(self.emitter, place, value)

    def run_AugAssign(self, node):
        target, value = self.visit(node.target), self.value(node.value)
        if isinstance(target, PLACES):
            self._augment(target, node.op, value)
        elif isinstance(node.target, ast.Name):
            value = self.binary(node.op, read(target), value)
            self.scope.bind(node.target.id, value, self.emitter.block, _are_values([value]))
        else:
            raise KernelTypeError(f"{describe(target)} cannot be assigned to")

    def _augment(self, place, op, value):
        """place op= value. It is atomic if the operator has an atomic and other iterations may
        reach the place."""
        if isinstance(op, ast.MatMult):
            value = matmul(self.emitter, self.as_tensor(read(place)), self.as_tensor(value))
            return assign(self.emitter, place, value)
        if isinstance(place, TensorPlace):
            return self._augment_tensor(place, op, value)
        if not hasattr(place, "update") or not is_number(value):
            raise KernelTypeError(
                f"augmented assignment: got {describe(value)} for {place.kernel_kind()}, allowed "
                "is a number for a number"
            )
        if type(op) not in ATOMIC or self._scales(place, op, value):
            return assign(self.emitter, place, self.binary(op, place.read(), value))
        return self.update(place, ATOMIC[type(op)], value)

    def _scales(self, place, op, value):
        """Whether an integer is multiplied by a float: the product is rounded, not the float. A
        place that other iterations may reach has no update for that."""
        if not isinstance(op, ast.Mult) or not is_integer(place.dtype):
            return False
        if not is_float(self.emitter.dtype_of(value)):
            return False
        if _is_shared(self.emitter, place):
            raise KernelTypeError(
                f"augmented assignment: got {describe(value)} for {place.dtype} elements that "
                "several iterations may reach, allowed is an integer, or x[i] = x[i] * y"
            )
        return True

    def _augment_tensor(self, place, op, value):
        items = place.items
        values = [value] * len(items)
        if isinstance(value, (Tensor, list, tuple)):
            value = self.as_tensor(value)
            if value.shape != place.shape:
                raise KernelTypeError(
                    f"augmented assignment: got {value.kernel_kind()} for {place.kernel_kind()}, "
                    "allowed are one of its shape and a number"
                )
            values = value.items
        for item, x in zip(items, values, strict=True):
            self._augment(item, op, x)

    def update(self, place, operator, value):
        """Combines a scalar place with a value; the old value, if the update is atomic."""
        emitter = self.emitter
        value = convert(emitter, value, place.dtype)
        if not _is_shared(emitter, place):
            old = new = place.read()
            if operator != "exchange":
                new = arithmetic.binary(emitter, operator, old, value)
            place.write(emitter.scalar(value if operator == "exchange" else new, place.dtype))
            return old
        if operator == "subtract" and place.dtype == "bool":
            old = place.update("xor", value)  # 1 - 1 is false, 0 - 1 is not zero
        elif operator == "subtract":
            old = place.update("add", arithmetic.negated(emitter, value))
        else:
            old = place.update(operator, value)
        arithmetic.check_fits(emitter, operator, old, value)
        return old

    def convert_to(self, value, type_):
        """A value in an annotation's type."""
        if isinstance(type_, str):
            if not is_number(value):
                raise KernelTypeError(
                    f"got {describe(value)}, allowed is {type_}, as the annotation says"
                )
            return convert(self.emitter, value, type_)
        dtype = None if type_.dtype is None else self.types.dtype_name(type_.dtype)
        tensor = self.as_tensor(value)
        if not type_.matches(tensor.shape):
            raise KernelTypeError(
                f"got {tensor.kernel_kind()}, allowed is {type_!r}, as the annotation says"
            )
        return tensor_of(self.emitter, tensor.shape, tensor.items, dtype)

    def run_If(self, node):
        known = self._truth_of(self.value(node.test))
        if isinstance(known, bool):
            return self.run(node.body if known else node.orelse)
        ends, blocks, frames = zip(
            *(self._block_of(body) for body in (node.body, node.orelse)), strict=True
        )
        self.emitter.append(Branch(known, *blocks))
        for body, frame in zip((node.body, node.orelse), frames, strict=True):
            if not always_returns(body):  # after which its names have no use
                left = bool(body) and isinstance(body[-1], (ast.Break, ast.Continue))
                self.scope.end(frame, left)
        return "ended" if ends == ("ended", "ended") else None

    def _only_effects(self, condition):
        """Writes what evaluating a condition changes; what only computes is dropped."""
        if _binds(condition):
            self._truth_of(self.value(condition))
            return
        _, block = self.emitter.aside(lambda: self._truth_of(self.value(condition)))
        if block.has_effects():
            self.emitter.join(block)

    def _truth_of(self, condition):
        """Whether a condition holds: a bool of Python if that is known, else a value."""
        if is_number(condition):
            return arithmetic.truth(self.emitter, condition)
        if isinstance(condition, (Tensor, Record)):
            raise KernelTypeError(
                f"condition: got {describe(condition)}, allowed are scalars; use .any() or .all()"
            )
        return bool(condition)

    def _block_of(self, body):
        """How a branch ends, its block, and the frame of its names."""

        def write():
            with self.scope.nested(self.emitter.block) as frame:
                return self.run(body), frame

        (ended, frame), block = self.emitter.aside(write)
        return ended, block, frame

    def run_Break(self, node):
        return self._jump("break")

    def run_Continue(self, node):
        return self._jump("continue")

    def _jump(self, word):
        """A break or continue; that of an unrolled loop happens when compiling, so it must not
        depend on a condition of the run."""
        if not self.scope.loops:
            raise KernelSyntaxError(f"{word} outside of a loop")
        kind, block = self.scope.loops[-1]
        if kind == "static":
            if block is not self.emitter.block:
                raise KernelSyntaxError(
                    f"{word} of a loop over static(...) under a condition known only at run time; "
                    "make the condition static(...), or loop with range"
                )
            return word
        self.emitter.perform(word)
        return "ended"

    def run_Return(self, node):
        if self.scope.exit is not None:
            return self._return_early(node)
        if self.emitter.block is not self.scope.block or self.scope.loops:
            raise KernelSyntaxError(
                "return inside of an if or a loop of the kernel; "
                "assign to a variable there, and return it at the end"
            )
        self.scope.returned = node
        self.scope.result = self._returned(node)
        return "return"

    def _returned(self, node):
        """The value of a return statement, in the type that the function's annotation says."""
        value = None if node.value is None else self.value(node.value)
        type_ = self.scope.result_type
        if not isinstance(type_, tuple):
            return value if type_ is None else self._as_result(value, type_)
        if not isinstance(value, (tuple, list)) or len(value) != len(type_):
            raise KernelTypeError(
                f"return: got {describe(value)}, allowed are {len(type_)} values, as the "
                "annotation says"
            )
        pairs = zip(value, type_, strict=True)
        return tuple(x if t is None else self._as_result(x, t) for x, t in pairs)

    def _as_result(self, value, type_):
        """A function's result in the type of its annotation. As in Quadrants a dtype stands for
        vectors and matrices of it, too."""
        if isinstance(type_, str) and isinstance(value, Tensor):
            return tensor_of(self.emitter, value.shape, value.items, type_)
        return self.convert_to(value, type_)

    def _return_early(self, node):
        kinds = {kind for kind, _ in self.scope.loops}
        if "parallel" in kinds:
            raise KernelSyntaxError(
                "return inside of a parallel loop; iterations run in any order and all of them run"
            )
        self.scope.exit.give(self._returned(node), in_loop="serial" in kinds)
        return "ended"

    def run_Assert(self, node):
        if not self.emitter.debug:
            return self._only_effects(node.test)
        known = self._truth_of(self.value(node.test))
        text, values = message_of(self, node.msg) if node.msg else (_asserted(node), [])
        self.emitter.check(self.emitter.scalar(known), text, *values)


def _are_values(items):
    return all(isinstance(x, (Scalar, Tensor, Record)) or is_number(x) for x in items)


def _binds(node):
    """Whether an expression gives names to values."""
    return any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))


def _asserted(node):
    return f"assertion failed: {ast.unparse(node.test)}"


def _is_shared(emitter, place):
    """Whether another iteration of a parallel loop can reach the same place."""
    if isinstance(place, Local):
        return place.region is not emitter.block.region
    return getattr(place, "is_always_shared", emitter.in_parallel and hasattr(place, "array"))


def _store_hint(place):
    if isinstance(place, (ArrayValue, RecordArray)):
        return "; index it, as in x[i] = ..."
    if isinstance(place, (Scalar, Tensor)):
        return "; assign to a variable first"
    return ""


def _unsupported(node):
    kind = type(node).__name__
    hint = _INSTEAD.get(kind)
    return KernelSyntaxError(
        f"the statement {kind} is not supported in kernels" + (f"; {hint}" if hint else "")
    )
