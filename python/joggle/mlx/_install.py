# SPDX-License-Identifier: Apache-2.0
"""joggle.mlx under the name mlx: in this process, and in those that it starts.

Nothing but the standard library is imported here: a process that never imports mlx must not pay for
it. Child processes are reached by the environment: PYTHONPATH begins with the directory `_site`,
whose sitecustomize calls `install_for_child`.
"""

import importlib
import importlib.machinery
import importlib.util
import os
import sys

__all__ = ["install"]

_NAME = "mlx"
_SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_site")
_OURS = ("nn", "optimizers", "utils")  # joggle's own modules, which joggle.mlx has as well


class _Loader:
    """Replaces the imported module by joggle's."""

    def __init__(self, place):
        self._place = place

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        sys.modules[name] = importlib.import_module(self._place)
        if name.partition(".")[0] == _NAME:
            importlib.import_module("joggle.mlx.core._functions").follow_in_methods()


class Finder:
    """Finds the modules of a package, each in the place that a dict has for its first part."""

    def __init__(self, package, places):
        self.package = package
        self._places = places

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.package and not fullname.startswith(f"{self.package}."):
            return None
        first, _, rest = fullname[len(self.package) + 1 :].partition(".")
        place = self._places.get(first)
        if place is None or (rest and not _exists(place := f"{place}.{rest}")):
            return None
        return importlib.machinery.ModuleSpec(fullname, _Loader(place), origin=place)

    def install(self):
        """Registers the finder first, unless one for the package is registered."""
        if all(getattr(f, "package", None) != self.package for f in sys.meta_path):
            sys.meta_path.insert(0, self)


def _exists(place):
    try:
        return importlib.util.find_spec(place) is not None
    except ModuleNotFoundError:
        return False


def alias_own():
    """Lets joggle.mlx.nn be joggle.nn, and so on, for import statements."""
    Finder("joggle.mlx", {name: f"joggle.{name}" for name in _OURS}).install()


def _check_free():
    """Whether no other mlx is imported already: what it made would not fit joggle's."""
    for name, module in list(sys.modules.items()):
        if name != _NAME and not name.startswith(f"{_NAME}."):
            continue
        if not getattr(module, "__name__", "").startswith("joggle"):
            place = getattr(module, "__file__", None) or next(
                iter(getattr(module, "__path__", ["?"]))
            )
            raise RuntimeError(
                f"[install] {name} has been imported already, from {place}; call "
                "joggle.mlx.install() before the first import of mlx"
            )


def install(*, children=False):
    """Lets `import mlx.core` and the like import joggle.mlx in this process.

    With children also in the Python processes that this one starts, by the environment variable
    PYTHONPATH; those that ignore it, as `python -I` does, are left out. Calling it again changes
    nothing. RuntimeError if another mlx has been imported already.

    >>> import joggle.mlx
    >>> joggle.mlx.install()
    >>> import mlx.core as mx
    >>> mx.array([1, 2]).dtype
    joggle.int32
    """
    _check_free()
    places = {"": "joggle.mlx", "core": "joggle.mlx.core"}
    Finder(_NAME, places | {name: f"joggle.{name}" for name in _OURS}).install()
    if children:
        _reach_children()


def _reach_children():
    places = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if _SITE not in places:
        os.environ["PYTHONPATH"] = os.pathsep.join([_SITE, *filter(None, places)])


def install_for_child():
    """What the sitecustomize of a child process calls: the child's own sitecustomize, if it has
    one, runs as it would without joggle."""
    sys.path[:] = [place for place in sys.path if place != _SITE]
    ours = sys.modules.pop("sitecustomize", None)
    try:
        importlib.import_module("sitecustomize")
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
        if ours is not None:
            sys.modules["sitecustomize"] = ours
    install()
