# SPDX-License-Identifier: Apache-2.0
"""mlx.core.distributed, whose group has one process: what all of the group have together is what
the process has."""

from joggle import _core

__all__ = [
    "Group",
    "all_gather",
    "all_max",
    "all_min",
    "all_sum",
    "init",
    "is_available",
    "recv",
    "recv_like",
    "send",
    "sum_scatter",
]

_BACKENDS = ("any", "ring", "jaccl", "mpi", "nccl")
_ALONE = "this process is alone in its group: joggle has no communication between processes"


class Group:
    """The processes that communicate: this one."""

    def rank(self):
        """This process's number in the group, 0."""
        return 0

    def size(self):
        """How many processes there are in the group, 1."""
        return 1

    def split(self, color, key=-1):
        """Refused, as MLX refuses it of a group of one.

        Raises RuntimeError.
        """
        raise RuntimeError(f"[Group.split] {_ALONE}")


_GROUP = Group()


def is_available(backend="any"):
    """False: there is no communication between processes.

    >>> mx.distributed.is_available()
    False
    """
    _check_backend("is_available", backend)
    return False


def _check_backend(function, backend):
    if backend not in _BACKENDS:
        allowed = ", ".join(_BACKENDS)
        raise ValueError(f"[{function}] backend: got {backend!r}, allowed are {allowed}")


def init(strict=False, backend="any", *, all_gather_factory=None):
    """The group of this process, of size 1 and rank 0. With strict it raises RuntimeError, as there
    is no communication between processes.

    >>> mx.distributed.init().size()
    1
    """
    _check_backend("init", backend)
    if strict:
        raise RuntimeError(f"[init] strict: {_ALONE}")
    return _GROUP


def _check(function, group):
    if group is not None and not isinstance(group, Group):
        raise TypeError(f"[{function}] group: got {type(group).__name__}, allowed is a Group")


def _own(function, x, group, stream):
    _check(function, group)
    return _core.asarray(x, stream=stream)


def all_sum(x, *, group=None, stream=None):
    """The sum of the x of all processes in the group: x.

    >>> mx.distributed.all_sum(mx.array([1, 2]))
    array([1, 2], dtype=int32)
    """
    return _own("all_sum", x, group, stream)


def all_max(x, *, group=None, stream=None):
    """The largest of the x of all processes in the group: x.

    >>> mx.distributed.all_max(mx.array([1, 2]))
    array([1, 2], dtype=int32)
    """
    return _own("all_max", x, group, stream)


def all_min(x, *, group=None, stream=None):
    """The least of the x of all processes in the group: x.

    >>> mx.distributed.all_min(mx.array([1, 2]))
    array([1, 2], dtype=int32)
    """
    return _own("all_min", x, group, stream)


def all_gather(x, *, group=None, stream=None):
    """The x of all processes in the group, one after the other along the first axis: x.

    >>> mx.distributed.all_gather(mx.array([1, 2]))
    array([1, 2], dtype=int32)
    """
    return _own("all_gather", x, group, stream)


def sum_scatter(x, *, group=None, stream=None):
    """This process's part of the sum of all x: x.

    >>> mx.distributed.sum_scatter(mx.array([1, 2]))
    array([1, 2], dtype=int32)
    """
    return _own("sum_scatter", x, group, stream)


def send(x, dst, *, group=None, stream=None):
    """Raises ValueError: there is nobody to send to."""
    raise ValueError(f"[send] dst: got {dst}, allowed is none; {_ALONE}")


def recv(shape, dtype, src, *, group=None, stream=None):
    """Raises ValueError: there is nobody to receive from."""
    raise ValueError(f"[recv] src: got {src}, allowed is none; {_ALONE}")


def recv_like(x, src, *, group=None, stream=None):
    """Raises ValueError: there is nobody to receive from."""
    raise ValueError(f"[recv_like] src: got {src}, allowed is none; {_ALONE}")
