# SPDX-License-Identifier: Apache-2.0
"""Operations that the threads of a subgroup or a block do together (threads.py): numbers of other
threads, sums, running sums, votes. Bits of a number stand for the threads of a subgroup."""

from functools import partial

from ..ir import arithmetic
from ..ir.arithmetic import convert, is_number
from ..ir.emit import describe
from ..ir.messages import KernelTypeError
from ..ir.promotion import integer_range, is_float
from ..value.functions import COMBINING
from ..value.values import Local
from .func import Func
from .threads import (
    LANES,
    Exchange,
    SharedArray,
    combined,
    function_of,
    lane_of,
    meet,
    new_array,
    size_of_block,
)


def _scalar(name, value):
    if not is_number(value):
        raise KernelTypeError(f"{name}: got {describe(value)}, allowed are numbers")
    return value


def _log2(log2_size):
    found = getattr(log2_size, "constant", log2_size)
    if not isinstance(found, int) or not 0 <= found <= 5:
        raise KernelTypeError(f"log2_size: got {describe(log2_size)}, allowed are 0 to 5")
    return found


def _shuffled(lowering, value, choose):
    """The value of the thread in the subgroup that choose(own number there) names; the thread's own
    where there is no such."""

    def one(item):
        emitter, exchange = lowering.emitter, Exchange(lowering, item)
        lane = lane_of(lowering)
        index = convert(emitter, choose(lane), "int32")
        thread = exchange.thread - lane + index
        inside = (index >= 0) & (index < LANES) & (thread < exchange.count)
        found = exchange.at(arithmetic.select(emitter, inside, thread, exchange.thread))
        exchange.close()
        return found

    return lowering.map(one, value)


@function_of("subgroup", "value, index", "shuffle", "broadcast")
def _shuffle(lowering, value, index):
    return _shuffled(lowering, value, lambda lane: index)


@function_of("subgroup", "value, mask")
def _shuffle_xor(lowering, value, mask):
    mask = convert(lowering.emitter, mask, "int32")
    return _shuffled(lowering, value, lambda lane: lane ^ mask)


@function_of("subgroup", "value, offset")
def _shuffle_up(lowering, value, offset):
    offset = convert(lowering.emitter, offset, "int32")
    return _shuffled(lowering, value, lambda lane: lane - offset)


@function_of("subgroup", "value, offset")
def _shuffle_down(lowering, value, offset):
    offset = convert(lowering.emitter, offset, "int32")
    return _shuffled(lowering, value, lambda lane: lane + offset)


@function_of("subgroup", "value")
def _broadcast_first(lowering, value):
    return _shuffled(lowering, value, lambda lane: 0)


for _name, _handler in {"": _shuffle, "_up": _shuffle_up, "_down": _shuffle_down}.items():
    for _kind in ("i32", "f32"):
        _what = f"shfl{_name}_{_kind}" if _name else f"shfl_sync_{_kind}"
        function_of("warp", "mask, val, offset", _what)(
            lambda lowering, mask, val, offset, handler=_handler: handler(lowering, val, offset)
        )
function_of("warp", "mask, val, offset", "shfl_xor_i32")(
    lambda lowering, mask, val, offset: _shuffle_xor(lowering, val, offset)
)


def identity(operator, dtype):
    """The number that leaves any number unchanged when it is combined with it."""
    if operator in ("add", "or", "xor"):
        return 0
    if operator == "multiply":
        return 1
    if operator == "and":
        return -1 if dtype.startswith("int") else integer_range(dtype)[1]
    if is_float(dtype):
        return float("inf") if operator == "minimum" else float("-inf")
    return integer_range(dtype)[1 if operator == "minimum" else 0]


def _together(operator, bounds):
    """A handler: numbers of a tile combined; bounds(exchange, first, last) says which ones."""

    def handler(lowering, value, log2_size=5):
        _scalar("value", value)
        exchange = Exchange(lowering, value)
        first, last = bounds(exchange, *exchange.tile(_log2(log2_size)))
        start = identity(operator, exchange.dtype)
        combine = partial(combined, lowering.emitter, operator)
        found = exchange.fold(first, last, start, combine)
        exchange.close()
        return found

    return handler


_BOUNDS = {
    "reduce": lambda exchange, first, last: (first, last),
    "reduce_all": lambda exchange, first, last: (first, last),
    "inclusive": lambda exchange, first, last: (first, exchange.thread + 1),
    "exclusive": lambda exchange, first, last: (first, exchange.thread),
}
for _kind, _limits in _BOUNDS.items():
    for _name, _operator in COMBINING.items():
        _handler = _together(_operator, _limits)
        function_of("subgroup", "value", f"{_kind}_{_name}")(_handler)
        function_of("subgroup", "value, log2_size", f"{_kind}_{_name}_tiled")(_handler)


