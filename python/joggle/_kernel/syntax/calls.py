# SPDX-License-Identifier: Apache-2.0
"""Calls in a kernel: functions that kernels know, @qd.func functions, types, and Python at compile
time.

A @qd.func is written into its caller: its parameters are bound to the arguments' values, those
annotated as templates to the arguments themselves.
"""

import ast
import builtins
import math
from functools import partial

from joggle._fields.layout import SNode
from joggle._fields.matrix import Matrix, Vector
from joggle._fields.struct import one_number

from ..ir import arithmetic
from ..ir.arithmetic import convert, is_number
from ..ir.emit import describe
from ..ir.messages import KernelError, KernelTypeError, as_kernel_error
from ..ir.promotion import is_float
from ..ir.scalar import Scalar
from ..ir.scope import Frame, LocalFunction
from ..value.array import ArrayValue, RecordArray
from ..value.compiling import calling, write_call
from ..value.functions import FUNCTIONS, Function
from ..value.linear import Method
from ..value.signatures import binding, signature_of
from ..value.text import print_values
from ..value.values import PLACES, Record, Tensor, TensorPlace, read, tensor_of
from .expression import KERNEL_VALUES
from .inlining import Inlining
from .loops import Cells, Grouped, Ndrange, Range, Static, grouped_indices, vectors
from .outside import check_callee, gives_new
from .plain import check_members, install_operators
from .recursion import Recursion


class BoundFunc:
    """A function of a struct or an object, with what it is called on."""

    def __init__(self, func, owner):
        self.func, self.owner = func, owner

    def __call__(self, *args, **kwargs):
        return write_call(self, args, kwargs)


