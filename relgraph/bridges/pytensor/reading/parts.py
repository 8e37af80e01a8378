"""Parts of tensors: read, set and added to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import relgraph.tensor as at
from relgraph.tensor.indexing.advanced_subtensor import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.indexing.indices import IndexList, Placeholder, Slice, parse_index
from relgraph.tensor.indexing.subtensor import IncSubtensor, Subtensor


def _index(op: Any, x: Any, indices: Sequence[Any]) -> tuple[IndexList, list[Any]]:
    """Return the index of an op of PyTensor's as the ops here have it, and its inputs."""

    def entry(part: Any) -> Any:
        if not isinstance(part, slice):
            return indices[part]
        ends = (part.start, part.stop, part.step)
        return slice(*[None if end is None else indices[end] for end in ends])

    return parse_index(tuple(map(entry, op.idx_list)), x.type.ndim)


def part(reader: Any, node: Any, x: Any, *indices: Any) -> Any:
    entries, inputs = _index(node.op, x, indices)
    trace = reader.traces.get(node.inputs[0])
    of_loop = None if trace is None or not entries else trace.part(entries, inputs)
    if of_loop is not None:
        return of_loop
    return (AdvancedSubtensor if _has_array(entries) else Subtensor)(entries)(x, *inputs)


def changed(reader: Any, node: Any, x: Any, y: Any, *indices: Any) -> Any:
    """Read what sets or adds to a part; where repeated indices count once, it is held."""
    op = node.op
    entries, inputs = _index(op, x, indices)
    if getattr(op, "ignore_duplicates", False) and not op.set_instead_of_inc:
        return None
    kind = AdvancedIncSubtensor if _has_array(entries) else IncSubtensor
    y = at.cast(y, x.type.dtype)
    return kind(entries, False, op.set_instead_of_inc)(x, y, *inputs)


def rows(reader: Any, node: Any, x: Any, indices: Any) -> Any:
    entries, inputs = parse_index((indices,), x.type.ndim)
    return AdvancedSubtensor(entries)(x, *inputs)


def changed_rows(reader: Any, node: Any, x: Any, y: Any, indices: Any) -> Any:
    entries, inputs = parse_index((indices,), x.type.ndim)
    y = at.cast(y, x.type.dtype)
    return AdvancedIncSubtensor(entries, False, node.op.set_instead_of_inc)(x, y, *inputs)


def _has_array(entries: IndexList) -> bool:
    return any(e is Placeholder.ARRAY for e in entries if not isinstance(e, Slice))


TABLE: dict[str, Callable[..., Any]] = {
    "tensor.subtensor.Subtensor": part,
    "tensor.subtensor.IncSubtensor": changed,
    "tensor.subtensor.AdvancedSubtensor": part,
    "tensor.subtensor.AdvancedIncSubtensor": changed,
    "tensor.subtensor.AdvancedSubtensor1": rows,
    "tensor.subtensor.AdvancedIncSubtensor1": changed_rows,
}
