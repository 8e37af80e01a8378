"""The same elements in another shape: only the last shape counts."""

from __future__ import annotations

from typing import Any

from relgraph.graph.kanren import computo, whereo
from relgraph.tensor import DimShuffle
from relgraph.tensor.lawkit.guards.types import ranko
from relgraph.tensor.lawkit.layout.extents import (
    agrees_with,
    is_shape_of,
    keeps_order,
    merged_lengths,
)
from relgraph.tensor.lawkit.vocabulary import Law, law, lvars
from relgraph.tensor.shapes.reshaping import Reshape, SpecifyShape
from relgraph.tensor.shapes.shape import _shape

m, n, o, p, s, t, x = lvars("m n o p s t x")


def of_any(name: str, lhs: Any, rhs: Any, *conditions: Any) -> Law:
    """Return a law that holds for tensors of any dtype."""
    return law(name, lhs, rhs, *conditions, tags=("reshape_chain",), mixed=True, complex=True)


CHAINS = (
    of_any("reshape-chain", Reshape(n)(Reshape(m)(x, s), t), Reshape(n)(x, t)),
    of_any(
        "reshape-of-dimshuffle",
        Reshape(n)(DimShuffle(m, o)(x), t),
        Reshape(n)(x, t),
        whereo(keeps_order, o),
    ),
)

IDENTITIES = (
    of_any("reshape-vector", Reshape(1)(x, t), x, ranko(x, 1)),
    of_any("reshape-to-own-shape", Reshape(n)(x, _shape(x)), x),
    of_any("reshape-to-known-shape", Reshape(n)(x, t), x, whereo(is_shape_of, t, x)),
)

DECLARATIONS = (
    of_any("specify-known-shape", SpecifyShape(s)(x), x, whereo(agrees_with, s, x)),
    of_any(
        "specify-shape-twice",
        SpecifyShape(s)(SpecifyShape(t)(x)),
        SpecifyShape(p)(x),
        computo(p, merged_lengths, s, t),
    ),
)