class Calls(Inlining):
    """The part of the lowering that writes calls."""

    def visit_Call(self, node):
        callee = self.visit(node.func)
        special = self._special(callee)
        if special is not None:
            return special(self, node)
        args, kwargs = self._arguments(node, callee)
        return self.call(callee, args, kwargs)

    def _special(self, callee):
        """Callees whose arguments are no plain values."""
        if callee is builtins.print:
            return print_values
        return getattr(getattr(callee, "handler", None), "special", None)

    def is_static_call(self, node):
        """Whether a call is one of qd.static."""
        return self._special(self.visit(node.func)) is static

    def _arguments(self, node, callee):
        """The values that a call passes; places stay places for callees that may assign to them."""
        evaluate = self.visit if self.may_assign(callee) else self.value
        args = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                args.extend(self.iterate(self.value(argument.value)))
            else:
                args.append(evaluate(argument))
        kwargs = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                kwargs.update(self.static(keyword.value))
            else:
                kwargs[keyword.arg] = evaluate(keyword.value)
        return args, kwargs

    def may_assign(self, callee):
        """Whether a callee can assign to what it is called with."""
        if isinstance(callee, Function):
            return callee.assigns
        callee = callee.func if isinstance(callee, BoundFunc) else callee
        return hasattr(callee, "template_parameters")

    def call(self, callee, args, kwargs):
        """The result of callee for values and places."""
        if isinstance(callee, Function):
            return _checked(callee.name, callee.handler, self, args, kwargs)
        if isinstance(callee, Method):
            name = callee.function.__name__
            return _checked(name, callee.call, self, [read(x) for x in args], kwargs)
        if hasattr(callee, "call"):
            return callee.call(self, args, kwargs)
        if isinstance(callee, BoundFunc):
            return self.inline(callee.func, [callee.owner, *args], kwargs)
        if hasattr(callee, "template_parameters"):
            return self.inline(callee, args, kwargs)
        if isinstance(callee, LocalFunction):
            return self._call_lambda(callee, args, kwargs)
        result = self._call_python(callee, args, kwargs)
        return self.new(result) if gives_new(callee) else result

    def _call_python(self, callee, args, kwargs):
        """A dtype casts; what has a handler is known to kernels; everything else is called when
        compiling, with values too, as a Python function may compute with their operators."""
        if self.types.is_dtype(callee):
            return self._cast(callee, args, kwargs)
        handler = self._handler_of(callee)
        if handler is not None:
            return handler(self, args, kwargs)
        if hasattr(callee, "kernel_source"):
            raise KernelTypeError("a kernel cannot call a kernel; make the callee a @func")
        if not callable(callee):
            raise KernelTypeError(f"{describe(callee)} cannot be called")
        check_callee(callee, args, kwargs)
        self.made.check(callee, args, self.emitter.block)
        for x in (*args, *kwargs.values()):
            check_members(x)
        try:
            with calling(self):
                result = callee(*args, **kwargs)
            return self.capture(result)
        except (KernelError, Recursion):
            raise
        except Exception as error:
            on_values = any(isinstance(x, KERNEL_VALUES) for x in args)
            if type(callee).__module__ == "numpy" and on_values:
                raise KernelTypeError(
                    f"{callee.__name__} of NumPy: got {describe(args[0])}, allowed is what is "
                    "known when compiling; use the function of joggle.fields"
                ) from None
            raise as_kernel_error(error) from error

    def _handler_of(self, callee):
        try:
            found = HANDLERS.get(callee) or HANDLERS.get(getattr(callee, "__func__", None))
        except TypeError:  # unhashable
            return None
        if found is None and isinstance(callee, (self.types.MatrixType, self.types.StructType)):
            return lambda lowering, args, kwargs: lowering.construct(callee, args, kwargs)
        return found and partial(_checked, callee.__name__, found)

    def _cast(self, dtype, args, kwargs):
        if len(args) > 1 or kwargs:
            given = ", ".join([*map(describe, args), *(f"{name}=" for name in kwargs)])
            raise KernelTypeError(f"a cast: got {given}, allowed is one value")
        x = args[0] if args else 0
        name = self.types.dtype_name(dtype)
        return self.map(lambda item: convert(self.emitter, item, name), x)

    def _call_lambda(self, function, args, kwargs):
        names = [argument.arg for argument in function.node.args.args]
        if len(names) != len(args) or kwargs or _is_more_than_names(function.node.args):
            raise KernelTypeError(
                f"lambda: got {len(args) + len(kwargs)} arguments for {len(names)} parameters; "
                "allowed are as many, in order"
            )
        outer, frames, found = self.scope, function.scope.frames, function.frames()
        parameters = Frame(self.emitter.block)
        parameters.update(zip(names, args, strict=True))
        self.scope, self.scope.frames = function.scope, [*found, parameters]
        try:
            return self.value(function.node.body)
        finally:
            function.scope.frames, self.scope = frames, outer

    def local_function(self, node):
        """The value of a lambda."""
        return LocalFunction(node, self.scope)

    def method_of(self, record, name):
        """A method of a struct's type, bound to the struct; None if there is none."""
        method = getattr(record.type, "methods", {}).get(name)
        if method is None:
            return None
        return BoundFunc(self.as_func(method), record)

    def construct(self, type_, args, kwargs):
        """A vector, matrix or struct of a type, made of values."""
        if isinstance(type_, self.types.MatrixType):
            if kwargs:
                raise KernelTypeError(f"{type_!r}: got {', '.join(kwargs)}=, allowed are numbers")
            return self._construct_tensor(type_, args)
        if len(args) == 1 and not kwargs and isinstance(args[0], (Record, dict)):
            args, kwargs = [], getattr(args[0], "members", args[0])
        if len(args) == 1 and not kwargs and len(type_.members) > 1 and is_number(args[0]):
            raise KernelTypeError(one_number(type_))
        members = {}
        given = dict(zip(type_.members, args, strict=False))
        unknown = set(kwargs) - set(type_.members) | set(given) & set(kwargs)
        if unknown or len(args) > len(type_.members):
            raise KernelTypeError(f"{type_!r} has no member {', '.join(sorted(unknown)) or 'left'}")
        given.update(kwargs)
        for name, member in type_.members.items():
            members[name] = self._member(member, given.get(name, 0))
        return Record(type_, members)

    def _member(self, type_, value):
        value = read(value)
        if isinstance(type_, self.types.StructType):
            return value if isinstance(value, Record) else self.construct(type_, [], {})
        if isinstance(type_, self.types.MatrixType):
            return self._construct_tensor(type_, [value])
        return convert(self.emitter, value, self.types.dtype_name(type_))

    def _construct_tensor(self, type_, args):
        shape = type_.element_shape
        dtype = None if type_.dtype is None else self.types.dtype_name(type_.dtype)
        items = self._flat(args)
        count = math.prod(shape)
        if len(items) == 1:
            items = items * count
        if len(items) != count:
            raise KernelTypeError(f"{type_!r}: got {len(items)} numbers, allowed are {count} or 1")
        return tensor_of(self.emitter, shape, items, dtype)

    def _flat(self, x):
        if isinstance(x, (TensorPlace, *PLACES)):
            x = read(x)
        if isinstance(x, Tensor):
            return list(x.items)
        if isinstance(x, (list, tuple)):
            return [item for part in x for item in self._flat(part)]
        return [x]


def _is_more_than_names(parameters):
    """Whether a lambda has parameters with defaults, by keyword alone, or with stars."""
    return bool(
        parameters.defaults
        or parameters.kwonlyargs
        or parameters.posonlyargs
        or parameters.vararg
        or parameters.kwarg
    )


