# SPDX-License-Identifier: Apache-2.0
"""Kernels as functions of arrays, which joggle's transformations go through."""

import functools
import inspect

import joggle as jg
from joggle import _core
from joggle._fields.make import ndarray
from joggle._kernel.derivatives import tangent_of
from joggle._kernel.value.parameters import Scalar

__all__ = ["function"]

_FLOATS = (_core.float16, _core.bfloat16, _core.float32, _core.float64)


def function(kernel, outputs):
    """A function of arrays that launches the kernel and gives what it writes.

    outputs names the kernel's parameters that are results: a name, a list of names, or a dict that
    has for each name a pair of shape and dtype, or a function that makes one of the arguments;
    None, as a name alone, stands for shape and dtype of the first array. The function takes the
    other parameters, in their order or by name. Arrays of results begin as zeros, and are on the
    device of the first array with axes.

    grad, vjp and jvp go by the kernel's adjoint and tangent, once, as kernels have no second
    derivatives, and by arrays, as they have none by a number that is a parameter; vmap launches it
    for each element. Inside of compile it is launched by each call, as soon as that is made; the
    function that compile gives is then not exported.
    """
    if not (callable(kernel) and hasattr(kernel, "dual") and hasattr(kernel, "signature")):
        raise TypeError(f"[function] kernel: got {type(kernel).__name__}, allowed is a kernel")
    parameters = list(inspect.signature(kernel).parameters)
    forms = _forms_of(outputs, parameters)
    function = _Function(kernel, parameters, forms, isinstance(outputs, str))
    functools.update_wrapper(function, kernel.function, updated=())
    return function


def _forms_of(outputs, parameters):
    if isinstance(outputs, str):
        outputs = [outputs]
    if not isinstance(outputs, (list, tuple, dict)) or not outputs:
        raise TypeError(
            f"[function] outputs: got {outputs!r}, allowed are a name, a list of names, and a dict"
        )
    forms = outputs if isinstance(outputs, dict) else dict.fromkeys(outputs)
    if len(forms) < len(outputs):
        raise ValueError(f"[function] outputs: got {outputs!r}, allowed is each name once")
    for name in forms:
        if name not in parameters:
            raise ValueError(
                f"[function] outputs: got {name!r}, allowed are the kernel's parameters "
                f"{parameters}"
            )
    return forms


class _Function:
    def __init__(self, kernel, parameters, forms, single):
        self.kernel, self.forms, self.single = kernel, forms, single
        self.parameters = parameters
        self.signature = inspect.Signature(
            [
                inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
                for name in parameters
                if name not in forms
            ]
        )
        self.name = getattr(kernel.function, "__name__", "kernel")

    def __call__(self, *args, **kwargs):
        try:
            given = self.signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"[{self.name}] {error}") from None
        names = [name for name, x in given.items() if self._is_operand(name, x)]
        arrays = [jg.asarray(given[name]) for name in names]
        launch = _Launch(self, given, names, self._forms(given, arrays))
        results = launch(arrays)
        return results[0] if self.single else tuple(results)

    def _is_operand(self, name, x):
        """Whether x is an array that transformations see: a number's is passed on as its value."""
        if not hasattr(type(x), "__dlpack__"):
            return False
        return not self.is_number(name) or _core._is_traced(x)

    def is_number(self, name):
        return isinstance(self.kernel.parameters[name], Scalar)

    def _forms(self, given, arrays):
        """Zeros-like descriptions (shape, dtype) of the results."""
        forms = []
        for name, form in self.forms.items():
            if callable(form):
                form = form(*given.values())
            if form is None:
                if not arrays:
                    raise ValueError(
                        f"[function] outputs: {name!r} has no shape and dtype, and {self.name} "
                        "has no array among its arguments, allowed is a pair of both"
                    )
                form = (arrays[0].shape, arrays[0].dtype)
            if not isinstance(form, (list, tuple)) or len(form) != 2:
                raise TypeError(
                    f"[function] outputs: for {name!r} got {form!r}, allowed are a pair of shape "
                    "and dtype, a function that gives one, and None"
                )
            shape, dtype = form
            shape = (shape,) if isinstance(shape, int) else tuple(shape)
            forms.append((shape, jg.zeros((), dtype=dtype).dtype))
        return forms


