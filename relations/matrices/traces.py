"""Diagonals and traces of products, without the products."""

from __future__ import annotations

from typing import Any

from kanren.core import eq, lall

from relations.matrices.linear import transposed
from relgraph.graph.kanren import computo, one_cliento, whereo
from relgraph.tensor import sum as sum_
from relgraph.tensor.indexing.advanced_subtensor import AdvancedIncSubtensor, AdvancedSubtensor
from relgraph.tensor.indexing.indices import Placeholder
from relgraph.tensor.lawkit.guards.results import is_found
from relgraph.tensor.lawkit.guards.types import ranko, realo, same_dtypeo
from relgraph.tensor.lawkit.matrices.sizes import cheapest_cycle
from relgraph.tensor.lawkit.matrices.structure import (
    counts_from_zero,
    is_as_long,
    row_by_column,
)
from relgraph.tensor.lawkit.vocabulary import any_dtype_law, law, lvars, relation
from relgraph.tensor.math import _dot

i, p, x, y, z = lvars("i p x y z")
TAGS = ("linear_algebra",)

at_positions = AdvancedSubtensor((Placeholder.ARRAY, Placeholder.ARRAY))
with_diagonal = AdvancedIncSubtensor((Placeholder.ARRAY, Placeholder.ARRAY), False, True)


@relation("diagonal-of-product", sound="rounding", depth=2, tags=TAGS)
def diagonal_of_producto(diagonal: Any, total: Any) -> Any:
    """``(x @ y)[i, i] → sum(x * y.T, axis=1)``, where `i` counts from 0 and nothing else reads
    ``x @ y``"""
    product = lvars("product")
    return lall(
        eq(diagonal, at_positions(product, i, i)),
        eq(product, _dot(x, y)),
        whereo(counts_from_zero, i),
        one_cliento(product),
        ranko(x, 2),
        ranko(y, 2),
        same_dtypeo(x, y),
        realo(x),  # the BLAS makes nan of complex infinities
        # the sums of the products of each row and the column of its number
        computo(total, row_by_column, x, y, i),
    )


CYCLES = (
    law(
        "trace-cycle",
        sum_(at_positions(_dot(_dot(x, y), z), i, i)),
        p,  # trace(x @ y @ z) → trace(y @ z @ x), or trace(z @ x @ y)
        whereo(counts_from_zero, i),
        same_dtypeo(x, y, z),
        computo(p, cheapest_cycle, x, y, z, i),
        whereo(is_found, p),
        sound="finite",
        complex=True,
        tags=TAGS,
    ),
)

PRODUCTS = (
    any_dtype_law(
        "diagonal-transposed",
        at_positions(transposed(x), i, i),
        at_positions(x, i, i),
        ranko(x, 2),
        tags=TAGS,
    ),
    diagonal_of_producto,
    law(
        "diagonal-of-diagonal",
        at_positions(with_diagonal(x, y, i, i), i, i),
        y,
        whereo(counts_from_zero, i),
        ranko(x, 2),
        whereo(is_as_long, y, i),
        complex=True,
        tags=TAGS,
    ),
)
