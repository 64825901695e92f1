# SPDX-License-Identifier: Apache-2.0
"""The types are those of joggle's own functions, as the arrays are joggle's."""

# fmt: off
# isort: skip_file
from joggle import (
    Device as Device, DeviceType as DeviceType, Dtype as Dtype, DtypeCategory as DtypeCategory,
    FunctionExporter as FunctionExporter, PrintOptions as PrintOptions, Stream as Stream,
    StreamContext as StreamContext, abs as abs, acos as acos, acosh as acosh, add as add,
    addmm as addmm, all as all, allclose as allclose, any as any, arange as arange,
    arccos as arccos, arccosh as arccosh, arcsin as arcsin, arcsinh as arcsinh, arctan as arctan,
    arctan2 as arctan2, arctanh as arctanh, argmax as argmax, argmin as argmin,
    argpartition as argpartition, argsort as argsort, array as array, array_equal as array_equal,
    as_strided as as_strided, asin as asin, asinh as asinh, astype as astype,
    async_eval as async_eval, atan as atan, atan2 as atan2, atanh as atanh,
    atleast_1d as atleast_1d, atleast_2d as atleast_2d, atleast_3d as atleast_3d,
    bartlett as bartlett, bfloat16 as bfloat16, bitwise_and as bitwise_and,
    bitwise_invert as bitwise_invert, bitwise_left_shift as bitwise_left_shift,
    bitwise_or as bitwise_or, bitwise_right_shift as bitwise_right_shift,
    bitwise_xor as bitwise_xor, blackman as blackman, block_masked_mm as block_masked_mm,
    bool_ as bool_, broadcast_shapes as broadcast_shapes,
    broadcast_to as broadcast_to, ceil as ceil, checkpoint as checkpoint,
    clear_cache as clear_cache, clear_streams as clear_streams, clip as clip, compile as compile,
    complex64 as complex64, complexfloating as complexfloating, concat as concat,
    concatenate as concatenate, conj as conj, conjugate as conjugate, contiguous as contiguous,
    conv1d as conv1d, conv2d as conv2d, conv3d as conv3d, conv_general as conv_general,
    conv_transpose1d as conv_transpose1d, conv_transpose2d as conv_transpose2d,
    conv_transpose3d as conv_transpose3d, convolve as convolve, cos as cos, cosh as cosh,
    count_nonzero as count_nonzero, cpu as cpu, cummax as cummax, cummin as cummin,
    cumprod as cumprod, cumsum as cumsum, custom_function as custom_function,
    default_device as default_device, default_stream as default_stream, degrees as degrees,
    depends as depends, dequantize as dequantize, device_count as device_count,
    device_info as device_info, diag as diag, diagonal as diagonal, diff as diff,
    disable_compile as disable_compile, divide as divide, e as e,
    einsum as einsum, einsum_path as einsum_path, empty as empty, empty_like as empty_like,
    enable_compile as enable_compile, equal as equal, erf as erf, erfinv as erfinv,
    euler_gamma as euler_gamma, eval as eval, exp as exp, expand_dims as expand_dims,
    expm1 as expm1, export_function as export_function, export_to_dot as export_to_dot,
    exporter as exporter, eye as eye, finfo as finfo, flatten as flatten, flip as flip,
    float16 as float16, float32 as float32, float64 as float64, floating as floating,
    floor as floor, floor_divide as floor_divide, from_dlpack as from_dlpack, from_fp8 as from_fp8,
    full as full, full_like as full_like, gather_mm as gather_mm, gather_qmm as gather_qmm,
    gather_qqmm as gather_qqmm, generic as generic, get_active_memory as get_active_memory,
    get_array_buffer_size as get_array_buffer_size, get_cache_memory as get_cache_memory,
    get_memory_limit as get_memory_limit, get_peak_memory as get_peak_memory,
    get_printoptions as get_printoptions, gpu as gpu, grad as grad, greater as greater,
    greater_equal as greater_equal, hadamard_transform as hadamard_transform, hamming as hamming,
    hanning as hanning, identity as identity, iinfo as iinfo, imag as imag,
    import_function as import_function, inexact as inexact, inf as inf, inner as inner,
    int16 as int16, int32 as int32, int64 as int64, int8 as int8, integer as integer,
    is_available as is_available, isclose as isclose, isdtype as isdtype, isfinite as isfinite,
    isinf as isinf, isnan as isnan, isneginf as isneginf, isposinf as isposinf,
    issubdtype as issubdtype, jvp as jvp, kron as kron, left_shift as left_shift, less as less,
    less_equal as less_equal, linspace as linspace, log as log, log10 as log10, log1p as log1p,
    log2 as log2, logaddexp as logaddexp, logcumsumexp as logcumsumexp, logical_and as logical_and,
    logical_not as logical_not, logical_or as logical_or, logical_xor as logical_xor,
    logsumexp as logsumexp, matmul as matmul, matrix_transpose as matrix_transpose, max as max,
    maximum as maximum, mean as mean, median as median, min as min, minimum as minimum,
    minmax as minmax, moveaxis as moveaxis, multiply as multiply, nan as nan,
    nan_to_num as nan_to_num, negative as negative, new_stream as new_stream,
    new_thread_local_stream as new_thread_local_stream,
    new_thread_unsafe_stream as new_thread_unsafe_stream, newaxis as newaxis,
    not_equal as not_equal, number as number, ones as ones, ones_like as ones_like, outer as outer,
    pad as pad, partition as partition, permute_dims as permute_dims, pi as pi,
    positive as positive, pow as pow, power as power, printoptions as printoptions, prod as prod,
    put_along_axis as put_along_axis, qqmm as qqmm,
    quantized_matmul as quantized_matmul, radians as radians, real as real,
    reciprocal as reciprocal, remainder as remainder, repeat as repeat,
    reset_peak_memory as reset_peak_memory, reshape as reshape, result_type as result_type,
    right_shift as right_shift, roll as roll, round as round, rsqrt as rsqrt, save as save,
    save_gguf as save_gguf, save_safetensors as save_safetensors, savez as savez,
    savez_compressed as savez_compressed, searchsorted as searchsorted,
    segmented_mm as segmented_mm, set_cache_limit as set_cache_limit,
    set_default_device as set_default_device, set_default_stream as set_default_stream,
    set_memory_limit as set_memory_limit, set_printoptions as set_printoptions,
    set_wired_limit as set_wired_limit, sigmoid as sigmoid, signedinteger as signedinteger,
    sin as sin, sinh as sinh, slice as slice, slice_update as slice_update, softmax as softmax,
    sort as sort, split as split, sqrt as sqrt, square as square, squeeze as squeeze,
    stack as stack, std as std, stop_gradient as stop_gradient, stream as stream,
    subtract as subtract, sum as sum, swapaxes as swapaxes, synchronize as synchronize,
    take as take, take_along_axis as take_along_axis, tan as tan, tanh as tanh,
    tensordot as tensordot, tile as tile, to_fp8 as to_fp8, trace as trace, transpose as transpose,
    tri as tri, tril as tril, triu as triu, trunc as trunc, uint16 as uint16, uint32 as uint32,
    uint64 as uint64, uint8 as uint8, unflatten as unflatten, unsignedinteger as unsignedinteger,
    unstack as unstack, value_and_grad as value_and_grad, var as var, view as view, vjp as vjp,
    vmap as vmap, where as where, zeros as zeros, zeros_like as zeros_like,
)
from joggle.mlx.core import (
    cuda as cuda, distributed as distributed, fast as fast, fft as fft, linalg as linalg,
    metal as metal, random as random,
)
from joggle.mlx.core._array import (
    ArrayAt as ArrayAt, ArrayIterator as ArrayIterator, ArrayLike as ArrayLike, asarray as asarray,
)
from joggle.mlx.core._files import (
    load as load,
)
from joggle.mlx.core._numbers import (
    broadcast_arrays as broadcast_arrays, can_cast as can_cast, divmod as divmod,
    meshgrid as meshgrid, quantize as quantize, sign as sign, topk as topk, unique as unique,
    vecdot as vecdot,
)

ThreadLocalStream = Stream
cumulative_prod = cumprod
cumulative_sum = cumsum
matrix_norm = linalg.norm
__version__: str
__all__: list[str]
