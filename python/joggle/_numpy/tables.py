# SPDX-License-Identifier: Apache-2.0
"""Tables of numbers in files of text: a line for each row."""

import io as _io
import itertools as _itertools
import os as _os
from codecs import lookup as _lookup
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from collections.abc import Sequence as _Sequence
from contextlib import contextmanager as _contextmanager

from joggle import _core, _files, _namespace
from joggle._numpy._arguments import on_stream as _on_stream
from joggle._numpy._arguments import one_of as _one_of


@_contextmanager
def _opened(file, encoding):
    """The lines of the file; a path is closed afterwards, and one that ends in .gz unpacked."""
    if not isinstance(file, (str, bytes, _os.PathLike)):
        yield _lines_of(file, encoding)
        return
    path = _os.fsdecode(file)
    if not path.endswith(".gz"):
        with open(path, encoding=encoding) as opened:
            yield opened
        return
    import gzip
    import zlib

    try:
        with gzip.open(path, "rt", encoding=encoding) as opened:
            yield opened
    except (EOFError, zlib.error) as error:
        raise ValueError(f"[loadtxt] fname: {path!r}: {error}") from None


def _lines_of(file, encoding):
    """The lines of an open file or an iterable: encoding is for those that are bytes."""
    if isinstance(file, _io.TextIOBase):
        _check_encoding("loadtxt", file, encoding)
    for line in file:
        if isinstance(line, bytes):
            yield line.decode(encoding or "utf-8")
        else:
            _check_encoding("loadtxt", file, encoding)
            yield line


def _check_encoding(function, file, encoding):
    """ValueError for an encoding beside text that has one already, or needs none."""
    own = getattr(file, "encoding", None)
    if encoding is None or (own and _lookup(own).name == _lookup(encoding).name):
        return
    allowed = f"for a file that was opened with {own!r} is that" if own else "for text is None"
    raise ValueError(f"[{function}] encoding: got {encoding!r}, allowed {allowed}")


def _check_codec(function, encoding):
    _check_types(function, {"encoding": (encoding, *_TEXT_OR_NONE)})
    try:
        _lookup(encoding or "utf-8")
    except LookupError:
        raise LookupError(
            f"[{function}] encoding: got {encoding!r}, allowed are names of Python's codecs"
        ) from None


def _as_text(write, encoding, packed):
    """write, which takes a file of text, as one that takes a file of bytes."""

    def write_bytes(file):
        if packed:
            from gzip import GzipFile

            # Without the name of the file beside that is renamed later.
            with GzipFile("", "wb", fileobj=file) as inner:
                _as_text(write, encoding, False)(inner)
            return
        text = _io.TextIOWrapper(file, encoding)
        write(text)
        text.detach()

    return write_bytes


def _reader(dtype):
    """The function that reads a field's text as a number for the dtype: whole numbers exactly, and
    for other dtypes a float, whose zero has a sign. Python's underscores between digits belong to
    no number of a table."""
    parse, allowed = float, "real numbers"
    if _core.isdtype(dtype, "complex floating"):
        parse, allowed = _complex, "numbers"
    elif _core.isdtype(dtype, "integral"):
        parse, allowed = _whole_number_of(dtype), "whole numbers"
    elif _core.isdtype(dtype, "bool"):
        parse, allowed = _truth, "whole numbers"

    def read(text):
        try:
            return parse(text.replace("_", "no digit"))
        except ValueError:
            raise ValueError(f"got {text!r}, allowed for {dtype.name} are {allowed}") from None

    return read


def _complex(text):
    return complex(text.strip().strip("()"))


def _truth(text):
    return int(text) != 0


def _whole_number_of(dtype):
    limits = _namespace.iinfo(dtype)
    low, high = limits.min, limits.max

    def parse(text):
        if not low <= (value := int(text)) <= high:
            raise OverflowError(f"got {value}, allowed for {dtype.name} is {low} to {high}")
        return value

    return parse


def _without_end(line):
    return line.removesuffix("\n").removesuffix("\r")


def _fail_over_lines(line):
    shown = line if len(line) <= 60 else line[:60] + "..."
    raise ValueError(f"[loadtxt] fname: got {shown!r} as one line, allowed is an end at its end")


def _without_comments(lines, comments, quotechar, blanks):
    """The lines up to the first comment that is outside of quotes, which may go over lines. blanks:
    those outside of quotes separate fields, so that one space stands for any."""
    quoted = False
    for line in lines:
        kept, begun, length = "", quoted, len(_without_end(line))
        for place, character in enumerate(line):
            quoted ^= character == quotechar
            if not quoted and any(line.startswith(mark, place) for mark in comments):
                break
            if not quoted and place < length and character in "\r\n":
                _fail_over_lines(line)
            kept += " " if blanks and not quoted and character.isspace() else character
        if blanks and not quoted:
            kept = kept.rstrip()
        if begun or kept.strip():
            yield kept


