# SPDX-License-Identifier: Apache-2.0
"""python -m joggle: what a C compiler needs to know, as pkg-config tells it.

cc hello.c -o hello $(python -m joggle --cflags --libs)
"""

import argparse
import shlex
import sys
from pathlib import Path

import joggle


def _folder_of(name, *parts):
    """The folder below the library's that holds the file; only a wheel has it in the package."""
    folder = Path(joggle.get_library_dir(), *parts)
    if not (folder / name).exists():
        raise FileNotFoundError(
            f"there is no {name} in {folder}, as this joggle was not installed from a wheel; "
            "--cflags and --libs tell the same"
        )
    return str(folder)


# Every option, its text of help, and what is printed for it: words of a command line.
_OPTIONS = {
    "cflags": ("flags of the compiler", lambda: [f"-I{joggle.get_include()}"]),
    "libs": (
        "flags of the linker, with the path at which the program finds the library",
        lambda: [
            f"-L{joggle.get_library_dir()}",
            f"-Wl,-rpath,{joggle.get_library_dir()}",
            "-ljoggle",
        ],
    ),
    "include-dir": ("folder of the headers", lambda: [joggle.get_include()]),
    "library-dir": ("folder of libjoggle.so.0", lambda: [joggle.get_library_dir()]),
    "pkg-config-dir": (
        "folder of joggle.pc, for PKG_CONFIG_PATH",
        lambda: [_folder_of("joggle.pc", "pkgconfig")],
    ),
    "cmake-dir": (
        "folder of joggleConfig.cmake, for joggle_DIR",
        lambda: [_folder_of("joggleConfig.cmake", "cmake", "joggle")],
    ),
    "version": ("version of the package and of the library", lambda: [joggle.__version__]),
}


def main(arguments=None):
    """Prints what the options ask for, in the order above, on one line."""
    parser = argparse.ArgumentParser("python -m joggle", description=__doc__.splitlines()[0])
    for name, (told, _) in _OPTIONS.items():
        parser.add_argument(f"--{name}", action="store_true", help=told)
    asked = vars(parser.parse_args(arguments))
    words = []
    try:
        for name, (_, words_of) in _OPTIONS.items():
            if asked[name.replace("-", "_")]:
                words += words_of()
    except FileNotFoundError as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    if not words:
        parser.print_help()
        return
    print(*map(shlex.quote, words))


if __name__ == "__main__":
    sys.exit(main())
