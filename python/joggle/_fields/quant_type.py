# SPDX-License-Identifier: Apache-2.0
"""Numbers of few bits. Fields of them hold what such a number would be; in memory each has the
width of the type that it is computed in."""

INTEGER, FIXED, FLOAT = "int", "fixed", "float"


class QuantType:
    """A number of bits: a whole number, one in steps of scale, or one with an exponent.

    compute: the dtype that it is read as. rounded(x) is what it holds of a number or an array.
    """

    def __init__(self, kind, bits, signed, compute, scale=None, exponent=0):
        self.kind, self.bits, self.signed = kind, bits, signed
        self.compute, self.scale, self.exponent = compute, scale, exponent

    @property
    def num_bits(self):
        """In a field of packed ones, the exponent included."""
        return self.bits + self.exponent

    @property
    def digits(self):
        """For a float: the number of bits after the leading one."""
        return self.bits - self.signed

    @property
    def lowest_exponent(self):
        """For a float: the biased exponent of float32 that has the exponent 0 here."""
        return 128 - (1 << (self.exponent - 1))

    def _key(self):
        return self.kind, self.bits, self.signed, self.compute, self.scale, self.exponent

    def __eq__(self, other):
        return isinstance(other, QuantType) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        of = f"{self.exponent}, {self.bits}" if self.kind == FLOAT else f"{self.bits}"
        return f"quant.{self.kind}({of})"

    def rounded(self, x):
        """The number that is stored for a number, or for each of an array."""
        import numpy as np

        values = np.asarray(x)
        found = {INTEGER: self._wrapped, FIXED: self._stepped, FLOAT: self._cut}[self.kind](values)
        found = found.astype(self.compute.name)
        return found if values.ndim else found.item()

    def _wrapped(self, values):
        import numpy as np

        size, values = 1 << self.bits, np.asarray(values).astype(np.int64)
        found = values & (size - 1)
        return np.where(found >= size // 2, found - size, found) if self.signed else found

    def _stepped(self, values):
        import numpy as np

        steps = np.asarray(values, np.float64) / self.scale
        return self._wrapped(np.trunc(steps + np.copysign(0.5, steps))) * self.scale

    def _cut(self, values):
        import numpy as np

        numbers = np.asarray(values, np.float32)
        bits = np.ascontiguousarray(numbers).view(np.uint32).astype(np.int64).reshape(numbers.shape)
        size, lost = bits & 0x7FFFFFFF, 23 - self.digits
        size = (size + (1 << lost >> 1)) >> lost << lost
        low, top = self.bounds()
        size = np.where(size < low, 0, np.minimum(size, top))
        if not self.signed:
            size = np.where(numbers < 0, 0, size)
        found = size.astype(np.uint32).view(np.float32)
        return np.copysign(found, numbers) if self.signed else found

    def bounds(self):
        """For a float: the bits, as a float32, of the least number above 0, and of the greatest."""
        low = (self.lowest_exponent + 1) << 23
        high = min(self.lowest_exponent + (1 << self.exponent) - 1, 254)
        return low, (high << 23) + ((1 << self.digits) - 1 << 23 - self.digits)
