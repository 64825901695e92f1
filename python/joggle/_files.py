# SPDX-License-Identifier: Apache-2.0
"""Arrays from files and into files: npy, npz, safetensors and GGUF, as in mlx.core.

Files are mapped, not read: an array uses the file's pages if its elements are aligned and in this
machine's byte order; otherwise it is computed from them when it is evaluated.
"""

import _thread
import io
import os
import stat
from collections.abc import Mapping
from contextlib import contextmanager

from joggle import _core

__all__ = ["load", "save", "save_gguf", "save_safetensors", "savez", "savez_compressed"]

_ALIGNMENT = 64  # of elements in files that are written here
_FORMATS = ("npy", "npz", "safetensors", "gguf")
_EXPANDS_FREELY = 64 << 20  # bytes that compressed members may always have
_PADDING = 0xD935  # the id of a zip's extra field that only aligns what follows


def load(file, /, format=None, return_metadata=False, *, max_expansion=200, stream=None):
    """The array of an npy file, or the dict of arrays of an npz, safetensors or gguf file.

    file is a path or a file object. The format is the path's extension if none is given, else told
    from the first bytes. return_metadata=True gives (arrays, metadata); npy and npz have none.

    The file is mapped, as by a memory map: its pages are read when they are used, and released
    with the last array. Consumers of exported arrays may write them; the file does not change.
    So what is mapped is not compared with the checksums of an npz.
    Members of an npz that are compressed are read at once; those of more than 64 MiB, and
    archives of more, are refused where they have more than max_expansion bytes for each that
    they take in the file. Members that are no arrays are refused when they are read.

    Raises OSError for a file that cannot be opened, and from its arrays if it is cut short;
    ValueError for one that is damaged or of another format, TypeError for elements that no dtype
    describes.

    >>> jg.save("y.npy", jg.ones((2,)))
    >>> jg.load("y.npy")
    array([1., 1.], dtype=float32)
    """
    if not isinstance(max_expansion, (int, float)) or not max_expansion >= 1:
        raise ValueError(f"[load] max_expansion: got {max_expansion!r}, allowed is 1 and above")
    if format is not None and format not in _FORMATS:
        raise ValueError(f"[load] format: got {format!r}, allowed are {', '.join(_FORMATS)}")
    if not is_path(file):
        _check_file("load", file, "read")
    options = (format or _extension(_name_of(file)), return_metadata, max_expansion, stream)
    with naming("load", file):
        if not is_path(file):
            return _load(file, *options)
        with open(file, "rb", buffering=0) as opened:
            return _load(opened, *options)


def _name_of(file):
    """The path, or that of an open file; None for a file without one."""
    name = file if is_path(file) else getattr(file, "name", None)
    return name if is_path(name) and name else None


@contextmanager
def naming(function, file):
    """Adds the file's name to failures inside that name no file, and the byte to those of texts."""
    name = _name_of(file)
    try:
        yield
    except UnicodeError as error:
        raise _placed(error, function, name) from None
    except ValueError as error:
        if type(error) is not ValueError or name is None or os.fsdecode(name) in str(error):
            raise
        raise ValueError(f"{error}, in {os.fsdecode(name)!r}") from None
    except OSError as error:
        if error.filename is not None or name is None or os.fsdecode(name) in str(error):
            raise
        if error.errno is None:
            raise type(error)(f"[{function}] {os.fsdecode(name)!r}: {error}") from None
        raise OSError(error.errno, error.strerror, name) from None


def _placed(error, function, name):
    """The error of a text that is no text in its encoding, with the path and the byte there."""
    if not isinstance(error, (UnicodeDecodeError, UnicodeEncodeError)):
        return error
    where = "in the file" if name is None else f"in {os.fsdecode(name)!r}"
    if isinstance(error, UnicodeDecodeError) and name is not None and os.path.isfile(name):
        with open(name, "rb") as file:
            place = file.read(1 << 27).find(error.object)
        if place >= 0:  # what was read may have been packed
            where = f"at byte {place + error.start} of {os.fsdecode(name)!r}"
    reason = f"{error.reason}, [{function}] {where}"
    return type(error)(error.encoding, error.object, error.start, error.end, reason)


