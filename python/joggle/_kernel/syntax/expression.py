# SPDX-License-Identifier: Apache-2.0
"""Expressions of a kernel: each node of the syntax tree becomes a value, a place, or a constant.

Whatever is known when compiling stays an object of Python: numbers, tuples, types, functions,
fields. Python itself computes on such objects, so qd.static only has to check. The rest is written
as instructions. An operand whose evaluation must not happen (the other side of `and`, `or` and a
ternary) goes into a block of its own if it does more than compute.
"""

import ast
import functools

from ..ir import arithmetic as arithmetic
from ..ir.arithmetic import is_number
from ..ir.emit import Branch, describe
from ..ir.messages import KernelError, KernelSyntaxError, KernelTypeError, as_kernel_error, placed
from ..ir.scalar import Scalar
from ..library.cell_calls import CellList
from ..value.array import ArrayValue, RecordArray
from ..value.linear import attribute_of_tensor, matmul
from ..value.values import (
    PLACES,
    Record,
    RecordPlace,
    Tensor,
    TensorPlace,
    assign,
    common_dtype,
    read,
    tensor_of,
    variable,
)
from .subscript import subscript

_BINARY = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "power",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shift_left",
    ast.RShift: "shift_right",
}
_UNARY = {ast.USub: "negate", ast.UAdd: "copy", ast.Invert: "not"}
_COMPARE = {
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}
KERNEL_VALUES = (Scalar, Tensor, Record, ArrayValue, RecordArray, *PLACES)
_INSTEAD = {
    "Await": "kernels run as a whole; there is nothing to wait for",
    "Yield": "write the values into a field or an array",
    "YieldFrom": "write the values into a field or an array",
    "Set": "use a tuple",
    "SetComp": "use a list comprehension",
    "DictComp": "build the dict outside of the kernel",
}


def is_static(x):
    """Whether x, and everything in it, is known when compiling."""
    if isinstance(x, (tuple, list)):
        return all(is_static(item) for item in x)
    return not isinstance(x, KERNEL_VALUES) or isinstance(x, (ArrayValue, RecordArray))