def _in_segments(operator):
    """A handler: numbers combined from the last thread on whose flag is set."""

    def handler(lowering, value, head_flag, log2_size=5):
        emitter = lowering.emitter
        flags = Exchange(lowering, emitter.scalar(arithmetic.truth(emitter, head_flag)))
        exchange = Exchange(lowering, _scalar("value", value))
        first, _ = exchange.tile(_log2(log2_size))
        start = Local(emitter, "int32")
        start.write(emitter.scalar(first, "int32"))
        threads = emitter.loop(first, exchange.thread + 1)
        with threads as k, emitter.when(flags.takes_part(k) & flags.at(k)):
            start.write(emitter.scalar(k, "int32"))
        combine = partial(combined, emitter, operator)
        last, zero = exchange.thread + 1, identity(operator, exchange.dtype)
        found = exchange.fold(start.read(), last, zero, combine)
        exchange.close()
        flags.close()
        return found

    return handler


for _name in ("add", "min", "max"):
    _handler = _in_segments(COMBINING[_name])
    function_of("subgroup", "value, head_flag", f"segmented_reduce_{_name}")(_handler)
    function_of("subgroup", "value, head_flag, log2_size", f"segmented_reduce_{_name}_tiled")(
        _handler
    )


def _votes(group, parameters, name, operator):
    def handler(lowering, predicate, log2_size=5):
        emitter = lowering.emitter
        truth = emitter.cast(emitter.scalar(arithmetic.truth(emitter, predicate)), "int32")
        return _together(operator, _BOUNDS["reduce"])(lowering, truth, log2_size)

    if group == "warp":
        function_of(group, parameters, name)(lambda lowering, mask, x: handler(lowering, x))
    else:
        function_of(group, parameters, name)(handler)


for _tiled, _more in (("", ""), ("_tiled", ", log2_size")):
    _votes("subgroup", f"predicate{_more}", f"all_true{_tiled}", "minimum")
    _votes("subgroup", f"predicate{_more}", f"any_true{_tiled}", "maximum")
_votes("warp", "mask, predicate", "all_nonzero", "minimum")
_votes("warp", "mask, predicate", "any_nonzero", "maximum")


@function_of("subgroup", "value, log2_size=5", "all_equal", "all_equal_tiled")
def _all_equal(lowering, value, log2_size=5):
    emitter, exchange = lowering.emitter, Exchange(lowering, _scalar("value", value))
    first, last = exchange.tile(_log2(log2_size))
    same = Local(emitter, "bool")
    same.write(emitter.constant(True, "bool"))
    threads = emitter.loop(first, last)
    with threads as k, emitter.when(exchange.takes_part(k) & (exchange.at(k) != exchange.value)):
        same.write(emitter.constant(False, "bool"))
    exchange.close()
    return emitter.cast(same.read(), "int32")


@function_of("warp", "mask, predicate")
def _unique(lowering, mask, predicate):
    return _all_equal(lowering, predicate)


@function_of("warp", "mask, value")
def _match_all(lowering, mask, value):
    return _all_equal(lowering, value)


def _bits(lowering, exchange, holds, dtype):
    """A number with a bit for each thread of the subgroup that takes part and for which holds(k)
    is true."""
    emitter = lowering.emitter
    first, last = exchange.tile(5)
    bits = Local(emitter, dtype)
    bits.write(emitter.constant(0, dtype))
    with emitter.loop(first, last) as k, emitter.when(exchange.takes_part(k) & holds(k)):
        place = emitter.cast(k - first, dtype)
        one = emitter.instruct(dtype, "shift_left", emitter.constant(1, dtype), place)
        bits.write(emitter.instruct(dtype, "or", bits.read(), one))
    found = bits.read()
    exchange.close()
    return found


def _ballot_of(lowering, predicate, dtype):
    emitter = lowering.emitter
    exchange = Exchange(lowering, emitter.scalar(arithmetic.truth(emitter, predicate)))
    return _bits(lowering, exchange, exchange.at, dtype)


@function_of("subgroup", "predicate", "ballot", "ballot_full_subgroup")
def _ballot(lowering, predicate):
    return _ballot_of(lowering, predicate, "uint64")


@function_of("subgroup", "predicate, n")
def _ballot_first_n(lowering, predicate, n):
    n = getattr(n, "constant", n)
    if not isinstance(n, int) or not 1 <= n <= LANES:
        raise KernelTypeError(f"n: got {describe(n)}, allowed are 1 to {LANES}")
    return _ballot_of(lowering, predicate, "uint32") & ((1 << n) - 1)


@function_of("warp", "predicate", "ballot")
def _warp_ballot(lowering, predicate):
    return lowering.emitter.cast(_ballot_of(lowering, predicate, "uint32"), "int32")


