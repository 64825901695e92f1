# SPDX-License-Identifier: Apache-2.0
"""compile: functions that are recorded once and built again by C at each call."""

import collections
import functools
import itertools
import threading
import warnings

from joggle import _core, random

__all__ = ["compile", "disable_compile", "enable_compile"]

CacheInfo = collections.namedtuple("CacheInfo", ["hits", "misses", "size", "reasons"])

_MANY_REASONS = 256  # the last of them are kept, as many as records
_MANY_CONSTANTS = 8  # records for other numbers or objects alone, after which there is a warning
_WARNINGS = {
    "numbers": "; an array in the place of the number needs one record",
    "objects": ", equal to none before; the same object, or an __eq__, needs one record",
}


def compile(
    fun, inputs=None, outputs=None, shapeless=False, *, donate_argnums=(), constants="allow"
):
    """A function that gives what fun gives, and runs fun's Python code once for each signature.

    The signature is the tree of the arguments, dtypes, shapes and layouts of arrays, and the values
    of everything else. An object without an __eq__ is equal to itself alone, and is not kept alive.
    inputs are lists or dicts of arrays that fun reads besides, outputs such
    that it changes; both may be the same. With shapeless, too, fun is run once for each shape.
    Arrays of the arguments whose numbers are in donate_argnums are given away: their memory may be
    taken for results. constants="error" refuses arrays that fun uses without being given them.

    >>> double = jg.compile(lambda x: x + x)
    >>> double(jg.array([1.0, 2.0]))
    array([2., 4.], dtype=float32)
    >>> double.cache_info().misses
    1
    """
    name = getattr(fun, "__name__", type(fun).__name__)
    if not callable(fun):
        raise TypeError(f"[compile] fun: got {type(fun).__name__}, allowed is a function")
    # MLX's state of random numbers stands alone, too; what is drawn needs no state here.
    inputs, outputs = (
        [tree] if isinstance(tree, random.State) else tree for tree in (inputs, outputs)
    )
    for argument, tree in (("inputs", inputs), ("outputs", outputs)):
        if tree is not None and not isinstance(tree, (list, dict, tuple)):
            raise TypeError(
                f"[compile] {argument}: got {type(tree).__name__}, allowed are a list and a dict"
            )
    if constants not in ("allow", "error"):
        raise ValueError(f'[compile] constants: got {constants!r}, allowed are "allow", "error"')
    if not isinstance(shapeless, bool):
        raise TypeError(f"[compile] shapeless: got {shapeless!r}, allowed is a bool")
    is_tree = isinstance(donate_argnums, (list, tuple))
    donated = tuple(donate_argnums) if is_tree else (donate_argnums,)
    if not all(type(number) is int and number >= 0 for number in donated):
        raise ValueError(
            f"[compile] donate_argnums: got {donate_argnums!r}, allowed are numbers of arguments"
        )
    tracer = _Tracer(fun, name, inputs, outputs, constants)
    compiled = _core._Compiled(fun, inputs, outputs, donated, tracer)
    functools.update_wrapper(compiled, fun)
    compiled.cache_info = functools.partial(_cache_info, compiled, tracer)
    compiled.cache_clear = functools.partial(_cache_clear, compiled, tracer)
    return compiled


def disable_compile():
    """From here on compiled functions run as the functions that they were made of.

    >>> jg.disable_compile()
    >>> jg.enable_compile()
    """
    _core._disable_compile(True)


def enable_compile():
    """Undoes disable_compile.

    >>> jg.enable_compile()
    """
    _core._disable_compile(False)


def _cache_info(compiled, tracer):
    hits, misses, size = compiled._counts()
    return CacheInfo(hits, misses, size, tuple(tracer.reasons))


def _cache_clear(compiled, tracer):
    compiled._forget()
    tracer.reasons.clear()
    tracer.described, tracer.alike = None, (None, 0)


