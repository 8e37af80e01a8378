"""Odd and even functions, and functions of their inverses: what holds of any op with such facts.

The record of an op states its facts, so a new op has these laws. Functions of integers that wrap
around, and logarithms of exponentials, whose roundings may cancel, have laws of their own.
"""

from __future__ import annotations

from relations.kit import functions as kit
from relations.kit.guards import nonnegativeo
from relations.kit.vocabulary import finite, lvars, rounding, stable
from relgraph.graph.kanren import whereo
from relgraph.tensor import Elemwise
from relgraph.tensor import abs as abs_

s, t, x = lvars("s t x")

f, g = Elemwise(s, ()), Elemwise(t, ())
"""Two elementwise functions."""

odd, even = whereo(kit.is_odd_function, s), whereo(kit.is_even_function, s)
inverse = whereo(kit.undoes, s, t)
"""That `f` undoes what `g` does."""

SIGNS = (
    rounding("odd-neg", f(-x), -f(x), odd),
    rounding("even-neg", f(-x), f(x), even),
    rounding("even-abs", f(abs_(x)), f(x), even),
)

above_zero = (whereo(kit.is_defined_above_zero, t), nonnegativeo(x))

INVERSES = (
    stable("inverse", f(g(x)), x, inverse, whereo(kit.is_defined_everywhere, t)),
    stable("inverse-nonnegative", f(g(x)), x, inverse, *above_zero),
    finite("inverse-where-defined", f(g(x)), x, inverse, whereo(kit.is_defined_in_part, t)),
)
