# SPDX-License-Identifier: Apache-2.0
"""The functions that @func makes, and the meaning of their annotations."""

import functools
import inspect

from ..ir import types
from ..value.compiling import current, write_call
from .source import Source


class Func:
    """A function that is written into the kernels that call it."""

    def __init__(self, function, requires_top_level=False, is_real=False):
        self.function, self.requires_top_level = function, requires_top_level
        self.is_real = is_real  # whether it may call itself, and no derivative is asked of that
        self.mutated = None
        functools.update_wrapper(self, function)
        self.fn = function

    @functools.cached_property
    def source(self):
        return Source(self.function)

    @functools.cached_property
    def signature(self):
        return inspect.signature(self.function)

    @functools.cached_property
    def annotations(self):
        return annotations_of(self.function)

    @functools.cached_property
    def template_parameters(self):
        """Parameters that are the argument itself, not its value."""
        found = {n for n, a in self.annotations.items() if is_template(a)}
        first = next(iter(self.signature.parameters), None)
        return found | ({first} if first == "self" else set())

    @property
    def value_types(self):
        """The types that parameters are converted to, with the defaults of qd.init as they are."""
        found = {name: _number_type(a) for name, a in self.annotations.items() if name != "return"}
        return {name: type_ for name, type_ in found.items() if type_ is not None}

    @property
    def result_type(self):
        """The type that the result is converted to, a tuple of several, or None."""
        annotation = self.annotations.get("return")
        inside = getattr(annotation, "__args__", None) if is_tuple(annotation) else annotation
        return (
            tuple(map(_number_type, inside)) if isinstance(inside, tuple) else _number_type(inside)
        )

    def __get__(self, owner, kind=None):
        return self if owner is None else BoundMethod(self, owner)

    def __call__(self, *args, **kwargs):
        if current(args, kwargs) is not None:
            return write_call(self, args, kwargs)
        return self.function(*args, **kwargs)


class BoundMethod:
    """A @func of an object: the object is known when compiling."""

    def __init__(self, func, owner):
        self.func, self.owner = func, owner
        self.template_parameters = func.template_parameters

    def call(self, lowering, args, kwargs):
        return lowering.inline(self.func, [self.owner, *args], kwargs)

    def __call__(self, *args, **kwargs):
        return self.func(self.owner, *args, **kwargs)


def _number_type(annotation):
    """The type that an annotation converts numbers to, or None."""
    known = isinstance(annotation, types.MatrixType) or types.is_dtype(annotation)
    return types.of_annotation(annotation) if known else None


def is_tuple(annotation):
    return getattr(annotation, "__origin__", None) is tuple


def annotations_of(function):
    """The annotations of a function, those that are text evaluated."""
    return inspect.get_annotations(function, eval_str=_has_text(function))


def _has_text(function):
    return any(isinstance(a, str) for a in getattr(function, "__annotations__", {}).values())


def is_template(annotation):
    bare = annotation is types.Template or annotation is types.template
    return bare or isinstance(annotation, types.Template)
