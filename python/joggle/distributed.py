# SPDX-License-Identifier: Apache-2.0
"""Processes that compute together, under the names of mlx.core.distributed, over MPI.

`mpirun -n 4 python program.py` starts four processes, of which `init()` gives the group. An MPI
library is opened at run time: the one that has started the processes. A process that was started
otherwise is alone in its group. All processes of a group call the same functions in the same order,
with arrays of the same dtype and shape.

Every function gives a lazy array. It is computed on a stream of the group's own, whatever `stream`
says, so that other work goes on meanwhile.
"""

import atexit as _atexit
import sys as _sys

from joggle import _core

__all__ = [
    "Group",
    "all_gather",
    "all_max",
    "all_min",
    "all_sum",
    "barrier",
    "init",
    "is_available",
    "recv",
    "recv_like",
    "send",
    "sum_scatter",
]


class Group:
    """Processes that communicate, each of which has a rank. init and split make groups."""

    __slots__ = ("_number", "_rank", "_size")

    def __init__(self, number):
        self._number = number
        self._rank, self._size = _core._distributed_rank(number)

    def rank(self):
        """This process's number in the group, from 0.

        >>> jg.distributed.init().rank()
        0
        """
        return self._rank

    def size(self):
        """How many processes there are in the group.

        >>> jg.distributed.init().size()
        1
        """
        return self._size

    def split(self, color, key=-1):
        """The group of those processes of this one that give the same color, 0 or more. Their order
        is that of their keys, then that of their ranks; a negative key is the rank. All processes
        of the group have to call it. Groups are never freed.

        Raises RuntimeError if this process is alone because no MPI launcher has started it, and
        when it has waited for JOGGLE_DISTRIBUTED_TIMEOUT seconds, which ends all messages of this
        process. So does an interrupt.
        """
        return Group(_core._distributed_split(self._number, color, key))

    def __repr__(self):
        return f"Group(rank={self._rank}, size={self._size})"

    def __eq__(self, other):
        return isinstance(other, Group) and other._number == self._number

    def __hash__(self):
        return hash(self._number)


def is_available(backend="any"):
    """Whether an MPI library can be opened. backend is "any" or "mpi"; MLX's others, "ring",
    "jaccl" and "nccl", are not there.

    >>> jg.distributed.is_available("nccl")
    False
    """
    return _core._distributed_is_available(backend)


def _leave():
    """At exit. A process that fails does not wait for the others to leave, so that the launcher
    ends them. With glibc the library itself also sees an exit status other than 0."""
    if getattr(_sys, "last_value", None) is not None:
        _core._distributed_abandon()


def _handle(comm):
    """The number that an mpi4py communicator is known by."""
    module = _sys.modules.get("mpi4py.MPI")
    if module is None or not isinstance(comm, module.Intracomm):
        kind = type(comm).__name__
        raise TypeError(
            f"[distributed_init] comm: got {kind}, allowed are an Intracomm of mpi4py and None"
        )
    return module._handleof(comm)


def init(strict=False, backend="any", *, comm=None, all_gather_factory=None):
    """The group of all processes that were started together; calls after the first one give the
    same. comm makes a further group, of the processes of an mpi4py communicator: all of them have
    to call it. all_gather_factory is for MLX's backend jaccl, and refused.

    A process that no MPI launcher has started is alone in its group; with strict, that raises
    RuntimeError. So does a wait of JOGGLE_DISTRIBUTED_TIMEOUT seconds for the others, which ends
    all messages of this process, as an interrupt does.

    >>> jg.distributed.init()
    Group(rank=0, size=1)
    """
    if all_gather_factory is not None:
        raise TypeError(
            f"[distributed_init] all_gather_factory: got {all_gather_factory!r}, "
            "allowed is None, as jaccl is absent"
        )
    _atexit.unregister(_leave)
    _atexit.register(_leave)
    if comm is not None:
        return Group(_core._distributed_adopt(_handle(comm)))
    return Group(_core._distributed_init(strict, backend))


def _number(name, group):
    if group is None:
        return init()._number
    if not isinstance(group, Group):
        kind = type(group).__name__
        raise TypeError(f"[distributed_{name}] group: got {kind}, allowed are a Group and None")
    return group._number


def all_sum(x, *, group=None, stream=None):
    """The sum of the x of all processes, added up in x's dtype, half precision in float32; of
    bools, logical or. group None is that of init(). The derivative is MLX's: the cotangent of the
    sum is that of x.

    >>> jg.distributed.all_sum(jg.array([1, 2]))
    array([1, 2], dtype=int64)
    """
    number = group._number if type(group) is Group else _number("all_sum", group)
    return _core.distributed_all_sum(x, number, stream=stream)


def all_max(x, *, group=None, stream=None):
    """The largest of the x of all processes, element by element; no complex numbers.

    >>> jg.distributed.all_max(jg.array([1, 2]))
    array([1, 2], dtype=int64)
    """
    number = group._number if type(group) is Group else _number("all_max", group)
    return _core.distributed_all_max(x, number, stream=stream)


def all_min(x, *, group=None, stream=None):
    """The least of the x of all processes, element by element; no complex numbers.

    >>> jg.distributed.all_min(jg.array([1, 2]))
    array([1, 2], dtype=int64)
    """
    number = group._number if type(group) is Group else _number("all_min", group)
    return _core.distributed_all_min(x, number, stream=stream)


def all_gather(x, *, group=None, stream=None):
    """The x of all processes, one after the other along the first axis, in the order of ranks.

    >>> jg.distributed.all_gather(jg.array([1, 2]))
    array([1, 2], dtype=int64)
    """
    number = group._number if type(group) is Group else _number("all_gather", group)
    return _core.distributed_all_gather(x, number, stream=stream)


def sum_scatter(x, *, group=None, stream=None):
    """This process's part of all_sum(x), which is cut along the first axis into as many equal parts
    as there are processes.

    >>> jg.distributed.sum_scatter(jg.array([1, 2]))
    array([1, 2], dtype=int64)
    """
    number = group._number if type(group) is Group else _number("sum_scatter", group)
    return _core.distributed_sum_scatter(x, number, stream=stream)


def send(x, dst, *, group=None, stream=None):
    """x, which is sent to the process dst when the result is computed. It is computed as soon as a
    copy of x is on the way, so two processes may send to each other before they receive.

    Raises ValueError if dst is no other process.
    """
    return _core.distributed_send(x, dst, _number("send", group), stream=stream)


def recv(shape, dtype, src, *, group=None, stream=None):
    """The array of that shape and dtype that the process src sends. Arrays arrive in the order in
    which they were sent.

    Raises ValueError if src is no other process.
    """
    return _core.distributed_recv(shape, dtype, src, _number("recv", group), stream=stream)


def recv_like(x, src, *, group=None, stream=None):
    """recv(x.shape, x.dtype, src).

    Raises ValueError if src is no other process.
    """
    x = _core.asarray(x)
    return _core.distributed_recv(x.shape, x.dtype, src, _number("recv_like", group), stream=stream)


def barrier(*, group=None):
    """Waits until all processes of the group have called it.

    >>> jg.distributed.barrier()
    """
    _core.eval(all_sum(_core.zeros((), dtype=_core.int32), group=group))
