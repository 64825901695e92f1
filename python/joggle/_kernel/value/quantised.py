# SPDX-License-Identifier: Apache-2.0
"""Numbers of few bits in kernels: what is written to a field of them is rounded first."""

from joggle._fields.quant_type import FIXED, INTEGER

from ..ir import arithmetic
from ..ir.messages import KernelTypeError
from ..ir.promotion import width_of
from .values import Element


class QuantElement(Element):
    """A number of few bits in an array."""

    def __init__(self, emitter, array, indices, activate):
        super().__init__(emitter, array.name, array.dtype, indices, activate)
        self.quant = array.quant

    def write(self, x):
        super().write(rounded(self.emitter, self.quant, x))

    def update(self, operator, x):
        """Sums of whole steps stay whole steps, but for the bits that are lost on top, so that an
        atomic can add; all others are done anew until no other iteration came in between."""
        emitter, quant = self.emitter, self.quant
        if emitter.in_parallel and quant.kind != INTEGER:
            if quant.kind == FIXED and operator in ("add", "minimum", "maximum"):
                return super().update(operator, rounded(emitter, quant, x))
            raise KernelTypeError(
                f"an update of {quant!r}: other iterations may write it, too; assign to it, as in "
                "x[i] = x[i] + y, which is not atomic"
            )
        if not emitter.in_parallel:
            old = self.read()
            self.write(x if operator == "exchange" else self._combined(operator, old, x))
            return old
        return self._exchanged(
            lambda old: x if operator == "exchange" else self._combined(operator, old, x)
        )

    def _combined(self, operator, old, x):
        return self.emitter.instruct(self.dtype, operator, old, x)

    def _exchanged(self, change):
        """Sets a whole number to change(old) once no other iteration comes in between."""
        emitter = self.emitter
        found = emitter.local(self.dtype)
        with emitter.repeat():
            old = self.read()
            was = super().compare_exchange(old, rounded(emitter, self.quant, change(old)))
            emitter.set(found, was)
            with emitter.when(emitter.instruct("bool", "equal", was, old)):
                emitter.perform("break")
        return emitter.get(found, self.dtype)

    def compare_exchange(self, expected, x):
        return super().compare_exchange(expected, rounded(self.emitter, self.quant, x))


def rounded(emitter, quant, x):
    """The number of few bits that is stored for x."""
    if quant.kind == INTEGER:
        return _wrapped(emitter, quant, x)
    return _stepped(emitter, quant, x) if quant.kind == FIXED else _cut(emitter, quant, x)


def _wrapped(emitter, quant, x):
    """The low bits."""
    above = width_of(x.dtype) - quant.bits
    if above == 0:
        return x
    if not quant.signed:
        return emitter.scalar(x & ((1 << quant.bits) - 1), x.dtype)
    shift = emitter.constant(above, x.dtype)
    return emitter.instruct(
        x.dtype, "shift_right", emitter.instruct(x.dtype, "shift_left", x, shift), shift
    )


def _stepped(emitter, quant, x):
    """The nearest step; halves away from zero."""
    wide = "float64"
    steps = emitter.cast(x, wide) / quant.scale
    half = emitter.instruct(wide, "copysign", emitter.constant(0.5, wide), steps)
    whole = _wrapped(emitter, quant, emitter.cast(steps + half, "int64"))
    return emitter.cast(emitter.cast(whole, wide) * quant.scale, x.dtype)


def _cut(emitter, quant, x):
    """The nearest number with fewer bits after the leading one, halves away from zero, and an
    exponent in range."""
    single = emitter.scalar(x, "float32")
    bits = emitter.instruct("uint32", "bitcast", single)
    size, lost = bits & 0x7FFFFFFF, 23 - quant.digits
    size = ((size + ((1 << lost) >> 1)) >> lost) << lost
    low, high = quant.bounds()
    top = arithmetic.binary(emitter, "minimum", size, emitter.constant(high, "uint32"))
    size = arithmetic.select(emitter, size < low, emitter.constant(0, "uint32"), top)
    found = emitter.instruct("float32", "bitcast", size)
    if quant.signed:
        found = emitter.instruct("float32", "copysign", found, single)
    else:
        found = arithmetic.select(emitter, single < 0.0, emitter.constant(0, "float32"), found)
    return emitter.scalar(found, x.dtype)
