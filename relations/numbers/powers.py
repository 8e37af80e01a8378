"""Powers, squares and roots.

Exponents are multiplied where they are whole numbers, since ``(x**2)**0.5`` is not ``x``.
"""

from __future__ import annotations

from relations.kit import numbers as kit
from relations.kit.constant_arithmetic import known
from relations.kit.guards import is_read, nonzero_numbero, not_constanto
from relations.kit.type_guards import floato, integero, roomyo
from relations.kit.vocabulary import finite, law, lvars, rounding, stable
from relgraph.graph.kanren import computed, readerso, whereo
from relgraph.tensor import abs as abs_
from relgraph.tensor import reciprocal, sqr, sqrt

c, d, x, y = lvars("c d x y")
u, h = lvars("u", floato), lvars("h", floato, nonzero_numbero, kit.halfo)
"""A floating-point number, and one that can be halved."""

_MUL, _POW = ("mul_canonicalize",), ("pow_specialize",)

CONSTANTS = (
    law("pow-zero", x**0, 1, tags=("constant_elimination", *_POW)),
    law("one-pow", 1**x, 1, tags=("constant_elimination", *_POW)),
)

SIGNS = (
    law("sqr-neg", sqr(-x), sqr(x), tags=_MUL),
    law("sqr-abs", sqr(abs_(x)), sqr(x), tags=_MUL),
    rounding("pow-neg-even", (-x) ** c, x**c, kit.eveno(c), tags=_MUL),
    rounding("pow-neg-odd", (-x) ** c, -(x**c), kit.oddo(c), tags=_MUL),
    rounding("pow-abs-even", abs_(x) ** c, x**c, kit.eveno(c), tags=_MUL),
)

multiplied, doubled = whereo(kit.exponents_multiply, c, d), whereo(kit.exponent_doubles, c)

EXPONENTS = (
    stable("pow-of-pow", (x**c) ** d, x ** known(c * d), multiplied, tags=_MUL),
    stable("pow-of-sqr", sqr(x) ** c, x ** known(2 * c), doubled, tags=_MUL),
    finite("pow-of-sqrt", sqrt(u) ** h, u ** known(h / 2), tags=(*_MUL, *_POW)),
)

# a square may overflow, and what it rounds the exponent enlarges
OF_SQUARES = (
    stable("power-of-square", sqr(x) ** y, abs_(x) ** (2 * y), floato(x), not_constanto(y)),
)

SQUARES_AND_ROOTS = (
    law("mul-self", x * x, sqr(x), tags=("mul_specialize",)),
    rounding("pow-two", x**2, sqr(x), tags=_POW),
    law("pow-two-integer", x**2, sqr(x), integero(x), tags=_POW),
    rounding("sqrt-sqr", sqrt(sqr(x)), abs_(x), floato(x), tags=_POW),
    finite("sqr-sqrt", sqr(sqrt(x)), x, floato(x), tags=_POW),
)

AS_SQUARES = (
    law("product-as-square", x * x, sqr(x), readerso(is_read, x * x)),
    rounding("power-as-square", x**2, sqr(x), readerso(is_read, x**2)),
)
"""The squares where something is computed of them. The laws for accuracy look for `sqr`, and a mode
may have these alone."""

SPECIAL = (
    # x**7 → x * sqr(x * sqr(x))
    rounding("pow-of-few-products", x**c, computed(kit.written_out, x, c), tags=_POW),
    finite("pow-half", x**0.5, sqrt(x), tags=_POW),  # (-inf)**0.5 is inf
    finite("pow-three-halves", x**1.5, x * sqrt(x), tags=_POW),
    finite("pow-minus-half", x**-0.5, reciprocal(sqrt(x)), tags=_POW),
    rounding("pow-minus-one", x**-1.0, reciprocal(x), floato(x), tags=_POW),
    rounding("pow-minus-two", x**-2.0, reciprocal(sqr(x)), floato(x), roomyo(x), tags=_POW),
    finite("reciprocal-of-sqrt-sqr", sqr(reciprocal(sqrt(x))), reciprocal(x), tags=_POW),
)
