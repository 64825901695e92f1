# SPDX-License-Identifier: Apache-2.0
"""mlx.core.fast: joggle's composed operations, the gated delta rule, and kernels for GPUs, which
cannot be run."""

from joggle import _core
from joggle.fast import (
    layer_norm,
    rms_norm,
    rope,
    scaled_dot_product_attention,
)

__all__ = [
    "cross_entropy",
    "cuda_kernel",
    "gated_delta_update",
    "layer_norm",
    "metal_kernel",
    "precompiled_cuda_kernel",
    "rms_norm",
    "rope",
    "scaled_dot_product_attention",
]

cross_entropy = _core._narrowed(_core.cross_entropy, "kept", None)


def gated_delta_update(q, k, v, gamma, beta, initial_state=None, mask=None, stream=None):
    """The outputs of a gated delta network over a sequence, and the state after it.

    q and k are (batch, length, key heads, depth), v is (batch, length, heads, width), gamma and
    beta are (batch, length, heads); the state is (batch, heads, width, depth) in float32. At each
    place the state is multiplied by gamma, then moved by beta towards one that answers k with v,
    and asked with q. Where mask (batch, length) is False the state stays and the output is 0.

    >>> x = mx.ones((1, 3, 1, 2))
    >>> y, state = mx.fast.gated_delta_update(x, x, x, x[..., 0], x[..., 0])
    >>> y.shape, state.shape
    ((1, 3, 1, 2), (1, 1, 2, 2))
    """
    if stream is not None:
        with _core.stream(stream):
            return gated_delta_update(q, k, v, gamma, beta, initial_state, mask)
    batch, length, groups, depth = q.shape
    heads, width = v.shape[2:]
    if heads % groups:
        raise ValueError(
            f"[gated_delta_update] v: has {heads} heads, allowed is a multiple of q's {groups}"
        )
    if k.shape != q.shape or gamma.shape != v.shape[:3] or beta.shape != v.shape[:3]:
        raise ValueError(
            f"[gated_delta_update] got shapes {q.shape}, {k.shape}, {v.shape}, {gamma.shape}, "
            f"{beta.shape} of q, k, v, gamma and beta, allowed are k as q and gamma and beta as v "
            "without its last axis"
        )
    state = initial_state
    if state is None:
        state = _core.zeros((batch, heads, width, depth), _core.float32)
    kept = _core.asarray(True) if mask is None else mask
    parts = [_core.astype(x, _core.float32) for x in (q, k, v, gamma, beta)]
    parts[:2] = [_core.repeat(x, heads // groups, 2) for x in parts[:2]]
    outputs = []
    for at in range(length):
        moved, output = _delta_step(state, *(x[:, at] for x in parts))
        if mask is not None:
            here = _core.reshape(kept[:, at], (batch, 1, 1, 1))
            moved = _core.where(here, moved, state)
            output = _core.where(here[..., 0], output, 0)
        outputs.append(output)
        state = moved
    return [_core.astype(_core.stack(outputs, 1), q.dtype), state]


def _delta_step(state, q, k, v, gamma, beta):
    state = _core.multiply(state, gamma[..., None, None])
    answer = _core.matmul(state, k[..., None])[..., 0]
    delta = _core.multiply(_core.subtract(v, answer), beta[..., None])
    state = _core.add(state, _core.multiply(delta[..., None], k[..., None, :]))
    return state, _core.matmul(state, q[..., None])[..., 0]


class _MetalKernel:
    def __init__(self, name):
        self._name = name

    def __call__(self, **arguments):
        raise RuntimeError(
            f"[metal_kernel] {self._name}: there is no Metal; joggle.fields has kernels for the CPU"
        )


def metal_kernel(
    name,
    input_names,
    output_names,
    source,
    header="",
    ensure_row_contiguous=True,
    atomic_outputs=False,
    compile_options=None,
):
    """A kernel that cannot be run: calling it raises RuntimeError, as there is no Metal."""
    return _MetalKernel(name)


def cuda_kernel(name, input_names, output_names, source, *options, **more):
    """Raises RuntimeError: there is no CUDA here."""
    raise RuntimeError(
        f"[cuda_kernel] {name}: there is no CUDA; joggle.fields has kernels for the CPU"
    )


def precompiled_cuda_kernel(*, name, **more):
    """Raises RuntimeError: there is no CUDA here."""
    raise RuntimeError(
        f"[precompiled_cuda_kernel] {name}: there is no CUDA; joggle.fields has kernels for the CPU"
    )
