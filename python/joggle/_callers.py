# SPDX-License-Identifier: Apache-2.0
"""Which public function of the package has called the extension: a failure inside names it."""

import sys

# The public modules, and what stands before a name of theirs in messages and in the op table.
_MODULES = {
    "joggle": "",
    "joggle.distributed": "distributed_",
    "joggle.fast": "",
    "joggle.fft": "fft_",
    "joggle.linalg": "linalg_",
    "joggle.random": "random_",
}


def public_name():
    """The name of the outermost public function among the package's frames on top of the stack.

    A frame of somebody else ends the search: what a user's function calls, which one of ours has
    called, is the user's call. None if there is no such function.
    """
    frame, name = sys._getframe(1), None
    while frame is not None and _is_ours(frame):
        name = _name_of(frame) or name
        frame = frame.f_back
    return name


def _is_ours(frame):
    return f"{frame.f_globals.get('__name__')}.".startswith("joggle.")


def _name_of(frame):
    code = frame.f_code
    if frame.f_globals["__name__"] == "joggle._numpy._keywords" and code.co_name == "call":
        return frame.f_locals["name"]  # for a function of the core, with keywords of NumPy's
    if code.co_name.startswith(("_", "<")):
        return None
    for module, prefix in _MODULES.items():
        found = vars(sys.modules.get(module, sys)).get(code.co_name)
        while found is not None:
            if getattr(found, "__code__", None) is code:
                return prefix + code.co_name
            found = getattr(found, "__wrapped__", None)
    return None
