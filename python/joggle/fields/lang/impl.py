# SPDX-License-Identifier: Apache-2.0
"""The runtime, as programs of Quadrants ask it for its settings and take part in its life."""

from joggle._fields import settings
from joggle._fields.field import Storage
from joggle.fields import _init
from joggle.fields.lang._public import public_of


class _Watched(type):
    """Has `materialize` called from when a program puts a function of its own in its place."""

    def __setattr__(cls, name, value):
        super().__setattr__(name, value)
        if name == "materialize":
            _watch_uses()


class PyQuadrants(metaclass=_Watched):
    """The settings of qd.init by Quadrants' names, and two methods to put others in place of."""

    default_fp = property(lambda self: settings.config.default_fp)
    default_ip = property(lambda self: settings.config.default_ip)
    default_up = property(lambda self: settings.config.default_up)

    @property
    def prog(self):
        """The compiled program of Quadrants: config() and synchronize()."""
        return self

    def config(self):
        """The settings, to read."""
        return settings.config

    def synchronize(self):
        """Waits until everything that was started is complete."""
        _init.sync()

    sync = synchronize

    def materialize(self):
        """Does nothing, as fields have memory from the start. A function that a program puts in its
        place is called before a kernel is compiled and before Python reads or writes fields."""

    def clear(self):
        """Does nothing. A function that a program puts in its place is called by qd.reset."""


_runtime = PyQuadrants()
_USES = (  # methods of storage that read or write its values
    "__getitem__",
    "__setitem__",
    "__dlpack__",
    "_array",
    "_assign",
    "_copy_from",
    "_fill",
    "_load",
    "_plane",
    "_store",
    "to_dlpack",
)


def get_runtime():
    """The only runtime of the process."""
    return _runtime


def current_cfg():
    """The settings of qd.init, to read."""
    return settings.config


def get_max_shared_memory_bytes(*, is_lowerbound_ok):
    """0, as CPUs have no memory that a block of threads shares. is_lowerbound_ok: whether a lower
    bound would do; the number is exact."""
    return 0


def _watch_uses():
    if settings.before_use is not None:
        return
    settings.before_use = lambda: _runtime.materialize()
    for name in _USES:
        setattr(Storage, name, _after_materializing(getattr(Storage, name)))


def _after_materializing(method):
    def materialized(self, *args, **kwargs):
        settings.before_use()
        return method(self, *args, **kwargs)

    return materialized


settings.reset_hooks.append(lambda: _runtime.clear())
__getattr__ = public_of(__name__)
