"""Cumulative sums and products, and parts of them."""

from __future__ import annotations

from typing import Any

from cons import cons
from kanren.core import eq, lall

from relgraph import scalar
from relgraph.graph.kanren import argumentso, computo, one_cliento, whereo
from relgraph.tensor import CAReduce
from relgraph.tensor.along_axes.cumulative import Cumulate
from relgraph.tensor.indexing.indices import Slice
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.guards.axes import has_length_one
from relgraph.tensor.lawkit.reductions.cumulative import (
    axes_of_reduction,
    axis_after_index,
    is_last_along,
    is_prefix_along,
    is_summed_or_real,
)
from relgraph.tensor.lawkit.vocabulary import any_dtype_law, law, lvars, relation

a, b, i, n, s, x = lvars("a b i n s x")
indices, inner, part = lvars("indices inner part")


def cumulated(scalar_op: Any, v: Any) -> Any:
    """Return the cumulative sum or product of `v` along the axis `a`."""
    return Cumulate(scalar_op, a)(v)


TOTALS = (
    any_dtype_law("cumulate-one", cumulated(s, x), x, whereo(has_length_one, x, a)),
    any_dtype_law("cumsum-of-zeros", cumulated(scalar.add, 0), 0),
    any_dtype_law("cumprod-of-ones", cumulated(scalar.mul, 1), 1),
    law(
        "differences-of-cumsum",
        Subtensor((Slice(1),))(Cumulate(scalar.add, 0)(x))
        - Subtensor((Slice(None, -1),))(Cumulate(scalar.add, 0)(x)),
        Subtensor((Slice(1),))(x),  # cumsum(x)[1:] - cumsum(x)[:-1] → x[1:]
        sound="finite",
        complex=True,
    ),
)


@relation(
    "prefix-of-cumulate",
    depth=2,
    tries=(Subtensor(i)(cumulated(s, x)), Subtensor(i)(cumulated(s, x), n)),
)
def prefix_of_cumulateo(totals: Any, fewer: Any) -> Any:
    """``cumsum(x)[:n] → cumsum(x[:n])``, where nothing else reads ``cumsum(x)``"""
    return lall(
        argumentso(totals, Subtensor(i), cons(inner, indices)),
        eq(inner, cumulated(s, x)),
        one_cliento(inner),
        whereo(is_prefix_along, i, a),
        whereo(is_summed_or_real, s, x),
        computo(b, axis_after_index, i, a, x),
        argumentso(part, Subtensor(i), cons(x, indices)),
        eq(fewer, Cumulate(s, b)(part)),
    )


PARTS = (
    # where there is nothing to sum the last total is an error
    any_dtype_law(
        "last-of-cumulate",
        Subtensor(i)(cumulated(s, x)),
        CAReduce(s, b)(x),  # cumsum(x)[-1] → sum(x), and the same for a product
        whereo(is_last_along, i, a),
        whereo(is_summed_or_real, s, x),
        computo(b, axes_of_reduction, a),
        sound="rounding",
    ),
    prefix_of_cumulateo,
)
