"""Roots of quadratics, and sums of squares in roots, quotients and logarithms.

Of ``-b + sqrt(b**2 - y)`` and ``b + sqrt(b**2 - y)`` one cancels, depending on the sign of `b`; the
other one divides the constant term. Sums of squares are computed without the overflow of the
squares.

Hamming, Numerical Methods for Scientists and Engineers (1986), ch. 3.2; Kahan, On the Cost of
Floating-Point Computation Without Extra-Precise Arithmetic (2004); Higham, Accuracy and Stability
of Numerical Algorithms (2002), 1.8 and 27.8; Blue, A Portable Fortran Program to Find the Euclidean
Norm of a Vector (1978).
"""

from __future__ import annotations

from typing import Any

from relations.kit import squares as kit
from relations.kit.cancellation import by_cases, length_of_all, not_choseno
from relations.kit.compensation import uncompensated
from relations.kit.guards import broadcast_alike, no_zeroo, positive_numbero
from relations.kit.nests import terms_of_sum
from relations.kit.type_guards import floato, matrixo, same_dtypeo, vectoro
from relations.kit.vocabulary import Law, finite, lvars, stable
from relgraph.graph.kanren import case, computed, one_cliento, readerso, several, view, whereo
from relgraph.tensor import abs as abs_
from relgraph.tensor import add, gt, hypot1m1, log1p, log1p_sqr, lt, sqr, sqrt, switch
from relgraph.tensor import sum as sum_
from relgraph.tensor.math import _dot
from relgraph.tensor.norms import Cosine, Norm

# -- roots of quadratics ---------------------------------------------------------------------------

x, y = lvars("x y")


def late(name: str, lhs: Any, rhs: Any) -> Law:
    """Return a law that waits for others: ``log(x + sqrt(1 + x**2))`` is an arcsinh, and sees to
    its sum itself. Of ``sqrt(x**2 + 0)`` there is nothing to gain."""
    return stable(name, lhs, rhs, no_zeroo(y), tags=("late",))


def with_constant_term(ending: str, root: Any, y: Any) -> tuple[Law, ...]:
    """Return the laws about `root`, of the square of `x` and of `y`, beside `x`."""
    # of infinities and zeros there is no such quotient, nor anything to be gained
    above, below = gt(x / root, 0.5), lt(x / root, -0.5)
    # of what is chosen, so that no law here matches what another leaves
    less = y / switch(above, root + switch(above, x, 0), 1)
    more = y / switch(below, root - switch(below, x, 0), 1)
    not_above, not_below = switch(above, 0, x), switch(below, 0, x)
    root_less = switch(above, less, root - not_above)
    return (
        late(f"root-less{ending}", root - x, root_less),
        late(f"neg-and-root{ending}", -x + root, root_less),
        late(f"root-more{ending}", root + x, switch(below, more, root + not_below)),
        late(f"neg-less-root{ending}", -x - root, switch(below, -more, -not_below - root)),
    )


QUADRATICS = (
    *with_constant_term("", sqrt(sqr(x) + y), y),
    *with_constant_term("-of-difference", sqrt(sqr(x) - y), -y),
)


# -- sums of squares -------------------------------------------------------------------------------

a, b, xs = lvars("a b xs")
c = lvars("c", positive_numbero)

far = gt(abs_(x), 1)
far_x = switch(far, x, 1)
by_far = 1 / (far_x + c / far_x)


# the square of an integer that is added to floats may wrap around
scaled = (sqrt(c) * x,), floato(x), same_dtypeo(c, x)

SQUARE = view(
    "what it is the square of",
    case(sqr(x), (x,), floato(x)),
    case(c * sqr(x), *scaled),
    case(x, ()),
)

squares = add(several(xs))
length = computed(length_of_all, computed(SQUARE.each, computed(terms_of_sum, xs)))
tried = (sqr(x) + sqr(y), sqr(x) + sqr(y) + sqr(a), 2.0 * sqr(x) + sqr(y))

terms, difference = add(several(xs)), x - y


def together(name: str, lhs: Any, *tries: Any) -> Law:
    """Return the law that three terms of a whole sum are a square."""
    made = computed(kit.square_together, computed(kit.sum_with_square, lhs))
    return stable(name, lhs, made, tags=("late",), tries=tries)


def together_over_axes(name: str, lhs: Any, *tries: Any) -> Law:
    """Return the law that terms of a whole sum are sums over pairs: where an element meets itself,
    what may be infinite cancels."""
    made = computed(kit.squares_over_two_axes, computed(kit.sum_of_reductions, lhs))
    return finite(name, lhs, made, tags=("add_canonicalize", "late"), tries=tries)