class _Launch:
    """The kernel with everything but the arrays given."""

    def __init__(self, of, given, names, forms):
        self.of, self.given, self.names, self.forms = of, given, names, forms

    def __call__(self, arrays):
        return self._apply(arrays, self._run, self.forms, self._vjp, self._jvp)

    def _apply(self, arrays, run, forms, vjp, jvp):
        """The results of run for the arrays, with these shapes and dtypes; run needs values. In a
        batch there are no values until its rule runs the function for each element. In a
        function that is recorded there are none until the record is called. Results are on the
        device of the arrays, wherever the kernel runs."""
        device = _device_of(arrays)
        traced = any(map(_core._is_traced, arrays))
        again = None
        if traced and _core._tracing_caller() is not None and not _has_values(arrays):
            zeros = [jg.zeros(s, dtype=d, device=device) for s, d in forms]
            values = [_core._without_values(x) for x in zeros]

            def again(arrays):
                return self._apply(arrays, run, forms, vjp, jvp)
        else:
            values = run(arrays)
            if device is not None:
                values = [x.to_device(device) for x in values]
        if not traced:
            return values

        def vmap(arrays, axes):
            return _for_each(lambda x: self._apply(x, run, forms, vjp, jvp), forms, arrays, axes)

        return _core._custom(arrays, values, vjp, jvp, vmap, again)

    def _bind(self, inputs, outputs):
        """The kernel's arguments in its order."""
        places = {**self.given, **dict(zip(self.names, inputs, strict=True))}
        places.update(zip(self.of.forms, outputs, strict=True))
        return [places[name] for name in self.of.parameters if name in places]

    def _outputs(self, needs_grad=False):
        return [ndarray(d, s, needs_grad=needs_grad and d in _FLOATS) for s, d in self.forms]

    def _run(self, arrays):
        outputs = self._outputs()
        self.of.kernel(*self._bind(arrays, outputs))
        return [y.to_array() for y in outputs]

    def _places(self, arrays):
        """The arrays in memory that has gradients, as far as derivatives pass."""
        for name in filter(self.of.is_number, self.names):
            raise TypeError(
                f"[function] {self.of.name}: argument {name} is a number of the kernel, by which "
                "it has no derivative; allowed are a number that is not differentiated, and as "
                "the kernel's parameter an array of one element"
            )
        places = []
        for x in arrays:
            place = ndarray(x.dtype, x.shape, needs_grad=x.dtype in _FLOATS)
            place.from_array(x)
            places.append(place)
        return places

    def _vjp(self, arrays, cotangents, outputs):
        forms = [(x.shape, x.dtype) for x in arrays if x.dtype in _FLOATS]
        count, results = len(arrays), len(outputs)

        def run(given):
            return self._pull(given[:count], given[count : count + results], given[-results:])

        shares = self._apply(
            [*arrays, *cotangents, *outputs], run, forms, self._refuse, self._refuse
        )
        return _among(arrays, shares)

    def _pull(self, arrays, cotangents, outputs):
        inputs, results = self._places(arrays), self._outputs(needs_grad=True)
        for place, value, cotangent in zip(results, outputs, cotangents, strict=True):
            place.from_array(value)
            if place.has_grad():
                place.grad.from_array(cotangent)
        self.of.kernel.grad(*self._bind(inputs, results))
        return [x.grad.to_array() for x in inputs if x.has_grad()]

    def _jvp(self, arrays, tangents):
        forms = [form for form in self.forms if form[1] in _FLOATS]
        count = len(arrays)

        def run(given):
            return self._push(given[:count], given[count:])

        pushed = self._apply([*arrays, *tangents], run, forms, self._refuse, self._refuse)
        return _among([jg.zeros((), dtype=dtype) for _, dtype in self.forms], pushed)

    def _push(self, arrays, tangents):
        inputs, results = self._places(arrays), self._outputs(needs_grad=True)
        for place, tangent in zip(inputs, tangents, strict=True):
            if place.has_grad():
                tangent_of(place).from_array(tangent)
        for place in results:
            if place.has_grad():
                tangent_of(place).fill(0)
        self.of.kernel.dual(*self._bind(inputs, results))
        return [tangent_of(x).to_array() for x in results if x.has_grad()]

    def _refuse(self, *_):
        raise NotImplementedError(
            f"[function] {self.of.name}: kernels have first derivatives alone, and a second one "
            "was asked for"
        )


def _among(like, found):
    """found in the places of the floating ones, None in the others."""
    rest = iter(found)
    return [next(rest) if x.dtype in _FLOATS else None for x in like]


def _for_each(call, forms, arrays, axes):
    """The results of call for each element along the axes, stacked, and their axes."""
    extent = next(x.shape[a] for x, a in zip(arrays, axes, strict=True) if a is not None)
    if extent == 0:
        device = _device_of(arrays)
        stacked = [jg.zeros((0, *shape), dtype=dtype, device=device) for shape, dtype in forms]
    else:
        pairs = list(zip(arrays, axes, strict=True))
        rows = [
            call([x if a is None else jg.take(x, i, axis=a) for x, a in pairs])
            for i in range(extent)
        ]
        stacked = [jg.stack(list(column)) for column in zip(*rows, strict=True)]
    return stacked, [0] * len(forms)


def _device_of(arrays):
    """That of the first array with axes, else of the first number; None without any."""
    found = [*(x for x in arrays if x.ndim > 0), *arrays]
    return found[0].device if found else None


def _has_values(arrays):
    try:
        jg.eval(*arrays)
    except ValueError:
        return False
    return True
