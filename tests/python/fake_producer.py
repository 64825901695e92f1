# SPDX-License-Identifier: Apache-2.0
"""DLPack tensors made field by field through ctypes, for tests of what becomes of any of them.

A FakeTensor owns the struct and the memory, counts the calls of its deleter, and gives out real
capsules with a real destructor, so that a test can ask for exactly one call on every path.
"""

import ctypes
import itertools

import joggle as jg

VERSIONED, LEGACY = b"dltensor_versioned", b"dltensor"
READ_ONLY, IS_COPIED, SUBBYTE_PADDED = 1, 2, 4
CPU, CUDA, CUDA_HOST, METAL, ROCM_HOST, CUDA_MANAGED = 1, 2, 3, 8, 11, 13


class DLDevice(ctypes.Structure):
    _fields_ = (("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32))


class DLDataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class DLManagedTensor(ctypes.Structure):
    _fields_ = (("dl_tensor", DLTensor), ("manager_ctx", ctypes.c_void_p), ("deleter", DELETER))


class DLPackVersion(ctypes.Structure):
    _fields_ = (("major", ctypes.c_uint32), ("minor", ctypes.c_uint32))


class DLManagedTensorVersioned(ctypes.Structure):
    _fields_ = (
        ("version", DLPackVersion),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("dl_tensor", DLTensor),
    )


STRUCTS = {VERSIONED: DLManagedTensorVersioned, LEGACY: DLManagedTensor}
CODES = {"b": 6, "i": 0, "u": 1, "f": 2, "c": 5}

_api = ctypes.pythonapi
_DESTRUCTOR = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _DESTRUCTOR)(
    ("PyCapsule_New", _api)
)
_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", _api))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_raw_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api)
)
_raw_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)


def capsule_name(capsule):
    return _name(capsule).decode()


def _destroy(kind):
    """What a producer's capsule destructor does: call the deleter unless somebody consumed it."""

    def destroy(capsule):
        if _raw_valid(capsule, kind):
            managed = STRUCTS[kind].from_address(_raw_pointer(capsule, kind))
            if managed.deleter:
                managed.deleter(ctypes.addressof(managed))

    return _DESTRUCTOR(destroy)


_DESTROY = {kind: _destroy(kind) for kind in STRUCTS}
_alive = {}  # the structs that are out, as a real producer keeps them until the deleter is called
_keys = itertools.count()


class FakeTensor:
    """One tensor. Anything about it can be changed through `managed` before it is given out."""

    def __init__(self, array=None, kind=VERSIONED, version=(1, 3), flags=0, deleter=True):
        self.kind, self.deleted = kind, 0
        self.managed = STRUCTS[kind]()
        self.tensor = self.managed.dl_tensor
        if kind == VERSIONED:
            self.managed.version = DLPackVersion(*version)
            self.managed.flags = flags
        self.tensor.device = DLDevice(CPU, 0)
        self.tensor.dtype = DLDataType(2, 32, 1)
        if array is not None:
            self.describe(array)
        if deleter:
            self._deleter = DELETER(self._delete)
            self.managed.deleter = self._deleter
        self._key = next(_keys)

    def describe(self, array):
        """Takes over a NumPy array's memory, dtype, shape and strides."""
        self.array = array
        self.tensor.data = array.__array_interface__["data"][0]
        self.tensor.dtype = DLDataType(CODES[array.dtype.kind], 8 * array.itemsize, 1)
        self.shape(array.shape)
        self.strides([step // array.itemsize for step in array.strides])

    def shape(self, extents):
        self.tensor.ndim = len(extents)
        self._shape = (ctypes.c_int64 * max(len(extents), 1))(*extents)
        self.tensor.shape = ctypes.cast(self._shape, ctypes.POINTER(ctypes.c_int64))

    def strides(self, steps):
        if steps is None:
            self.tensor.strides = None
            return
        self._strides = (ctypes.c_int64 * max(len(steps), 1))(*steps)
        self.tensor.strides = ctypes.cast(self._strides, ctypes.POINTER(ctypes.c_int64))

    def _delete(self, _):
        self.deleted += 1
        _alive.pop(self._key, None)

    def capsule(self):
        """A fresh capsule. Each is a promise of its own to call the deleter.

        Its destructor is Python code, so it must not be left to die while an exception is raised:
        keep a capsule that will be refused in a variable.
        """
        _alive[self._key] = self
        return _new(ctypes.addressof(self.managed), self.kind, _DESTROY[self.kind])


class FakeProducer:
    """An object with both dunders over a FakeTensor; it notes what keywords it is asked with."""

    def __init__(self, fake, device=(CPU, 0)):
        self.fake, self.device, self.asked = fake, device, []

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        return self.fake.capsule()

    def __dlpack_device__(self):
        return self.device


def managed_of(capsule):
    """The struct in a capsule that somebody else made."""
    name = _name(capsule)
    return STRUCTS[name].from_address(_pointer(capsule, name))


def settle():
    """Lets all that was dropped be given back."""
    jg.synchronize()
