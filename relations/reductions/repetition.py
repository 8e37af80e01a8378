"""Running totals, and parts of them."""

from __future__ import annotations

from typing import Any

from cons import cons
from kanren.core import eq, lall

from relgraph import scalar
from relgraph.graph.kanren import computo, one_cliento, whereo
from relgraph.graph.kanren.search.variadic import argumentso
from relgraph.tensor import CAReduce
from relgraph.tensor.along_axes.repetition import Cumulate
from relgraph.tensor.indexing.indices import Slice
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.arithmetic.multiplicity import has_length_one_along
from relgraph.tensor.lawkit.layout.part_indices import axis_in_part, is_last, is_prefix
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars, relation

a, b, i, s, x = lvars("a b i s x")
indices, inner, part = lvars("indices inner part")


def of_any(name: str, lhs: Any, rhs: Any, *conditions: Any, sound: str = "exact") -> Law:
    """Return a law that holds for tensors of any dtype."""
    return law(name, lhs, rhs, *conditions, sound=sound, mixed=True, complex=True)


def is_single(v: Any, axis: int) -> bool:
    """Return whether an axis is known to have length 1."""
    return has_length_one_along(v, (axis,))


def running(scalar_op: Any, v: Any) -> Any:
    """Return the running totals of `v` along the axis `a`."""
    return Cumulate(scalar_op, a)(v)


TOTALS = (
    of_any("cumulate-one", running(s, x), x, whereo(is_single, x, a)),
    of_any("cumsum-of-zeros", running(scalar.add, 0), 0),
    of_any("cumprod-of-ones", running(scalar.mul, 1), 1),
    law(
        "differences-of-cumsum",
        Subtensor((Slice(1),))(Cumulate(scalar.add, 0)(x))
        - Subtensor((Slice(None, -1),))(Cumulate(scalar.add, 0)(x)),
        Subtensor((Slice(1),))(x),
        sound="finite",
        complex=True,
    ),
)


def only(axis: int) -> tuple[int]:
    """Return an axis as the axes of a reduction."""
    return (axis,)


@relation("prefix-of-cumulate", depth=2)
def prefix_of_cumulateo(totals: Any, fewer: Any) -> Any:
    """``cumsum(x)[:n] → cumsum(x[:n])``, where nothing else reads the totals"""
    return lall(
        argumentso(totals, Subtensor(i), cons(inner, indices)),
        eq(inner, running(s, x)),
        one_cliento(inner),
        whereo(is_prefix, i, a),
        computo(b, axis_in_part, i, a, x),
        argumentso(part, Subtensor(i), cons(x, indices)),
        eq(fewer, Cumulate(s, b)(part)),
    )


PARTS = (
    # where there is nothing to sum there was no last total, but an error
    of_any(
        "last-of-cumulate",
        Subtensor(i)(running(s, x)),
        CAReduce(s, b)(x),
        whereo(is_last, i, a),
        computo(b, only, a),
        sound="rounding",
    ),
    prefix_of_cumulateo,
)
"""What is asked of running totals."""
