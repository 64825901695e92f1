# SPDX-License-Identifier: Apache-2.0
"""Tables of numbers in files of text: a line for each row."""

import itertools as _itertools
import os as _os
from contextlib import contextmanager as _contextmanager

from joggle import _core
from joggle._numpy._arguments import on_stream as _on_stream
from joggle._numpy._arguments import one_of as _one_of


@_contextmanager
def _opened(file, mode, encoding):
    """The file open for text; a path is closed afterwards, and one that ends in .gz unpacked."""
    if not isinstance(file, (str, bytes, _os.PathLike)):
        yield file
        return
    path = _os.fsdecode(file)
    open_file = open
    if path.endswith(".gz"):
        from gzip import open as open_file
    with open_file(path, mode + "t", encoding=encoding) as opened:
        yield opened


def _number(text):
    """The number that a text stands for: an int where it is one, else a float or complex."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return complex(text.strip().strip("()"))


def _fields(lines, comments, delimiter, quotechar):
    """The fields of each line that holds some."""
    if quotechar is not None:
        import csv

        form = {"delimiter": delimiter or " ", "skipinitialspace": delimiter is None}
        yield from filter(None, csv.reader(lines, quotechar=quotechar, **form))
        return
    for line in lines:
        for mark in comments:
            line = line.split(mark, 1)[0]
        line = line.strip("\r\n") if delimiter else line.strip()
        if line.strip():
            yield line.split(delimiter)


def _converter_of(converters, column):
    if callable(converters):
        return converters
    return (converters or {}).get(column, _number)


def _row(fields, columns, converters, number):
    """The numbers of a line's fields in the columns that are asked for."""
    try:
        chosen = range(len(fields)) if columns is None else columns
        # Converters count the columns from the first, as those asked for do.
        return [_converter_of(converters, each % len(fields))(fields[each]) for each in chosen]
    except IndexError:
        raise ValueError(
            f"[loadtxt] usecols: got {columns}, allowed in row {number} are {len(fields)} columns"
        ) from None
    except ValueError as error:
        raise ValueError(f"[loadtxt] fname: row {number} of the table: {error}") from None


@_on_stream
def loadtxt(
    fname,
    dtype=float,
    comments="#",
    delimiter=None,
    converters=None,
    skiprows=0,
    usecols=None,
    unpack=False,
    ndmin=0,
    encoding=None,
    max_rows=None,
    *,
    quotechar=None,
    stream=None,
):
    """The table of numbers in a file of text, a line for each row. float is float32.

    fname is a path, a file or an iterable of lines. comments is what ends a line, or several such
    texts, or None; delimiter what stands between fields, blanks if it is None. converters is a
    function of a field's text, or a dict of them by column. skiprows leaves out lines, usecols
    takes those columns, max_rows so many rows. unpack turns the table, to assign its columns to
    names; ndmin is the least number of axes, those of extent 1 go otherwise. quotechar is what
    fields may stand in; comments do not count then.
    OSError for a file that cannot be opened, ValueError for what is no table of numbers.

    >>> jg.loadtxt(["1 2", "3 4  # the last"], dtype=int)
    array([[1, 2],
           [3, 4]], dtype=int64)
    """
    _one_of(ndmin, (0, 1, 2), "loadtxt", "ndmin")
    comments = [comments] if isinstance(comments, str) else list(comments or ())
    columns = [usecols] if isinstance(usecols, int) else usecols
    with _opened(fname, "r", encoding) as lines:
        lines = (each.decode() if isinstance(each, bytes) else each for each in lines)
        lines = _itertools.islice(lines, skiprows, None)
        lines = _fields(lines, comments, delimiter, quotechar)
        lines = _itertools.islice(lines, max_rows)
        rows = [_row(each, columns, converters, number) for number, each in enumerate(lines, 1)]
    for number, row in enumerate(rows, 1):
        if len(row) != (count := len(rows[0])):
            raise ValueError(
                f"[loadtxt] fname: row {number} has {len(row)} columns, those before it {count}"
            )
    return _shaped(_table(rows, dtype), unpack, ndmin)


def _table(rows, dtype):
    if not rows:
        return _core.zeros((0,), dtype=dtype)
    return _core.asarray(rows, dtype=dtype)


def _shaped(x, unpack, ndmin):
    if x.ndim == 2 and ndmin < 2:
        x = _core.squeeze(x, tuple(axis for axis in (0, 1) if x.shape[axis] == 1))
    if ndmin == 1:
        x = _core.atleast_1d(x)
    elif ndmin == 2 and x.ndim < 2:
        x = _core.reshape(x, (x.size, 1))
    return _core.matrix_transpose(x) if unpack and x.ndim == 2 else x


def _format_of(fmt, columns, delimiter, has_complex):
    """The format of a row of so many numbers."""
    if isinstance(fmt, (list, tuple)):
        if len(fmt) != columns:
            raise ValueError(f"[savetxt] fmt: has {len(fmt)} items, allowed are {columns}")
        return delimiter.join(fmt)
    count = fmt.count("%") - 2 * fmt.count("%%")
    if count == 1:
        one = f" ({fmt}+{fmt}j)" if has_complex else fmt
        return delimiter.join([one] * columns)
    if count == columns * (2 if has_complex else 1):
        return fmt
    raise ValueError(f"[savetxt] fmt: has {count} formats, allowed are 1 and {columns}")


def savetxt(
    fname,
    X,
    fmt="%.18e",
    delimiter=" ",
    newline="\n",
    header="",
    footer="",
    comments="# ",
    encoding=None,
):
    """Writes a vector or a matrix to a file of text, a line for each row. Computes it.

    fname is a path, packed if it ends in .gz, or a file. fmt is the format of a number, of each
    column, or of a whole line. header and footer are written behind comments.
    ValueError for other numbers of axes and of formats, TypeError for formats that do not fit.

    >>> jg.savetxt("table.txt", jg.array([[1, 2], [3, 4]]), fmt="%d")
    >>> jg.loadtxt("table.txt")
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    x = _core.asarray(X)
    if x.ndim not in (1, 2):
        raise ValueError(f"[savetxt] X: has {x.ndim} axes, allowed are one and two")
    rows = (x if x.ndim == 2 else _core.reshape(x, (x.size, 1))).tolist()
    columns = x.shape[1] if x.ndim == 2 else 1
    has_complex = _core.isdtype(x.dtype, "complex floating")
    line = _format_of(fmt, columns, delimiter, has_complex)
    with _opened(fname, "w", encoding) as file:
        _write(file, comments + header.replace("\n", "\n" + comments) if header else "", newline)
        for row in rows:
            if has_complex:
                row = [part for number in row for part in (number.real, number.imag)]
            text = line % tuple(row)
            _write(file, text.replace("+-", "-") if has_complex else text, newline)
        _write(file, comments + footer.replace("\n", "\n" + comments) if footer else "", newline)


def _write(file, text, newline):
    """A line, if there is text; files that were opened for bytes get them."""
    if not text:
        return
    try:
        file.write(text + newline)
    except TypeError:
        file.write((text + newline).encode("latin1"))
