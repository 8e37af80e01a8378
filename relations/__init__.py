"""The rule book: which laws there are, and which are used when.

The laws stand in tables on pages by subject, in rooms:

========== ========================================================================================
numbers    `arithmetic` (what holds of two or three terms or factors), `collecting` (what holds of
           any number of them), `powers`, `magnitudes` (absolute values, signs, maximum and minimum
           of two), `dtypes` (casts, integers, rounding, complex numbers)
functions  `exponential` (and the logistic function), `logarithms` (of products, and of sums of
           exponentials), `quotients_of_exponentials`, `trigonometric` (and odd and even functions,
           and inverses, by their facts), `special`
cancel-    `differences`, `near_zero`, `inverses`, `squares` (roots of quadratics, sums of squares)
lation
reductions `reduction` (sums, products and running totals over axes, and moments), `extremes` (and
           sorted elements), `softmax`
choices    comparisons, switches and assertions, on one page
matrices   `products` (their order, and those that the BLAS has), `systems` (of equations, and
           inverses), `determinants` (and traces), `structured` (Kronecker products, and updates of
           few rows and columns)
layout     shapes, fills and allocations, reshapes, orders of axes, joins, on one page
parts      indexing, parts that are set or incremented, sums of increments, on one page
identities what searches over many forms use beside the phases, on one page
sparse     what is stored where, and products without dense matrices, on one page
kit        no laws: what they are written with, guards and computations for right sides
========== ========================================================================================

A law is written by the name of its soundness class, `rounding`, `finite` or `stable`; by `law`, if
it is exact.

`phases` puts the tables into phases, whose names this package has. It is loaded when one of them is
first used: a user's own law needs the kit alone.
"""

from typing import TYPE_CHECKING

from relgraph.on_first_use import names_on_first_use

if TYPE_CHECKING:
    from relations.phases import BLAS as BLAS
    from relations.phases import CANCELLATION as CANCELLATION
    from relations.phases import CANONICALIZE as CANONICALIZE
    from relations.phases import SPECIALIZE as SPECIALIZE
    from relations.phases import STABILIZE as STABILIZE
    from relations.phases import UNCHECKED as UNCHECKED

__getattr__, __dir__ = names_on_first_use(__name__)
