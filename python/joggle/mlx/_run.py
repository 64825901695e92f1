# SPDX-License-Identifier: Apache-2.0
"""Runs a program as python itself would, with joggle.mlx under mlx."""

import io
import os
import runpy
import sys

from joggle.mlx._install import install

_USAGE = """\
usage: python -m joggle.mlx FILE [ARGUMENT ...]
       python -m joggle.mlx -m MODULE [ARGUMENT ...]
       python -m joggle.mlx -c CODE [ARGUMENT ...]
       python -m joggle.mlx - [ARGUMENT ...]

Runs a program that was written for MLX on joggle: import mlx.core gives joggle.mlx.core, in the
program and in the Python processes that it starts. - is a program that is read from the input."""


def main():
    """What python -m joggle.mlx does; sys.argv has what follows that."""
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_USAGE)
        raise SystemExit(0 if arguments else 2)
    if arguments in (["-m"], ["-c"]):
        _fail(f"argument expected for the {arguments[0]} option")
    if arguments[0].startswith("-") and arguments[0] not in ("-m", "-c", "-"):
        _fail(f"unknown option {arguments[0]}\n{_USAGE}")
    install(children=True)
    if arguments[0] == "-m":
        sys.argv[:] = arguments[1:]
        _clear_main(__file__=None)
        # What `python -m` itself calls: it runs the module in this process's __main__.
        runpy._run_module_as_main(arguments[1])
    elif arguments[0] == "-c":
        sys.argv[:] = ["-c", *arguments[2:]]
        _run_text(arguments[1], "<string>")
    elif arguments[0] == "-":
        sys.argv[:] = arguments
        _run_text(sys.stdin.read(), "<stdin>")
    else:
        sys.argv[:] = arguments
        _run_file(arguments[0])


def _fail(message):
    print(f"python -m joggle.mlx: {message}", file=sys.stderr)
    raise SystemExit(2)


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


def _run_file(path):
    """A file of source or bytecode as `python FILE` runs it; a directory or an archive by its
    __main__."""
    if os.path.isdir(path) or path.endswith((".zip", ".pyz", ".pyc")):
        runpy.run_path(path, run_name="__main__")
        return
    try:
        with io.open_code(os.path.abspath(path)) as file:
            source = file.read()
    except OSError as error:
        _fail(f"can't open file {os.path.abspath(path)!r}: [Errno {error.errno}] {error.strerror}")
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    exec(compile(source, path, "exec"), _clear_main(__file__=path, __cached__=None))