class _Tracer:
    """Runs the function on placeholders: `_core._Compiled` calls it where it has no record."""

    def __init__(self, fun, name, inputs, outputs, constants):
        self.fun, self.name = fun, name
        self.inputs, self.outputs = inputs, outputs
        self.constants = constants
        self.reasons = collections.deque(maxlen=_MANY_REASONS)
        self.described = None  # the arguments of the last record
        self.alike = None, 0  # what else than the record before the last ones were for, how many
        self.lock = threading.RLock()  # state is changed while the function runs on placeholders

    def __call__(self, compiled, args, kwargs, arrays):
        _refuse_iterators(self.name, "an argument", [*args, *kwargs.values()])
        with self.lock:
            described = dict(_describe("", (args, kwargs, self.inputs)))
            saved = _save(self.inputs, self.outputs)
            recording, placeholders = _core._recording_begin(self.name, arrays)
            try:
                traced = self._run(args, kwargs, iter(placeholders), saved)
            except BaseException:
                _core._recording_abort(recording)
                raise
            finally:
                _core._contents_put_back(saved)  # in one step, of which no signal leaves a part
            results, state, outputs = traced
            record = _core._recording_end(recording, outputs)
        count = _core._record_nconstants(record)
        if self.constants == "error" and count > 0:
            raise ValueError(
                f"[compile] {self.name}: uses {count} arrays that are no arguments, allowed are "
                'none as constants is "error"'
            )
        return record, len(outputs), results, state, described

    def _run(self, args, kwargs, placeholders, saved):
        args = tuple(_replace(tree, placeholders) for tree in args)
        kwargs = {key: _replace(tree, placeholders) for key, tree in kwargs.items()}
        if self.inputs is not None:
            _replace_in_place(self.inputs, placeholders, self.name)
        outputs, numbers = [], {}
        given = self.fun(*args, **kwargs)
        _refuse_iterators(self.name, "a result", [given])
        results = _slots(given, outputs, numbers)
        if self.outputs is None:
            return results, None, outputs
        before = {id(container): contents for container, contents in saved}
        return results, _slots(self.outputs, outputs, numbers, self.outputs, before), outputs

    def note(self, described):
        """Notes why there was no record before one that is kept now: how its arguments differ from
        the last ones."""
        with self.lock:
            before, self.described = self.described, described
            if before is None:
                self.reasons.append("the first call")
                return
            changed = _changes(before, described)
            self.reasons.append("; ".join(changed) or _unseen_change(described))
            kind, count = self.alike
            now = _kind_of_change(before, described)
            self.alike = now, count + 1 if now == kind else 1
        if now and self.alike[1] == _MANY_CONSTANTS:
            last = changed[0] if changed else "; ".join(_objects(described))
            warnings.warn(
                f"[compile] {self.name}: traced {_MANY_CONSTANTS} times for other {now}, the "
                f"last one {last}{_WARNINGS[now]}",
                stacklevel=2,
            )


def _is_array(leaf):
    return isinstance(leaf, _core.array) or (
        hasattr(type(leaf), "__dlpack__") and not isinstance(leaf, type)
    )


def _refuse_iterators(name, what, trees):
    """A generator or a coroutine is used up by the first call, and records are called again."""
    for tree in trees:
        kind = type(tree)
        if isinstance(tree, (dict, list, tuple)):
            _refuse_iterators(name, what, tree.values() if isinstance(tree, dict) else tree)
        elif hasattr(kind, "__next__") or hasattr(kind, "__await__"):
            raise TypeError(
                f"[compile] {name}: {what} is {kind.__name__}, which one call uses up; allowed are "
                "arrays, trees of them, and constants"
            )


def _rebuild(tree, items):
    kind = type(tree)
    return getattr(kind, "_make", kind)(items)  # a NamedTuple is made of its fields


