"""The order of axes: dimshuffles and what they pass through.

A dimshuffle costs nothing itself, but hides what it is about. So it goes toward the leaves, through
every elementwise op that nothing else reads.
"""

from __future__ import annotations

from operator import attrgetter, getitem
from typing import Any

from kanren.core import eq, lall

from relgraph.graph.kanren import argumentso, computo, one_cliento, whereo
from relgraph.tensor import DimShuffle, Elemwise
from relgraph.tensor.assembly.joining import Join
from relgraph.tensor.lawkit.guards.results import is_found
from relgraph.tensor.lawkit.layout.axes import (
    before_each,
    common_dimshuffle,
    composed_order,
    each_dimshuffled,
    is_identity_order,
    is_made_of_few_ops,
)
from relgraph.tensor.lawkit.vocabulary import any_dtype_law, lvars, relation

a, b, m, n, o, p, q, s, x = lvars("a b m n o p q s x")


ORDERS = (
    any_dtype_law(
        "dimshuffle-of-dimshuffle",
        DimShuffle(n, o)(DimShuffle(m, p)(x)),
        DimShuffle(m, q)(x),  # q[i] = p[o[i]]
        computo(q, composed_order, o, p),
    ),
    any_dtype_law("dimshuffle-unneeded", DimShuffle(n, o)(x), x, whereo(is_identity_order, n, o)),
)


@relation("dimshuffle-of-elemwise", tags=("inward",), depth=2)
def dimshuffle_of_elemwiseo(shuffled: Any, lifted: Any) -> Any:
    """``(x + y).T → x.T + y.T``, for any elementwise op and any order, where nothing else reads
    ``x + y``"""
    inner, arguments, each = lvars("inner arguments each")
    return lall(
        eq(shuffled, DimShuffle(n, o)(inner)),
        argumentso(inner, Elemwise(s), arguments),
        one_cliento(inner),
        computo(each, each_dimshuffled, n, o, arguments),
        argumentso(lifted, Elemwise(s), each),
    )


@relation("dimshuffle-of-few-ops", depth=4)
def dimshuffle_of_few_opso(shuffled: Any, lifted: Any) -> Any:
    """``(x + y).T → x.T + y.T`` where few ops make `x` and `y`: this need not wait for the rest"""
    inner, arguments, each = lvars("inner arguments each")
    return lall(
        eq(shuffled, DimShuffle(n, o)(inner)),
        argumentso(inner, Elemwise(s), arguments),
        one_cliento(inner),
        whereo(is_made_of_few_ops, inner),
        computo(each, each_dimshuffled, n, o, arguments),
        argumentso(lifted, Elemwise(s), each),
    )


LIFTS = (dimshuffle_of_few_opso, dimshuffle_of_elemwiseo)


@relation("join-of-dimshuffles", depth=2)
def join_of_dimshuffleso(joined: Any, shuffled: Any) -> Any:
    """``join(1, x.T, y.T) → join(0, x, y).T``

    The arguments are looked at all at once: they may be a hundred thousand.
    """
    arguments, inner, parts, shuffle = lvars("arguments inner parts shuffle")
    return lall(
        argumentso(joined, Join(a), arguments),
        computo(shuffle, common_dimshuffle, a, arguments),  # of each argument
        whereo(is_found, shuffle),
        computo(n, attrgetter("input_ndim"), shuffle),
        computo(o, attrgetter("new_order"), shuffle),
        computo(b, getitem, o, a),  # b = o[a]
        computo(parts, before_each, arguments),
        argumentso(inner, Join(b), parts),
        eq(shuffled, DimShuffle(n, o)(inner)),
    )


SIDE_BY_SIDE = (join_of_dimshuffleso,)
