"""Parts of tensors, for PyTensor: read, set and added to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytensor.tensor as pt

from relgraph.tensor.indexing.advanced_subtensor import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.indexing.indices import symbolic_index
from relgraph.tensor.indexing.subtensor import IncSubtensor, Subtensor


def part(writer: Any, node: Any, x: Any, *indices: Any) -> Any:
    index = symbolic_index(node.op.idx_list, indices)
    return x[tuple(index)] if index else x


def changed(writer: Any, node: Any, x: Any, y: Any, *indices: Any) -> Any:
    """Write what sets or adds to a part; an index with new axes is carried."""
    index = symbolic_index(node.op.idx_list, indices)
    if None in node.op.idx_list:
        return None
    y = pt.cast(y, x.type.dtype)
    if not index:
        new = y if node.op.set_instead_of_inc else x + y
        return pt.second(x, new)
    change = pt.set_subtensor if node.op.set_instead_of_inc else pt.inc_subtensor
    return change(x[tuple(index)], y)


TABLE: dict[type, Callable[..., Any]] = {
    Subtensor: part,
    AdvancedSubtensor: part,
    IncSubtensor: changed,
    AdvancedIncSubtensor: changed,
}
