# SPDX-License-Identifier: Apache-2.0
"""Operators on lists of tensors, which optimizers are made of, as the same operators on each tensor
of the lists; so that a step of an optimizer is a part like any other."""

import torch

_aten = torch.ops.aten
_PREFIX = "aten::_foreach_"
# Those whose operator on one tensor has another name.
_OTHERS = {
    "maximum": _aten.clamp_min,
    "minimum": _aten.clamp_max,
    "norm": _aten.linalg_vector_norm,
}
_KEYWORDS = {"alpha": "alpha", "dtype": "dtype", "value": "value"}  # of the operator on one tensor
_WEIGHTED = ("addcdiv", "addcmul")  # a list of scalars is that of their values


def decompositions():
    """The element operator by overload; AOTAutograd has replaced those that write into their
    arguments."""
    found = {}
    for full in torch._C._dispatch_get_all_op_names():
        name, _, overload = full.removeprefix(_PREFIX).partition(".")
        is_functional = not name.endswith("_") and not overload.endswith("out")
        element = _OTHERS.get(name) or getattr(_aten, name, None)
        if full.startswith(_PREFIX) and is_functional and element is not None:
            packet = getattr(_aten, f"_foreach_{name}")
            op = getattr(packet, overload or "default")
            if not _reads_weights(op):
                found[op] = _on_each(op, element, _keywords(name))
    return found


def _reads_weights(op):
    """Whether a list of scalars is given as a tensor, whose elements would have to be read."""
    return any(x.name == "scalars" and str(x.type) == "Tensor" for x in op._schema.arguments)


def _keywords(name):
    return {**_KEYWORDS, "scalars": "value"} if name in _WEIGHTED else _KEYWORDS


def _on_each(op, element, keywords):
    names = [argument.name for argument in op._schema.arguments]

    def decomposed(*args, **kwargs):
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        count = len(next(x for x in given.values() if isinstance(x, (list, tuple))))
        return [
            element(*_positional(given, i, keywords), **_named(given, i, keywords))
            for i in range(count)
        ]

    return decomposed


def _positional(given, i, keywords):
    return [_at(x, i) for name, x in given.items() if name not in keywords]


def _named(given, i, keywords):
    return {keywords[name]: _at(x, i) for name, x in given.items() if name in keywords}


def _at(x, i):
    return x[i] if isinstance(x, (list, tuple)) else x