def _checked(name, handler, lowering, args, kwargs):
    """A handler's value; a wrong number of arguments is reported as an error of the kernel."""
    try:
        return handler(lowering, args, kwargs)
    except KernelError:
        raise
    except (TypeError, ValueError) as error:
        raise KernelTypeError(f"{name}: got {len(args)} arguments: {error}") from error


HANDLERS = {}


def handles(*callees, parameters):
    """Registers a handler for functions of other modules, which have these parameters in
    kernels."""

    def register(handler):
        for callee in callees:
            HANDLERS[callee] = binding(callee.__name__, signature_of(parameters), handler)
        return handler

    return register


for _python, _name in {builtins.abs: "abs", builtins.max: "max", builtins.min: "min"}.items():
    HANDLERS[_python] = FUNCTIONS[_name].handler
HANDLERS[builtins.pow] = FUNCTIONS["pow"].handler
for _name, _function in FUNCTIONS.items():
    if hasattr(math, _name) and _name not in ("floor", "ceil", "trunc", "pow"):
        HANDLERS[getattr(math, _name)] = _function.handler


@handles(math.floor, math.ceil, math.trunc, parameters="x")
def _whole(lowering, args, kwargs):
    raise KernelTypeError(
        "math.floor gives an int of Python; use floor(x, int) of joggle.fields, and so on"
    )


@handles(builtins.round, parameters="number, ndigits=None")
def _round(lowering, args, kwargs):
    if args[1:] not in ([], [None]):
        raise KernelTypeError(
            f"round: got {describe(args[1])} as ndigits, allowed are none in kernels; scale before "
            "and after"
        )
    emitter = lowering.emitter

    def apply(x):
        if not isinstance(x, Scalar):
            return round(x)
        return emitter.instruct(x.dtype, "round", x) if is_float(x.dtype) else x

    return lowering.map(apply, args[0])


@handles(builtins.len, parameters="obj, /")
def _len(lowering, args, kwargs):
    (x,) = args
    if isinstance(x, (ArrayValue, RecordArray)) and x.ndim:
        return x.extent(lowering, 0)
    if isinstance(x, KERNEL_VALUES) and not isinstance(x, Tensor):
        raise KernelTypeError(f"len: {describe(x)} has no length, allowed are arrays and vectors")
    return len(x)


@handles(builtins.range, parameters="*bounds")
def _range(lowering, args, kwargs):
    if not 1 <= len(args) <= 3:
        raise KernelTypeError(f"range: got {len(args)} arguments, allowed are 1 to 3")
    low, high = (0, args[0]) if len(args) == 1 else args[:2]
    step = args[2] if len(args) == 3 else 1
    if isinstance(step, Scalar):
        step = step.constant
    if not isinstance(step, int) or step == 0:
        raise KernelTypeError(
            f"range: got a step of {describe(args[2])}, allowed are constants other than 0; "
            "use while instead"
        )
    return Range(low, high, step)


def ndrange(lowering, args, kwargs):
    """qd.ndrange of values."""
    return _python_ndrange(*args, **kwargs)


def _python_ndrange(*ranges, axes=None):
    # Which index changes fastest does not matter, as iterations of a parallel loop have no order.
    if axes is not None and sorted(axes) != list(range(len(ranges))):
        raise ValueError(f"axes: got {axes!r}, allowed is each of the {len(ranges)} axes once")
    return Ndrange([tuple(x) if isinstance(x, (tuple, list)) else (0, x) for x in ranges])


def grouped(lowering, args, kwargs):
    """qd.grouped of a field or of an ndrange."""
    (x,) = args
    if isinstance(x, Ndrange):
        return Grouped(x.ranges)
    if isinstance(x, Static):
        return Static(vectors(item if isinstance(item, tuple) else (item,) for item in x))
    if isinstance(x, (ArrayValue, RecordArray, SNode)):
        return grouped_indices(lowering, x)
    raise KernelTypeError(f"grouped: got {describe(x)}, allowed are fields, nodes and ndrange(...)")


def _of_a_run(value):
    return (
        f"static: got {describe(value)}, which only a run knows, allowed is what is known when "
        "compiling"
    )


def static(lowering, node):
    """qd.static(x): x must be known when compiling; a loop over it is unrolled."""
    if node.keywords:
        raise KernelTypeError(f"static: got {node.keywords[0].arg}=, allowed are values in order")
    values = [lowering.value(argument) for argument in node.args]
    for value in values:
        if isinstance(value, (Scalar, Record)) and getattr(value, "constant", None) is None:
            raise KernelTypeError(_of_a_run(value))
    values = [
        getattr(value, "constant", None) if isinstance(value, Scalar) else value for value in values
    ]
    if len(values) != 1:
        return tuple(values)
    if isinstance(values[0], Cells):
        raise KernelTypeError(_of_a_run(values[0]))
    if isinstance(values[0], (Range, Ndrange, Grouped)):
        return Static(list(values[0]))
    return values[0]


