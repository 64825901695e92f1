# SPDX-License-Identifier: Apache-2.0
"""Fields and kernels: storage that every framework can hold, and Python functions compiled onto it.

    import joggle.fields as qd

The names are those of Quadrants and Taichi. docs/fields.md tells what a field is to NumPy, torch,
JAX and joggle's arrays.
"""

import importlib as _importlib
import sys as _sys

from joggle._aliases.install import install as _install
from joggle._fields.buffer_view import BufferView as BufferView
from joggle._fields.field import Field as Field
from joggle._fields.field import Ndarray as Ndarray
from joggle._fields.field import ScalarField as ScalarField
from joggle._fields.field import ScalarNdarray as ScalarNdarray
from joggle._fields.layout import NAMED_AXES as _NAMED_AXES
from joggle._fields.layout import FieldsBuilder as FieldsBuilder
from joggle._fields.layout import Layout as Layout
from joggle._fields.layout import SNode as SNode
from joggle._fields.layout import axes as axes
from joggle._fields.layout import deactivate_all_snodes as deactivate_all_snodes
from joggle._fields.layout import root as root
from joggle._fields.make import field as field
from joggle._fields.make import ndarray as ndarray
from joggle._fields.matrix import Matrix as Matrix
from joggle._fields.matrix import Vector as Vector
from joggle._fields.matrix_field import MatrixField as MatrixField
from joggle._fields.matrix_field import MatrixNdarray as MatrixNdarray
from joggle._fields.matrix_field import VectorNdarray as VectorNdarray
from joggle._fields.quant_field import BitpackedFields as BitpackedFields
from joggle._fields.streams import Event as Event
from joggle._fields.streams import Stream as Stream
from joggle._fields.streams import create_event as create_event
from joggle._fields.streams import create_stream as create_stream
from joggle._fields.struct import Struct as Struct
from joggle._fields.struct import StructField as StructField
from joggle._fields.tensor import Backend as Backend
from joggle._fields.tensor import MatrixTensor as MatrixTensor
from joggle._fields.tensor import Tensor as Tensor
from joggle._fields.tensor import VectorTensor as VectorTensor
from joggle._fields.tensor import tensor as tensor
from joggle._fields.texture import Format as Format
from joggle._fields.texture import Texture as Texture
from joggle._fields.types import DTYPES as _DTYPES
from joggle._fields.types import Template as Template
from joggle._fields.types import dataclass as dataclass
from joggle._fields.types import ref as ref
from joggle._fields.types import template as template
from joggle.fields import ad as ad
from joggle.fields import algorithms as algorithms
from joggle.fields import experimental as experimental
from joggle.fields import graph as graph
from joggle.fields import linalg as linalg
from joggle.fields import math as math
from joggle.fields import simt as simt
from joggle.fields import types as types
from joggle.fields._absent import message_of as _message_of
from joggle.fields._dispatch import perf_dispatch as perf_dispatch
from joggle.fields._function import function as function
from joggle.fields._init import *  # noqa: F403
from joggle.fields._init import config as cfg  # noqa: F401
from joggle.fields._kernel import *  # noqa: F403
from joggle.fields._names import *  # noqa: F403


def _keep_names():
    """Names the classes of joggle._fields as parts of joggle.fields: pickles contain the names."""
    for name in _MADE_OF:
        part = _sys.modules[f"joggle._fields.{name}"]
        public = f"joggle.fields._{_ELSEWHERE.get(name, name)}"
        known = vars(_sys.modules.setdefault(public, part))
        for thing in list(vars(part).values()):
            if getattr(thing, "__module__", None) == part.__name__:
                thing.__module__ = public
                known.setdefault(thing.__name__, thing)


_MADE_OF = (
    "buffer_view",
    "field",
    "interop",
    "layout",
    "make",
    "matrix",
    "matrix_field",
    "quant_field",
    "quant_type",
    "settings",
    "streams",
    "struct",
    "tensor",
    "texture",
    "types",
)
_ELSEWHERE = {"make": "field", "settings": "init"}  # under which name they are known
global_thread_idx = simt.block.global_thread_idx
_keep_names()
globals().update(_DTYPES)
globals().update(_NAMED_AXES)


def install(*, taichi=False, children=False):
    """Lets `import quadrants` import joggle.fields in this process, and with taichi `import taichi`
    as well.

    With children also in the Python processes that this one starts, by the environment variables
    PYTHONPATH and JOGGLE_ALIASES; those that ignore them, as `python -I` does, are left out.
    Calling it again changes nothing. RuntimeError if another such package has been imported
    already.

    >>> import joggle.fields
    >>> joggle.fields.install()
    >>> import quadrants as qd
    >>> qd.f32
    joggle.float32
    """
    for package in ("quadrants", "taichi") if taichi else ("quadrants",):
        _install(package, children=children)


# Names that few programs use: modules, and names with the modules that they are imported from on
# first use.
_MODULES = ("_lib", "_logging", "lang", "profiler", "tools", "ui")
_LATER = {
    "GUI": "_pictures.gui",
    "hex_to_rgb": "_pictures.pixels",
    "rgb_to_hex": "_pictures.pixels",
}


def __getattr__(name):
    if name in _MODULES:
        return _importlib.import_module(f"{__name__}.{name}")
    if name in _LATER:
        return getattr(_importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
    raise AttributeError(_message_of(__name__, name))


def __dir__():
    return sorted({*globals(), *_LATER, "lang", "profiler", "tools", "ui"})