def _fields(lines, comments, delimiter, quotechar):
    """The fields of each line that holds some."""
    if quotechar is not None:
        import csv

        lines = _without_comments(lines, comments, quotechar, delimiter is None)
        form = {"delimiter": delimiter or " ", "skipinitialspace": delimiter is None}
        yield from filter(None, csv.reader(lines, quotechar=quotechar, **form))
        return
    for whole in lines:
        line = _without_end(whole)
        for mark in comments:
            line = line.split(mark, 1)[0]
        if "\r" in line or "\n" in line:
            _fail_over_lines(whole)
        if line.strip():
            yield line.split(delimiter)


def _row(fields, columns, converters, read, number):
    """The numbers of a line's fields in the columns that are asked for, by the function `read` or
    the converter of the column."""
    row = []
    for column in range(len(fields)) if columns is None else columns:
        if not -len(fields) <= column < len(fields):
            raise ValueError(
                f"[loadtxt] usecols: got {list(columns)}, allowed in row {number} are"
                f" {len(fields)} columns"
            )
        # Converters count the columns from the first, as those asked for do.
        column %= len(fields)
        convert = converters if callable(converters) else converters.get(column, read)
        try:
            row.append(convert(fields[column]))
        except (ValueError, OverflowError) as error:
            kind = OverflowError if isinstance(error, OverflowError) else ValueError
            raise kind(
                f"[loadtxt] fname: row {number} of the table, column {column + 1}: {error}"
            ) from None
    return row


def _floats(fields):
    """The same of a line that holds floats alone, as most do; None for any other."""
    if "_" in "".join(fields):
        return None
    try:
        return [*map(float, fields)]
    except ValueError:
        return None


def _check_types(function, given):
    """given: of each parameter by name its value, the types that it may have, and their names."""
    for name, (value, types, allowed) in given.items():
        # A bool is an int in Python, but is no number of lines.
        if not isinstance(value, types) or (value is True or value is False):
            raise TypeError(f"[{function}] {name}: got {value!r}, allowed is {allowed}")


def _check_count(name, value):
    if value is not None and value < 0:
        raise ValueError(f"[loadtxt] {name}: got {value}, allowed is 0 and above")


def _check_quote(value):
    if value is not None and len(value) != 1:
        raise ValueError(f"[loadtxt] quotechar: got {value!r}, allowed is one character")


_NONE = type(None)
_TEXT = (str, "str")
_TEXT_OR_NONE = ((str, _NONE), "str and None")


