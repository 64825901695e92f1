# SPDX-License-Identifier: Apache-2.0
"""A package of joggle under the name of another: in this process, and in those that it starts.

Nothing but the standard library is imported here: a process that never imports the other package
must not pay for it. Child processes are reached by the environment: PYTHONPATH begins with the
directory `site`, whose sitecustomize calls `install_for_child`, and JOGGLE_ALIASES has the names.
"""

import importlib
import importlib.machinery
import importlib.util
import os
import sys

_SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "site")
_VARIABLE = "JOGGLE_ALIASES"
_OURS = {name: f"joggle.{name}" for name in ("nn", "optimizers", "utils")}
_FIELDS = {"": "joggle.fields"} | {
    name: f"joggle.fields.{name}"
    for name in (
        "_lib",
        "_logging",
        "ad",
        "algorithms",
        "experimental",
        "graph",
        "lang",
        "linalg",
        "math",
        "profiler",
        "tools",
        "types",
        "ui",
    )
}

# The replacement of each package: the place of the package and of its modules.
PLACES = {
    "mlx": {"": "joggle.mlx", "core": "joggle.mlx.core"} | _OURS,
    "quadrants": _FIELDS,
    "taichi": _FIELDS,
}
# The function to call when a module of the package has been imported.
_AFTERWARDS = {"mlx": ("joggle.mlx.core._functions", "follow_in_methods")}


class _Loader:
    """Replaces the imported module by joggle's."""

    def __init__(self, place):
        self._place = place

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        sys.modules[name] = importlib.import_module(self._place)
        if afterwards := _AFTERWARDS.get(name.partition(".")[0]):
            getattr(importlib.import_module(afterwards[0]), afterwards[1])()


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
    Finder("joggle.mlx", _OURS).install()


def _check_free(package, caller):
    """Whether no other such package is imported already: what it made would not fit joggle's."""
    for name, module in list(sys.modules.items()):
        if name != package and not name.startswith(f"{package}."):
            continue
        if not getattr(module, "__name__", "").startswith("joggle"):
            place = getattr(module, "__file__", None) or next(
                iter(getattr(module, "__path__", ["?"]))
            )
            raise RuntimeError(
                f"[install] {name} has been imported already, from {place}; call "
                f"{caller}.install() before the first import of {package}"
            )


def install(package, *, children=False):
    """Lets `import package` import what stands for it (PLACES), in this process.

    With children also in the Python processes that this one starts, by the environment variables
    PYTHONPATH and JOGGLE_ALIASES; those that ignore them, as `python -I` does, are left out.
    Calling it again changes nothing. RuntimeError if another such package has been imported
    already.
    """
    places = PLACES[package]
    _check_free(package, places[""])
    Finder(package, places).install()
    if children:
        _reach_children(package)


def _reach_children(package):
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if _SITE not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([_SITE, *filter(None, paths)])
    names = _names_of_environment()
    if package not in names:
        os.environ[_VARIABLE] = ",".join([*names, package])


def _names_of_environment():
    """The packages that the environment names, without names that PLACES does not have."""
    names = os.environ.get(_VARIABLE, "").split(",")
    return [name for name in names if name in PLACES]


def install_for_child():
    """The function that the sitecustomize of a child process calls: the child's own sitecustomize,
    if it has one, runs as it would without joggle."""
    sys.path[:] = [place for place in sys.path if place != _SITE]
    ours = sys.modules.pop("sitecustomize", None)
    try:
        importlib.import_module("sitecustomize")
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
        if ours is not None:
            sys.modules["sitecustomize"] = ours
    for name in _names_of_environment():
        install(name)
