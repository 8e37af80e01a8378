"""Nested sums: nodes of an associative and commutative op that one node of that op reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.graph.basic import Apply

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


def has_nested_sum(node: Apply) -> bool:
    """Whether an input of `node` is computed by the same op."""
    return node.op in [v.head for v in node.inputs]


def is_nested_sum(fgraph: FunctionGraph, node: Apply) -> bool:
    """Whether the only reader of `node` is one of the same op, which flattens it as it matches."""
    var = node.outputs[0]
    readers = fgraph.clients[var]
    if len(readers) != 1:
        return False
    reader = readers[0][0]
    if isinstance(reader, str) or reader.op is not node.op or len(node.outputs) != 1:
        return False
    kind = reader.outputs[0].type
    return var.type is kind or bool(var.type.in_same_class(kind))