class Expressions:
    """The part of the lowering that evaluates expressions. Uses self.emitter and self.scope."""

    def value(self, node):
        """The value of an expression."""
        return read(self.visit(node))

    def visit(self, node):
        """The value of an expression, or the place that it names."""
        method = getattr(self, f"visit_{type(node).__name__}", None)
        try:
            if method is None:
                raise _unsupported(node)
            return method(node)
        except KernelError as error:
            raise placed(error, self.scope.source, node) from None

    def visit_Constant(self, node):
        return node.value

    def visit_Name(self, node):
        return self.scope.find(node.id, self.capture)

    def visit_Tuple(self, node):
        return tuple(self._items(node))

    def visit_List(self, node):
        return self.new(self._items(node))

    def new(self, x):
        """x, which was made here."""
        return self.made.note(x, self.emitter.block)

    def _items(self, node):
        items = []
        for item in node.elts:
            if isinstance(item, ast.Starred):
                items.extend(self.iterate(self.value(item.value)))
            else:
                items.append(self.value(item))
        return items

    def visit_Dict(self, node):
        if any(key is None for key in node.keys):
            raise KernelSyntaxError("** in a dict is not supported; list the entries")
        entries = {
            self.static(key): self.value(value)
            for key, value in zip(node.keys, node.values, strict=True)
        }
        return self.new(entries)

    def visit_JoinedStr(self, node):
        raise KernelSyntaxError("an f-string is allowed in print and assert only")

    def visit_Slice(self, node):
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if part is None else self.static(part) for part in parts))

    def visit_Lambda(self, node):
        return self.local_function(node)

    def visit_UnaryOp(self, node):
        return self.unary(node.op, self.value(node.operand))

    def unary(self, op, x):
        """An operator of Python applied to one value."""
        if isinstance(op, ast.Not):
            return self.map(lambda item: arithmetic.negation(self.emitter, item), x)
        return self.change(_UNARY[type(op)], x)

    def change(self, name, x):
        """The instruction of that name applied to one value."""
        return self.map(lambda item: arithmetic.unary(self.emitter, name, item), x)

    def visit_BinOp(self, node):
        return self.binary(node.op, self.value(node.left), self.value(node.right))

    def binary(self, op, a, b):
        """An operator of Python applied to two values."""
        if isinstance(op, ast.MatMult):
            return self.matmul(a, b)
        return self.new(self.combine(_BINARY[type(op)], a, b))

    def matmul(self, a, b):
        """a @ b."""
        _check_operands("@", a, b, (Tensor, list, tuple), "vectors and matrices")
        return matmul(self.emitter, self.as_tensor(a), self.as_tensor(b))

    def combine(self, name, a, b):
        """The instruction of that name applied to two values."""
        are_numbers = is_number(a) and is_number(b)
        if not are_numbers and (_both_python(a, b) or _joins(name, a, b)):
            return _compute(name, a, b)
        allowed = (Scalar, int, float, Tensor, list, tuple)
        symbol = arithmetic.SYMBOLS.get(name, name)
        _check_operands(symbol, a, b, allowed, "numbers, vectors and matrices")
        return self.map(lambda x, y: arithmetic.binary(self.emitter, name, x, y), a, b)

    def map(self, apply, *operands):
        """apply to scalars, item by item where an operand is a vector or a matrix."""
        tensors = [x for x in operands if isinstance(x, (Tensor, list, tuple))]
        if not tensors:
            return apply(*operands)
        operands = [self.as_tensor(x) if not is_number(x) else x for x in operands]
        shape = _common_shape([x for x in operands if isinstance(x, Tensor)])
        count = len(next(x for x in operands if isinstance(x, Tensor)).items)
        columns = [x.items if isinstance(x, Tensor) else [x] * count for x in operands]
        return Tensor(
            shape, [self.emitter.scalar(apply(*row)) for row in zip(*columns, strict=True)]
        )

    def as_tensor(self, x):
        """x as a vector or matrix; lists and tuples of numbers are vectors."""
        if isinstance(x, Tensor):
            return x
        if isinstance(x, (list, tuple)) and x:
            if all(isinstance(row, (list, tuple, Tensor)) for row in x):
                rows = [list(row) for row in x]
                if len({len(row) for row in rows}) != 1:
                    raise KernelTypeError("the rows of a matrix must have the same length")
                shape = (len(rows), len(rows[0]))
                return tensor_of(self.emitter, shape, [item for row in rows for item in row])
            return tensor_of(self.emitter, (len(x),), list(x))
        raise KernelTypeError(f"got {describe(x)}, allowed is a vector or a matrix")

    def visit_BoolOp(self, node):
        stop_at = isinstance(node.op, ast.Or)
        result = self.value(node.values[0])
        for operand in node.values[1:]:
            result = self._and_or(result, functools.partial(self.value, operand), stop_at)
        return result

    def _and_or(self, a, second, stop_at):
        """a and second(), or a or second(): stop_at is the truth of a that decides. The value is
        one of the operands, as in Python; two truth values become one instruction if the second
        only computes."""
        if isinstance(a, Tensor):
            return self.map(lambda x, y: self._either(x, y, stop_at), a, second())
        if not is_number(a):
            return a if bool(a) is stop_at else second()
        known = arithmetic.truth(self.emitter, a)
        if isinstance(known, bool):
            return a if known is stop_at else second()
        b, block = self.emitter.aside(second)
        if block.is_pure() and is_number(b) and known is a and self.emitter.dtype_of(b) == "bool":
            self.emitter.join(block)
            return arithmetic.binary(self.emitter, "or" if stop_at else "and", a, b)
        if stop_at:
            return self._merge(known, (a, self._empty()), (b, block))
        return self._merge(known, (b, block), (a, self._empty()))

    def _either(self, x, y, stop_at):
        """x and y, or x or y, of two scalars that have been computed."""
        truth = arithmetic.truth(self.emitter, x)
        if truth is x and self.emitter.dtype_of(y) == "bool":
            return arithmetic.binary(self.emitter, "or" if stop_at else "and", x, y)
        first, second = (x, y) if stop_at else (y, x)
        return arithmetic.select(self.emitter, truth, first, second)

    def _empty(self):
        return self.emitter.aside(lambda: None)[1]

    def visit_IfExp(self, node):
        condition = self.value(node.test)
        if isinstance(condition, Tensor):
            a, b = self.value(node.body), self.value(node.orelse)
            return self.map(
                lambda c, x, y: arithmetic.select(self.emitter, c, x, y), condition, a, b
            )
        known = (
            arithmetic.truth(self.emitter, condition) if is_number(condition) else bool(condition)
        )
        if isinstance(known, bool):
            return self.value(node.body if known else node.orelse)
        then = self.emitter.aside(lambda: self.value(node.body))
        otherwise = self.emitter.aside(lambda: self.value(node.orelse))
        return self._merge(known, then, otherwise)

    def _merge(self, condition, then, otherwise):
        """The value of one of two blocks; both run if they only compute."""
        (a, then_block), (b, else_block) = then, otherwise
        if self._may_join(then_block) and self._may_join(else_block):
            self.emitter.join(then_block)
            self.emitter.join(else_block)
            return self.map(lambda x, y: arithmetic.select(self.emitter, condition, x, y), a, b)
        place = self._place_for(a, b)  # in this block, before the branch that sets it
        for value, block in (then, otherwise):
            outer, self.emitter.block = self.emitter.block, block
            assign(self.emitter, place, value)
            self.emitter.block = outer
        self.emitter.append(Branch(condition, then_block, else_block))
        return read(place)

    def _may_join(self, block):
        """Whether it may run although its condition is false, and so may its derivative."""
        return block.is_pure() and (not self.emitter.is_derived or block.is_smooth())

    def _place_for(self, a, b):
        zeros = self.map(lambda x, y: _zero_of(self.emitter, x, y), a, b)
        return variable(self.emitter, zeros)

    def visit_Compare(self, node):
        return self._chain(self.value(node.left), node.ops, node.comparators)

    def _chain(self, left, ops, nodes):
        """left < a < b as left < a and a < b: what is behind a false comparison is not computed."""
        right = self.value(nodes[0])
        first = self.compare(ops[0], left, right)
        if len(nodes) == 1:
            return first
        return self._and_or(first, lambda: self._chain(right, ops[1:], nodes[1:]), False)

    def compare(self, op, a, b):
        """A comparison of Python applied to two values."""
        if isinstance(op, (ast.Is, ast.IsNot)):
            return self._same(a, b) is isinstance(op, ast.Is)
        if isinstance(op, (ast.In, ast.NotIn)):
            return self._contained(a, b, isinstance(op, ast.In))
        return self.relate(_COMPARE[type(op)], a, b)

    def relate(self, name, a, b):
        """The comparison of that name of two values."""
        if _both_python(a, b):
            return _compute(name, a, b)
        if not _comparable(a) or not _comparable(b):
            if name in ("equal", "not_equal"):
                return (a is b) is (name == "equal")
            raise KernelTypeError(
                f"comparison: got {describe(a)} and {describe(b)}, allowed are numbers, vectors "
                "and matrices"
            )
        return self.map(lambda x, y: arithmetic.binary(self.emitter, name, x, y), a, b)

    # A captured field is a value of the kernel that knows its object; an argument knows none.
    def _same(self, a, b):
        return _object_of(a) is _object_of(b)

    def _contained(self, x, items, wanted):
        if is_static(x) and is_static(items):
            return (x in items) is wanted
        if not isinstance(items, (list, tuple, Tensor)):
            kind = describe(items)
            raise KernelTypeError(f"in: got {kind}, allowed are lists, tuples and vectors")
        result = False
        for item in items:
            same = arithmetic.binary(self.emitter, "equal", x, item)
            result = (
                same if result is False else arithmetic.binary(self.emitter, "or", result, same)
            )
        return result if wanted else arithmetic.negation(self.emitter, result)

    def visit_Attribute(self, node):
        return self.attribute(self.visit(node.value), node.attr)

    def attribute(self, owner, name):
        """owner.name."""
        if isinstance(owner, (Record, RecordPlace)):
            return self.attribute_of_record(owner, name)
        if isinstance(owner, (Tensor, TensorPlace)):
            return attribute_of_tensor(self.emitter, owner, name)
        if isinstance(owner, (ArrayValue, RecordArray)):
            return self.attribute_of_array(owner, name)
        if isinstance(owner, (Scalar, *PLACES)):
            return self.attribute_of_scalar(owner, name)
        if isinstance(owner, CellList):
            return owner.method(name)
        try:
            return self.capture_attribute(owner, name)
        except AttributeError as error:
            raise KernelTypeError(str(error)) from None

    def attribute_of_record(self, owner, name):
        """A member of a struct, or a method of its type."""
        if name in owner.members:
            return owner.members[name]
        method = self.method_of(owner, name)
        if method is None:
            allowed = ", ".join(owner.members)
            raise KernelTypeError(f"a struct has no member {name}; its members are {allowed}")
        return method

    def attribute_of_scalar(self, owner, name):
        """The attributes of a number: a dtype, and one item."""
        if name == "dtype":
            return self.types.dtype_object(owner.dtype)
        raise KernelTypeError(f"{describe(read(owner))} has no attribute {name}")

    def visit_Subscript(self, node):
        owner = self.visit(node.value)
        index = self.value(node.slice)
        item = subscript(self, owner, index)
        return self.new(item) if isinstance(index, slice) else item

    def static(self, node):
        """The value of an expression that must be known when compiling."""
        x = self.value(node)
        if isinstance(x, Scalar) and x.constant is not None:
            return x.constant
        if not is_static(x):
            raise KernelTypeError(
                f"a value known at compile time is needed here, got {describe(x)}, allowed "
                "are a constant, a template() parameter and the variable of a loop over static(...)"
            )
        return x

    def iterate(self, x):
        """The items of something whose length is known when compiling."""
        if isinstance(x, Tensor):
            return list(x)
        if isinstance(x, KERNEL_VALUES):
            raise KernelTypeError(f"cannot take {describe(x)} apart at compile time")
        try:
            return [self.capture_item(x, item) for item in x]
        except TypeError as error:
            raise as_kernel_error(error) from None

    def visit_ListComp(self, node):
        results = []
        self._comprehend(node.generators, node.elt, results)
        return self.new(results)

    visit_GeneratorExp = visit_ListComp

    def _comprehend(self, generators, element, results):
        if not generators:
            results.append(self.value(element))
            return
        first, rest = generators[0], generators[1:]
        for item in self.iterate(self.value(first.iter)):
            with self.scope.nested(self.emitter.block):
                self._declare(first.target, item)
                if all(self._is_kept(condition) for condition in first.ifs):
                    self._comprehend(rest, element, results)

    def _declare(self, target, item):
        """Binds the names of a comprehension, which are its own, whatever they are outside."""
        if isinstance(target, ast.Name):
            self.scope.declare(target.id, item)
            return
        if not isinstance(target, (ast.Tuple, ast.List)):
            raise KernelSyntaxError("the target of a comprehension must be a name, or names")
        items = self.iterate(item)
        if len(items) != len(target.elts):
            raise KernelTypeError(
                f"got {len(items)} values for {len(target.elts)} names, allowed are as many"
            )
        for part, value in zip(target.elts, items, strict=True):
            self._declare(part, value)

    def _is_kept(self, condition):
        x = self.value(condition)
        x = x if getattr(x, "constant", None) is None else x.constant
        if not is_static(x):
            raise KernelTypeError(
                f"the if of a comprehension: got {describe(x)}, which only a run knows, so that "
                "the length would be unknown; allowed is what is known when compiling, or a loop "
                "with an if"
            )
        return x

    def visit_NamedExpr(self, node):
        value = self.value(node.value)
        self.bind(node.target, value)
        return value

    def visit_Starred(self, node):
        raise KernelSyntaxError("* is allowed in calls, tuples and lists only")