def static_assert(lowering, args, kwargs):
    """qd.static_assert(condition, message)."""
    condition, *message = args
    if isinstance(condition, Scalar) or not condition:
        raise KernelTypeError(f"static_assert: {message[0] if message else 'does not hold'}")


def static_print(lowering, args, kwargs):
    """qd.static_print(...): prints when compiling."""
    print(*(x if not isinstance(x, (Scalar, Tensor)) else describe(x) for x in args), **kwargs)


def loop_config(lowering, args, kwargs):
    """qd.loop_config(...): how the next loop runs."""
    lowering.loop_options = {name: getattr(x, "constant", x) for name, x in kwargs.items()}
    if kwargs.get("block_dim") is not None:
        size = lowering.loop_options["block_dim"]
        if not hasattr(size, "__index__") or isinstance(size, bool) or size < 0:
            raise KernelTypeError(
                f"block_dim: got {describe(kwargs['block_dim'])}, allowed are integers from 0, "
                "which leaves it open, known when compiling"
            )


@handles(builtins.enumerate, parameters="iterable, start=0")
def _enumerate(lowering, args, kwargs):
    items, *start = args
    return list(enumerate(lowering.iterate(items), *start))


@handles(builtins.zip, parameters="*iterables, strict=False")
def _zip(lowering, args, kwargs):
    columns = [lowering.iterate(x) for x in args]
    try:
        return list(zip(*columns, strict=bool(kwargs.get("strict"))))
    except ValueError as error:
        raise as_kernel_error(error) from None


@handles(builtins.sum, parameters="iterable, /, start=0")
def _sum(lowering, args, kwargs):
    items, *start = args
    total = start[0] if start else 0
    for item in lowering.iterate(items):
        total = lowering.map(
            lambda a, b: arithmetic.binary(lowering.emitter, "add", a, b), total, item
        )
    return total


def _truths(name, stop_at):
    """any and all: of a matrix over its items, of a list over what it holds."""

    def handler(lowering, args, kwargs):
        (x,) = args
        items = x.items if isinstance(x, Tensor) else lowering.iterate(x)
        result = not stop_at
        for item in items:
            if not is_number(item):
                if isinstance(item, KERNEL_VALUES):
                    raise KernelTypeError(f"{name}: got {describe(item)}, allowed are numbers")
                item = bool(item)
            truth = arithmetic.truth(lowering.emitter, item)
            if truth is stop_at or result is stop_at:
                return stop_at
            known = isinstance(result, bool)
            result = truth if known else result | truth if stop_at else result & truth
        return result

    return handler


handles(builtins.any, parameters="iterable, /")(_truths("any", True))
handles(builtins.all, parameters="iterable, /")(_truths("all", False))


@handles(builtins.getattr, parameters="obj, name, default=None, /")
def _getattr(lowering, args, kwargs):
    owner, name, *default = args
    try:
        return lowering.attribute(owner, name)
    except KernelError:
        if not default:
            raise
        return default[0]


@handles(builtins.isinstance, parameters="obj, types, /")
def _isinstance(lowering, args, kwargs):
    x, types = args
    if isinstance(x, Scalar):
        return (float if is_float(x.dtype) else int) in _as_tuple(types)
    if isinstance(x, Tensor):
        kind = Vector if len(x.shape) == 1 else Matrix
        return issubclass(kind, tuple(t for t in _as_tuple(types) if isinstance(t, type)))
    return isinstance(getattr(x, "object", x), types)


def _as_tuple(x):
    return x if isinstance(x, tuple) else (x,)


@handles(builtins.hasattr, parameters="obj, name, /")
def _hasattr(lowering, args, kwargs):
    owner, name = args
    try:
        lowering.attribute(owner, name)
    except KernelError:
        return False
    return True


@handles(builtins.tuple, builtins.list, parameters="iterable=(), /")
def _sequence(lowering, args, kwargs):
    return list(lowering.iterate(args[0])) if args else []


def special(function):
    """A handler that takes the call's node."""

    def handler(lowering, args, kwargs):
        raise AssertionError("called with its node")

    handler.special = function
    return handler


static_function = Function("static", lambda *x: x[0] if len(x) == 1 else x, special(static))
FUNCTIONS["static"] = static_function
for _name, _handler in {
    "static_assert": static_assert,
    "static_print": static_print,
    "loop_config": loop_config,
    "grouped": grouped,
}.items():
    FUNCTIONS[_name] = Function(_name, None, _handler)
FUNCTIONS["ndrange"] = Function("ndrange", _python_ndrange, ndrange)

install_operators()