def save(file, arr):
    """Writes an array to an npy file, NumPy's format; ".npy" is added to a path that lacks it.

    >>> jg.save("x.npy", jg.arange(3))
    >>> jg.load("x.npy")
    array([0, 1, 2], dtype=int64)
    """
    x = as_array("save", "arr", arr)
    _write("save", file, ".npy", lambda opened: _core._save_npy(opened.write, x))


def savez(file, *args, **kwargs):
    """Writes arrays to an npz file, those without a name as arr_0, arr_1, ...

    A bool named allow_pickle is NumPy's parameter: nothing is pickled, so only False is allowed.

    >>> jg.savez("z.npz", a=jg.arange(3))
    >>> jg.load("z.npz")["a"]
    array([0, 1, 2], dtype=int64)
    """
    named = _named("savez", args, kwargs)
    _write("savez", file, ".npz", lambda opened: _write_zip(opened, named, 0))


def savez_compressed(file, *args, **kwargs):
    """savez with the members compressed. What is read back is not mapped then.

    >>> jg.savez_compressed("c.npz", a=jg.arange(3))
    >>> jg.load("c.npz")["a"]
    array([0, 1, 2], dtype=int64)
    """
    named = _named("savez_compressed", args, kwargs)
    _write("savez_compressed", file, ".npz", lambda opened: _write_zip(opened, named, 8))


def save_safetensors(file, arrays, metadata=None):
    """Writes a dict of arrays, and texts by name, to a safetensors file.

    >>> jg.save_safetensors("x.safetensors", {"w": jg.arange(3)})
    >>> jg.load("x.safetensors")["w"]
    array([0, 1, 2], dtype=int64)
    """
    arrays = _arrays("save_safetensors", arrays)
    metadata = _metadata("save_safetensors", metadata, str, "str")
    _write(
        "save_safetensors",
        file,
        ".safetensors",
        lambda opened: _core._save_safetensors(opened.write, arrays, metadata),
    )


def save_gguf(file, arrays, metadata=None):
    """Writes a dict of arrays to a gguf file; metadata are arrays, texts and lists of texts.

    >>> jg.save_gguf("x.gguf", {"w": jg.ones((2,))})
    >>> jg.load("x.gguf")["w"]
    array([1., 1.], dtype=float32)
    """
    arrays = _arrays("save_gguf", arrays)
    allowed = "array, str and a list of str"
    metadata = _metadata("save_gguf", metadata, (str, list, _core.array), allowed)
    metadata = {k: list(v) if isinstance(v, list) else v for k, v in metadata.items()}
    for key, texts in metadata.items():
        for i, text in enumerate(texts if isinstance(texts, list) else ()):
            if not isinstance(text, str):
                raise TypeError(
                    f"[save_gguf] metadata[{key!r}][{i}]: got {type(text).__name__}, allowed is str"
                )
    _write(
        "save_gguf",
        file,
        ".gguf",
        lambda opened: _core._save_gguf(opened.write, arrays, metadata),
    )


def is_path(file):
    """Whether this names a file, other than an open one."""
    return isinstance(file, (str, bytes, os.PathLike))


def _extension(name):
    """The format that a path's extension names, or None."""
    if not is_path(name):
        return None
    extension = os.path.splitext(os.fsdecode(name))[1][1:]
    return extension if extension in _FORMATS else None


def _entries(function, argument, given):
    """A dict of the function's own, whose keys are texts without a NUL."""
    if not isinstance(given, Mapping):
        raise TypeError(f"[{function}] {argument}: got {type(given).__name__}, allowed is a dict")
    for key in given:
        if not isinstance(key, str):
            raise TypeError(f"[{function}] {argument}: has the key {key!r}, allowed is str")
    return dict(given)


