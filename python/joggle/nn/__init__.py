# SPDX-License-Identifier: Apache-2.0
"""Neural networks: modules, layers, losses and initialisers, as mlx.nn has them (docs/nn.md)."""

from joggle.nn import init as init
from joggle.nn import layers as layers
from joggle.nn import losses as losses
from joggle.nn import utils as utils
from joggle.nn.layers import *  # noqa: F403
from joggle.nn.layers import __all__ as _layers
from joggle.nn.summary import summary as summary
from joggle.nn.utils import average_gradients as average_gradients
from joggle.nn.utils import value_and_grad as value_and_grad

__all__ = sorted(
    [
        *_layers,
        "average_gradients",
        "init",
        "layers",
        "losses",
        "summary",
        "utils",
        "value_and_grad",
    ]
)
