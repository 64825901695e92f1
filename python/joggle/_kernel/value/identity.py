# SPDX-License-Identifier: Apache-2.0
"""Objects as parts of the keys that code is found by, and code that goes with them."""

import functools
import weakref

from .bindings import held


class Identity:
    """An object by identity: equal to itself only. It is held weakly if it can be, and what has the
    address after it is unlike it."""

    __slots__ = ("address", "held")

    def __init__(self, object):
        self.address, self.held = id(object), held(object)

    def __eq__(self, other):
        same = isinstance(other, Identity) and self.address == other.address
        return same and self.held() is other.held()

    def __hash__(self):
        return self.address

    def is_weak(self):
        return isinstance(self.held, weakref.ref)


def _identities(key):
    if isinstance(key, Identity):
        return [key]
    return [x for part in key for x in _identities(part)] if isinstance(key, tuple) else []


class Codes(dict):
    """Code by key. It goes with the objects that the key names."""

    def __init__(self):
        super().__init__()
        self._references = {}  # by key

    def __setitem__(self, key, code):
        super().__setitem__(key, code)
        gone = functools.partial(_drop, weakref.ref(self), key)
        objects = [identity.held() for identity in _identities(key) if identity.is_weak()]
        self._references[key] = [weakref.ref(x, gone) for x in objects]

    def drop(self, key):
        self.pop(key, None)
        self._references.pop(key, None)

    def clear(self):
        super().clear()
        self._references.clear()


def _drop(owner, key, _):
    """An object that a key names is gone. owner: a weak reference to the codes."""
    codes = owner()
    if codes is not None:
        codes.drop(key)