@function_of("warp", "")
def _active_mask(lowering):
    return _warp_ballot(lowering, lowering.emitter.constant(True, "bool"))


@function_of("warp", "mask, value")
def _match_any(lowering, mask, value):
    exchange = Exchange(lowering, _scalar("value", value))
    found = _bits(lowering, exchange, lambda k: exchange.at(k) == exchange.value, "uint32")
    return lowering.emitter.cast(found, "int32")


@function_of("subgroup", "key, value, log2_size=5", "bitonic_sort_kv", "bitonic_sort_kv_tiled")
def _sort(lowering, key, value, log2_size=5):
    """Pairs of a tile in ascending order: each thread takes the place of how many come before."""
    emitter = lowering.emitter
    keys, values = Exchange(lowering, _scalar("key", key)), Exchange(lowering, value)
    first, last = keys.tile(_log2(log2_size))
    place = Local(emitter, "int32")
    place.write(emitter.scalar(first, "int32"))
    with emitter.loop(first, last) as k, emitter.when(keys.takes_part(k)):
        x, y = keys.at(k), values.at(k)
        earlier = (y == values.value) & (k < keys.thread) | (y < values.value)
        before = (x < keys.value) | (x == keys.value) & earlier
        place.write(place.read() + emitter.cast(emitter.scalar(before), "int32"))
    found = [exchange.moved(place.read()) for exchange in (keys, values)]
    values.close()
    keys.close()
    return tuple(found)


def _lanemask(name, compare):
    def handler(lowering, lane_id):
        bits, emitter = 0, lowering.emitter
        lane = convert(emitter, lane_id, "int32")
        for k in range(LANES):
            one = emitter.constant(1 << k, "uint32")
            zero = emitter.constant(0, "uint32")
            bits = bits | arithmetic.select(emitter, compare(k, lane), one, zero)
        return bits

    function_of("subgroup", "lane_id", f"lanemask_{name}")(handler)


for _name, _compare in {
    "lt": lambda k, lane: lane > k,
    "le": lambda k, lane: lane >= k,
    "eq": lambda k, lane: lane == k,
    "gt": lambda k, lane: lane < k,
    "ge": lambda k, lane: lane <= k,
}.items():
    _lanemask(_name, _compare)


def _whole(lowering, predicate, operator):
    """Numbers of all threads of the block combined."""
    exchange = Exchange(lowering, predicate)
    start = identity(operator, exchange.dtype)
    combine = partial(combined, lowering.emitter, operator)
    found = exchange.fold(0, exchange.count, start, combine)
    exchange.close()
    return found


def _counted(lowering, predicate):
    emitter = lowering.emitter
    return emitter.cast(emitter.scalar(arithmetic.truth(emitter, predicate)), "int32")


for _name, _operator in {"all": "minimum", "any": "maximum", "count": "add"}.items():
    function_of("block", "predicate", f"sync_{_name}_nonzero")(
        lambda lowering, predicate, operator=_operator: _whole(
            lowering, _counted(lowering, predicate), operator
        )
    )


def _check_size(block_dim, size, which):
    known = getattr(block_dim, "constant", block_dim)
    if known != size:
        raise KernelTypeError(f"block_dim: got {describe(block_dim)}, allowed is {which}{size}")


def _folded(lowering, value, block_dim, combine, start, dtype, bounds):
    """Values of the block's threads combined in order."""
    _check_size(block_dim, size_of_block(lowering), "the loop's, ")
    value = convert(lowering.emitter, value, lowering.types.dtype_name(dtype))
    exchange = Exchange(lowering, value)
    first, last = bounds(exchange, 0, exchange.count)
    if start is None:  # the first value
        found = _from_first(exchange, first, last, combine)
    else:
        found = exchange.fold(first, last, start(exchange.dtype), combine)
    exchange.close()
    return found


def _from_first(exchange, first, last, combine):
    """The same where nothing is known that changes nothing when combined."""
    emitter = exchange.emitter
    total, begun = Local(emitter, exchange.dtype), Local(emitter, "bool")
    with emitter.loop(first, last) as k, emitter.when(exchange.takes_part(k)):
        x = exchange.at(k)
        with emitter.when(begun.read()):
            total.write(convert(emitter, combine(total.read(), x), exchange.dtype))
        with emitter.when(arithmetic.negation(emitter, begun.read())):
            total.write(x)
        begun.write(emitter.constant(True, "bool"))
    return total.read()


def _calling(lowering, op):
    if not isinstance(op, Func) and not callable(op):
        raise KernelTypeError(f"op: got {describe(op)}, allowed are functions of two values")
    return lambda a, b: lowering.call(op, [a, b], {})


