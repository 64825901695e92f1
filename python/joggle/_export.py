# SPDX-License-Identifier: Apache-2.0
"""Recorded functions as descriptions of their nodes, and as files."""

import itertools
import os
import string

from joggle import _core
from joggle._files import check_open, is_path, naming, source_of, write_whole
from joggle._transforms import _check_function, _name_of

__all__ = ["FunctionExporter", "export_function", "exporter", "import_function"]

_ALLOWED = "positional and keyword arrays, or one tuple and/or one dict of strings with arrays"


def export_function(file_or_callback, fun, *args, shapeless=False, metadata=None, **kwargs):
    """Runs fun once on placeholders and writes the nodes that it built to a file.

    args and kwargs are arrays, or a tuple and/or a dict of arrays, that fun could be called with;
    what import_function makes of the file takes arrays of their dtypes and shapes. `exporter` puts
    several kinds of arguments into one file. metadata is a text that import_function gives back.
    What fun draws without a key is drawn anew by each call; rules of custom_function stay behind.

    A callback in place of a path is called with dicts, whose "type" is "inputs", "keyword_inputs",
    "outputs", "constants", "random_keys" if each call draws some, and then "primitive" for each
    node, inputs first. Values have names; "arguments" of a primitive are its attributes, "result"
    tells which of its results is described, from 0.

    >>> jg.export_function("scaled.jgf", lambda x, k: k * jg.sum(x), jg.ones(3), k=jg.array(2.0))
    >>> jg.import_function("scaled.jgf")(jg.array([1.0, 2.0, 3.0]), k=jg.array(10.0))
    (array(60., dtype=float32),)
    """
    _check_options("export_function", shapeless, metadata)
    if is_path(file_or_callback):
        with exporter(file_or_callback, fun, metadata=metadata) as made:
            made._add("export_function", args, kwargs)
        return
    _check_callback(file_or_callback, metadata)
    _check_function("export_function", fun)
    args, kwargs = _arguments("export_function", args, kwargs)
    record = _record("export_function", fun, args, kwargs)
    for part in _describe(record, len(args), kwargs):
        file_or_callback(part)


def exporter(file, fun, *, shapeless=False, metadata=None):
    """A FunctionExporter, which writes fun with several kinds of arguments to one file.

    >>> with jg.exporter("doubled.jgf", lambda x: x + x) as export:
    ...     export(jg.ones(3))
    ...     export(jg.ones((2, 2)))
    >>> jg.import_function("doubled.jgf")(jg.ones((2, 2)))[0].tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """
    return FunctionExporter(file, fun, shapeless=shapeless, metadata=metadata)


class FunctionExporter:
    """Records a function for each kind of arguments that it is called with.

    The file is written by close(), or at the end of a with block unless an exception ends it.
    """

    def __init__(self, file, fun, *, shapeless=False, metadata=None):
        _check_options("exporter", shapeless, metadata)
        if not is_path(file):
            raise TypeError(f"[exporter] file: got {type(file).__name__}, allowed is a path")
        _check_function("exporter", fun)
        self._path, self._fun, self._metadata = os.fsdecode(file), fun, metadata
        self._variants, self._kinds, self._closed = [], set(), False

    def __call__(self, *args, **kwargs):
        """Runs the function once for arguments of these dtypes and shapes."""
        self._add("exporter", args, kwargs)

    def _add(self, caller, args, kwargs):
        if self._closed:
            raise ValueError(f"[{caller}] {self._path!r}: is closed, allowed is an open one")
        args, kwargs = _arguments(caller, args, kwargs)
        kind = tuple((x.dtype, x.shape) for x in (*args, *kwargs.values())), tuple(kwargs)
        if kind in self._kinds:
            raise ValueError(
                f"[{caller}] arguments: {_name_of(self._fun)} has been exported for {_kind(kind)}, "
                "allowed is each kind of arguments once"
            )
        self._variants.append((_record(caller, self._fun, args, kwargs), tuple(kwargs)))
        self._kinds.add(kind)

    def close(self):
        """Writes the file; what was recorded is let go. Closing again does nothing."""
        if self._closed:
            return
        if not self._variants:
            raise ValueError(
                f"[exporter] {self._path!r}: {_name_of(self._fun)} was not called, allowed is one "
                "call or more"
            )
        name, variants = _name_of(self._fun), self._variants
        write_whole(
            "exporter",
            self._path,
            lambda file: _core._function_save(file.write, name, variants, self._metadata),
        )
        self._closed, self._variants = True, []

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            self.close()
        self._closed, self._variants = True, []

    def __repr__(self):
        state = "closed" if self._closed else f"{len(self._variants)} recorded"
        return f"<joggle.FunctionExporter of {_name_of(self._fun)} to {self._path!r}, {state}>"


