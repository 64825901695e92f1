# SPDX-License-Identifier: Apache-2.0
"""The table of operators: for each name of ATen how it is spelled in joggle's ops.

A row is a spelling, and what tells of a node whether the spelling holds for it; without that it
holds for all nodes whose tensors lie on the CPU in real dtypes. What is not in the table, and nodes
that a row does not hold for, are run by torch. backend_absent.txt beside the tests tells why which
operators of the core set are absent.
"""

from typing import NamedTuple

from joggle import _core
from joggle._torch import attention, indexing, neural, pooling, reductions, shapes
from joggle._torch import pointwise as p
from joggle._torch.composed import attend
from joggle._torch.pointwise import BOOL, INT_TO_FLOAT, bits, logical, plain, pointwise, rounding


class Row(NamedTuple):
    spell: object
    holds: object = None


def _rows(*rows):
    return {name: Row(*rest) for names, *rest in rows for name in names.split()}


_FLOATING = {  # of which the result is a float
    "acos": _core.acos,
    "acosh": _core.acosh,
    "asin": _core.asin,
    "asinh": _core.asinh,
    "atan": _core.atan,
    "atan2": _core.atan2,
    "atanh": _core.atanh,
    "cos": _core.cos,
    "cosh": _core.cosh,
    "erf": _core.erf,
    "exp": _core.exp,
    "exp2": _core.exp2,
    "expm1": _core.expm1,
    "log": _core.log,
    "log10": _core.log10,
    "log1p": _core.log1p,
    "log2": _core.log2,
    "reciprocal": lambda x: _core.divide(1.0, x),
    "rsqrt": lambda x: _core.divide(1.0, _core.sqrt(x)),
    "sigmoid": _core.sigmoid,
    "sin": _core.sin,
    "sinh": _core.sinh,
    "sqrt": _core.sqrt,
    "tan": _core.tan,
    "tanh": _core.tanh,
}

_COMPARISONS = {
    "eq": _core.equal,
    "ge": _core.greater_equal,
    "gt": _core.greater,
    "le": _core.less_equal,
    "lt": _core.less,
    "ne": _core.not_equal,
}

POINTWISE = _rows(
    *((name, plain(fun, INT_TO_FLOAT)) for name, fun in _FLOATING.items()),
    *((f"{name}.Tensor {name}.Scalar", plain(fun, BOOL)) for name, fun in _COMPARISONS.items()),
    ("abs", pointwise(_core.abs)),
    ("add.Tensor add.Scalar", p.add),
    ("bitwise_and.Tensor bitwise_and.Scalar", bits(_core.bitwise_and, _core.logical_and)),
    ("bitwise_not", pointwise(p.negate_bits)),
    ("bitwise_or.Tensor bitwise_or.Scalar", bits(_core.bitwise_or, _core.logical_or)),
    ("bitwise_xor.Tensor bitwise_xor.Scalar", bits(_core.bitwise_xor, _core.logical_xor)),
    ("ceil", rounding(_core.ceil)),
    ("clamp clamp.Tensor", p.clamp),
    ("div.Tensor div.Scalar", p.divide),
    ("div.Tensor_mode div.Scalar_mode", p.divide, p.is_divided),
    ("elu", pointwise(p.elu, of=1)),
    ("floor", rounding(_core.floor)),
    ("fmod.Tensor fmod.Scalar", plain(_core.fmod), p.is_divided),
    ("gelu", pointwise(p.gelu, of=1)),
    ("hardtanh", pointwise(p.hardtanh, of=1)),
    ("isinf", p.is_special(_core.isinf)),
    ("isnan", p.is_special(_core.isnan)),
    ("leaky_relu", pointwise(p.leaky_relu, of=1)),
    ("lerp.Scalar", pointwise(p.lerp, of=2)),
    ("logical_and", logical(_core.logical_and)),
    ("logical_not", logical(_core.logical_not)),
    ("logical_or", logical(_core.logical_or)),
    ("logical_xor", logical(_core.logical_xor)),
    ("maximum", plain(_core.maximum)),
    ("minimum", plain(_core.minimum)),
    ("mul.Tensor mul.Scalar", p.multiply),
    ("neg", plain(_core.negative)),
    ("pow.Tensor_Tensor pow.Tensor_Scalar pow.Scalar", p.power, p.is_power),
    ("relu", pointwise(p.relu)),
    ("remainder.Tensor remainder.Scalar", p.remainder, p.is_divided),
    ("round", rounding(_core.round)),
    ("sign", pointwise(p.sign)),
    ("sub.Tensor sub.Scalar", p.subtract),
    ("trunc", rounding(_core.trunc)),
    ("where.self", p.where),
)

MADE = _rows(
    ("_to_copy", p.convert),
    ("alias clone detach lift_fresh_copy", p.same),
    ("arange.start_step", p.arange),
    ("copy", p.copied),
    ("empty.memory_format", p.zeros),
    ("fill.Scalar", p.filled),
    ("full", p.full),
    ("full_like", p.filled),
    ("scalar_tensor", p.scalar),
)