@function_of("block", "value, block_dim, op, dtype", "reduce", "reduce_all")
def _reduce(lowering, value, block_dim, op, dtype):
    combine = _calling(lowering, op)
    return _folded(lowering, value, block_dim, combine, None, dtype, _BOUNDS["reduce"])


@function_of("block", "value, block_dim, op, dtype")
def _inclusive_scan(lowering, value, block_dim, op, dtype):
    combine = _calling(lowering, op)
    return _folded(lowering, value, block_dim, combine, None, dtype, _BOUNDS["inclusive"])


@function_of("block", "value, block_dim, op, identity, dtype")
def _exclusive_scan(lowering, value, block_dim, op, identity, dtype):
    combine = _calling(lowering, op)
    bounds = _BOUNDS["exclusive"]
    return _folded(lowering, value, block_dim, combine, lambda _: identity, dtype, bounds)


def _block_function(kind, operator):
    def handler(lowering, value, block_dim, dtype):
        combine = partial(combined, lowering.emitter, operator)
        start = partial(identity, operator)
        return _folded(lowering, value, block_dim, combine, start, dtype, _BOUNDS[kind])

    return handler


for _kind in _BOUNDS:
    for _name in ("add", "min", "max"):
        function_of("block", "value, block_dim, dtype", f"{_kind}_{_name}")(
            _block_function(_kind, COMBINING[_name])
        )


def _known(name, value, least, most):
    found = getattr(value, "constant", value)
    if not isinstance(found, int) or not least <= found <= most:
        raise KernelTypeError(f"{name}: got {describe(value)}, allowed are {least} to {most}")
    return found


def _check_counts(name, array, digits):
    if not isinstance(array, SharedArray) or array.dtype != "int32" or array.shape != (digits,):
        raise KernelTypeError(
            f"{name}: got {describe(array)}, allowed are shared arrays of {digits} int32"
        )


def _digit(lowering, key, bit_start, num_bits):
    """Those bits of a key, whose sign is one of them."""
    emitter, key = lowering.emitter, lowering.emitter.scalar(_scalar("key", key))
    if key.dtype not in ("int32", "uint32", "int64", "uint64"):
        raise KernelTypeError(f"key: got {describe(key)}, allowed are integers of 32 or 64 bits")
    dtype = f"uint{key.dtype[-2:]}"
    place = convert(emitter, bit_start, dtype)
    shifted = emitter.instruct(dtype, "shift_right", convert(emitter, key, dtype), place)
    mask = emitter.constant((1 << num_bits) - 1, dtype)
    return emitter.cast(emitter.instruct(dtype, "and", shifted, mask), "int32")


@function_of("block", "key, block_dim, radix_bits, bit_start, num_bits, bins, excl_prefix")
def _radix_rank_match_atomic_or(
    lowering, key, block_dim, radix_bits, bit_start, num_bits, bins, excl_prefix
):
    """A thread's place if the block's keys are ordered by a digit, equal ones by their threads. One
    thread counts for all, whichever comes last to say that it takes part."""
    radix_bits = _known("radix_bits", radix_bits, 0, 16)
    num_bits = _known("num_bits", num_bits, 0, radix_bits)
    digits, emitter = 1 << radix_bits, lowering.emitter
    _check_size(block_dim, size_of_block(lowering), "the loop's, ")
    _check_size(block_dim, digits, "1 << radix_bits, ")
    for name, array in {"bins": bins, "excl_prefix": excl_prefix}.items():
        _check_counts(name, array, digits)
    ranks, counting = new_array(lowering, "int32", digits), new_array(lowering, "int32", 1)
    nought = emitter.constant(0, "int32")
    exchange = Exchange(lowering, _digit(lowering, key, bit_start, num_bits))
    emitter.set(counting, exchange.thread, nought)
    meet(lowering)
    with emitter.when(emitter.get(counting, "int32", nought) == exchange.thread):
        with emitter.loop(0, digits) as d:
            bins.at(lowering, (d,)).write(nought)
        with emitter.loop(0, digits) as k, emitter.when(exchange.takes_part(k)):
            count = bins.at(lowering, (exchange.at(k),))
            one = emitter.constant(1, "int32")
            emitter.set(ranks, count.update("add", one), emitter.scalar(k, "int32"))
        total = Local(emitter, "int32")
        total.write(nought)
        with emitter.loop(0, digits) as d:
            excl_prefix.at(lowering, (d,)).write(total.read())
            total.write(combined(emitter, "add", total.read(), bins.at(lowering, (d,)).read()))
    meet(lowering)
    before = excl_prefix.at(lowering, (exchange.value,)).read()
    rank = combined(emitter, "add", before, emitter.get(ranks, "int32", exchange.thread))
    exchange.close()
    return rank
