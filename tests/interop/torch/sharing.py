# SPDX-License-Identifier: Apache-2.0
"""What tests of aliases compare the results and arguments of programs by."""

import torch
from torch.utils._pytree import tree_leaves


def tensors_of(found):
    return [x for x in tree_leaves(found) if isinstance(x, torch.Tensor)]


def _shared(tensors):
    """Which of them begin at one address."""
    return [[x.data_ptr() == y.data_ptr() for x in tensors if x.numel()] for y in tensors]


def _storages(tensors):
    """Which of them are views of one storage."""
    storages = [x.untyped_storage()._cdata for x in tensors if x.numel()]
    return [[x == y for x in storages] for y in storages]


def check_alike(found, wanted):
    """The same values and strides, and the same ones share memory
    and storage."""
    for x, y in zip(found, wanted, strict=True):
        torch.testing.assert_close(x, y, equal_nan=True)
        assert x.stride() == y.stride() or y.numel() < 2
    assert _shared(found) == _shared(wanted)
    assert _storages(found) == _storages(wanted)
