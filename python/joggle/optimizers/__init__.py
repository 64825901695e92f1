# SPDX-License-Identifier: Apache-2.0
"""Optimizers of trees of parameters, as mlx.optimizers has them; docs/optimizers.md tells more."""

from joggle.optimizers import optimizers as optimizers
from joggle.optimizers import schedulers as schedulers
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
from joggle.optimizers.schedulers import cosine_decay as cosine_decay
from joggle.optimizers.schedulers import exponential_decay as exponential_decay
from joggle.optimizers.schedulers import join_schedules as join_schedules
from joggle.optimizers.schedulers import linear_schedule as linear_schedule
from joggle.optimizers.schedulers import step_decay as step_decay

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
    "cosine_decay",
    "exponential_decay",
    "join_schedules",
    "linear_schedule",
    "schedulers",
    "step_decay",
]