twice = 2.0 * x * y
WRITTEN_OUT = (
    together(
        "written-out-square",  # x**2 + z + 2 * x * y + y**2 → (x + y)**2 + z
        terms,
        sqr(x) + twice + sqr(y),
        (sqr(x) - twice) + sqr(y),
        sqr(x) + 2.0 * x + 1,
        (1 - 2.0 * x) + sqr(x),
    ),
    together(
        "written-out-square-less",  # x**2 + y**2 - 2 * x * y → (x - y)**2
        difference,
        sqr(x) + sqr(y) - twice,
        sqr(x) + 4.0 - 4.0 * x,
    ),
)
"""Squares that were written out, and cancel where both terms are nearly equal."""

m = lvars("m", matrixo)
u, v = lvars("u v", vectoro)
rows, columns = sum_(m, axis=(1,)), sum_(m, axis=(0,))

OVER_AXES = (
    together_over_axes(
        "weighted-squares",  # sum(rows(m) * v**2 + columns(m) * v**2) - 2 * sum(m * v * v.T)
        terms,
        sum_(rows * sqr(v), axis=None)
        + sum_(v * (columns * v - 2.0 * sum_(m * v, axis=(1,))), axis=None),
    ),
    together_over_axes(
        "weighted-squares-less",
        difference,
        sum_((rows + columns) * sqr(v), axis=None)
        - 2.0 * sum_(v * sum_(m * v, axis=(1,)), axis=None),
    ),
)
"""Sums of squared differences, as the slopes of what distances are computed of: they are written in
the sums of rows and columns, and cancel where the weights are of points near each other."""

LENGTHS = (
    # sqrt(x**2 + 2 * y**2) → length(x, sqrt(2) * y)
    stable("hypot", sqrt(squares), length, tries=[sqrt(one) for one in tried]),
    stable(
        "hypot-by-constant",
        sqrt(squares / c),
        length / sqrt(c),
        tries=[sqrt(one / 3.0) for one in tried],
    ),
    stable(
        "hypot-of-scaled",
        sqrt(c * squares),
        sqrt(c) * length,
        tries=[sqrt(0.3 * one) for one in tried],
    ),
    stable("root-of-scaled-square", sqrt(c * sqr(x)), sqrt(c) * abs_(x)),
    by_cases("by-constant-and-square", far, lambda v: v / (c + sqr(v)), by_far, 1, not_choseno(x)),
)

norm_x, norm_y = Norm(a)(x), Norm(b)(y)

total_x, total_y = sum_(sqr(x), axis=a), sum_(sqr(y), axis=b)

NORMS = (
    stable("norm", sqrt(sum_(sqr(x), axis=a)), norm_x),
    stable("product-of-norms", sqrt(total_x * total_y), norm_x * norm_y),
    stable("ratio-of-norms", total_x / total_y, sqr(norm_x / norm_y)),
    stable(
        "cosine",
        sum_(x * y, axis=a) / (norm_x * Norm(a)(y)),
        Cosine(a)(x, y),
        whereo(broadcast_alike, x, y),
    ),
    stable("cosine-of-dot", _dot(u, v) / (Norm(None)(u) * Norm(None)(v)), Cosine(None)(u, v)),
)

positive = gt(y, 0)
by_root = x / sqrt(switch(positive, y, 1))
# of a negative number, which no root divides; its slope is finite where the other one is chosen
negative_y = switch(positive, -1, y)


ONES_AND_SQUARES = (
    stable(
        "hypot-less-one", sqrt(1 + sqr(x)) - 1, hypot1m1(x), readerso(uncompensated, 1 + sqr(x))
    ),
    # what is read elsewhere is computed anyway, and has the rounding that the logarithm has
    stable("log-one-and-square", log1p(sqr(x)), log1p_sqr(x), one_cliento(sqr(x))),
    stable(
        "log-one-and-scaled-square",
        log1p(c * sqr(x)),
        log1p_sqr(sqrt(c) * x),
        one_cliento(c * sqr(x)),
    ),
    stable(
        "log-one-and-square-by",
        log1p(sqr(x) / y),
        switch(positive, log1p_sqr(by_root), log1p(sqr(switch(positive, 0, x)) / negative_y)),
        not_choseno(y),
        one_cliento(sqr(x) / y),
    ),
)
"""Roots and logarithms of one and a square."""
