"""The order of axes: dimshuffles and what they pass through.

A dimshuffle costs nothing itself, but hides what it is about. So it goes toward the leaves, through
every elementwise op that nothing else reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter, getitem
from typing import Any

from kanren.core import eq, lall

from relgraph.graph.kanren import computo, one_cliento, whereo
from relgraph.graph.kanren.search.variadic import argumentso
from relgraph.tensor import DimShuffle, Elemwise
from relgraph.tensor.assembly.joining import Join
from relgraph.tensor.lawkit.arithmetic.terms import is_found
from relgraph.tensor.lawkit.guards.dependence import looking
from relgraph.tensor.lawkit.layout.axis_orders import (
    changes_nothing,
    composed_order,
    is_old_axis,
)
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars, relation

a, b, m, n, o, p, q, s, x = lvars("a b m n o p q s x")


def of_any(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law that holds for tensors of any dtype."""
    return law(name, lhs, rhs, *conditions, mixed=True, complex=True)


ORDERS = (
    of_any(
        "dimshuffle-of-dimshuffle",
        DimShuffle(n, o)(DimShuffle(m, p)(x)),
        DimShuffle(m, q)(x),
        computo(q, composed_order, o, p),
    ),
    of_any("dimshuffle-unneeded", DimShuffle(n, o)(x), x, whereo(changes_nothing, n, o)),
)


def each_shuffled(ndim: int, order: Sequence[int | str], arguments: Sequence[Any]) -> list[Any]:
    """Return the dimshuffle of each argument."""
    shuffle = DimShuffle(ndim, order)
    return [shuffle(v) for v in arguments]


def is_made_of_few(var: Any, levels: int = 2) -> bool:
    """Return whether so many levels below `var` there is nothing elementwise any more."""
    node = var.owner
    if node is None or not isinstance(node.op, Elemwise):
        return True
    few = levels > 0 and len(node.inputs) <= 3
    return few and all(is_made_of_few(v, levels - 1) for v in node.inputs)


@relation("dimshuffle-of-elemwise", tags=("inward",), depth=2)
def dimshuffle_of_elemwiseo(shuffled: Any, lifted: Any) -> Any:
    """``(x + y).T → x.T + y.T``, for any elementwise op and any order, where nothing else reads
    ``x + y``"""
    inner, arguments, each = lvars("inner arguments each")
    return lall(
        eq(shuffled, DimShuffle(n, o)(inner)),
        argumentso(inner, Elemwise(s), arguments),
        one_cliento(inner),
        computo(each, each_shuffled, n, o, arguments),
        argumentso(lifted, Elemwise(s), each),
    )


@relation("dimshuffle-of-few-ops", depth=4)
def dimshuffle_of_few_opso(shuffled: Any, lifted: Any) -> Any:
    """The same where it has not far to go, so that it need not wait for the rest."""
    inner, arguments, each = lvars("inner arguments each")
    return lall(
        eq(shuffled, DimShuffle(n, o)(inner)),
        argumentso(inner, Elemwise(s), arguments),
        one_cliento(inner),
        whereo(is_made_of_few, inner),
        computo(each, each_shuffled, n, o, arguments),
        argumentso(lifted, Elemwise(s), each),
    )


LIFTS = (dimshuffle_of_few_opso, dimshuffle_of_elemwiseo)


@looking(2)
def common_dimshuffle(axis: int, variables: Sequence[Any]) -> Any:
    """Return the `DimShuffle` that made each of `variables`, if `axis` is none of its new ones."""
    op = variables[0].head
    alike = isinstance(op, DimShuffle) and all(v.head is op for v in variables)
    return op if alike and is_old_axis(op.new_order, axis) else None


@looking(2)
def before_each(variables: Sequence[Any]) -> list[Any]:
    """Return the first input of the node of each variable."""
    return [v.owner.inputs[0] for v in variables]


@relation("join-of-dimshuffles", depth=2)
def join_of_dimshuffleso(joined: Any, shuffled: Any) -> Any:
    """``join(1, x.T, y.T) → join(0, x, y).T``

    The arguments are looked at all at once: they may be a hundred thousand.
    """
    arguments, inner, parts, shuffle = lvars("arguments inner parts shuffle")
    return lall(
        argumentso(joined, Join(a), arguments),
        computo(shuffle, common_dimshuffle, a, arguments),
        whereo(is_found, shuffle),
        computo(n, attrgetter("input_ndim"), shuffle),
        computo(o, attrgetter("new_order"), shuffle),
        computo(b, getitem, o, a),
        computo(parts, before_each, arguments),
        argumentso(inner, Join(b), parts),
        eq(shuffled, DimShuffle(n, o)(inner)),
    )


SIDE_BY_SIDE = (join_of_dimshuffleso,)
