# SPDX-License-Identifier: Apache-2.0
"""Runs a program as python itself would, with a package of joggle under the name of another."""

import io
import os
import runpy
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from joggle._aliases.install import install

_USAGE = """\
usage: python -m {command} FILE [ARGUMENT ...]
       python -m {command} -m MODULE [ARGUMENT ...]
       python -m {command} -c CODE [ARGUMENT ...]
       python -m {command} - [ARGUMENT ...]

{purpose}
- is a program that is read from the input."""


class Command(NamedTuple):
    """The parameters of a `python -m` of joggle that runs programs."""

    name: str  # of the package of joggle
    purpose: str  # lines of the help, which is the usage, these and the words of the options
    packages: tuple  # those that it stands for
    options: Mapping = MappingProxyType({})  # more packages: {option: (package, line of the help)}

    def usage(self):
        lines = [f"  {option}  {text}" for option, (_, text) in self.options.items()]
        usage = _USAGE.format(command=self.name, purpose=self.purpose)
        return "\n".join([usage, *(["", "before all of these:"] if lines else []), *lines])

    def fail(self, message):
        print(f"python -m {self.name}: {message}", file=sys.stderr)
        raise SystemExit(2)


def main(command):
    """Runs `python -m` with a Command; sys.argv has the arguments after that."""
    arguments = sys.argv[1:]
    packages = list(command.packages)
    while arguments and arguments[0] in command.options:
        packages.append(command.options[arguments.pop(0)][0])
    if not arguments or arguments[0] in ("-h", "--help"):
        print(command.usage())
        raise SystemExit(0 if arguments else 2)
    if arguments in (["-m"], ["-c"]):
        command.fail(f"argument expected for the {arguments[0]} option")
    if arguments[0].startswith("-") and arguments[0] not in ("-m", "-c", "-"):
        command.fail(f"unknown option {arguments[0]}\n{command.usage()}")
    for package in packages:
        install(package, children=True)
    _run(command, arguments)


def _run(command, arguments):
    if arguments[0] == "-m":
        sys.argv[:] = arguments[1:]
        _clear_main(__file__=None)
        # `python -m` itself calls this function: it runs the module in this process's __main__.
        runpy._run_module_as_main(arguments[1])
    elif arguments[0] == "-c":
        sys.argv[:] = ["-c", *arguments[2:]]
        _run_text(arguments[1], "<string>")
    elif arguments[0] == "-":
        sys.argv[:] = arguments
        _run_text(sys.stdin.read(), "<stdin>")
    else:
        sys.argv[:] = arguments
        _run_file(command, arguments[0])


def _clear_main(**names):
    """Gives __main__ the names that it has when a program begins."""
    names_of_main = sys.modules["__main__"].__dict__
    builtins = names_of_main["__builtins__"]
    names_of_main.clear()
    names_of_main.update(
        __name__="__main__",
        __doc__=None,
        __package__=None,
        __loader__=None,
        __spec__=None,
        __annotations__={},
        __builtins__=builtins,
        **names,
    )
    return names_of_main


def _run_text(source, name):
    """Source that is in no file, as `python -c` and `python -` run it."""
    if not sys.flags.safe_path:
        sys.path[0] = ""
    exec(compile(source, name, "exec"), _clear_main())


def _run_file(command, path):
    """A file of source or bytecode as `python FILE` runs it; a directory or an archive by its
    __main__."""
    if os.path.isdir(path) or path.endswith((".zip", ".pyz", ".pyc")):
        runpy.run_path(path, run_name="__main__")
        return
    try:
        with io.open_code(os.path.abspath(path)) as file:
            source = file.read()
    except OSError as error:
        place = os.path.abspath(path)
        command.fail(f"can't open file {place!r}: [Errno {error.errno}] {error.strerror}")
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    exec(compile(source, path, "exec"), _clear_main(__file__=path, __cached__=None))