def _replace(tree, placeholders):
    """The tree with the next placeholders for its arrays, in the order of the signature."""
    if isinstance(tree, dict):
        return {key: _replace(value, placeholders) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return _rebuild(tree, [_replace(item, placeholders) for item in tree])
    return next(placeholders) if _is_array(tree) else tree


def _items(container):
    return container.items() if isinstance(container, dict) else enumerate(container)


def _replace_in_place(container, placeholders, name):
    """Changes lists and dicts; a tuple that one of them holds is replaced by another."""
    for key, value in list(_items(container)):
        replaced = _replaced_item(value, placeholders, name)
        if replaced is value:
            continue
        if isinstance(container, tuple):
            raise TypeError(
                f"[compile] {name}: got inputs with an array in a {type(container).__name__}, "
                "allowed are lists and dicts, which can be changed"
            )
        container[key] = replaced


def _replaced_item(value, placeholders, name):
    if isinstance(value, (dict, list)):
        _replace_in_place(value, placeholders, name)
    elif isinstance(value, tuple):
        items = [_replaced_item(item, placeholders, name) for item in value]
        if any(new is not old for new, old in zip(items, value, strict=True)):
            return _rebuild(value, items)
    elif _is_array(value):
        return next(placeholders)
    return value


def _save(*trees):
    """Each list and dict in the trees with a copy of what it holds, once."""
    saved, met = [], set()
    _save_each(trees, saved, met)
    return saved


def _save_each(trees, saved, met):
    # A closure that calls itself would be a cycle that keeps saved, and its arrays, alive.
    for tree in trees:
        if not isinstance(tree, (dict, list, tuple)) or id(tree) in met:
            continue
        met.add(id(tree))
        if not isinstance(tree, tuple):
            saved.append((tree, dict(tree) if isinstance(tree, dict) else list(tree)))
        _save_each([value for _, value in _items(tree)], saved, met)


def _slots(tree, outputs, numbers, had=None, before=None):
    """The tree with a slot for each array, whose number is its place in outputs. Keys that were in
    `had`, a tree whose lists and dicts held what `before` tells, and are not now, have -1."""
    old = (before or {}).get(id(had), had)
    if isinstance(tree, dict):
        old = old if isinstance(old, dict) else {}
        slots = {
            key: _slots(value, outputs, numbers, old.get(key), before)
            for key, value in tree.items()
        }
        return slots | {key: _core._Slot(-1) for key in old if key not in tree}
    if isinstance(tree, (list, tuple)):
        old = old if isinstance(old, (list, tuple)) else ()
        pairs = itertools.zip_longest(tree, old[: len(tree)])
        return _rebuild(tree, [_slots(item, outputs, numbers, x, before) for item, x in pairs])
    if not isinstance(tree, _core.array):
        return tree
    if id(tree) not in numbers:
        numbers[id(tree)] = _core._Slot(len(outputs))
        outputs.append(tree)
    return numbers[id(tree)]


def _describe(path, tree):
    if isinstance(tree, (dict, list, tuple)):
        for key, value in _items(tree):
            yield from _describe(f"{path}[{key!r}]", value)
    elif isinstance(tree, _core.array):
        place = "" if tree.device == "cpu" else f" on {tree.device}"
        yield path, f"{tree.dtype.name} of shape {tree.shape}{_told_strides(tree)}{place}"
    elif isinstance(tree, (int, float, str)):
        yield path, repr(tree)
    else:
        yield path, _ObjectText(type(tree).__name__)


class _ObjectText(str):
    """The type of an object, whose value it does not tell."""

    __slots__ = ()


def _objects(described):
    return [
        f"{path}: {text}"
        for path, text in described.items()
        if isinstance(text, _ObjectText) and text != "NoneType"
    ]


def _changes(before, now):
    return [
        f"{path}: {before.get(path, 'nothing')} became {now.get(path, 'nothing')}"
        for path in {**before, **now}
        if before.get(path) != now.get(path)
    ]


def _unseen_change(described):
    """What makes arguments others that are described alike."""
    return "an object that is equal to none before" if _objects(described) else "other containers"


def _kind_of_change(before, now):
    """ "numbers" or "objects" where nothing else has changed, or None."""
    if _differ_in_numbers(before, now):
        return "numbers"
    return "objects" if before == now and _objects(now) else None


def _told_strides(array):
    """Strides, where they are not those of the shape alone."""
    usual, size = [], 1
    for extent in reversed(array.shape):
        usual.append(size)
        size *= max(extent, 1)
    strides = _core._signature_strides(array)
    return "" if strides == tuple(reversed(usual)) else f" with strides {strides}"


def _differ_in_numbers(before, now):
    def is_number(text):
        return text[:1].isdigit() or text[:1] in "-+"

    changed = [path for path in now if before.get(path) != now[path]]
    return (
        before.keys() == now.keys()
        and len(changed) > 0
        and all(is_number(before[path]) and is_number(now[path]) for path in changed)
    )
