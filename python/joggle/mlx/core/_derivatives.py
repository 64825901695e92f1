# SPDX-License-Identifier: Apache-2.0
"""grad and value_and_grad, which in MLX give the gradient itself where argnums has one number."""

import functools

import joggle

__all__ = ["grad", "value_and_grad"]


def _as_mlx(function):
    @functools.wraps(function)
    def differentiate(fun, argnums=None, argnames=(), has_aux=False, *, strong_zero=False):
        if isinstance(argnums, (list, tuple)) and len(argnums) == 1:
            argnums = argnums[0]
        return function(fun, argnums, argnames, has_aux, strong_zero=strong_zero)

    return differentiate


grad, value_and_grad = map(_as_mlx, (joggle.grad, joggle.value_and_grad))
