"""Floor division and remainders of integers, which wrap around.

NumPy's quotient and remainder by zero are 0. ``(x * 3) // 3`` is not `x`: the product may have
wrapped around.
"""

from __future__ import annotations

from relgraph.graph.kanren import computo, whereo
from relgraph.tensor import floor, mul
from relgraph.tensor.lawkit.arithmetic.constant_arithmetic import folded
from relgraph.tensor.lawkit.guards.numbers import discrete_zeroo, nonzero_numbero, positive_numbero
from relgraph.tensor.lawkit.guards.types import floato, integero, same_dtypeo, signedo
from relgraph.tensor.lawkit.numbers.integers import (
    discrete_minus_oneo,
    product_fits,
)
from relgraph.tensor.lawkit.vocabulary import law, lvars

c, d, k, x, y = lvars("c d k x y")

_CONSTANT = ("constant_elimination", "mul_specialize")
_FACTORS = ("mul_canonicalize",)

integers = (integero(x), same_dtypeo(c, x))
"""Two of one dtype: an integer divided by a float, or a uint64 by an int64, gives a float."""

DIVISION = (
    law("int-div-one", x // 1, x, integero(x), tags=_CONSTANT),
    law("int-div-minus-one", x // c, -x, signedo(x), discrete_minus_oneo(c), tags=_CONSTANT),
    law("int-div-one-float", x // 1, floor(x), floato(x), sound="finite", tags=_CONSTANT),
    law("zero-int-div", c // x, 0, *integers, discrete_zeroo(c), tags=_CONSTANT),
    law(
        "int-div-twice",
        x // c // d,
        x // k,  # k = c * d
        *integers,
        integero(d),
        whereo(product_fits, c, d),
        computo(k, folded(mul), c, d),
        tags=_FACTORS,
    ),
)

REMAINDERS = (
    law("mod-one", x % 1, 0, integero(x), tags=_CONSTANT),
    law("mod-minus-one", x % c, 0, signedo(x), discrete_minus_oneo(c), tags=_CONSTANT),
    law("zero-mod", c % x, 0, *integers, discrete_zeroo(c), tags=_CONSTANT),
    law("mod-self", x % x, 0, integero(x), tags=_FACTORS),
    law("mod-twice", x % y % y, x % y, integero(x), same_dtypeo(x, y), tags=_FACTORS),
    law("int-div-of-mod", (x % c) // c, 0, *integers, positive_numbero(c), tags=_CONSTANT),
    law("div-mod", x // c * c + x % c, x, *integers, nonzero_numbero(c), tags=_FACTORS),
    law("sub-int-div", x - x // c * c, x % c, *integers, nonzero_numbero(c), tags=_FACTORS),
    law("sub-mod", x - x % c, x // c * c, *integers, nonzero_numbero(c), tags=_FACTORS),
)
