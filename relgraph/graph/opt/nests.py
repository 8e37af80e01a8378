"""Sums in sums, which a rewriter that regroups sees as one: a sum is a node of any op whose
arguments are a bag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply, Constant

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


def readers_alike(fgraph: FunctionGraph, node: Apply) -> list[Apply]:
    """The nodes of the same op that read `node`."""
    op = node.op
    readers = fgraph.clients[node.outputs[0]]
    return [n for n, _ in readers if not isinstance(n, str) and n.op is op]


def is_sum(head: Any) -> bool:
    """Whether a variable's head is an op whose arguments are a bag."""
    known = head is not None and head is not Constant
    return known and bool(head.associative and head.commutative)


def has_nest(node: Apply) -> bool:
    """Whether an input of `node` is computed by the same op."""
    return node.op in [v.head for v in node.inputs]


def is_nested(fgraph: FunctionGraph, node: Apply) -> bool:
    """Whether all that reads `node` is one node of its op, which takes it apart as it matches."""
    alike = readers_alike(fgraph, node)
    if len(alike) != 1 or len(fgraph.clients[node.outputs[0]]) != 1 or len(node.outputs) != 1:
        return False
    return bool(node.outputs[0].type.in_same_class(alike[0].outputs[0].type))
