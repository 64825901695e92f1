# SPDX-License-Identifier: Apache-2.0
"""Neural networks: modules, layers, losses and initialisers, as mlx.nn has them (docs/nn.md)."""

from joggle.nn import init as init
from joggle.nn import layers as layers
from joggle.nn import losses as losses
from joggle.nn import utils as utils
from joggle.nn.layers import *  # noqa: F403
from joggle.nn.layers import __all__ as _layers
from joggle.nn.layers import activations as activations
from joggle.nn.layers import base as base
from joggle.nn.layers import containers as containers
from joggle.nn.layers import convolution as convolution
from joggle.nn.layers import convolution_transpose as convolution_transpose
from joggle.nn.layers import distributed as distributed
from joggle.nn.layers import dropout as dropout
from joggle.nn.layers import embedding as embedding
from joggle.nn.layers import linear as linear
from joggle.nn.layers import normalization as normalization
from joggle.nn.layers import pooling as pooling
from joggle.nn.layers import positional_encoding as positional_encoding
from joggle.nn.layers import quantized as quantized
from joggle.nn.layers import recurrent as recurrent
from joggle.nn.layers import transformer as transformer
from joggle.nn.layers import upsample as upsample
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


def __getattr__(name):
    from joggle import _absent

    raise _absent.module_error("joggle.nn", name)
