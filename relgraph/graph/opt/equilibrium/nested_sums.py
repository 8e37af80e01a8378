"""Sums in sums, which a rewriter that regroups sees as one: a sum is a node of any op whose
arguments are a bag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relgraph.graph.basic import Apply

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


def has_nest(node: Apply) -> bool:
    """Whether an input of `node` is computed by the same op."""
    return node.op in [v.head for v in node.inputs]


def is_nested(fgraph: FunctionGraph, node: Apply) -> bool:
    """Whether all that reads `node` is one node of its op, which takes it apart as it matches."""
    var = node.outputs[0]
    readers = fgraph.clients[var]
    if len(readers) != 1:
        return False
    reader = readers[0][0]
    if isinstance(reader, str) or reader.op is not node.op or len(node.outputs) != 1:
        return False
    kind = reader.outputs[0].type
    return var.type is kind or bool(var.type.in_same_class(kind))
