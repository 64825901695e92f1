# SPDX-License-Identifier: Apache-2.0
"""Threads of a parallel loop that work together, in blocks of loop_config(block_dim=...).

On a CPU the threads of a block run one after the other, from barrier to barrier.
"""

from joggle.fields._absent import message_of as _message_of
from joggle.fields.simt import block as block
from joggle.fields.simt import grid as grid
from joggle.fields.simt import subgroup as subgroup
from joggle.fields.simt import warp as warp


def __getattr__(name):
    raise AttributeError(_message_of(__name__, name))


__all__ = ["block", "grid", "subgroup", "warp"]