def import_function(file, return_metadata=False):
    """The function of a file that export_function or an exporter wrote.

    It is called with arrays by position and by name, or with a tuple and/or a dict of them, and
    gives a tuple of arrays. It is built of nodes as if it ran here: lazy, with derivatives, inside
    vmap and compile. Constants stay in the file, which is mapped. return_metadata=True gives
    (function, metadata), "" if there are none. Nothing in the file is run as code, and what does
    not hold together is refused with ValueError.

    >>> jg.export_function("sine.jgf", jg.sin, jg.ones(2), metadata="of radians")
    >>> sine, metadata = jg.import_function("sine.jgf", return_metadata=True)
    >>> sine(jg.zeros(2)), metadata
    ((array([0., 0.], dtype=float32),), 'of radians')
    """
    if not is_path(file):
        raise TypeError(f"[import_function] file: got {type(file).__name__}, allowed is a path")
    with naming("import_function", file), open(file, "rb", buffering=0) as opened:
        check_open("import_function", "file", opened, "read")
        try:
            function = _core._function_load(source_of(opened)[0])
            name, nvariants, metadata = _core._function_facts(function)
        except TypeError as error:  # of a dtype in the file, which is no argument
            raise ValueError(*error.args) from None
        except UnicodeDecodeError as error:
            raise ValueError(
                f"[import_function] {os.fsdecode(file)!r}: the name or the metadata has the byte "
                f"{error.object[error.start]:#04x} at {error.start}, allowed is UTF-8"
            ) from None
    made = _ImportedFunction(function, name, nvariants)
    return (made, metadata or "") if return_metadata else made


class _ImportedFunction:
    """The function that import_function returns."""

    def __init__(self, function, name, nvariants):
        self._function, self._nvariants = function, nvariants
        self.__name__ = self.__qualname__ = name

    def __call__(self, *args, **kwargs):
        args, kwargs = _arguments(self.__name__, args, kwargs)
        given = [*args, *kwargs.values()]
        return _core._function_call(self._function, given, tuple(kwargs))

    def __repr__(self):
        kinds = "kind" if self._nvariants == 1 else "kinds"
        return f"<imported function {self.__name__}, {self._nvariants} {kinds} of arguments>"


def _check_options(caller, shapeless, metadata):
    if shapeless is not False:
        raise ValueError(
            f"[{caller}] shapeless: got {shapeless!r}, allowed is False: the recorded nodes have "
            "the shapes of the arguments; an exporter takes several kinds of them"
        )
    if metadata is not None and not isinstance(metadata, str):
        raise TypeError(
            f"[{caller}] metadata: got {type(metadata).__name__}, allowed are str and None"
        )


def _check_callback(target, metadata):
    if not callable(target):
        raise TypeError(
            f"[export_function] file_or_callback: got {type(target).__name__}, allowed are a path "
            "and a callback"
        )
    if metadata is not None:
        raise ValueError(
            f"[export_function] metadata: got {metadata!r} with a callback, allowed is None: it "
            "belongs to a file"
        )


def _kind(kind):
    types, names = kind
    texts = [f"{str(dtype).removeprefix('joggle.')}{shape}" for dtype, shape in types]
    first = len(texts) - len(names)
    texts[first:] = [f"{name}={text}" for name, text in zip(names, texts[first:], strict=True)]
    return f"({', '.join(texts)})"


def _is_arrays(values):
    return all(isinstance(value, _core.array) for value in values)


