"""The order of products of several matrices, where the lengths are known."""

from __future__ import annotations

from relgraph.graph.kanren import computo, whereo
from relgraph.tensor.lawkit.guards.results import is_found
from relgraph.tensor.lawkit.guards.types import roomyo
from relgraph.tensor.lawkit.matrices.sizes import cheapest_chain
from relgraph.tensor.lawkit.vocabulary import law, lvars
from relgraph.tensor.math import _dot

w, x, y, z = lvars("w x y z")

CHAINS = (
    law(
        "chain-of-products",
        _dot(x, y),
        z,  # (x @ y) @ z → x @ (y @ z), and so on, of all orders the cheapest
        computo(z, cheapest_chain, x, y),
        whereo(is_found, z),
        roomyo(x, y),
        sound="finite",
        complex=True,
        tags=("linear_algebra",),
        tries=(_dot(_dot(x, y), z), _dot(x, _dot(y, z)), _dot(_dot(x, y), _dot(z, w))),
    ),
)
