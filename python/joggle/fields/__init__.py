# SPDX-License-Identifier: Apache-2.0
"""Fields and kernels: storage that every framework can hold, and Python functions compiled onto it.

    import joggle.fields as qd

The names are those of Quadrants and Taichi. docs/fields.md tells what a field is to NumPy, torch,
JAX and joggle's arrays.
"""

from joggle.fields import ad as ad
from joggle.fields import algorithms as algorithms
from joggle.fields import experimental as experimental
from joggle.fields import graph as graph
from joggle.fields import linalg as linalg
from joggle.fields import math as math
from joggle.fields import types as types
from joggle.fields._absent import message_of as _message_of
from joggle.fields._buffer_view import BufferView as BufferView
from joggle.fields._dispatch import perf_dispatch as perf_dispatch
from joggle.fields._field import Field as Field
from joggle.fields._field import Ndarray as Ndarray
from joggle.fields._field import ScalarField as ScalarField
from joggle.fields._field import ScalarNdarray as ScalarNdarray
from joggle.fields._field import field as field
from joggle.fields._field import ndarray as ndarray
from joggle.fields._init import *  # noqa: F403
from joggle.fields._init import config as cfg  # noqa: F401
from joggle.fields._kernel import *  # noqa: F403
from joggle.fields._layout import NAMED_AXES as _NAMED_AXES
from joggle.fields._layout import FieldsBuilder as FieldsBuilder
from joggle.fields._layout import Layout as Layout
from joggle.fields._layout import SNode as SNode
from joggle.fields._layout import axes as axes
from joggle.fields._layout import root as root
from joggle.fields._matrix import Matrix as Matrix
from joggle.fields._matrix import Vector as Vector
from joggle.fields._matrix_field import MatrixField as MatrixField
from joggle.fields._matrix_field import MatrixNdarray as MatrixNdarray
from joggle.fields._matrix_field import VectorNdarray as VectorNdarray
from joggle.fields._names import *  # noqa: F403
from joggle.fields._streams import Event as Event
from joggle.fields._streams import Stream as Stream
from joggle.fields._streams import create_event as create_event
from joggle.fields._streams import create_stream as create_stream
from joggle.fields._struct import Struct as Struct
from joggle.fields._struct import StructField as StructField
from joggle.fields._tensor import Backend as Backend
from joggle.fields._tensor import MatrixTensor as MatrixTensor
from joggle.fields._tensor import Tensor as Tensor
from joggle.fields._tensor import VectorTensor as VectorTensor
from joggle.fields._tensor import tensor as tensor
from joggle.fields._types import DTYPES as _DTYPES
from joggle.fields._types import Template as Template
from joggle.fields._types import dataclass as dataclass
from joggle.fields._types import ref as ref
from joggle.fields._types import template as template

globals().update(_DTYPES)
globals().update(_NAMED_AXES)


def __getattr__(name):
    raise AttributeError(_message_of(__name__, name))
