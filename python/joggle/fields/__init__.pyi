# SPDX-License-Identifier: Apache-2.0
"""What checkers of types know of joggle.fields. Kernels are Python in their syntax alone, so their
functions take and give anything; a dtype in an annotation is what a value of it is in Python.

An annotation that is a call, as x: qd.types.ndarray(qd.f32, 1), is one that checkers do not know:
pyright takes it with reportInvalidTypeForm = false for the files with kernels.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeAlias, TypeVar, overload

from joggle._fields.buffer_view import BufferView as BufferView
from joggle._fields.field import Field as Field
from joggle._fields.field import Ndarray as Ndarray
from joggle._fields.field import ScalarField as ScalarField
from joggle._fields.field import ScalarNdarray as ScalarNdarray
from joggle._fields.layout import Axis
from joggle._fields.layout import FieldsBuilder as FieldsBuilder
from joggle._fields.layout import Layout as Layout
from joggle._fields.layout import SNode as SNode
from joggle._fields.layout import axes as axes
from joggle._fields.layout import deactivate_all_snodes as deactivate_all_snodes
from joggle._fields.layout import root as root
from joggle._fields.matrix import Matrix as Matrix
from joggle._fields.matrix import Vector as Vector
from joggle._fields.matrix_field import MatrixField as MatrixField
from joggle._fields.matrix_field import MatrixNdarray as MatrixNdarray
from joggle._fields.matrix_field import VectorNdarray as VectorNdarray
from joggle._fields.quant_field import BitpackedFields as BitpackedFields
from joggle._fields.settings import Arch
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
from joggle._fields.texture import Format as Format
from joggle._fields.texture import Texture as Texture
from joggle._fields.types import StructType
from joggle._fields.types import Template as Template
from joggle._fields.types import ref as ref
from joggle._fields.types import template as template
from joggle._kernel.ir.messages import KernelError as KernelError
from joggle._kernel.ir.messages import KernelNameError as KernelNameError
from joggle._kernel.ir.messages import KernelSyntaxError as KernelSyntaxError
from joggle._kernel.ir.messages import KernelTypeError as KernelTypeError
from joggle.fields import ad as ad
from joggle.fields import algorithms as algorithms
from joggle.fields import experimental as experimental
from joggle.fields import graph as graph
from joggle.fields import lang as lang
from joggle.fields import linalg as linalg
from joggle.fields import math as math
from joggle.fields import profiler as profiler
from joggle.fields import simt as simt
from joggle.fields import tools as tools
from joggle.fields import types as types
from joggle.fields import ui as ui
from joggle.fields._dispatch import perf_dispatch as perf_dispatch
from joggle.fields._function import function as function
from joggle.fields._init import init as init
from joggle.fields._init import reset as reset
from joggle.fields._init import sync as sync
from joggle.fields._names import dump_compile_config as dump_compile_config
from joggle.fields._names import extension as extension
from joggle.fields._names import is_extension_enabled as is_extension_enabled
from joggle.fields._names import is_logging_effective as is_logging_effective
from joggle.fields._names import pure as pure
from joggle.fields._names import set_logging_level as set_logging_level
from joggle.fields._names import wrap as wrap
from joggle.fields._pictures.gui import GUI as GUI
from joggle.fields._pictures.pixels import hex_to_rgb as hex_to_rgb
from joggle.fields._pictures.pixels import rgb_to_hex as rgb_to_hex

def field(
    dtype: Any,
    shape: Any = None,
    order: Any = None,
    name: str = "",
    offset: Any = None,
    needs_grad: bool = False,
    needs_dual: bool = False,
    layout: Layout = Layout.AOS,
) -> Any: ...
def ndarray(dtype: Any, shape: Any, needs_grad: bool = False) -> Any: ...
def tensor(
    dtype: Any,
    shape: Any,
    *,
    backend: Backend = Backend.NDARRAY,
    layout: Any = None,
    needs_grad: bool = False,
    name: str = "",
) -> Any: ...
def dataclass(cls: type) -> StructType: ...

_Class = TypeVar("_Class", bound=type)

class _Kernel:
    grad: Any
    dual: Any
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __get__(self, owner: Any, kind: Any = None) -> _Kernel: ...
    def lower(self, *args: Any, **kwargs: Any) -> tuple[str, Any, Any]: ...

class _Func:
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __get__(self, owner: Any, kind: Any = None) -> _Func: ...

@overload
def kernel(function: Callable[..., Any], /) -> _Kernel: ...
@overload
def kernel(
    *,
    fast_math: bool | None = None,
    pure: bool = False,
    fastcache: bool = False,
    graph: bool = False,
    checkpoints: bool = False,
) -> Callable[[Callable[..., Any]], _Kernel]: ...
@overload
def func(function: Callable[..., Any], /) -> _Func: ...
@overload
def func(
    *, is_real_function: bool = False, requires_top_level: bool = False
) -> Callable[[Callable[..., Any]], _Func]: ...
def pyfunc(function: Callable[..., Any], /) -> _Func: ...
def real_func(function: Callable[..., Any], /) -> _Func: ...
@overload
def data_oriented(cls: _Class, /) -> _Class: ...
@overload
def data_oriented(
    *, stable_members: bool = False, template_primitives: bool = True
) -> Callable[[_Class], _Class]: ...
def graph_do_while(flag: Any) -> bool: ...
def graph_parallel() -> AbstractContextManager[None]: ...
def graph_parallel_context() -> AbstractContextManager[None]: ...
def stream_parallel() -> AbstractContextManager[None]: ...

_Function: TypeAlias = Callable[..., Any]

abs: _Function
acos: _Function
acosh: _Function
activate: _Function
append: _Function
asin: _Function
asinh: _Function
assume_in_range: _Function
atan: _Function
atan2: _Function
atanh: _Function
atomic_add: _Function
atomic_and: _Function
atomic_cas: _Function
atomic_exchange: _Function
atomic_max: _Function
atomic_min: _Function
atomic_mul: _Function
atomic_or: _Function
atomic_sub: _Function
atomic_xor: _Function
bit_cast: _Function
bit_shr: _Function
block_local: _Function
cache_read_only: _Function
cast: _Function
ceil: _Function
clz: _Function
cos: _Function
cosh: _Function
cross: _Function
deactivate: _Function
determinant: _Function
dot: _Function
eig: _Function
erf: _Function
exp: _Function
exp2: _Function
expm1: _Function
ffs: _Function
floor: _Function
get_addr: _Function
global_thread_idx: _Function
frexp: _Function
grouped: _Function
inverse: _Function
isinf: _Function
isnan: _Function
log: _Function
is_active: _Function
length: _Function
log10: _Function
log1p: _Function
log2: _Function
cfg: Any
loop_config: _Function
make_spd: _Function
max: _Function
min: _Function
ndrange: _Function
no_activate: _Function
one: _Function
outer_product: _Function
polar_decompose: _Function
popcnt: _Function
pow: _Function
randn: _Function
random: _Function
raw_div: _Function
raw_mod: _Function
rescale_index: _Function
round: _Function
rsqrt: _Function
select: _Function
sign: _Function
sin: _Function
sinh: _Function
solve: _Function
sqrt: _Function
static: _Function
static_assert: _Function
static_print: _Function
stop_grad: _Function
svd: _Function
sym_eig: _Function
tan: _Function
tanh: _Function
trunc: _Function
volatile_load: _Function
zero: _Function

bf16: TypeAlias = float
bfloat16: TypeAlias = float
f16: TypeAlias = float
f32: TypeAlias = float
f64: TypeAlias = float
float16: TypeAlias = float
float32: TypeAlias = float
float64: TypeAlias = float
i16: TypeAlias = int
i32: TypeAlias = int
i64: TypeAlias = int
i8: TypeAlias = int
int16: TypeAlias = int
int32: TypeAlias = int
int64: TypeAlias = int
int8: TypeAlias = int
u1: TypeAlias = bool
u16: TypeAlias = int
u32: TypeAlias = int
u64: TypeAlias = int
u8: TypeAlias = int
uint1: TypeAlias = bool
uint16: TypeAlias = int
uint32: TypeAlias = int
uint64: TypeAlias = int
uint8: TypeAlias = int

CRITICAL: str
DEBUG: str
ERROR: str
INFO: str
QuadrantsAssertionError: TypeAlias = AssertionError
QuadrantsCompilationError: TypeAlias = KernelError
QuadrantsNameError: TypeAlias = KernelNameError
QuadrantsRuntimeError: TypeAlias = RuntimeError
QuadrantsRuntimeTypeError: TypeAlias = TypeError
QuadrantsSyntaxError: TypeAlias = KernelSyntaxError
QuadrantsTypeError: TypeAlias = KernelTypeError
TRACE: str
WARN: str
amdgpu: Arch
arm64: Arch
cpu: Arch
cuda: Arch
opencl: Arch
gpu: Arch
i: list[Axis]
ij: list[Axis]
ijk: list[Axis]
ijkl: list[Axis]
ijl: list[Axis]
ik: list[Axis]
ikl: list[Axis]
il: list[Axis]
j: list[Axis]
jk: list[Axis]
jkl: list[Axis]
jl: list[Axis]
k: list[Axis]
kl: list[Axis]
l: list[Axis]
metal: Arch
python: Arch
vulkan: Arch
x64: Arch
x86_64: Arch

def install(*, taichi: bool = False, children: bool = False) -> None: ...
