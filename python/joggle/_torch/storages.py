# SPDX-License-Identifier: Apache-2.0
"""The storages of results: which ones share one, and tensors that lie in it as torch's do."""

import torch

from joggle._torch.lower import base_of


def stride_in_storage(graph):
    """Makes as_strided of a view one of the node whose memory the view is of. Strides and offset
    count in the storage, and a view that joggle gives to torch lacks the rest of its storage."""
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.as_strided.default):
        view, size, stride, *offset = node.args
        base = base_of(view)
        if base is not view:
            offset = offset[0] if offset and offset[0] is not None else None
            like = view.meta["val"]
            node.args = (base, size, stride, like.storage_offset() if offset is None else offset)


def view_of(base, x):
    """x as a view, so that storage, offset and version are those that it has in torch."""
    offset = x.data_ptr() - base.data_ptr()
    if x.numel() == 0 or not 0 <= offset < base.untyped_storage().nbytes():
        return x
    place = base.storage_offset() + offset // x.element_size()
    return base.as_strided(x.shape, x.stride(), place)


def bases_of(output, placeholders):
    """(place, place of the argument) for each result that is a view of one."""
    places = {node: i for i, node in enumerate(placeholders)}
    return [
        (place, places[base_of(x)])
        for place, x in enumerate(output)
        if isinstance(x, torch.fx.Node) and x not in places and base_of(x) in places
    ]


def views_of(output):
    """(place, place of the base) for each result that is a view of another one, or of a tensor that
    another result has all of."""
    nodes = [x if isinstance(x, torch.fx.Node) else None for x in output]
    places = {node: i for i, node in reversed(list(enumerate(nodes))) if node is not None}
    together = {}
    for place, node in enumerate(nodes):
        if node is not None:
            together.setdefault(base_of(node), []).append(place)
    for base, sharing in together.items():
        if base not in places and len(sharing) > 1:
            places[base] = _widest(nodes, sharing)
    return [
        (place, places[base])
        for base, sharing in together.items()
        for place in sharing
        if places.get(base) not in (None, place) and nodes[place] is not base
    ]


def _widest(nodes, places):
    """The place of the result that begins first and ends last; None if no result does."""
    likes = {place: nodes[place].meta["val"] for place in places}
    numbers = [n for x in likes.values() for n in (*x.shape, *x.stride(), x.storage_offset())]
    if not all(isinstance(n, int) for n in numbers):
        return None  # of symbols there is no order that holds for all sizes
    starts = {place: like.storage_offset() for place, like in likes.items()}
    ends = {place: end_of(like) for place, like in likes.items()}
    first, last = min(starts.values()), max(ends.values())
    return next((i for i in places if starts[i] == first and ends[i] == last), None)


def end_of(like):
    """The end of a tensor's last element in its storage."""
    last = sum((n - 1) * stride for n, stride in zip(like.shape, like.stride(), strict=True))
    return like.storage_offset() + (last + 1 if like.numel() else 0)
