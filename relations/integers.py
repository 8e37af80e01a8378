"""Floor division and remainders of integers, which wrap around.

NumPy's quotient and remainder by zero are 0. ``(x * 3) // 3`` is not `x`: the product may have
wrapped around.
"""

from __future__ import annotations

from relgraph.graph.kanren import computo, whereo
from relgraph.tensor import floor, mul
from relgraph.tensor.constants import folded
from relgraph.tensor.guards import floato, integero, signedo
from relgraph.tensor.number_guards import nonzeroo, positive_numbero, product_fits
from relgraph.tensor.terms import law, lvars

c, d, k, x, y = lvars("c d k x y")

_CONSTANT = ("constant_elimination", "mul_specialize")

DIVISION = (
    law("int-div-one", x // 1, x, integero(x), tags=_CONSTANT),
    law("int-div-minus-one", x // -1, -x, signedo(x), tags=_CONSTANT),
    law("int-div-one-float", x // 1, floor(x), floato(x), sound="finite", tags=_CONSTANT),
    law("zero-int-div", 0 // x, 0, integero(x), tags=_CONSTANT),
    law(
        "int-div-twice",
        x // c // d,
        x // k,
        integero(x),
        whereo(product_fits, c, d),
        computo(k, folded(mul), c, d),
        tags=("mul_canonicalize",),
    ),
)

REMAINDERS = (
    law("mod-one", x % 1, 0, integero(x), tags=_CONSTANT),
    law("mod-minus-one", x % -1, 0, signedo(x), tags=_CONSTANT),
    law("zero-mod", 0 % x, 0, integero(x), tags=_CONSTANT),
    law("mod-self", x % x, 0, integero(x), tags=("mul_canonicalize",)),
    law("mod-twice", x % y % y, x % y, integero(x), tags=("mul_canonicalize",)),
    law("int-div-of-mod", (x % c) // c, 0, integero(x), positive_numbero(c), tags=_CONSTANT),
    law("div-mod", x // c * c + x % c, x, integero(x), nonzeroo(c), tags=("mul_canonicalize",)),
    law("sub-int-div", x - x // c * c, x % c, integero(x), nonzeroo(c), tags=("mul_canonicalize",)),
    law("sub-mod", x - x % c, x // c * c, integero(x), nonzeroo(c), tags=("mul_canonicalize",)),
)
