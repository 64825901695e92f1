# SPDX-License-Identifier: Apache-2.0
"""MLX's functions about graphs."""

import os

from joggle import _core, _files

__all__ = ["depends", "einsum_path", "export_to_dot"]


def depends(inputs, dependencies):
    """inputs, after the dependencies have been started: work on a stream is done in its order.

    >>> jg.depends(jg.array([1, 2]), jg.array([3]))
    array([1, 2], dtype=int64)
    """
    from joggle.utils import tree_map

    _core.async_eval(dependencies)
    return tree_map(lambda x: _core._keep_value(x) if isinstance(x, _core.array) else x, inputs)


def export_to_dot(file, *args, **kwargs):
    """Writes the graph of arrays as Graphviz text to a path or an open file; export_dot gives the
    text. Arrays may also be given by keyword; their names are comments in the text.

    >>> jg.export_to_dot("graph.dot", jg.ones((2,)) + 1)
    """
    try:
        graph = _core.export_dot(*args, *kwargs.values())
    except TypeError as error:
        raise TypeError(str(error).replace("[export_dot]", "[export_to_dot]")) from None
    names = "".join(f"// {name}: {x.dtype.name} {x.shape}\n" for name, x in kwargs.items())
    text = names + graph
    if hasattr(file, "write"):
        _files.check_open("export_to_dot", "file", file, "write")
        file.write(text)
        return
    if not isinstance(file, (str, bytes, os.PathLike)):
        raise TypeError(
            f"[export_to_dot] file: got {type(file).__name__}, "
            "allowed are a path and a file of text"
        )
    path = os.fsdecode(file)
    _files.write_whole("export_to_dot", path, lambda opened: opened.write(text.encode()))


def einsum_path(subscripts, *operands):
    """The order in which einsum contracts its operands, and a text about it.

    Each pair has the positions of two among the operands that are left; their product comes after
    the others.

    >>> jg.einsum_path("ij,jk,k->i", jg.ones((2, 3)), jg.ones((3, 4)), jg.ones(4))[0]
    [(1, 2), (0, 1)]
    """
    path = _core._einsum_path(subscripts, operands)
    return path, f"  Contraction of {subscripts}: " + ", ".join(f"{a} with {b}" for a, b in path)