def _arguments(caller, args, kwargs):
    """A tuple of arrays and a dict of them, from either form of a call."""
    packed, named = args, kwargs
    if not kwargs and 0 < len(args) <= 2:
        *first, last = args
        if isinstance(last, dict):
            packed, named = tuple(first), last
        if len(packed) == 1 and isinstance(packed[0], (tuple, list)):
            packed = tuple(packed[0])
    strings = all(isinstance(key, str) for key in named)
    if not strings or not _is_arrays(packed) or not _is_arrays(named.values()):
        kinds = ", ".join(type(value).__name__ for value in (*args, *kwargs.values()))
        raise ValueError(f"[{caller}] arguments: got {kinds}, allowed are {_ALLOWED}")
    return packed, dict(sorted(named.items()))


def _outputs(caller, result, name):
    outputs = list(result) if isinstance(result, (list, tuple)) else [result]
    if not outputs or not _is_arrays(outputs):
        kinds = ", ".join(type(output).__name__ for output in outputs) or "nothing"
        raise ValueError(
            f"[{caller}] {name}: gives {kinds}, allowed are an array and a list or tuple of arrays"
        )
    return outputs


def _record(caller, fun, args, kwargs):
    name = _name_of(fun)
    # Files and callbacks know nothing of strides.
    arrays = [_core.contiguous(x) for x in (*args, *kwargs.values())]
    recording, placeholders = _core._recording_begin(name, arrays)
    try:
        named = dict(zip(kwargs, placeholders[len(args) :], strict=True))
        outputs = _outputs(caller, fun(*placeholders[: len(args)], **named), name)
    except BaseException:
        _core._recording_abort(recording)
        raise
    record = _core._recording_end(recording, outputs)
    if _core._record_is_of_one_call(record):
        raise ValueError(
            f"[{caller}] {name}: uses an argument of another function that is being "
            "transformed, which has no values: allowed are its own arguments and constants"
        )
    return record


def _names():
    """A to Z, then AA and so on."""
    for length in itertools.count(1):
        for letters in itertools.product(string.ascii_uppercase, repeat=length):
            yield "".join(letters)


class _Namer:
    """Names of values, by number, and of constants, by what tells them apart."""

    def __init__(self):
        self.names, self.fresh = {}, _names()
        self.constants = {}

    def __call__(self, value):
        key = value
        if isinstance(value, tuple):
            key = ("constant", value[0])
            self.constants[key] = value[1]
        if key not in self.names:
            self.names[key] = next(self.fresh)
        return self.names[key]

    def entry(self, value, like):
        return self(value), like.shape, like.dtype


def _describe(record, npositional, kwargs):
    narguments, nkeys, nnodes, noutputs = _core._record_counts(record)
    likes = [_core._record_argument(record, i) for i in range(narguments + nkeys)]
    nodes = [_core._record_node(record, i) for i in range(nnodes)]
    likes += [node[3] for node in nodes]
    namer = _Namer()

    def entry(value):
        return namer.entry(value, value[1] if isinstance(value, tuple) else likes[value])

    inputs = [entry(i) for i in range(narguments)]
    keys = [entry(i) for i in range(narguments, narguments + nkeys)]
    outputs = [entry(_core._record_output(record, i)) for i in range(noutputs)]
    primitives = [
        {
            "type": "primitive",
            "name": name,
            "arguments": attributes,
            "inputs": [entry(value) for value in values],
            "outputs": [entry(narguments + nkeys + i)],
            "result": result,
        }
        for i, (name, values, attributes, _, result) in enumerate(nodes)
    ]
    constants = [(namer.names[key], value) for key, value in namer.constants.items()]
    keywords = [(key, inputs[npositional + i][0]) for i, key in enumerate(kwargs)]
    yield {"type": "inputs", "inputs": inputs}
    yield {"type": "keyword_inputs", "keywords": keywords}
    yield {"type": "outputs", "outputs": outputs}
    yield {"type": "constants", "constants": constants}
    if keys:
        yield {"type": "random_keys", "keys": keys}
    yield from primitives
