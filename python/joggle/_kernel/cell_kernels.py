# SPDX-License-Identifier: Apache-2.0
"""Whole fields, of which only the elements in cells that exist are written: kernels behind the
methods of such fields. joggle._fields cannot import this module, so it is given what is here."""

import functools

from joggle._fields.layout import hooks
from joggle._fields.types import Template

from .kernel import Kernel
from .syntax.calls import FUNCTIONS

grouped, deactivate = FUNCTIONS["grouped"], FUNCTIONS["deactivate"]


@functools.cache
def _filling(dtype):
    def fill_cells(array: Template, value: dtype):
        for index in grouped(array):
            array[index] = value

    return Kernel(fill_cells)


@Kernel
def _fill_elements(array: Template, value: Template):
    for index in grouped(array):
        array[index] = value


@Kernel
def _copy_cells(to: Template, source: Template, indices: Template):
    for index in grouped(indices):
        to[index] = source[index]


@Kernel
def _end_cells(node: Template, indices: Template):
    for index in grouped(indices):
        deactivate(node, index)


@Kernel
def _end_list(node: Template):
    deactivate(node, [])


def _fill(field, value):
    """Writes a number, or an element, into all elements that exist."""
    members = getattr(field, "_members", None)
    if members is not None:
        for member in members.values():
            _fill(member, value)
    elif hasattr(value, "__len__"):
        _fill_elements(field, field._type(value))
    else:
        _filling(field.dtype)(field, value)


def _assign(field, x):
    """Takes the values of an array for all elements that exist."""
    place = {"shape": field.shape, "offset": field.offset}
    dense = type(field)._make(field._type, **place)
    dense._assign(x)
    _copy_cells(field, dense, field)


def _copy_from(field, source):
    """Takes the elements of another field that exist; what is written exists."""
    _copy_cells(field, source, source)


def _deactivate(node):
    """Has none of a node's cells exist any more."""
    if node._kind != "dynamic":
        _end_cells(node, node)
    elif node._parent is not None:
        _end_cells(node, node._parent)
    else:
        _end_list(node)


hooks.fill, hooks.assign, hooks.copy_from = _fill, _assign, _copy_from
hooks.deactivate = _deactivate
