"""Reshapes and declared shapes: the same elements in another shape, of which the last counts."""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren import computo, whereo
from relgraph.tensor import DimShuffle
from relgraph.tensor.lawkit.guards.results import is_found
from relgraph.tensor.lawkit.guards.types import ranko
from relgraph.tensor.lawkit.layout.reshaping import (
    is_known_shape_of,
    is_shape_of,
    keeps_memory_order,
    merged_lengths,
    one_element_reshaped,
)
from relgraph.tensor.lawkit.vocabulary import Law, any_dtype_law, lvars
from relgraph.tensor.shapes.reshaping import Reshape, SpecifyShape
from relgraph.tensor.shapes.shape import _shape

m, n, o, p, s, t, x, y = lvars("m n o p s t x y")


def reshape_law(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law about shapes, for tensors of any dtype."""
    return any_dtype_law(name, lhs, rhs, *conditions, tags=("reshape_chain",))


CHAINS = (
    reshape_law("reshape-chain", Reshape(n)(Reshape(m)(x, s), t), Reshape(n)(x, t)),
    reshape_law(
        "reshape-of-dimshuffle",
        Reshape(n)(DimShuffle(m, o)(x), t),
        Reshape(n)(x, t),
        whereo(keeps_memory_order, o),
    ),
)

IDENTITIES = (
    # reshape(x, [1, 1]) → x.dimshuffle("x", "x")
    reshape_law(
        "reshape-of-one",
        Reshape(n)(x, t),
        y,
        computo(y, one_element_reshaped, x, t),
        whereo(is_found, y),
    ),
    reshape_law("reshape-vector", Reshape(1)(x, t), x, ranko(x, 1)),
    reshape_law("reshape-to-own-shape", Reshape(n)(x, _shape(x)), x),
    reshape_law("reshape-to-known-shape", Reshape(n)(x, t), x, whereo(is_shape_of, t, x)),
)

DECLARATIONS = (
    reshape_law("specify-known-shape", SpecifyShape(s)(x), x, whereo(is_known_shape_of, s, x)),
    reshape_law(
        "specify-shape-twice",
        SpecifyShape(s)(SpecifyShape(t)(x)),
        SpecifyShape(p)(x),  # s = (2, None), t = (None, 3), p = (2, 3)
        computo(p, merged_lengths, s, t),
    ),
)