def _object_of(x):
    found = getattr(x, "object", None)
    return x if found is None else found


def _check_operands(symbol, a, b, types, allowed):
    if not isinstance(a, types) or not isinstance(b, types):
        raise KernelTypeError(
            f"operator {symbol}: got {describe(a)} and {describe(b)}, allowed are {allowed}"
        )


# Whether Python itself computes: on what holds no value of the kernel, however deep.
def _both_python(a, b):
    return (
        not isinstance(a, KERNEL_VALUES)
        and not isinstance(b, KERNEL_VALUES)
        and (_holds_no_values(a) and _holds_no_values(b))
    )


def _joins(name, a, b):
    """Whether + joins two lists or two tuples of any items."""
    return name == "add" and type(a) is type(b) and isinstance(a, (list, tuple))


def _holds_no_values(x):
    if isinstance(x, (list, tuple)):
        return all(_holds_no_values(item) for item in x)
    return not isinstance(x, KERNEL_VALUES)


def _compute(name, a, b):
    """Applies the operator to two objects of Python."""
    try:
        return arithmetic._PYTHON[name][1](a, b)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise as_kernel_error(error) from None


def _comparable(x):
    return is_number(x) or isinstance(x, (Tensor, list, tuple))


def _common_shape(tensors):
    shapes = {x.shape for x in tensors}
    if len(shapes) > 1:
        kinds = " and ".join(x.kernel_kind() for x in tensors)
        raise KernelTypeError(f"got {kinds}, allowed are tensors of one shape and scalars")
    return tensors[0].shape


def _zero_of(emitter, x, y):
    return emitter.constant(0, common_dtype(emitter, [x, y]))


def _unsupported(node):
    kind = type(node).__name__
    hint = _INSTEAD.get(kind)
    return KernelSyntaxError(f"{kind} is not supported in kernels" + (f"; {hint}" if hint else ""))
