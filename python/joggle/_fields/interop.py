# SPDX-License-Identifier: Apache-2.0
"""Fields as tensors of NumPy, torch, JAX, joggle and any library with DLPack.

copy=True gives values of their own, copy=False the field's memory or a ValueError, copy=None the
memory if possible. Other frameworks are imported when they are used.
"""

import sys

import joggle as _jg
from joggle._fields.settings import config

_asarray = None  # NumPy's, imported on first use
_from_capsule = None  # torch's


def _find_asarray():
    global _asarray
    import numpy

    _asarray = numpy.asarray
    return _asarray


def _find_from_capsule():
    """The function that torch.utils.dlpack.from_dlpack calls; its checks of the capsule would
    double the time."""
    global _from_capsule
    torch = sys.modules.get("torch") or __import__("torch")
    _from_capsule = getattr(torch._C, "_from_dlpack", torch.utils.dlpack.from_dlpack)
    return _from_capsule


class Interop:
    """The exports and imports of fields with one plane of memory; structs do them member by
    member."""

    def to_array(self, *, copy=True):
        """The values as a joggle array of the field's shape with the element's axes behind it; with
        copy=False one that shows later writes. Raises CopyError, a ValueError, where that
        cannot be, as of blocked fields."""
        return self._array(copy)

    def from_array(self, x):
        """Sets all values from a joggle array or anything that can become one, of exactly that
        shape, cast to the field's dtype. Raises ValueError naming both shapes, TypeError for
        complex numbers."""
        self._take(x)

    def from_dlpack(self, x):
        """Sets all values from an object with __dlpack__, or a DLPack capsule."""
        self._take(_jg.from_dlpack(x))

    def to_numpy(self, dtype=None, *, copy=True):
        """The values as a NumPy array, element axes behind the field's, in another dtype if one is
        given. Raises CopyError where copy=False cannot be kept, by the layout or by the dtype."""
        return self._numpy(dtype, copy)

    def _home(self):
        """The name of the device that the memory is on."""
        return "cpu" if config.arch.is_cpu else str(self._plane()[0].device)

    def _check_shared(self, copy):
        """Raises CopyError where NumPy and others without devices cannot share the memory."""
        if copy is False and not config.arch.is_cpu and self._home() != "cpu":
            raise _jg.CopyError(f"copy: refused, but the field lies on {self._home()}")

    def _numpy(self, dtype=None, copy=True):
        self._check_shared(copy)
        found = (_asarray or _find_asarray())(self._array(copy))
        if dtype is None or found.dtype == dtype:
            return found
        if copy is False:
            raise _jg.CopyError(f"dtype: {found.dtype} must be copied to become {dtype}")
        return found.astype(dtype)

    def from_numpy(self, arr):
        """Sets all values from a NumPy array of exactly that shape, cast where dtypes differ."""
        self._take(arr)

    def to_torch(self, device=None, *, copy=True):
        """The values as a torch tensor, element axes behind the field's; of a field on a CUDA
        device on that. Raises CopyError where copy=False cannot be kept, by the layout or by
        another device."""
        if not config.arch.is_cpu and self._home().startswith("opencl"):
            self._check_shared(copy)  # torch has no such device
            capsule = self._array(None).to_device("cpu").__dlpack__()
        else:
            # With a capsule torch need not inspect the producer.
            capsule = self.to_dlpack() if copy is False else self._array(copy).__dlpack__()
        tensor = (_from_capsule or _find_from_capsule())(capsule)
        if device is None or str(device).partition(":")[0] == tensor.device.type:
            return tensor
        if copy is False:
            raise _jg.CopyError(f"device: the values must be copied to be on {device}")
        return tensor.to(device)

    def from_torch(self, tensor):
        """Sets all values from a torch tensor of exactly that shape, on any device."""
        if not hasattr(tensor, "detach"):
            raise TypeError(f"tensor: got {type(tensor).__name__}, allowed are tensors of torch")
        self._take(tensor.detach().cpu())

    def to_jax(self, *, copy=True):
        """The values as a JAX array. JAX takes dense memory as it is, whatever its order."""
        import jax

        if copy is True or (copy is None and self._home() != "cpu"):
            return jax.numpy.asarray(self._numpy())
        self._check_shared(copy)
        try:
            return _shared_with_jax(jax, self._array(False))
        except (_jg.CopyError, ValueError, RuntimeError, TypeError) as error:
            if copy is False:
                raise _jg.CopyError(f"JAX does not take the memory: {error}") from error
        return jax.numpy.asarray(self._numpy())

    def from_jax(self, x):
        """Sets all values from a JAX array of exactly that shape."""
        self._take(x)

    def __array__(self, dtype=None, copy=None):
        return self._numpy(dtype, copy)


def _shared_with_jax(jax, x):
    """x in JAX, over the same memory. JAX copies silently for some dtypes, which only the address
    shows. Raises CopyError then."""
    import numpy

    found = jax.dlpack.from_dlpack(x)
    address = numpy.asarray(x).__array_interface__["data"][0]
    if found.size and found.unsafe_buffer_pointer() != address:
        raise _jg.CopyError(f"it made a copy of dtype {found.dtype}")
    return found


class StructInterop:
    """The same for structs: dicts by member."""

    def to_array(self, *, copy=True):
        return self._of_members("to_array", copy=copy)

    def to_numpy(self, *, copy=True):
        """A dict of NumPy arrays by member."""
        return self._of_members("to_numpy", copy=copy)

    def to_torch(self, device=None, *, copy=True):
        """A dict of torch tensors by member."""
        return self._of_members("to_torch", device, copy=copy)

    def to_jax(self, *, copy=True):
        return self._of_members("to_jax", copy=copy)

    def to_dlpack(self, versioned=False):
        """A dict of DLPack capsules by member."""
        return self._of_members("to_dlpack", versioned)

    def from_array(self, values):
        self._to_members("from_array", values)

    def from_numpy(self, array_dict):
        """Sets the values of all members from a dict of NumPy arrays."""
        self._to_members("from_numpy", array_dict)

    def from_torch(self, array_dict):
        """Sets the values of all members from a dict of torch tensors."""
        self._to_members("from_torch", array_dict)

    def from_jax(self, values):
        self._to_members("from_jax", values)

    def from_dlpack(self, values):
        self._to_members("from_dlpack", values)

    def _of_members(self, method, *args, **kwargs):
        return {
            name: getattr(member, method)(*args, **kwargs) for name, member in self._members.items()
        }

    def _to_members(self, method, values):
        if not isinstance(values, dict):
            raise TypeError(
                f"values: got {type(values).__name__}, allowed is a dict by member, of "
                f"{', '.join(self._members)}"
            )
        if set(values) != set(self._members):
            raise ValueError(
                f"members: got {sorted(values)}, allowed are exactly {sorted(self._members)}"
            )
        for name, member in self._members.items():
            getattr(member, method)(values[name])