def _arrays(function, arrays):
    return {
        name: as_array(function, f"arrays[{name!r}]", x)
        for name, x in _entries(function, "arrays", arrays).items()
    }


def as_array(function, argument, x):
    try:
        return _core.asarray(x)
    except TypeError as error:
        what = str(error).removeprefix(f"[{function}] ")
        raise TypeError(f"[{function}] {argument}: {what}") from None


def _metadata(function, metadata, types, allowed):
    found = _entries(function, "metadata", {} if metadata is None else metadata)
    for key, value in found.items():
        if not isinstance(value, types):
            raise TypeError(
                f"[{function}] metadata[{key!r}]: got {type(value).__name__}, allowed is {allowed}"
            )
    return found


def _load(file, format, return_metadata, max_expansion, stream):
    if stream is not None:
        with _core.stream(stream):
            return _load(file, format, return_metadata, max_expansion, None)
    source, start, reopened = source_of(file)
    format = format or _sniff(reopened, start)
    if format not in _FORMATS:
        raise ValueError(f"[load] format: got {format!r}, allowed are {', '.join(_FORMATS)}")
    if format in ("npy", "npz"):
        if return_metadata:
            raise ValueError(
                f"[load] return_metadata: files of {format} have no metadata, allowed is False"
            )
        if format == "npz":
            return _load_zip(reopened, source, max_expansion)
        x, end = _core._load_npy(source, start)
        _seek(file, end, reopened)
        return x
    load = _core._load_gguf if format == "gguf" else _core._load_safetensors
    if start:
        raise ValueError(f"[load] file: stands at byte {start}, allowed for {format} is the first")
    arrays, metadata = load(source)
    return (arrays, metadata) if return_metadata else arrays


def source_of(file):
    """The file's bytes, mapped where that can be, where in them to begin, and a file over them."""
    if _can_be_mapped(file):
        if file.writable():
            file.flush()
        named = (file.name,) if is_path(file.name) else ()
        return _core._source(file.fileno(), *named), file.tell(), file
    content = _rest_of(file)
    return _core._source(content), 0, io.BytesIO(content)


def _rest_of(file):
    """All bytes that read() still gives; some files give them piece by piece."""
    pieces = []
    while not pieces or pieces[-1]:
        piece = file.read()
        if isinstance(piece, str):
            raise TypeError(
                f"[load] file: got {type(file).__name__}, opened for text, allowed is binary"
            )
        if not isinstance(piece, (bytes, bytearray, memoryview)):
            raise TypeError(
                f"[load] file: read() of {type(file).__name__} gave {type(piece).__name__}, "
                "allowed are bytes"
            )
        pieces.append(piece)
    return pieces[0] if len(pieces) <= 2 else b"".join(pieces)


def _can_be_mapped(file):
    """Other files have a descriptor, too, but their bytes need not be those of its file."""
    raw = getattr(file, "raw", file)
    own = (io.FileIO, io.BufferedReader, io.BufferedRandom)
    return (
        isinstance(file, own)
        and isinstance(raw, io.FileIO)
        and stat.S_ISREG(os.fstat(raw.fileno()).st_mode)
    )


def _sniff(file, start):
    file.seek(start)
    first = file.read(8)
    file.seek(start)
    for format, magic in (("npy", b"\x93NUMPY"), ("npz", b"PK"), ("gguf", b"GGUF")):
        if first.startswith(magic):
            return format
    return "safetensors"


def _seek(file, end, reopened):
    """Leaves the file's position after the array, so that another one may be read from there."""
    if reopened is file:
        file.seek(end)
    elif hasattr(file, "seekable") and file.seekable():
        file.seek(end - len(reopened.getbuffer()), os.SEEK_CUR)


class _Members(dict):
    """The arrays of an npz by name, and for members that are none the reason, raised when asked."""

    def __init__(self, arrays, refused):
        super().__init__(arrays)
        self._refused = refused

    def __missing__(self, name):
        raise self._refused.get(name) or KeyError(name)