REDUCTIONS = _rows(
    ("amax", reductions.reduction(reductions.largest), reductions.has_elements),
    ("amin", reductions.reduction(reductions.smallest), reductions.has_elements),
    ("any any.dim any.dims", reductions.any_of),
    ("argmax", reductions.place_of(_core.argmax), reductions.has_order),
    ("argmin", reductions.place_of(_core.argmin), reductions.has_order),
    ("cumsum", reductions.running_sum),
    ("linalg_vector_norm", reductions.vector_norm, reductions.has_elements),
    ("max", reductions.reduction(reductions.largest), reductions.has_elements),
    ("max.dim", reductions.extremum(_core.max, _core.argmax), reductions.has_elements),
    ("mean mean.dim", reductions.reduction(reductions.mean)),
    ("min", reductions.reduction(reductions.smallest), reductions.has_elements),
    ("min.dim", reductions.extremum(_core.min, _core.argmin), reductions.has_elements),
    ("prod prod.dim_int", reductions.reduction(reductions.product)),
    ("sort", reductions.sort, reductions.is_stable),
    ("sort.stable", reductions.sort_stable),
    ("sum sum.dim_IntList", reductions.reduction(reductions.total)),
    ("var.correction", reductions.variance_corrected),
    ("var.dim", reductions.variance),
    ("var_mean.correction", reductions.variance_and_mean),
)

SHAPES = _rows(
    ("as_strided", shapes.as_strided, shapes.is_whole),
    ("cat", shapes.concatenate),
    ("constant_pad_nd", shapes.pad_constant),
    ("diagonal", shapes.diagonal),
    ("expand", shapes.expand),
    ("flip", shapes.flip),
    ("permute", shapes.permute),
    ("repeat", shapes.repeat),
    ("select.int", shapes.select),
    ("select_scatter", shapes.put_selected),
    ("slice.Tensor", shapes.part),
    ("slice_scatter", shapes.put_part),
    ("split_with_sizes", shapes.split),
    ("transpose.int", shapes.transpose),
    ("view _unsafe_view reshape squeeze squeeze.dim squeeze.dims unsqueeze", shapes.view),
)

INDEXING = _rows(
    ("embedding", indexing.embedding),
    ("gather", indexing.gather, indexing.has_places),
    ("index.Tensor _unsafe_index.Tensor", indexing.index, indexing.has_integers),
    ("index_put _unsafe_index_put", indexing.index_put, indexing.has_integers),
    ("index_select", indexing.index_select),
    ("scatter.src scatter.value", indexing.scatter, indexing.has_places),
    ("scatter_add", indexing.scatter_add, indexing.has_places),
    ("scatter_reduce.two", indexing.scatter_reduce, indexing.is_reduced),
)

NEURAL = _rows(
    ("_adaptive_avg_pool2d _adaptive_avg_pool3d", pooling.adaptive_pool, pooling.is_even),
    ("_log_softmax", neural.log_softmax),
    ("_native_batch_norm_legit_functional", neural.batch_norm_counted, neural.is_trained),
    ("_native_batch_norm_legit.no_stats", neural.batch_norm, neural.is_nonempty),
    ("_native_batch_norm_legit_no_training", neural.batch_norm_fixed),
    (
        "_scaled_dot_product_flash_attention_for_cpu",
        attention.attention,
        attention.is_plain,
    ),
    ("_softmax", neural.softmax),
    ("addmm", neural.product_added, neural.is_product),
    ("avg_pool2d", pooling.average_pool(_core.avg_pool2d), neural.is_nonempty),
    (
        "avg_pool2d_backward",
        pooling.average_pool_backward(_core.avg_pool2d),
        neural.is_nonempty,
    ),
    ("avg_pool3d", pooling.average_pool(_core.avg_pool3d), neural.is_nonempty),
    ("bmm mm", neural.product, neural.is_product),
    ("convolution", neural.convolution, neural.is_convolved),
    ("convolution_backward", neural.convolution_backward, neural.is_convolved_backward),
    (
        "max_pool2d_with_indices",
        pooling.largest_of_windows(_core.max_pool2d),
        pooling.is_of_floats,
    ),
    (
        "max_pool3d_with_indices",
        pooling.largest_of_windows(_core.max_pool3d),
        pooling.is_of_floats,
    ),
    (
        "max_pool2d_with_indices_backward",
        pooling.largest_backward,
        pooling.is_of_floats,
    ),
    ("native_group_norm", neural.group_norm, neural.is_nonempty),
    ("native_layer_norm", neural.layer_norm, neural.is_nonempty),
)

TABLE = {**POINTWISE, **MADE, **REDUCTIONS, **SHAPES, **INDEXING, **NEURAL}


# The operator by which Dynamo replaces addcmul_ and addcdiv_.
PRIMS = _rows(("fma", pointwise(lambda x, y, z: _core.add(_core.multiply(x, y), z))))


def row_of(target):
    """The row of an overload of ATen, of a primitive or of what composed.py makes; None for what
    has none."""
    if target is attend:
        return Row(attention.composed)
    namespace, _, name = str(target).partition(".")
    rows = {"aten": TABLE, "prims": PRIMS}.get(namespace, {})
    return rows.get(name.removesuffix(".default"))
