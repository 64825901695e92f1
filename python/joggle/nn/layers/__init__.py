# SPDX-License-Identifier: Apache-2.0
"""The layers, by kind."""

from joggle.nn.layers.activations import CELU as CELU
from joggle.nn.layers.activations import ELU as ELU
from joggle.nn.layers.activations import GELU as GELU
from joggle.nn.layers.activations import GLU as GLU
from joggle.nn.layers.activations import SELU as SELU
from joggle.nn.layers.activations import HardShrink as HardShrink
from joggle.nn.layers.activations import Hardswish as Hardswish
from joggle.nn.layers.activations import HardTanh as HardTanh
from joggle.nn.layers.activations import LeakyReLU as LeakyReLU
from joggle.nn.layers.activations import LogSigmoid as LogSigmoid
from joggle.nn.layers.activations import LogSoftmax as LogSoftmax
from joggle.nn.layers.activations import Mish as Mish
from joggle.nn.layers.activations import PReLU as PReLU
from joggle.nn.layers.activations import ReLU as ReLU
from joggle.nn.layers.activations import ReLU2 as ReLU2
from joggle.nn.layers.activations import ReLU6 as ReLU6
from joggle.nn.layers.activations import Sigmoid as Sigmoid
from joggle.nn.layers.activations import SiLU as SiLU
from joggle.nn.layers.activations import Softmax as Softmax
from joggle.nn.layers.activations import Softmin as Softmin
from joggle.nn.layers.activations import Softplus as Softplus
from joggle.nn.layers.activations import Softshrink as Softshrink
from joggle.nn.layers.activations import Softsign as Softsign
from joggle.nn.layers.activations import Step as Step
from joggle.nn.layers.activations import Tanh as Tanh
from joggle.nn.layers.activations import celu as celu
from joggle.nn.layers.activations import elu as elu
from joggle.nn.layers.activations import gelu as gelu
from joggle.nn.layers.activations import gelu_approx as gelu_approx
from joggle.nn.layers.activations import gelu_fast_approx as gelu_fast_approx
from joggle.nn.layers.activations import glu as glu
from joggle.nn.layers.activations import hard_shrink as hard_shrink
from joggle.nn.layers.activations import hard_tanh as hard_tanh
from joggle.nn.layers.activations import hardswish as hardswish
from joggle.nn.layers.activations import leaky_relu as leaky_relu
from joggle.nn.layers.activations import log_sigmoid as log_sigmoid
from joggle.nn.layers.activations import log_softmax as log_softmax
from joggle.nn.layers.activations import mish as mish
from joggle.nn.layers.activations import prelu as prelu
from joggle.nn.layers.activations import relu as relu
from joggle.nn.layers.activations import relu2 as relu2
from joggle.nn.layers.activations import relu6 as relu6
from joggle.nn.layers.activations import selu as selu
from joggle.nn.layers.activations import sigmoid as sigmoid
from joggle.nn.layers.activations import silu as silu
from joggle.nn.layers.activations import softmax as softmax
from joggle.nn.layers.activations import softmin as softmin
from joggle.nn.layers.activations import softplus as softplus
from joggle.nn.layers.activations import softshrink as softshrink
from joggle.nn.layers.activations import softsign as softsign
from joggle.nn.layers.activations import step as step
from joggle.nn.layers.activations import tanh as tanh
from joggle.nn.layers.base import Module as Module
from joggle.nn.layers.containers import Sequential as Sequential
from joggle.nn.layers.convolution import Conv1d as Conv1d
from joggle.nn.layers.convolution import Conv2d as Conv2d
from joggle.nn.layers.convolution import Conv3d as Conv3d
from joggle.nn.layers.convolution_transpose import ConvTranspose1d as ConvTranspose1d
from joggle.nn.layers.convolution_transpose import ConvTranspose2d as ConvTranspose2d
from joggle.nn.layers.convolution_transpose import ConvTranspose3d as ConvTranspose3d
from joggle.nn.layers.distributed import AllToShardedLinear as AllToShardedLinear
from joggle.nn.layers.distributed import FullyShardedModule as FullyShardedModule
from joggle.nn.layers.distributed import QuantizedAllToShardedLinear as QuantizedAllToShardedLinear
from joggle.nn.layers.distributed import QuantizedShardedToAllLinear as QuantizedShardedToAllLinear
from joggle.nn.layers.distributed import ShardedToAllLinear as ShardedToAllLinear
from joggle.nn.layers.distributed import fully_shard as fully_shard
from joggle.nn.layers.dropout import Dropout as Dropout
from joggle.nn.layers.dropout import Dropout2d as Dropout2d
from joggle.nn.layers.dropout import Dropout3d as Dropout3d
from joggle.nn.layers.embedding import Embedding as Embedding
from joggle.nn.layers.linear import Bilinear as Bilinear
from joggle.nn.layers.linear import Identity as Identity
from joggle.nn.layers.linear import Linear as Linear
from joggle.nn.layers.normalization import BatchNorm as BatchNorm
from joggle.nn.layers.normalization import GroupNorm as GroupNorm
from joggle.nn.layers.normalization import InstanceNorm as InstanceNorm
from joggle.nn.layers.normalization import LayerNorm as LayerNorm
from joggle.nn.layers.normalization import RMSNorm as RMSNorm
from joggle.nn.layers.pooling import AvgPool1d as AvgPool1d
from joggle.nn.layers.pooling import AvgPool2d as AvgPool2d
from joggle.nn.layers.pooling import AvgPool3d as AvgPool3d
from joggle.nn.layers.pooling import MaxPool1d as MaxPool1d
from joggle.nn.layers.pooling import MaxPool2d as MaxPool2d
from joggle.nn.layers.pooling import MaxPool3d as MaxPool3d
from joggle.nn.layers.positional_encoding import ALiBi as ALiBi
from joggle.nn.layers.positional_encoding import RoPE as RoPE
from joggle.nn.layers.positional_encoding import (
    SinusoidalPositionalEncoding as SinusoidalPositionalEncoding,
)
from joggle.nn.layers.quantized import QQLinear as QQLinear
from joggle.nn.layers.quantized import QuantizedEmbedding as QuantizedEmbedding
from joggle.nn.layers.quantized import QuantizedLinear as QuantizedLinear
from joggle.nn.layers.quantized import quantize as quantize
from joggle.nn.layers.recurrent import GRU as GRU
from joggle.nn.layers.recurrent import LSTM as LSTM
from joggle.nn.layers.recurrent import RNN as RNN
from joggle.nn.layers.transformer import MultiHeadAttention as MultiHeadAttention
from joggle.nn.layers.transformer import Transformer as Transformer
from joggle.nn.layers.transformer import TransformerDecoder as TransformerDecoder
from joggle.nn.layers.transformer import TransformerDecoderLayer as TransformerDecoderLayer
from joggle.nn.layers.transformer import TransformerEncoder as TransformerEncoder
from joggle.nn.layers.transformer import TransformerEncoderLayer as TransformerEncoderLayer
from joggle.nn.layers.upsample import Upsample as Upsample

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "GRU",
    "LSTM",
    "RNN",
    "SELU",
    "ALiBi",
    "AllToShardedLinear",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "BatchNorm",
    "Bilinear",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "Dropout",
    "Dropout2d",
    "Dropout3d",
    "Embedding",
    "FullyShardedModule",
    "GroupNorm",
    "HardShrink",
    "HardTanh",
    "Hardswish",
    "Identity",
    "InstanceNorm",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "Mish",
    "Module",
    "MultiHeadAttention",
    "PReLU",
    "QQLinear",
    "QuantizedAllToShardedLinear",
    "QuantizedEmbedding",
    "QuantizedLinear",
    "QuantizedShardedToAllLinear",
    "RMSNorm",
    "ReLU",
    "ReLU2",
    "ReLU6",
    "RoPE",
    "Sequential",
    "ShardedToAllLinear",
    "SiLU",
    "Sigmoid",
    "SinusoidalPositionalEncoding",
    "Softmax",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Step",
    "Tanh",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "Upsample",
    "celu",
    "elu",
    "fully_shard",
    "gelu",
    "gelu_approx",
    "gelu_fast_approx",
    "glu",
    "hard_shrink",
    "hard_tanh",
    "hardswish",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "mish",
    "prelu",
    "quantize",
    "relu",
    "relu2",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "step",
    "tanh",
]
