# SPDX-License-Identifier: Apache-2.0
"""The module in which MLX has its optimizers, for programs that import them from there."""

from joggle.optimizers.adafactor import Adafactor as Adafactor
from joggle.optimizers.adam import Adam as Adam
from joggle.optimizers.adam import Adamax as Adamax
from joggle.optimizers.adam import AdamW as AdamW
from joggle.optimizers.adam import Lion as Lion
from joggle.optimizers.base import Optimizer as Optimizer
from joggle.optimizers.clip import clip_grad_norm as clip_grad_norm
from joggle.optimizers.descent import SGD as SGD
from joggle.optimizers.descent import AdaDelta as AdaDelta
from joggle.optimizers.descent import Adagrad as Adagrad
from joggle.optimizers.descent import RMSprop as RMSprop
from joggle.optimizers.multi import MultiOptimizer as MultiOptimizer
from joggle.optimizers.muon import Muon as Muon

__all__ = [
    "SGD",
    "AdaDelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Lion",
    "MultiOptimizer",
    "Muon",
    "Optimizer",
    "RMSprop",
    "clip_grad_norm",
]
