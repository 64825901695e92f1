# SPDX-License-Identifier: Apache-2.0
"""export_function: recorded functions as descriptions of their nodes."""

import itertools
import os
import string

from joggle import _core

__all__ = ["export_function"]

_ALLOWED = (
    "allowed are positional and keyword arrays, or one tuple and/or one dict of strings with arrays"
)


def export_function(file_or_callback, fun, *args, shapeless=False, metadata=None, **kwargs):
    """Runs fun once on placeholders and describes the nodes that it built to a callback.

    args and kwargs are arrays, or a tuple and/or a dict of arrays, that fun could be called with.
    The callback is called with dicts, whose "type" is "inputs", "keyword_inputs", "outputs",
    "constants", "random_keys" if each call draws some, and then "primitive" for each node, inputs
    first. Values have names; "arguments" of a primitive are its attributes, "result" tells which of
    its results is described, from 0. Functions cannot be written to files yet, and shapes are those
    of the arguments.

    >>> def show(part):
    ...     if part["type"] == "primitive":
    ...         print(part["name"], part["arguments"])
    >>> jg.export_function(show, lambda x: jg.sum(jg.exp(x), axis=0), jg.ones((2, 3)))
    exp {}
    reduce_add {'axes': [0]}
    """
    _check_target(file_or_callback, shapeless, metadata)
    if not callable(fun):
        raise TypeError(f"[export_function] fun: got {type(fun).__name__}, allowed is a function")
    args, kwargs = _arguments(args, kwargs)
    record = _record(fun, args, kwargs)
    for part in _describe(record, len(args), kwargs):
        file_or_callback(part)


def _check_target(target, shapeless, metadata):
    if isinstance(target, (str, bytes, os.PathLike)):
        raise NotImplementedError(
            "[export_function] file_or_callback: got a path, allowed is a callback: functions "
            "cannot be written to files yet"
        )
    if not callable(target):
        raise TypeError(
            f"[export_function] file_or_callback: got {type(target).__name__}, allowed is a "
            "callback"
        )
    if shapeless is not False:
        raise ValueError(
            f"[export_function] shapeless: got {shapeless!r}, allowed is False: the recorded nodes "
            "have the shapes of the arguments"
        )
    if metadata is not None:
        raise ValueError(
            "[export_function] metadata: got one with a callback, allowed is None: it belongs to "
            "a file"
        )


def _is_arrays(values):
    return all(isinstance(value, _core.array) for value in values)


def _arguments(args, kwargs):
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
        raise ValueError(f"[export_function] arguments: got {kinds}, {_ALLOWED}")
    return packed, dict(sorted(named.items()))


def _outputs(result, name):
    outputs = list(result) if isinstance(result, (list, tuple)) else [result]
    if not outputs or not _is_arrays(outputs):
        kinds = ", ".join(type(output).__name__ for output in outputs) or "nothing"
        raise ValueError(
            f"[export_function] {name}: gives {kinds}, allowed are an array and a list or tuple of "
            "arrays"
        )
    return outputs


def _record(fun, args, kwargs):
    name = getattr(fun, "__name__", type(fun).__name__)
    recording, placeholders = _core._recording_begin(name, [*args, *kwargs.values()])
    try:
        named = dict(zip(kwargs, placeholders[len(args) :], strict=True))
        outputs = _outputs(fun(*placeholders[: len(args)], **named), name)
    except BaseException:
        _core._recording_abort(recording)
        raise
    record = _core._recording_end(recording, outputs)
    if _core._record_is_of_one_call(record):
        raise ValueError(
            f"[export_function] {name}: uses an argument of another function that is being "
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
