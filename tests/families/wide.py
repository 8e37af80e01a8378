"""Wide sums: one op of many terms of one kind, on which a law may look at all pairs.

A constant and an input stand beside them, so that laws about these are tried too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import relations
import relgraph.tensor as at
from relgraph.graph.fg import FunctionGraph
from tests.families.counting import calls_of

OPS = {
    str(op): op
    for op in (at.add, at.mul, at.maximum, at.minimum, at.and_, at.or_, at.xor, at.logaddexp)
}


def x(i: int) -> Any:
    return at.dvector(f"x{i}")


def y(i: int) -> Any:
    return at.dvector(f"y{i}")


def flag(i: int) -> Any:
    return x(i) > y(i)


shared, matrix, chosen = at.dvector("shared"), at.dmatrix("matrix"), at.bvector("chosen")

_OF_ONE = (
    *(at.exp, at.log, at.sqr, at.sqrt, at.sigmoid, at.tanh, at.abs, at.neg, at.expm1, at.log1p),
    *(at.softplus, at.sin, at.cos, at.cosh, at.reciprocal, at.floor, at.sign),
)
TERMS: dict[str, Callable[[int], Any]] = {
    "an input": x,
    **{f"{op} of an input": lambda i, op=op: op(x(i)) for op in _OF_ONE},
    **{f"{op} of what is shared": lambda i, op=op: op(shared, x(i)) for op in (at.mul, at.pow)},
    "a constant": lambda i: at.constant([float(i), 1.0]),
    "a multiple": lambda i: (i + 2.0) * x(i),
    "a product": lambda i: x(i) * y(i),
    "a quotient": lambda i: x(i) / y(i),
    "a quotient by what is shared": lambda i: x(i) / shared,
    "a quotient of what is shared": lambda i: shared / x(i),
    "a share of what is left": lambda i: (1 - x(i)) * y(i),
    "a shared share of what is left": lambda i: (1 - x(i)) * shared,
    "a difference": lambda i: x(i) - y(i),
    "a difference from what is shared": lambda i: shared - x(i),
    "a difference from one": lambda i: 1 - x(i),
    "an entropy": lambda i: x(i) * at.log(x(i)),
    "a weighted square": lambda i: at.sqr(x(i)) * y(i),
    "a power": lambda i: x(i) ** 3.5,
    "a product of exponentials": lambda i: at.exp(x(i)) * at.exp(y(i)),
    "a weighted sigmoid": lambda i: at.sigmoid(x(i)) * y(i),
    "a sigmoid of either sign": lambda i: at.sigmoid(x(i // 2) if i % 2 else -x(i // 2)),
    "an exponential of either sign": lambda i: at.exp(x(i // 2) if i % 2 else -x(i // 2)),
    "a squared sine or cosine": lambda i: at.sqr((at.sin, at.cos)[i % 2](x(i // 2))),
    "at most a number": lambda i: at.minimum(x(i), 1000.0 + i),
    "at least a number": lambda i: at.maximum(x(i), 1000.0 + i),
    "the smaller of two": lambda i: at.minimum(x(i), y(i)),
    "the negative of an extreme": lambda i: -at.maximum(x(i), y(i)),
    "a choice": lambda i: at.switch(flag(i), x(i), 0.0),
    "a choice by what is shared": lambda i: at.switch(chosen, x(i), y(i)),
    "a masked number": lambda i: flag(i) * x(i),
    "an element": lambda i: shared[i],
    "a sum over an axis": lambda i: at.sum(at.dmatrix(f"m{i}"), axis=0),
    "a matrix product": lambda i: at.dot(at.dmatrix(f"m{i}"), matrix),
    "a comparison": flag,
    "what is not": lambda i: ~flag(i),
    "a comparison with a number": lambda i: shared < float(i),
    "an equality": lambda i: at.eq(shared, float(i)),
    "a comparison with what is shared": lambda i: shared < x(i),
    "both of two": lambda i: flag(i) & flag(i + 1),
    "not a number": lambda i: at.isnan(x(i)),
}

PHASES = (relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE)
LAWS = {law.name: law for phase in PHASES for law in phase}


def calls_by_law(op: Any, term: Callable[[int], Any], terms: int) -> Iterator[tuple[str, int]]:
    """Yield each law that may match a sum of so many terms, with the calls of functions that it
    makes there; nothing if there is no such sum."""
    beside = (True, at.bvector("one")) if op in (at.and_, at.or_, at.xor) else (2.5, shared)
    try:
        whole = op(*beside, *map(term, range(terms)))
    except TypeError:
        return
    fgraph = FunctionGraph(outputs=[whole], clone=False)
    fgraph.merged = True
    node = fgraph.outputs[0].owner
    for name, law in LAWS.items():
        rewriter = law.forward
        tracks = rewriter.tracks()
        if (tracks is None or op in tracks or type(op) in tracks) and rewriter.might_match(node):
            attempt = partial(rewriter.transform, fgraph, node)
            attempt()
            # what is known of a graph is forgotten when it changes
            fgraph.known.clear()
            yield name, calls_of(attempt)[0]