def _load_zip(file, source, max_expansion):
    import zipfile

    arrays, refused = {}, {}
    with _damage_of_zip(), zipfile.ZipFile(file) as archive:
        _check_places(archive)
        _check_expansion(archive, file, max_expansion)
        for info in archive.infolist():
            name = info.filename.removesuffix(".npy")
            try:
                if _is_array(archive, info):
                    arrays[name] = _load_member(archive, info, file, source)
                else:
                    refused[name] = TypeError(f"[load] npz: {info.filename!r} is no array")
            except TypeError as error:
                refused[name] = TypeError(f"{error}, in member {info.filename!r}")
    return _Members(arrays, refused) if refused else arrays


@contextmanager
def _damage_of_zip():
    """ValueError for what zipfile and its decompressors raise for a damaged archive, and for one
    that is compressed in a way that they do not know."""
    import zipfile
    import zlib

    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise ValueError(f"[load] npz: {error}") from None
    except OSError as error:
        if error.errno is not None:  # of the system; bz2's own have no number
            raise
        raise ValueError(f"[load] npz: {error}") from None
    except Exception as error:
        if type(error).__name__ != "LZMAError":  # its module need not be there
            raise
        raise ValueError(f"[load] npz: {error}") from None


def _is_array(archive, info):
    """Whether its first bytes are a zip's; encrypted members are refused later."""
    if info.flag_bits & 1:
        return True
    with archive.open(info) as member:
        first = member.read(6)
    return first == b"\x93NUMPY" or info.filename.endswith(".npy")


def _check_places(archive):
    """zipfile itself would look for a member before the beginning of the file."""
    for info in archive.infolist():
        if info.header_offset < 0:
            raise ValueError(
                f"[load] npz: {info.filename!r} begins at byte {info.header_offset}, allowed is 0 "
                "and above"
            )


def _check_expansion(archive, file, limit):
    """Each member alone, and all together: members of a zip bomb may share compressed data."""
    compressed = [info for info in archive.infolist() if info.compress_type]
    places = [(repr(info.filename), info.file_size, info.compress_size) for info in compressed]
    size = file.seek(0, os.SEEK_END)
    places.append(("the archive", sum(info.file_size for info in compressed), size))
    for name, expanded, packed in places:
        if expanded > _EXPANDS_FREELY and expanded > limit * packed:
            raise ValueError(
                f"[load] npz: {name} has {expanded} bytes in {packed}, allowed are {limit} for"
                " each; max_expansion=... allows more"
            )


def _load_member(archive, info, file, source):
    """A member that is stored without compression is in the source."""
    start = 0
    if info.flag_bits & 1:
        raise ValueError(
            f"[load] npz: {info.filename!r} is encrypted, allowed are members that are not"
        )
    if info.compress_type:
        source, nbytes = _core._source(archive.read(info)), info.file_size
    else:
        file.seek(info.header_offset + 26)
        lengths = file.read(4)
        start = info.header_offset + 30
        start += int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
        nbytes = info.file_size
    x, end = _core._load_npy(source, start)
    if end > start + nbytes:
        raise ValueError(
            f"[load] npz: {info.filename!r} takes {end - start} bytes, "
            f"allowed is up to {nbytes}, its place in the file"
        )
    return x


def _check_file(name, file, method):
    """TypeError for what is neither a path nor a file of bytes; as check_open."""
    if not callable(getattr(file, method, None)):
        raise TypeError(
            f"[{name}] file: got {type(file).__name__}, allowed are a path and a file of bytes"
        )
    check_open(name, "file", file, method)
    if isinstance(file, io.TextIOBase):
        raise TypeError(
            f"[{name}] file: got {type(file).__name__}, opened for text, allowed is binary"
        )


_MODES = {"read": ("readable", "writing"), "write": ("writable", "reading")}