def _check_reading(fname, comments, delimiter, converters, skiprows, usecols, max_rows, quotechar):
    """Checks types and ranges of loadtxt's parameters, so that errors name the parameter."""
    columns = (int, _Sequence, _NONE)
    _check_types(
        "loadtxt",
        {
            "comments": (comments, (str, _Sequence, _NONE), "str, a sequence of them and None"),
            "delimiter": (delimiter, *_TEXT_OR_NONE),
            "skiprows": (skiprows, int, "int"),
            "usecols": (usecols, columns, "int, a sequence of them and None"),
            "max_rows": (max_rows, (int, _NONE), "int and None"),
            "quotechar": (quotechar, *_TEXT_OR_NONE),
        },
    )
    if not (converters is None or callable(converters) or isinstance(converters, _Mapping)):
        raise TypeError(
            f"[loadtxt] converters: got {converters!r}, allowed is a function, a dict and None"
        )
    for name, items, kind in (("usecols", usecols, int), ("comments", comments, str)):
        for each in items if isinstance(items, _Sequence) and not isinstance(items, str) else ():
            if not isinstance(each, kind):
                raise TypeError(f"[loadtxt] {name}: has {each!r}, allowed is {kind.__name__}")
    if isinstance(usecols, str):
        raise TypeError(f"[loadtxt] usecols: got {usecols!r}, allowed is int")
    _check_count("skiprows", skiprows)
    _check_count("max_rows", max_rows)
    _check_quote(quotechar)
    if not isinstance(fname, (str, bytes, _os.PathLike, _Iterable)):
        raise TypeError(
            f"[loadtxt] fname: got {type(fname).__name__}, allowed are a path, a file and lines"
        )
    _files.check_open("loadtxt", "fname", fname, "read")


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

    fname is a path, a file or an iterable of lines. comments is the text that begins a comment,
    or several such texts, or None; delimiter is the text between fields, blanks if it is None.
    converters is a function of a field's text, or a dict of them by column. skiprows is the
    number of lines to skip, usecols the columns to take, max_rows the most rows. unpack
    transposes the table, to assign its columns to names. ndmin is the least number of axes;
    other axes of extent 1 are removed. quotechar encloses fields, within which comments do not
    count. encoding is that of a path and of lines of bytes; a file that was opened for text has
    its own, and no other is allowed. OSError for a file that cannot be opened, ValueError for a
    text that is no table of numbers.

    >>> jg.loadtxt(["1 2", "3 4  # the last"], dtype=int)
    array([[1, 2],
           [3, 4]], dtype=int64)
    """
    _one_of(ndmin, (0, 1, 2), "loadtxt", "ndmin")
    _check_reading(fname, comments, delimiter, converters, skiprows, usecols, max_rows, quotechar)
    _check_codec("loadtxt", encoding)
    comments = [comments] if isinstance(comments, str) else list(comments or ())
    columns = [usecols] if isinstance(usecols, int) else usecols
    dtype = _core.dtype(float if dtype is None else dtype)
    read, converters = _reader(dtype), converters or {}
    with _files.naming("loadtxt", fname), _opened(fname, encoding) as lines:
        lines = _itertools.islice(lines, skiprows, None)
        lines = _fields(lines, comments, delimiter, quotechar)
        lines = _itertools.islice(lines, max_rows)
        is_plain = not converters and columns is None and _core.isdtype(dtype, "real floating")
        rows = [
            (is_plain and _floats(each)) or _row(each, columns, converters, read, number)
            for number, each in enumerate(lines, 1)
        ]
    for number, row in enumerate(rows, 1):
        if len(row) != (count := len(rows[0])):
            raise ValueError(
                f"[loadtxt] fname: row {number} has {len(row)} columns, allowed are {count}, "
                "which those before it have"
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
    """The format of a row of `columns` numbers."""
    if isinstance(fmt, (list, tuple)):
        for each in fmt:
            _check_types("savetxt", {"fmt": (each, str, "str in a list")})
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
    column, or of a whole line. header and footer are written behind comments. encoding is that of a
    path and of a file of bytes; a file that was opened for text has its own.
    ValueError for other numbers of axes and of formats, TypeError for formats that do not fit.

    >>> jg.savetxt("table.txt", jg.array([[1, 2], [3, 4]]), fmt="%d")
    >>> jg.loadtxt("table.txt")
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    _check_types(
        "savetxt",
        {
            "fmt": (fmt, (str, list, tuple), "str and a list of str"),
            "delimiter": (delimiter, *_TEXT),
            "newline": (newline, *_TEXT),
            "header": (header, *_TEXT),
            "footer": (footer, *_TEXT),
            "comments": (comments, *_TEXT),
        },
    )
    _check_codec("savetxt", encoding)
    lines = _text_of_rows(X, fmt, delimiter)

    def write(file, encoding=None):
        def put(text):
            _write(file, text + newline, encoding)

        if header:
            put(comments + header.replace("\n", "\n" + comments))
        for line in lines:
            put(line)
        if footer:
            put(comments + footer.replace("\n", "\n" + comments))

    if not isinstance(fname, (str, bytes, _os.PathLike)):
        if not callable(getattr(fname, "write", None)):
            raise TypeError(
                f"[savetxt] fname: got {type(fname).__name__}, allowed are a path and a file"
            )
        _files.check_open("savetxt", "fname", fname, "write")
        if isinstance(fname, _io.TextIOBase):
            _check_encoding("savetxt", fname, encoding)
            encoding = None
        with _files.naming("savetxt", fname):
            write(fname, encoding)
        return
    path = _os.fsdecode(fname)
    packed = path.endswith(".gz")
    _files.write_whole("savetxt", path, _as_text(write, encoding, packed))


def _text_of_rows(X, fmt, delimiter):
    """A text for each row of savetxt's argument, which is computed and checked before the first."""
    x = _files.as_array("savetxt", "X", X)
    if x.ndim not in (1, 2):
        raise ValueError(f"[savetxt] X: has {x.ndim} axes, allowed are one and two")
    rows = (x if x.ndim == 2 else _core.reshape(x, (x.size, 1))).tolist()
    columns = x.shape[1] if x.ndim == 2 else 1
    if not _core.isdtype(x.dtype, "complex floating"):
        line = _format_of(fmt, columns, delimiter, False)
        return (line % tuple(row) for row in _with_text(rows, x.dtype, line))
    line = _format_of(fmt, columns, delimiter, True)
    parts = ([part for number in row for part in (number.real, number.imag)] for row in rows)
    parts = _with_text(parts, _core.real(x).dtype, line)
    return ((line % tuple(row)).replace("+-", "-") for row in parts)


def _with_text(rows, dtype, line):
    """The rows with floats whose text is the shortest that the dtype reads back, where the line's
    format may ask for a text: Python's own is that of float64."""
    is_narrow = _core.isdtype(dtype, "real floating") and dtype.bits < 64
    if not is_narrow or not set("sra") & set(line):
        return rows

    class Number(float):
        def __str__(self):
            return str(_core.asarray(float(self), dtype=dtype))

        __repr__ = __str__

    return (map(Number, row) for row in rows)


def _write(file, text, encoding):
    """Writes text if the file accepts it and no encoding is given; otherwise bytes."""
    if encoding is not None:
        file.write(text.encode(encoding))
        return
    try:
        file.write(text)
    except TypeError:
        file.write(text.encode("latin1"))