def check_open(function, argument, file, method):
    """ValueError for a closed file; for one that was opened for the other direction an error that
    is an OSError as well, as Python's own is."""
    name = _name_of(file)
    named = "" if name is None else f"{os.fsdecode(name)!r} "
    if getattr(file, "closed", False) is True:
        raise ValueError(f"[{function}] {argument}: {named}is closed, allowed is an open one")
    able, other = _MODES[method]
    ask = getattr(file, able, None)
    if callable(ask) and not ask():
        raise io.UnsupportedOperation(
            f"[{function}] {argument}: {named}was opened for {other} only"
        )


def _write(name, file, suffix, write):
    """Calls write with a file open for writing. A path gets the suffix if it lacks it."""
    if not is_path(file):
        _check_file(name, file, "write")
        with naming(name, file):
            write(file)
        return
    path = os.fsdecode(file)
    write_whole(name, path if path.endswith(suffix) else path + suffix, write)


def write_whole(function, path, write):
    """Calls write with a file of bytes that takes the path's name when all of it is written."""
    path = os.path.realpath(path)
    with naming(function, path):
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as opened:
                write(opened)
        else:
            _replace(path, write)


def _replace(path, write):
    """Arrays may map a file that is overwritten, so the new one is renamed at the end; no reader
    sees half of it."""
    part = f"{path}.{os.getpid()}-{_thread.get_ident()}.part"
    try:
        with open(part, "wb") as opened:
            if os.path.exists(path):
                os.fchmod(opened.fileno(), stat.S_IMODE(os.stat(path).st_mode))
            write(opened)
        os.replace(part, path)
    except BaseException as error:
        if os.path.exists(part):
            os.unlink(part)
        if isinstance(error, OSError) and error.filename == part:
            raise OSError(error.errno, error.strerror, path) from None
        raise


def _named(function, args, kwargs):
    if isinstance(pickles := kwargs.get("allow_pickle"), bool):
        if pickles:
            raise ValueError(
                f"[{function}] allow_pickle: got True, allowed is False: nothing is pickled"
            )
        kwargs = {name: x for name, x in kwargs.items() if name != "allow_pickle"}
    named = {f"arr_{i}": x for i, x in enumerate(args)}
    for name in named.keys() & kwargs.keys():
        raise ValueError(
            f"[{function}] {name}: is the name of an array that was given without one, "
            "allowed are others"
        )
    for name in kwargs:
        if "\0" in name:  # as zipfile would cut it there
            raise ValueError(
                f"[{function}] name: {name!r} has a NUL in it, allowed are other characters"
            )
    for name, x in (named | kwargs).items():
        if isinstance(x, dict):
            raise TypeError(
                f"[{function}] {name}: got a dict, allowed are arrays; "
                f"write {function}(file, **arrays)"
            )
    return {name: as_array(function, name, x) for name, x in (named | kwargs).items()}


class _Whole:
    """A file of which each write takes all bytes: zipfile does not look at what write returns."""

    def __init__(self, file):
        self._file = file

    def __getattr__(self, name):
        return getattr(self._file, name)

    def write(self, data):
        left = memoryview(data).cast("B")
        total = len(left)
        while left:
            count = self._file.write(left)
            count = len(left) if count is None else count
            if not 0 < count <= len(left):
                raise OSError(
                    f"write() took {count} bytes, allowed is 1 to {len(left)}, "
                    "as many as it was given"
                )
            left = left[count:]
        return total

    def flush(self):
        if hasattr(self._file, "flush"):
            self._file.flush()


def _write_zip(file, arrays, compression):
    import zipfile

    with zipfile.ZipFile(_Whole(file), "w") as archive:
        for name, x in arrays.items():
            info = zipfile.ZipInfo(name + ".npy")
            info.compress_type = compression
            if not compression:
                info.extra = _padding(archive.start_dir + 30 + len(info.filename.encode()) + 20)
            with archive.open(info, "w", force_zip64=True) as member:
                _core._save_npy(member.write, x)


def _padding(before):
    """An extra field that aligns what follows it; before is where the field itself begins."""
    count = -(before + 4) % _ALIGNMENT
    return _PADDING.to_bytes(2, "little") + count.to_bytes(2, "little") + bytes(count)
